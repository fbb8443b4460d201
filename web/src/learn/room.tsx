// The Learn room: the list of steps, the step itself, and the way on. The place is kept in this browser.
import { useEffect, useRef } from "preact/hooks";
import { keep, kept } from "../kept";
import type { State } from "../state";
import { linkTo } from "../store";
import { kSteps, Step } from "./steps";

const kKey = "limelight-step";

function placeOf(name: string): number {
  const found = kSteps.findIndex((step) => step.name === (name || kept(kKey)));
  return Math.max(found, 0);
}

function linkToStep(step: Step): string {
  return linkTo({ room: "learn", step: step.name });
}

function Contents({ at }: { at: number }) {
  return (
    <ol>
      {kSteps.map((step, i) => (
        <li key={step.name}>
          {i === 0 || kSteps[i - 1].level !== step.level ? <span class="level">{step.level}</span> : null}
          <a href={linkToStep(step)} aria-current={i === at ? "step" : undefined}>
            <span class="number">{i + 1}</span> {step.title}
          </a>
        </li>
      ))}
    </ol>
  );
}

function WayOn({ at }: { at: number }) {
  const before = kSteps[at - 1];
  const after = kSteps[at + 1];
  return (
    <nav class="way" aria-label="Steps before and after">
      {before ? (
        <a class="button" href={linkToStep(before)} rel="prev">
          ← {before.title}
        </a>
      ) : (
        <span />
      )}
      {after ? (
        <a class="button main" href={linkToStep(after)} rel="next">
          {after.title} →
        </a>
      ) : (
        <a class="button main" href={linkTo({ room: "look" })}>
          Go to Look →
        </a>
      )}
    </nav>
  );
}

export function LearnRoom({ state }: { state: State }) {
  const at = placeOf(state.step);
  const { name, title, level, View } = kSteps[at];
  const heading = useRef<HTMLHeadingElement>(null);
  const came = useRef(false);
  useEffect(() => {
    keep(kKey, name);
    if (came.current) {
      heading.current?.focus({ preventScroll: true });
      scrollTo(0, 0);
    }
    came.current = true;
  }, [name]);
  return (
    <div class="lesson">
      <nav class="contents" aria-label="Steps of the lesson">
        <details class="folded">
          <summary>
            Step {at + 1} of {kSteps.length}: {title}
          </summary>
          <Contents at={at} />
        </details>
        <div class="open">
          <Contents at={at} />
        </div>
      </nav>
      <article>
        <p class="level small">
          {level} · step {at + 1} of {kSteps.length}
        </p>
        <h1 ref={heading} tabIndex={-1}>
          {title}
        </h1>
        <View key={name} state={state} />
        <WayOn at={at} />
      </article>
    </div>
  );
}
