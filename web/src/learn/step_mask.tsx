// Step: the causal mask, on the 4 x 4 map; minus infinity beside zero.
import { useState } from "preact/hooks";
import { useAnswer } from "../answer";
import type { Mistakes, Preset } from "../contract_lesson";
import { Choices } from "../parts/choices";
import { fixed, percentText } from "../parts/number";
import { Check, Question } from "./check";
import { Figure, Prose, TryIt } from "./frame";
import { Grid, NumberGrid } from "./number_grid";

const kQuestion: Question = {
  ask: "Why are hidden scores set to minus infinity before softmax, and not to 0?",
  options: [
    {
      text: "e to the power of minus infinity is exactly 0, but e to the power of 0 is 1: a zero would leak.",
      right: true,
      reply: "A score of 0 is an ordinary score. It gets an ordinary share.",
    },
    { text: "Tensors cannot store 0.", reply: "They can. It is what softmax makes of a 0 that is the trouble." },
    {
      text: "Minus infinity is faster to compute.",
      reply: "Speed is not the reason. A good kernel does not compute blocked cells at all.",
    },
    {
      text: "It makes no difference, if the rows are divided by their sums.",
      reply: "It does: the hidden words are in that sum, and take their part of it.",
    },
  ],
};

type Shown = "masked" | "scores" | "weights";

const kTitles: Record<Shown, [string, string]> = {
  scores: ["Every score", ""],
  masked: ["Hidden: minus infinity", "Filled with 0"],
  weights: ["Shares, hidden: none", "Shares, filled with 0"],
};

function view({ steps, zero_fill }: Preset, shown: Shown): [Grid, Grid | null] {
  if (shown === "scores") return [steps.scaled, null];
  if (shown === "weights") return [steps.weights, zero_fill?.weights ?? null];
  return [steps.masked, steps.masked.map((row) => row.map((score) => score ?? 0))];
}

// The right way, and beside it what becomes of hidden scores that are filled with 0.
function Grids({ found, shown }: { found: Preset; shown: Shown }) {
  const [right, wrong] = view(found, shown);
  const [title, other] = kTitles[shown];
  const shares = shown === "weights";
  const same = { rows: found.words, columns: found.words, paint: shares ? "light" : "signed" } as const;
  const percent = (value: number) => `${percentText(Math.round(value * 1000) / 10)} %`;
  return (
    <div class="pair">
      <div>
        <h2>{title}</h2>
        <NumberGrid
          {...same}
          caption={title}
          grid={right}
          text={(value, i, j) => (shares ? `${percentText(found.percent[i][j] ?? 0)} %` : fixed(value, 2))}
          sums={shares ? found.steps.row_sums : undefined}
        />
      </div>
      {wrong ? (
        <div>
          <h2>{other}</h2>
          <NumberGrid
            {...same}
            caption={other}
            grid={wrong}
            text={(value) => (shares ? percent(value) : fixed(value, 2))}
            sums={shares ? found.zero_fill?.row_sums : undefined}
            marked={(i, j) => j > i}
          />
        </div>
      ) : null}
    </div>
  );
}

function Leak({ found }: { found: Mistakes }) {
  const fill = found.mistakes.find((one) => one.name === "zero_fill");
  if (!fill?.wrong.grid) return null;
  return (
    <p class="small">
      Nor is it so in this picture alone: on the same words in {found.model}, filling with 0 would let up to{" "}
      <b class="number">{fixed((fill.figures.leak ?? 0) * 100, 1)} %</b> of a word's attention leak to words it must not
      see.
    </p>
  );
}

export function MaskStep() {
  const [shown, setShown] = useState<Shown>("weights");
  const answer = useAnswer<Preset>("preset", { name: "causal" });
  const leak = useAnswer<Mistakes>("mistakes", { text: "The cat sat down" });
  const found = answer.value;
  return (
    <>
      <Prose>
        <p>
          A model that writes must guess the next word without having seen it. So a word may look at itself and at what
          came before, and at nothing later. That is the <b>causal mask</b>: before softmax, every score of a later word
          is set to minus infinity. Softmax takes e to the power of each score, and that of minus infinity is 0,
          exactly.
        </p>
      </Prose>
      <Figure
        answer={answer}
        label="illustrative: small q and k, chosen for this map; the engine computes the shares"
        caption="Rows look, columns are looked at. Hatched cells are blocked: not a small share, but none. Framed cells have what must not be there."
      >
        <Choices
          label="Show"
          value={shown}
          options={[
            ["scores", "scores"],
            ["masked", "with the mask"],
            ["weights", "shares"],
          ]}
          onPick={setShown}
        />
        {found ? <Grids found={found} shown={shown} /> : <div class="chart-space" />}
        {leak.value ? <Leak found={leak.value} /> : null}
      </Figure>
      <TryIt>
        Switch between the scores, the mask and the shares: the triangle is closed before softmax, so what is left still
        adds up to 1.
      </TryIt>
      <Check question={kQuestion} />
    </>
  );
}
