// Step: the four steps from scores to a new vector, each grid with its numbers, on the reader's sentence.
import { useState } from "preact/hooks";
import { useAnswer } from "../answer";
import type { Recipe, Steps } from "../contract_lesson";
import { Choices, Slider, Tick } from "../parts/choices";
import { headingOf } from "../parts/head_name";
import { fixed, tiny } from "../parts/number";
import type { State } from "../state";
import { Formula } from "./formula";
import { Figure, OwnSentence, Prose, TryIt } from "./frame";
import { Grid, NumberGrid } from "./number_grid";
import { lessonBody, tokenNames, usePicked } from "./recipe_answer";
import { largestIn, Vector } from "./vector";

type Part = 1 | 2 | 3 | 4;

const kTold: Record<Part, string> = {
  1: "Score every pair. The query of each word (rows) is multiplied with the key of each word (columns): a grid as wide and as high as the sentence is long, 5 × 5 for five words.",
  2: "Divide by the square root of dₖ, the length of a key. Long keys add up many products and give large scores; large scores would push the next step into its flat part, where almost nothing can be learned.",
  3: "Softmax, row by row. Scores become positive shares that add up to 1, that is 100 %: how a word divides its attention.",
  4: "Blend. Each word's new vector is the sum of all values, each weighted by its share: with 80 % for “animal” and 20 % for “tired”, “it” would become 0.80 v(animal) + 0.20 v(tired).",
};

function gridOf(steps: Steps, part: Part, divided: boolean): Grid {
  if (part === 1) return steps.scores;
  if (part === 2) return steps.masked;
  return divided ? steps.weights : steps.unscaled.weights;
}

function Blend({ found, row }: { found: Recipe; row: number }) {
  const { weights, v, out } = found.steps;
  const order = weights[row].map((_, j) => j).filter((j) => weights[row][j] !== null);
  order.sort((a, b) => (weights[row][b] ?? 0) - (weights[row][a] ?? 0) || a - b);
  const few = order.slice(0, 5);
  const largest = largestIn(out[row], ...few.map((j) => v[j])); // one scale, so that the sum can be seen
  const others = order.slice(5).reduce((sum, j) => sum + (weights[row][j] ?? 0), 0);
  return (
    <div class="blend">
      {few.map((j) => (
        <div class="blend-line" key={j}>
          <b class="number">{fixed(weights[row][j], 3)}</b> ×
          <Vector name={found.tokens[j].piece} values={v[j]} largest={largest} few={2} />
        </div>
      ))}
      {others > 0 ? (
        <p class="small dim">
          and {fixed(others, 3)} over the other {order.length - few.length}
        </p>
      ) : null}
      <div class="blend-line result">
        <Vector name={`new ${found.tokens[row].piece}`} values={out[row]} largest={largest} few={2} />
      </div>
      <p class="small dim">
        These vectors are the engine's own; from the weighted sums, added up in double precision, they differ by at most{" "}
        {tiny(found.steps.difference)}.
      </p>
    </div>
  );
}

interface ViewProps {
  found: Recipe;
  part: Part;
}

function RecipeView({ found, part }: ViewProps) {
  const [row, setRow] = usePicked(found, "it");
  const [divided, setDivided] = useState(true);
  const names = tokenNames(found);
  const steps = found.steps;
  const sums = part >= 3 && divided ? steps.row_sums : undefined;
  return (
    <>
      {part === 3 ? (
        <Tick label={`divided by the square root of ${steps.d_k} first`} checked={divided} onChange={setDivided} />
      ) : null}
      {part < 4 ? (
        <NumberGrid
          caption={`Step ${part}: ${["scores", "divided scores", "shares"][part - 1]}`}
          grid={gridOf(steps, part, divided)}
          rows={names}
          columns={names}
          paint={part < 3 ? "signed" : "light"}
          text={(value) => fixed(value, part === 1 ? 1 : 2)}
          sums={sums}
          picked={row}
          onPick={setRow}
        />
      ) : (
        <Blend found={found} row={row} />
      )}
      {part === 2 ? (
        <p class="small dim">
          dₖ = {steps.d_k}, so each score is multiplied by {fixed(steps.scale)}.
        </p>
      ) : null}
      {part === 3 ? (
        <p class="small">
          Row of <b>{names[row]}</b>: entropy {fixed(divided ? steps.entropy[row] : steps.unscaled.entropy[row], 3)}{" "}
          nats, gradient that passes {tiny(divided ? steps.gradient[row] : steps.unscaled.gradient[row])}.
        </p>
      ) : null}
    </>
  );
}

export function RecipeStep({ state }: { state: State }) {
  const [part, setPart] = useState<Part>(1);
  const answer = useAnswer<Recipe>("recipe", lessonBody(state), { wait: 60 });
  const found = answer.value;
  return (
    <>
      <Prose>
        <p>
          All of attention is one line, and it is carried out in four steps. Walk through them with the numbers of your
          own sentence.
        </p>
        <Formula part={part} />
      </Prose>
      <Figure
        answer={answer}
        label={found ? headingOf(found) : null}
        caption="Rows look, columns are looked at. Click a row's name to follow that word through the steps."
      >
        <OwnSentence text={state.text} />
        <div class="controls">
          <Choices
            label="Step"
            value={String(part) as "1" | "2" | "3" | "4"}
            options={[
              ["1", "1 Score"],
              ["2", "2 Divide"],
              ["3", "3 Softmax"],
              ["4", "4 Blend"],
            ]}
            onPick={(next) => setPart(Number(next) as Part)}
          />
          <Slider
            label="Walk"
            low={1}
            high={4}
            step={1}
            value={part}
            shown={`step ${part} of 4`}
            onMove={(next) => setPart(next as Part)}
          />
        </div>
        <p>{kTold[part]}</p>
        {found ? <RecipeView found={found} part={part} /> : <div class="map-space" />}
      </Figure>
      <TryIt>In step 3, take the division away and put it back. Which rows turn into all or nothing?</TryIt>
    </>
  );
}
