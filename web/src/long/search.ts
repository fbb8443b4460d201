// Where a text has what is sought, in whatever words it stands: of each hit the words that it touches.
import type { Text } from "./map_cells";

function folded(text: string): string {
  return text.toLowerCase().replaceAll("\u2019", "'");
}

export function hitsIn({ words, gaps }: Text, sought: string): number[][] {
  const needle = folded(sought).trim().replace(/\s+/g, " ");
  if (!needle) return [];
  const starts: number[] = []; // of each word in the whole
  let whole = "";
  words.forEach((word, i) => {
    if (gaps[i] && i) whole += " ";
    starts.push(whole.length);
    whole += folded(word);
  });
  const hits: number[][] = [];
  let word = 0;
  for (let at = whole.indexOf(needle); at >= 0; at = whole.indexOf(needle, at + needle.length)) {
    while (word + 1 < starts.length && starts[word + 1] <= at) ++word;
    const touched = [];
    for (let i = word; i < starts.length && starts[i] < at + needle.length; ++i) touched.push(i);
    if (hits.at(-1)?.[0] !== word) hits.push(touched);
  }
  return hits;
}
