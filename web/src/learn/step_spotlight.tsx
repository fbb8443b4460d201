// Step: the new vector of a word is a weighted sum; the lesson's figures, computed from small q, k, v.
import { useState } from "preact/hooks";
import { useAnswer } from "../answer";
import type { Preset } from "../contract_lesson";
import { Choices } from "../parts/choices";
import { Sentence } from "../parts/sentence";
import { Shares } from "../parts/shares";
import { WeightedSum } from "../parts/weighted_sum";
import { numberedWords } from "../parts/word_names";
import { linkTo } from "../store";
import { Check, Question } from "./check";
import { Figure, Prose, TryIt } from "./frame";
import { presetRow } from "./preset_light";

type Name = "pronoun" | "animal_street";

const kQuestion: Question = {
  ask: "What is a word's vector after attention?",
  options: [
    {
      text: "A sum of all values, each taken by the share the word gives to it.",
      right: true,
      reply: "So “it” becomes mostly animal, with a little of everything else.",
    },
    {
      text: "The value of the word it looks at most.",
      reply: "Nothing is chosen outright: softmax gives every visible word some share.",
    },
    {
      text: "Its old vector with the scores written behind it.",
      reply: "Scores only decide the shares; they do not appear in the result.",
    },
  ],
};

export function SpotlightStep() {
  const [example, setExample] = useState<Name>("pronoun");
  const [pin, setPin] = useState(-1);
  const answer = useAnswer<Preset>("preset", { name: example });
  const found = answer.value;
  const query = found && pin >= 0 && pin < found.words.length ? pin : (found?.query ?? 0);
  const row = found && presetRow(found, query);
  const names = numberedWords(found?.words ?? []);
  const name = names[query] ?? "";
  return (
    <>
      <Prose>
        <p>
          Put the lamp on one word. The arcs go to the words it looks at, and are as thick as its shares are large. Its
          new vector is those words' values, mixed in just these shares.
        </p>
      </Prose>
      <Figure
        answer={answer}
        label="illustrative: small q, k and v were chosen for this picture; the engine computes the shares from them"
        caption="A textbook picture. No single real head gives exactly these figures; the rooms Look and Long show what real heads do."
      >
        <Choices
          label="Example"
          value={example}
          options={[
            ["pronoun", "animal and tired"],
            ["animal_street", "animal or street"],
          ]}
          onPick={(next) => {
            setExample(next);
            setPin(-1);
          }}
        />
        <Sentence words={found?.words ?? []} row={row} from={[query]} onPin={setPin} />
        {found && row ? (
          <>
            <WeightedSum name={name} names={names} row={row} restName="" />
            <Shares row={row} caption={`Where ${name} looks`} restName="" most={4} />
          </>
        ) : (
          <div class="chart-space" />
        )}
      </Figure>
      <TryIt>
        Click another word. Then see <a href={linkTo({ room: "look", view: "arcs" })}>your sentence in a real model</a>.
      </TryIt>
      <Check question={kQuestion} />
    </>
  );
}
