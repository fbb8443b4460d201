// The new vector of a word, written out: it = 0.67 Vec(animal) + 0.04 Vec(tired) + 0.11 others + ...
// By the program's rule, whose own line (`sum` of `look`) tests compare: up to three words, then the others, then the rest.
import type { Row } from "../contract";

interface Term {
  weight: string;
  word: string;
  many: boolean; // not a word's vector but several
}

const kTerms = 3;
const kSmallest = 2; // percent, as told: that is the same number on both sides

function termsOf(row: Row, restName: string): Term[] {
  const lit = row.row.filter((share) => !share.blocked && !share.left_out);
  lit.sort((a, b) => b.weight - a.weight || a.index - b.index);
  const short = lit.findIndex((share, i) => i >= kTerms || (i > 0 && (share.percent ?? 0) < kSmallest));
  const next = short < 0 ? lit.length : short;
  const terms = lit.slice(0, next).map((share) => ({ weight: share.weight.toFixed(2), word: share.word, many: false }));
  const others = lit.slice(next);
  if (others.length) {
    const weight = others.reduce((sum, share) => sum + share.weight, 0).toFixed(2);
    terms.push({ weight, word: others.length === 1 ? others[0].word : "others", many: others.length > 1 });
  }
  if (restName) terms.push({ weight: row.special.toFixed(2), word: restName, many: true });
  return terms.filter((term) => term.weight !== "0.00");
}

interface WeightedSumProps {
  name: string;
  row: Row;
  restName: string;
  several?: boolean; // the name is that of several words, whose light was taken together
}

export function WeightedSum({ name, row, restName, several }: WeightedSumProps) {
  return (
    <p class="sum">
      {several ? "mean of the new vectors of" : "new vector of"} <b>{name}</b> ={" "}
      {termsOf(row, restName).map((term, i) => (
        <span key={i}>
          {i ? " + " : ""}
          <span class="number">{term.weight}</span> {term.many ? term.word : `Vec(${term.word})`}
        </span>
      ))}
    </p>
  );
}
