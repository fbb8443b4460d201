// One head on one text, and the light of the pinned words: what the spotlight, the comparison and the lesson show.
import { useMemo } from "preact/hooks";
import { Answered, useAnswer } from "./answer";
import { floats } from "./api";
import type { Ask, Grid, Look, Row } from "./contract";
import { rowOf } from "./parts/rounding";

export interface Question extends Ask {
  pieces?: boolean;
  temperature?: number;
}

export interface HeadGrid {
  grid: Grid;
  weights: Float32Array;
  special: Float32Array;
  entropy: Float32Array;
}

export interface Spotlight {
  head: HeadGrid | null;
  look: Look | null; // of the pinned words, once it is there and fits
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

export function unpacked(grid: Grid): HeadGrid {
  return { grid, weights: floats(grid.weights), special: floats(grid.special), entropy: floats(grid.entropy) };
}

// The mean of the rows of several words: their light together, which adds to 1. Blocked is what all of them do not see.
export function lightOf(head: HeadGrid, from: number[]): Row {
  const n = head.grid.units.length;
  const weights = new Array<number>(n).fill(NaN);
  for (let j = 0; j < n; ++j) {
    const seen = from.map((i) => head.weights[i * n + j]).filter((w) => !Number.isNaN(w));
    if (seen.length) weights[j] = seen.reduce((a, b) => a + b, 0) / from.length;
  }
  const mean = (values: Float32Array) => from.reduce((sum, i) => sum + values[i], 0) / from.length;
  return rowOf(head.grid.units, weights, mean(head.special), mean(head.entropy));
}

export function gridBody(question: Question): object {
  const { pieces, ...rest } = question;
  return { ...rest, unit: pieces ? "pieces" : "words" };
}

function fits(look: Look | null, head: HeadGrid | null, from: number[], question: Question | null): boolean {
  if (!look || !head || look.row.length !== head.grid.units.length) return false;
  if (look.layer !== head.grid.layer || look.head !== head.grid.head || look.mask !== head.grid.mask) return false;
  if (look.model !== head.grid.model || look.temperature !== (question?.temperature ?? 1)) return false;
  const asked = look.query.indices ?? [look.query.index];
  return asked.join() === from.join() && look.row.every((share, i) => share.word === head.grid.units[i]);
}

// What `look` is asked, once the grid has said which head it is. A piece has no row of its own there: the grid has.
function lookBody(question: Question, head: HeadGrid, from: number[]): object | null {
  const { layer, head: number } = head.grid;
  return question.pieces ? null : { ...question, layer, head: number, word: from.length > 1 ? from : from[0] };
}

export type Pins = number[] | ((units: string[]) => number[]);

export function useSpotlight(question: Question | null, pins: Pins, wait = 0): Spotlight {
  const asked = useAnswer<Grid>("grid", question && gridBody(question), { wait });
  const head = useMemo(() => (asked.value ? unpacked(asked.value) : null), [asked.value]);
  const units = head?.grid.units ?? [];
  const pinned = (typeof pins === "function" ? pins(units) : pins).filter((i) => i < units.length);
  const from = !units.length ? [] : pinned.length ? pinned : [usualPin(units)];
  const looked = useAnswer<Look>("look", question && head && !asked.busy ? lookBody(question, head, from) : null);
  const fitting = fits(looked.value, head, from, question) ? looked.value : null;
  const row = useMemo(
    () => fitting ?? (head && from.length ? lightOf(head, from) : null),
    [fitting, head, from.join()],
  );
  const failed = asked.failure ? asked : looked;
  return { head, look: fitting, row, from, answer: { ...failed, busy: asked.busy || looked.busy } };
}
