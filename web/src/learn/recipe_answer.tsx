// What several steps need of the answer `recipe`: the question, and a token of it that the reader picks.
import { useState } from "preact/hooks";
import type { Recipe, Token } from "../contract_lesson";
import { textOf } from "../question";
import type { State } from "../state";

export function lessonBody(state: State): object | null {
  return state.text.trim() ? textOf({ text: state.text, model: state.model }) : null;
}

export function tokenNames({ tokens }: { tokens: Token[] }): string[] {
  return tokens.map((token) => token.piece);
}

// The token of a word, until the reader picks one; the middle one where the sentence has no such word.
export function usePicked(found: Recipe | null, word: string): [number, (token: number) => void] {
  const [picked, pick] = useState(-1);
  const tokens = found?.tokens ?? [];
  const usual = tokens.findIndex((token) => token.word !== null && found?.words[token.word]?.toLowerCase() === word);
  const at = picked >= 0 && picked < tokens.length ? picked : usual;
  return [at >= 0 ? at : Math.floor(tokens.length / 2), pick];
}
