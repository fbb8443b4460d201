// What every step is made of: its words, its live figure with what may be changed, and a thing to try.
import type { ComponentChildren } from "preact";
import type { Answered } from "../answer";
import { Alarm } from "../parts/notice";
import { tune } from "../store";

export function Prose({ children }: { children: ComponentChildren }) {
  return <div class="prose">{children}</div>;
}

interface FigureProps {
  caption: ComponentChildren;
  label?: string | null; // "illustrative", or which head it is; null: not known yet, its line is kept
  answer?: Answered<unknown>;
  children: ComponentChildren;
}

export function Figure({ caption, label, answer, children }: FigureProps) {
  const late = answer?.busy && answer.value !== null;
  return (
    <figure class="figure">
      {label === undefined ? null : <p class="tag small">{label ?? "\u00a0"}</p>}
      <Alarm failure={answer?.failure ?? null} />
      <div class={late ? "figure-body waiting" : "figure-body"}>{children}</div>
      <figcaption class="small dim">{caption}</figcaption>
    </figure>
  );
}

export function TryIt({ children }: { children: ComponentChildren }) {
  return (
    <p class="try">
      <b>Try it.</b> {children}
    </p>
  );
}

// The reader's own sentence, the same in every step and room.
export function OwnSentence({ text }: { text: string }) {
  return (
    <label class="control own">
      <span>Your sentence</span>
      <input
        class="field"
        value={text}
        spellcheck={false}
        onInput={(event) => tune({ text: event.currentTarget.value, pins: [] })}
      />
      {text.trim() ? null : <span class="small dim">Type a sentence, and the figure comes back.</span>}
    </label>
  );
}
