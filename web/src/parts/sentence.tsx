// A sentence whose words are buttons, with arcs from the word that looks and each word's share below it.
// Hover and focus preview, click pins, Shift+click adds, Escape lets go; arrows walk.
import { useLayoutEffect, useRef, useState } from "preact/hooks";
import type { Row } from "../contract";
import { Arc, arcsOf, Box, strongest } from "./arcs";
import { percentText } from "./number";

const kMany = 24; // words from which on they are set smaller
const kMostArcs = 60; // more would be a haze: the others are thinner than a line
const kMuch = 0.12; // of the light: its number stands on a glow, and is written darker

interface SentenceProps {
  words: string[];
  gaps?: number[]; // 1 where a space stands before the word
  row: Row | null; // what the arcs and shares show
  from: number[]; // the words that look
  keep?: number;
  hidden?: number[]; // words left out of the picture, with the first token
  label?: string;
  onPreview?: (index: number | null) => void;
  onPin?: (index: number, add: boolean) => void;
  onUnpin?: () => void;
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
    watch.observe(element);
    return () => watch.disconnect();
  }, [words.join("\u0000")]);
  return { list, boxes };
}

function ArcLines({ arcs }: { arcs: Arc[] }) {
  return (
    <svg class="arcs" aria-hidden="true">
      {arcs.map((arc) => (
        <path key={arc.to} d={arc.path} stroke-width={arc.width} class={arc.loop ? "arc own" : "arc"} />
      ))}
    </svg>
  );
}

export function Sentence(props: SentenceProps) {
  const { words, gaps, row, from, keep = 100, hidden = [], onPreview, onPin, onUnpin } = props;
  const { list, boxes } = useBoxes(words);
  const [focus, setFocus] = useState(from[0] ?? 0);
  const wrapped = boxes.length > 0 && boxes[0].top !== boxes[boxes.length - 1].top;
  const stop = Math.min(focus, words.length - 1);
  const weights = row ? row.row.map((share, i) => (share.blocked || hidden.includes(i) ? 0 : share.weight)) : [];
  const kept = strongest(weights, keep).slice(0, kMostArcs);
  const arcs = row ? from.flatMap((i) => arcsOf(boxes, i, weights, kept)) : [];

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
      <div class="words" role="toolbar" aria-label={props.label ?? "Words of the text"} onKeyDown={step}>
        {words.map((word, i) => {
          const share = row?.row[i];
          const out = hidden.includes(i);
          const blocked = share?.blocked ?? false;
          const told = !share
            ? ""
            : blocked
              ? "blocked"
              : out
                ? "hidden"
                : percentText(share.percent ?? 0, share.weight);
          return (
            <button
              key={i}
              type="button"
              tabIndex={i === stop ? 0 : -1}
              aria-pressed={from.includes(i)}
              class={`word${blocked ? " blocked" : ""}${out ? " out" : ""}${gaps && gaps[i] === 0 ? " joined" : ""}`}
              title={word.length > 18 ? word : undefined}
              onPointerEnter={(event) => event.pointerType === "mouse" && onPreview?.(i)}
              onFocus={() => {
                setFocus(i);
                onPreview?.(i);
              }}
              onBlur={() => onPreview?.(null)}
              onClick={(event) => onPin?.(i, event.shiftKey)}
            >
              <i class="glow" style={{ opacity: Math.min(1, weights[i] ?? 0) }} />
              <bdi class="token">{word}</bdi>
              <span class={weights[i] > kMuch ? "share lit" : "share"}>{told}</span>
            </button>
          );
        })}
      </div>
    </div>
  );
}
