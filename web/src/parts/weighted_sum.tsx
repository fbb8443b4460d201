// The new vector of a word, written out: it = 0.67 Vec(animal) + 0.04 Vec(tired) + 0.11 others + ... Words that a text has
// several times are numbered.
// By the program's rule, whose own line (`sum` of `look`) tests compare: up to three words, then the others, then
// the rest, in hundredths that add to 1.
import type { Row } from "../contract";
import { largestRemainder } from "./rounding";

interface Term {
  weight: number;
  word: string;
  many: boolean; // not a word's vector but several
}

const kTerms = 3;
const kSmallest = 2; // percent, as told: that is the same number on both sides

function termsOf(row: Row, names: string[], restName: string): Term[] {
  const lit = row.row.filter((share) => !share.blocked && !share.left_out);
  lit.sort((a, b) => b.weight - a.weight || a.index - b.index);
  const short = lit.findIndex((share, i) => i >= kTerms || (i > 0 && (share.percent ?? 0) < kSmallest));
  const next = short < 0 ? lit.length : short;
  const terms: Term[] = lit.slice(0, next).map(({ weight, index }) => ({ weight, word: names[index], many: false }));
  const others = lit.slice(next);
  if (others.length) {
    const weight = others.reduce((sum, share) => sum + share.weight, 0);
    terms.push({ weight, word: others.length === 1 ? names[others[0].index] : "others", many: others.length > 1 });
  }
  if (restName) terms.push({ weight: row.special, word: restName, many: true });
  const hundredths = largestRemainder(
    terms.map((term) => term.weight),
    100,
  );
  return terms.map((term, i) => ({ ...term, weight: hundredths[i] / 100 })).filter((term) => term.weight > 0);
}

interface WeightedSumProps {
  name: string;
  names: string[]; // of all words
  row: Row;
  restName: string;
  several?: boolean; // the name is that of several words, whose light was taken together
}

export function WeightedSum({ name, names, row, restName, several }: WeightedSumProps) {
  const terms = termsOf(row, names, restName);
  if (!terms.length) return null; // all light is on what is hidden
  return (
    <p class="sum">
      {several ? "mean of the new vectors of" : "new vector of"} <b>{name}</b> ={" "}
      {terms.map((term, i) => (
        <span key={i}>
          {i ? " + " : ""}
          <span class="number">{term.weight.toFixed(2)}</span> {term.many ? term.word : `Vec(${term.word})`}
        </span>
      ))}
    </p>
  );
}
