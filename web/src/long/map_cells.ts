// Which tokens a cell of the pooled map holds, and which words those are. Cell of token i: floor(i P / M).
import type { LongMap } from "../contract";

export interface Span {
  first: number;
  end: number;
}

function spanOf(cell: number, cells: number, from: number, to: number): Span {
  const size = to - from;
  return { first: from + Math.ceil((cell * size) / cells), end: from + Math.ceil(((cell + 1) * size) / cells) };
}

export interface Text {
  words: string[];
  gaps: number[];
  tokenWord: Int32Array;
}

// The first and last words of a span; special tokens have none.
export function wordsOf({ first, end }: Span, text: Text): [number, number] | null {
  const found = Array.from(text.tokenWord.subarray(first, end)).filter((word) => word >= 0);
  return found.length ? [found[0], found[found.length - 1]] : null;
}

export function spanText(span: Span, text: Text): string {
  const found = wordsOf(span, text);
  if (!found) return "special token";
  const [a, b] = found;
  return a === b ? `“${text.words[a]}”` : `“${text.words[a]} … ${text.words[b]}”`;
}

export function rowsOf(map: LongMap): Span[] {
  return Array.from({ length: map.rows }, (_, i) => spanOf(i, map.rows, map.region[0], map.region[1]));
}

export function columnsOf(map: LongMap): Span[] {
  return Array.from({ length: map.columns }, (_, j) => spanOf(j, map.columns, map.region[2], map.region[3]));
}

// A region half (or twice) as wide around its middle, kept within the text.
export function zoomed(region: number[], factor: number, tokens: number): number[] {
  const side = (from: number, to: number): [number, number] => {
    const size = Math.min(tokens, Math.max(4, Math.round((to - from) * factor)));
    const start = Math.min(Math.max(0, Math.round((from + to - size) / 2)), tokens - size);
    return [start, start + size];
  };
  const [q0, q1] = side(region[0], region[1]);
  const [k0, k1] = side(region[2], region[3]);
  return q1 - q0 === tokens && k1 - k0 === tokens ? [] : [q0, q1, k0, k1];
}
