// Words by name: those that a text has several times get their place among them, "it:2", as the command line has it.

function folded(word: string): string {
  return word.toLowerCase().replaceAll("\u2019", "'");
}

export function numberedWords(words: string[]): string[] {
  const all = new Map<string, number>();
  for (const word of words) all.set(folded(word), (all.get(folded(word)) ?? 0) + 1);
  const seen = new Map<string, number>();
  return words.map((word) => {
    const key = folded(word);
    if (all.get(key) === 1) return word;
    seen.set(key, (seen.get(key) ?? 0) + 1);
    return `${word}:${seen.get(key)}`;
  });
}

// Of words that look together.
export function nameOf(names: string[], from: number[]): string {
  return from.map((i) => names[i]).join(" + ");
}
