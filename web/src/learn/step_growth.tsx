// Step: T tokens make T x T pairs; what that grid would take, against what is needed.
import { useState } from "preact/hooks";
import { useAnswer } from "../answer";
import type { Memory } from "../contract_lesson";
import { Slider } from "../parts/choices";
import { bytesText, large, whole } from "../parts/number";
import { Check, Question } from "./check";
import { Figure, Prose, TryIt } from "./frame";
import { PlainTable } from "./plain_table";

const kQuestion: Question = {
  ask: "A text gets ten times as long. What happens to the grid?",
  options: [
    {
      text: "It has a hundred times as many cells.",
      right: true,
      reply: "Ten times the rows and ten times the columns.",
    },
    {
      text: "It has ten times as many cells.",
      reply: "That would be so if each word looked at a fixed number of others. Here every word looks at every word.",
    },
    {
      text: "It stays as it is; only the rows get longer.",
      reply: "There is a row for every word and a column for every word, so both grow.",
    },
  ],
};

const kMost = 1000000;

// 100 ... 1 million in even steps of the slider, rounded to two digits.
function tokensAt(place: number): number {
  const exact = 100 * (kMost / 100) ** (place / 100);
  const unit = 10 ** Math.max(0, Math.floor(Math.log10(exact)) - 1);
  return Math.min(kMost, Math.round(exact / unit) * unit);
}

const kOwn = 4; // the row of the slider's T

function GrowthTable({ rows }: { rows: Memory["rows"] }) {
  return (
    <PlainTable label="Memory against tokens" names={["tokens T", "pairs T × T", "the grid", "without it"]}>
      {rows.map((row, i) => (
        <tr key={i} class={i === kOwn ? "picked" : undefined}>
          <th scope="row" class="number">
            {whole(row.tokens)}
            {i === kOwn ? " (yours)" : ""}
          </th>
          <td class="number">{large(row.pairs)}</td>
          <td class="number">{bytesText(row.grid_bytes)}</td>
          <td class="number">{bytesText(row.limelight_bytes)}</td>
        </tr>
      ))}
    </PlainTable>
  );
}

export function GrowthStep() {
  const [place, setPlace] = useState(50);
  const mine = tokensAt(place);
  const answer = useAnswer<Memory>("memory", { tokens: [1000, 10000, 100000, kMost, mine] }, { wait: 30 });
  const rows = answer.value?.rows ?? [];
  return (
    <>
      <Prose>
        <p>
          Every word looks at every word, so T words make a grid of T × T pairs, and each head has one of its own. For a
          sentence that is nothing. For a book it breaks: the grid must be written to slow memory and read back, and
          there is soon no memory that holds it.
        </p>
      </Prose>
      <Figure
        answer={answer}
        caption="One head, numbers of 4 bytes. The last column is all that the engine here uses: the result, one number for each row, and working memory."
      >
        <Slider label="Tokens T" low={0} high={100} step={1} value={place} shown={whole(mine)} onMove={setPlace} />
        {rows.length ? <GrowthTable rows={rows} /> : <div class="chart-space" />}
      </Figure>
      <TryIt>Find the T at which the grid of one head no longer fits into the memory of your computer.</TryIt>
      <Check question={kQuestion} />
    </>
  );
}
