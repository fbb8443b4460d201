// One head on one text, and the light of the pinned words: what the spotlight, the comparison and the lesson show.
import { useMemo } from "preact/hooks";
import { Answered, useAnswer } from "./answer";
import { floats } from "./api";
import type { Grid, Look, Row } from "./contract";
import { rowOf } from "./parts/rounding";
import type { Question } from "./question";

export interface HeadGrid {
  grid: Grid;
  weights: Float32Array;
  special: Float32Array;
  entropy: Float32Array;
}

export interface Spotlight {
  head: HeadGrid | null;
  of: Question | null; // what the head was read for
  look: Look | null; // of the pinned words in this head, once it is there
  row: Row | null;
  from: number[];
  answer: Answered<unknown>;
}

// "it" where the text has it: it is what the lesson is about. Else the last word with a letter.
export function usualPin(words: string[]): number {
  const it = words.findIndex((word) => word.toLowerCase() === "it");
  return it >= 0
    ? it
    : Math.max(
        0,
        words.findLastIndex((word) => /\p{L}/u.test(word)),
      );
}

function unpacked(grid: Grid): HeadGrid {
  return { grid, weights: floats(grid.weights), special: floats(grid.special), entropy: floats(grid.entropy) };
}

// The mean of the rows of several words: their light together, which adds to 1. Blocked is what all of them do not see.
export function lightOf(head: HeadGrid, from: number[]): Row | null {
  const n = head.grid.units.length;
  const weights = new Array<number>(n).fill(NaN);
  for (let j = 0; j < n; ++j) {
    const seen = from.map((i) => head.weights[i * n + j]).filter((w) => !Number.isNaN(w));
    if (seen.length) weights[j] = seen.reduce((a, b) => a + b, 0) / from.length;
  }
  const mean = (values: Float32Array) => from.reduce((sum, i) => sum + values[i], 0) / from.length;
  const { units, blocked_because: because } = head.grid;
  const reasonOf = (j: number) => (j > from[0] ? because.later : because.earlier);
  return rowOf(units, weights, mean(head.special), mean(head.entropy), reasonOf);
}

// The rows of single words, each made when it is first asked for.
export function useRows(head: HeadGrid | null): (word: number) => Row | null {
  return useMemo(() => {
    const made: (Row | null)[] = [];
    return (word: number) => (made[word] ??= lightOf(head!, [word]));
  }, [head]);
}

// What `look` is asked, once the grid has said which head it is. A piece has no row of its own there: the grid has.
function lookBody(question: Question, head: HeadGrid, from: number[]): object | null {
  const { layer, head: number } = head.grid;
  return question.unit ? null : { ...question, layer, head: number, word: from.length > 1 ? from : from[0] };
}

type Pins = number[] | ((units: string[]) => number[]);

export function useSpotlight(question: Question | null, pins: Pins, wait = 0): Spotlight {
  const asked = useAnswer<Grid>("grid", question, { wait });
  const head = useMemo(() => (asked.value ? unpacked(asked.value) : null), [asked.value]);
  const units = head?.grid.units ?? [];
  const pinned = (typeof pins === "function" ? pins(units) : pins).filter((i) => i < units.length);
  const from = !units.length ? [] : pinned.length ? pinned : [usualPin(units)];
  const looked = useAnswer<Look>("look", question && head && asked.fresh ? lookBody(question, head, from) : null);
  const look = looked.fresh ? looked.value : null;
  const row = useMemo(() => look ?? (head && from.length ? lightOf(head, from) : null), [look, head, from.join()]);
  const failed = asked.failure ? asked : looked;
  const of = asked.of as Question | null;
  return { head, of, look, row, from, answer: { ...failed, busy: asked.busy || looked.busy } };
}
