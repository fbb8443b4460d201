// A sentence whose words are buttons, with arcs from the word that looks and each word's share below it.
// Hover and focus preview, click pins, Shift+click adds, Escape lets go; arrows walk.
import { useLayoutEffect, useRef, useState } from "preact/hooks";
import type { Row } from "../contract";
import { Arc, arcsOf, Box, strongest } from "./arcs";
import { Word } from "./word";

const kMany = 24; // words from which on they are set smaller
const kMostArcs = 60; // more would be a haze: the others are thinner than a line

interface SentenceProps {
  words: string[];
  row: Row | null; // what the arcs and shares show
  from: number[]; // the words that look
  own?: Row[]; // of several words the row of each, for its arcs
  keep?: number;
  hidden?: number[]; // words left out of the picture, with the first token
  label?: string;
  onPreview?: (index: number | null) => void;
  onPin?: (index: number, add: boolean) => void;
  onUnpin?: () => void;
}

function weightsOf(row: Row | null, hidden: number[]): number[] {
  return row ? row.row.map((share, i) => (share.blocked || hidden.includes(i) ? 0 : share.weight)) : [];
}

function boxesIn(list: HTMLElement): Box[] {
  const outer = list.getBoundingClientRect();
  return [...list.querySelectorAll<HTMLElement>(".word")].map((word) => {
    const box = word.getBoundingClientRect();
    return {
      left: box.left - outer.left,
      right: box.right - outer.left,
      top: box.top - outer.top,
      bottom: box.bottom - outer.top,
    };
  });
}

function useBoxes(words: string[]) {
  const list = useRef<HTMLDivElement>(null);
  const [boxes, setBoxes] = useState<Box[]>([]);
  useLayoutEffect(() => {
    const element = list.current;
    if (!element) return undefined;
    const measure = () => setBoxes(boxesIn(element));
    measure();
    const watch = new ResizeObserver(measure);
    watch.observe(element, { box: "border-box" }); // its padding changes where words wrap
    return () => watch.disconnect();
  }, [words.join("\u0000")]);
  return { list, boxes };
}

// The word that an event is about; null: the space between words.
function wordOf(event: Event): number | null {
  const index = (event.target as Element).closest<HTMLElement>("[data-word]")?.dataset.word;
  return index === undefined ? null : Number(index);
}

function ArcLines({ arcs }: { arcs: Arc[] }) {
  return (
    <svg class="arcs" aria-hidden="true">
      {arcs.map((arc, i) => (
        <path key={i} d={arc.path} stroke-width={arc.width} class={arc.loop ? "arc own" : "arc"} />
      ))}
    </svg>
  );
}

export function Sentence(props: SentenceProps) {
  const { words, row, from, keep = 100, hidden = [], onPreview, onPin, onUnpin } = props;
  const { list, boxes } = useBoxes(words);
  const [focus, setFocus] = useState(from[0] ?? 0);
  const wrapped = boxes.length > 0 && boxes[0].top !== boxes[boxes.length - 1].top;
  const stop = Math.min(focus, words.length - 1);
  const weights = weightsOf(row, hidden);
  const arcs = from.flatMap((i, n) => {
    const mine = props.own ? weightsOf(props.own[n], hidden) : weights;
    return arcsOf(boxes, i, mine, strongest(mine, keep).slice(0, kMostArcs));
  });

  const preview = (index: number | null) => index !== null && onPreview?.(index);
  const step = (event: KeyboardEvent) => {
    const moves: Record<string, number> = { ArrowLeft: stop - 1, ArrowRight: stop + 1, Home: 0, End: words.length - 1 };
    if (event.key === "Escape") onUnpin?.();
    if (!(event.key in moves)) return;
    event.preventDefault();
    const to = Math.min(Math.max(moves[event.key], 0), words.length - 1);
    setFocus(to);
    list.current?.querySelectorAll<HTMLElement>(".word")[to]?.focus();
  };

  return (
    <div
      class={`sentence${words.length > kMany ? " many" : ""}${wrapped ? " wrapped" : ""}`}
      ref={list}
      onPointerLeave={() => onPreview?.(null)}
    >
      <ArcLines arcs={arcs} />
      <div
        class="words"
        role="toolbar"
        aria-label={props.label ?? "Words of the text"}
        onKeyDown={step}
        onPointerOver={(event) => event.pointerType === "mouse" && preview(wordOf(event))}
        onFocusIn={(event) => {
          setFocus(wordOf(event) ?? stop);
          preview(wordOf(event));
        }}
        onFocusOut={() => onPreview?.(null)}
        onClick={(event) => {
          const index = wordOf(event);
          if (index !== null) onPin?.(index, event.shiftKey);
        }}
      >
        {words.map((word, i) => (
          <Word
            key={i}
            index={i}
            word={word}
            share={row?.row[i] ?? null}
            lit={weights[i] ?? 0}
            out={hidden.includes(i)}
            pinned={from.includes(i)}
            stop={i === stop}
          />
        ))}
      </div>
    </div>
  );
}
