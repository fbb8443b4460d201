// Step: a note handed from word to word, against one hop between any two; both measured by gradients.
import { useState } from "preact/hooks";
import { useAnswer } from "../answer";
import type { Recurrent } from "../contract_lesson";
import { Slider } from "../parts/choices";
import { tiny } from "../parts/number";
import type { State } from "../state";
import { Chart } from "./chart";
import { Check, Question } from "./check";
import { Figure, OwnSentence, Prose, TryIt } from "./frame";

const kMost = 50;

const kQuestion: Question = {
  ask: "What does self-attention change about the way from the first word to the last?",
  options: [
    {
      text: "It is one hop, however far apart the words are.",
      right: true,
      reply: "Every pair is linked directly, and all pairs at once.",
    },
    {
      text: "The note is copied more carefully at every word.",
      reply: "There is no note any more: no word has to carry another's meaning along.",
    },
    {
      text: "Words in between are left out.",
      reply: "Nothing is left out. All words are looked at, each with a share of its own.",
    },
  ],
};

// The reader's words, taken again from the start where more are wanted.
function wordsFor(text: string, count: number): string[] {
  const words = text.split(/\s+/).filter(Boolean);
  return Array.from({ length: count }, (_, i) => words[i % words.length] ?? "word");
}

export function ChainStep({ state }: { state: State }) {
  const own = Math.min(Math.max(state.text.split(/\s+/).filter(Boolean).length, 2), kMost);
  const [count, setCount] = useState(0);
  const length = count || own;
  const answer = useAnswer<Recurrent>("recurrent", { words: wordsFor(state.text, length) }, { wait: 60 });
  const found = answer.value;
  return (
    <>
      <Prose>
        <p>
          Before attention, networks read like a line of people passing on a note. Each reads one word, rewrites the
          note and hands it to the next. For the first word to reach the fiftieth the note must survive 49 rewritings,
          and with every one it fades. It is also slow: nobody can start before the person in front is done.
        </p>
        <p>
          Self-attention lets every word ask every other directly. The way is one step for any pair, and all pairs are
          computed at once.
        </p>
      </Prose>
      <Figure
        answer={answer}
        label={
          found
            ? `a recurrent network with ${found.hidden} numbers of memory, and one attention head, both with random weights (seed ${found.seed})`
            : null
        }
        caption="How much the last word's result changes when an earlier word changes (the size of the gradient). In the chain it shrinks with every step; in attention it does not depend on the distance."
      >
        <OwnSentence text={state.text} />
        <Slider label="Words" low={2} high={kMost} step={1} value={length} shown={String(length)} onMove={setCount} />
        {found ? (
          <>
            <Chart
              title="Influence of each word on the last"
              places={found.words}
              log
              text={tiny}
              series={[
                { name: "attention", values: found.attention.map((one) => one.gradient) },
                { name: "recurrent chain", values: found.recurrent.map((one) => one.gradient) },
              ]}
            />
            <p>
              The first word is <b class="number">{found.recurrent[0].steps}</b> steps away in the chain and keeps{" "}
              <b class="number">{tiny(found.first_recurrent)}</b> of the influence that the last word has on its own
              result. In attention it is <b class="number">{found.attention[0].steps}</b> step away and keeps{" "}
              <b class="number">{tiny(found.first_attention)}</b>.
            </p>
          </>
        ) : (
          <div class="chart-space" />
        )}
      </Figure>
      <TryIt>Draw the slider to 50 words and watch the left end of the chain.</TryIt>
      <Check question={kQuestion} />
    </>
  );
}
