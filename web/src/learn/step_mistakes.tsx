// Step: four common mistakes, each run beside the right way, with what it does measured.
import { useState } from "preact/hooks";
import { useAnswer } from "../answer";
import type { Mistake, Mistakes, Side } from "../contract_lesson";
import { Choices } from "../parts/choices";
import { headName } from "../parts/head_name";
import { fixed, tiny } from "../parts/number";
import type { State } from "../state";
import { Check, Question } from "./check";
import { Figure, OwnSentence, Prose, TryIt } from "./frame";
import { NumberGrid } from "./number_grid";
import { lessonBody, tokenNames } from "./recipe_answer";

type Name = Mistake["name"];

interface Story {
  title: string;
  told: string;
  right: string;
  wrong: string;
}

const kStories: Record<Name, Story> = {
  mask_after_softmax: {
    title: "Mask too late",
    told: "The mask is put on after softmax instead of before. The later words have already taken their part of the sum, and what is left no longer adds up to 1.",
    right: "mask, then softmax",
    wrong: "softmax, then mask",
  },
  no_scaling: {
    title: "No division",
    told: "The division by the square root of dₖ is forgotten. Large scores turn rows into all or nothing, and hardly any gradient comes through.",
    right: "divided",
    wrong: "not divided",
  },
  wrong_transpose: {
    title: "Wrong transpose",
    told: "K is turned over on all its axes, batch too, instead of the last two. For a batch of several sentences it is refused, or worse, works out by chance.",
    right: "last two axes",
    wrong: "all axes",
  },
  zero_fill: {
    title: "Filled with 0",
    told: "Hidden scores are set to 0 instead of minus infinity. But e to the power of 0 is 1, so the hidden words get a share after all.",
    right: "minus infinity",
    wrong: "zero",
  },
};

const kBeside = 6; // columns of two grids that fit side by side

const kNames: Record<string, string> = {
  smallest_row_sum: "smallest row sum",
  largest_row_sum: "largest row sum",
  leak: "largest share that went to hidden words",
  mean_leak: "mean share that went there",
  d_k: "dₖ",
  largest_score: "largest score, not divided",
  largest_scaled: "largest score, divided",
  entropy_right: "entropy, divided (nats)",
  entropy_wrong: "entropy, not divided (nats)",
  gradient_right: "gradient, divided",
  gradient_wrong: "gradient, not divided",
  largest_difference: "largest difference of the result",
};

const kQuestion: Question = {
  ask: "After softmax, the rows of your grid add up to 0.4, 0.7, 0.9 and 1. What happened?",
  options: [
    {
      text: "The mask was put on after softmax.",
      right: true,
      reply: "The hidden words took their part of the sum, and then were wiped out.",
    },
    {
      text: "The division by the square root of dₖ is missing.",
      reply: "Then rows would be too sharp, but they would still add up to 1.",
    },
    {
      text: "Hidden scores were filled with 0.",
      reply: "Then rows add up to 1, but a part of it is where it must not be.",
    },
  ],
};

interface SideProps {
  title: string;
  side: Side;
  names: string[]; // of the tokens
  wrong: boolean;
  shapeOf: string; // what the shape is of
}

function SideView({ title, side, names, wrong, shapeOf }: SideProps) {
  const { grid, row_sums, shape, error } = side;
  return (
    <div>
      <h2>{title}</h2>
      {grid ? (
        <NumberGrid
          caption={title}
          grid={grid}
          rows={names}
          columns={names}
          paint="light"
          sums={row_sums}
          marked={(i, j) => wrong && j > i && (grid[i][j] ?? 0) > 0}
        />
      ) : null}
      <p class="small number">
        {shapeOf}: {shape.join(" × ")}
      </p>
      {error ? <p class="alarm small">{error}</p> : null}
    </div>
  );
}

function Figures({ mistake }: { mistake: Mistake }) {
  const told = Object.entries(mistake.figures).filter((entry): entry is [string, number] => entry[1] !== null);
  return (
    <table>
      <caption class="unseen">What the mistake does, measured</caption>
      <tbody>
        {told.map(([key, value]) => (
          <tr key={key}>
            <th scope="row">{kNames[key] ?? key.replaceAll("_", " ")}</th>
            <td class="number">
              {/leak/.test(key) ? `${fixed(value * 100, 1)} %` : Number.isInteger(value) ? value : tiny(value)}
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

export function MistakesStep({ state }: { state: State }) {
  const [name, setName] = useState<Name>("mask_after_softmax");
  const answer = useAnswer<Mistakes>("mistakes", lessonBody(state), { wait: 60 });
  const found = answer.value;
  const mistake = found?.mistakes.find((one) => one.name === name);
  const story = kStories[name];
  const shapeOf = name === "wrong_transpose" ? "Shape of K transposed" : "Shape of the grid";
  const names = found ? tokenNames(found) : [];
  return (
    <>
      <Prose>
        <p>
          Attention is short enough to be written from memory, and these four slips are made again and again. None of
          them crashes for certain. Here each is run beside the right way.
        </p>
      </Prose>
      <Figure
        answer={answer}
        label={found ? `${found.model} ${headName(found.layer, found.head)}, with a causal mask` : null}
        caption="Both sides are computed from the same queries, keys and values of your sentence. Framed cells have light that must not be there."
      >
        <OwnSentence text={state.text} />
        <Choices
          label="Mistake"
          value={name}
          options={(Object.keys(kStories) as Name[]).map((key) => [key, kStories[key].title] as const)}
          onPick={setName}
        />
        <p>{story.told}</p>
        {mistake ? (
          <>
            <div class={names.length > kBeside ? "" : "pair"}>
              <SideView
                title={`Right: ${story.right}`}
                side={mistake.right}
                names={names}
                wrong={false}
                shapeOf={shapeOf}
              />
              <SideView title={`Wrong: ${story.wrong}`} side={mistake.wrong} names={names} wrong shapeOf={shapeOf} />
            </div>
            <Figures mistake={mistake} />
          </>
        ) : (
          <div class="map-space" />
        )}
      </Figure>
      <TryIt>Go through all four, and say for each how you would notice it in a program of your own.</TryIt>
      <Check question={kQuestion} />
    </>
  );
}
