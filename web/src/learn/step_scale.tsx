// Step: why the scores are divided, measured: entropy and gradient against the length of the keys.
import { useAnswer } from "../answer";
import type { Recipe, Scaling, Steps } from "../contract_lesson";
import { fixed, tiny } from "../parts/number";
import type { State } from "../state";
import { Chart } from "./chart";
import { Check, Question } from "./check";
import { Formula } from "./formula";
import { Figure, OwnSentence, Prose, TryIt } from "./frame";
import { lessonBody } from "./recipe_answer";

const kQuestion: Question = {
  ask: "Why are the scores divided by the square root of dₖ before softmax?",
  options: [
    {
      text: "So that large scores do not drive softmax into its flat part, where gradients vanish.",
      right: true,
      reply: "With the division the spread of the scores stays the same for every dₖ, and the head can learn.",
    },
    {
      text: "So that the shares of a row add up to 1.",
      reply: "Softmax does that by itself, with or without the division.",
    },
    {
      text: "So that the grid takes less memory.",
      reply: "The grid has as many cells as before; only the numbers in them are smaller.",
    },
  ],
};

const kNothing = {};

function mean(values: number[]): number {
  return values.reduce((a, b) => a + b, 0) / values.length;
}

function Measured({ steps }: { steps: Steps }) {
  return (
    <table>
      <thead>
        <tr>
          <th>dₖ = {steps.d_k}</th>
          <th class="number">entropy</th>
          <th class="number">gradient</th>
        </tr>
      </thead>
      <tbody>
        <tr>
          <th scope="row">divided</th>
          <td class="number">{fixed(mean(steps.entropy), 3)}</td>
          <td class="number">{tiny(mean(steps.gradient))}</td>
        </tr>
        <tr>
          <th scope="row">not divided</th>
          <td class="number">{fixed(mean(steps.unscaled.entropy), 3)}</td>
          <td class="number">{tiny(mean(steps.unscaled.gradient))}</td>
        </tr>
      </tbody>
    </table>
  );
}

export function ScaleStep({ state }: { state: State }) {
  const answer = useAnswer<Scaling>("scaling", kNothing);
  const own = useAnswer<Recipe>("recipe", lessonBody(state), { wait: 60 });
  const found = answer.value;
  const series = (of: "entropy" | "gradient") => [
    { name: "divided", values: found?.rows.map((row) => row.scaled[of]) ?? [] },
    { name: "not divided", values: found?.rows.map((row) => row.unscaled[of]) ?? [] },
  ];
  const places = found?.rows.map((row) => `dₖ ${row.d_k}`) ?? [];
  return (
    <>
      <Prose>
        <p>
          A score adds up one product for each of the dₖ numbers in a key. The more there are, the wider the scores
          spread: with dₖ = 64 about eight times as wide as with a single number. Dividing by the square root of 64,
          which is 8, takes just that back.
        </p>
        <p>
          Without it, scores like +80 and −80 come about, and softmax gives nearly everything to one word. That row
          is <i>sure</i> for no good reason, and the
          slope by which it could learn better is almost zero.
        </p>
        <Formula part={2} />
      </Prose>
      <Figure
        answer={answer}
        label={found ? `random queries against ${found.keys} random keys, seed ${found.seed}` : null}
        caption="Entropy says how widely a row spreads its attention; the gradient says how much of a correction gets through softmax. Divided, both stay where they are. Not divided, both fall as keys get longer."
      >
        {found ? (
          <div class="pair">
            <Chart
              title="Entropy (nats)"
              places={places}
              series={series("entropy")}
              text={(value) => fixed(value, 3)}
              top={found.most_entropy}
              topName="all words alike"
            />
            <Chart title="Gradient" places={places} series={series("gradient")} text={tiny} />
          </div>
        ) : (
          <div class="chart-space" />
        )}
      </Figure>
      <Figure answer={own} caption="The same two numbers in the real head, averaged over the words of your sentence.">
        <OwnSentence text={state.text} />
        {own.value ? <Measured steps={own.value.steps} /> : null}
      </Figure>
      <TryIt>Change your sentence. Is the entropy without division ever the larger one?</TryIt>
      <Check question={kQuestion} />
    </>
  );
}
