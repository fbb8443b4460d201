// Step: GPT or BERT: the same sentence read back only, and both ways; why "tired" is blocked in one.
import { useState } from "preact/hooks";
import { useModels } from "../models";
import { Choices } from "../parts/choices";
import { Sentence } from "../parts/sentence";
import { kTired, kWide } from "../sentences";
import { Spotlight, useSpotlight } from "../spotlight";
import { Check, Question } from "./check";
import { Figure, Prose, TryIt } from "./frame";
import { movingHead, movingHeading, Told } from "./pronoun";

const kQuestion: Question = {
  ask: "In a GPT, how much of its attention can “it” give to “tired”, the last word of the sentence?",
  options: [
    {
      text: "None at all: the word comes later, so it is blocked.",
      right: true,
      reply: "And so “it” is the same in both sentences: up to that place they are one sentence.",
    },
    {
      text: "A little, because it matters for the meaning.",
      reply: "However much it matters: what comes later cannot be seen. Blocked is not a small number.",
    },
    {
      text: "As much as in a BERT, since the sentence is the same.",
      reply: "The sentence is, the mask is not. BERT reads both ways.",
    },
  ],
};

interface SideProps {
  name: string;
  light: Spotlight;
  last: string;
}

function Side({ name, light, last }: SideProps) {
  return (
    <div>
      <h2>{name}</h2>
      <p class="small dim">{light.head ? movingHeading(light.head.grid) : "\u00a0"}</p>
      <Sentence label={name} words={light.head?.grid.units ?? []} row={light.row} from={light.from} />
      <Told light={light} words={["animal", "street", last]} />
    </div>
  );
}

export function SwitchStep() {
  const [which, setWhich] = useState<"A" | "B">("A");
  const [mask, setMask] = useState<"own" | "one">("own");
  const models = useModels().value;
  const reader = models?.models.find((one) => one.own_mask === "none");
  const writer = models?.models.find((one) => one.own_mask === "causal");
  const text = which === "A" ? kTired : kWide;
  const last = which === "A" ? "tired" : "wide";
  const alone = mask === "one" || !writer;
  const read = reader && { text, model: reader.name, ...movingHead(reader) };
  const both = useSpotlight(read ?? null, []);
  const back = useSpotlight(!alone ? { text, model: writer.name } : read ? { ...read, mask: "causal" } : null, []);
  return (
    <>
      <Prose>
        <p>
          Models of the <b>GPT</b> kind write, so they read with the causal mask: back only. Models of the <b>BERT</b>{" "}
          kind do not write. They are made to understand a text that is all there, for search and comparison, and read
          both ways.
        </p>
        <p>
          Look at <i>it</i> in both. The word that decides its meaning is the last one. The reader of both ways can use
          it. For the reader that only looks back it is <b>blocked</b>: not small, but not there.
        </p>
      </Prose>
      <Figure
        answer={both.answer.failure ? both.answer : back.answer}
        caption="Change the last word. On the left the light moves; on the right every figure stays, for “it” has not seen the change."
      >
        <div class="controls">
          <Choices
            label="The last word"
            value={which}
            options={[
              ["A", "tired"],
              ["B", "wide"],
            ]}
            onPick={setWhich}
          />
          <Choices
            label="On the right"
            value={alone ? "one" : "own"}
            options={[
              ...(writer ? ([["own", `a real GPT: ${writer.name}`]] as const) : []),
              ["one", "the same model with the mask"] as const,
            ]}
            onPick={setMask}
          />
        </div>
        <div class="pair">
          <Side name="BERT: both ways" light={both} last={last} />
          <Side name="GPT: only back" light={back} last={last} />
        </div>
        {models && !writer ? (
          <p class="small dim">
            A real GPT is not here yet: {models.models.find((one) => one.writes)?.command} brings one.
          </p>
        ) : null}
      </Figure>
      <TryIt>Go to and fro between the two last words and watch one side keep perfectly still.</TryIt>
      <Check question={kQuestion} />
    </>
  );
}
