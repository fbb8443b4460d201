// Step: two sentences that differ in one word, and what "it" takes from the others in a real model.
import { modelNamed, useModels } from "../models";
import { headingOf } from "../parts/head_name";
import { Sentence } from "../parts/sentence";
import { kDog, kTired, kWide } from "../sentences";
import { Spotlight, useSpotlight } from "../spotlight";
import type { State } from "../state";
import { go } from "../store";
import { Figure, OwnSentence, Prose, TryIt } from "./frame";
import { movingHead, movingHeading, Told } from "./pronoun";

interface PairProps {
  first: Spotlight;
  second: Spotlight;
  names: [string, string];
}

function Pair({ first, second, names }: PairProps) {
  return (
    <div class="pair">
      {[first, second].map((light, i) => (
        <div key={i}>
          <h2>{names[i]}</h2>
          <Sentence label={names[i]} words={light.head?.grid.units ?? []} row={light.row} from={light.from} />
          <Told light={light} words={["animal", "street"]} />
        </div>
      ))}
    </div>
  );
}

function Own({ state }: { state: State }) {
  const light = useSpotlight(state.text.trim() ? { text: state.text } : null, state.pins);
  return (
    <Figure
      answer={light.answer}
      label={light.head ? headingOf(light.head.grid) : null}
      caption="Your sentence in the same model. Click a word: the arcs show where it looks, thicker for more."
    >
      <OwnSentence text={state.text} />
      <Sentence
        words={light.head?.grid.units ?? []}
        row={light.row}
        from={light.from}
        onPin={(i) => go({ pins: [i] })}
      />
    </Figure>
  );
}

export function Puzzle({ state }: { state: State }) {
  const usual = modelNamed(useModels().value, "");
  const head = usual ? movingHead(usual) : {};
  const first = useSpotlight(usual ? { text: kTired, ...head } : null, []);
  const second = useSpotlight(usual ? { text: kWide, ...head } : null, []);
  return (
    <>
      <Prose>
        <p>
          Read the two sentences below. They differ in their last word only, and yet <i>it</i> is the animal in the
          first (an animal gets tired) and the street in the second (a street is wide). By itself <i>it</i> means
          nothing: it is a place where a meaning must be fetched from somewhere else in the sentence.
        </p>
        <p>
          Self-attention is how a model fetches it. Every word shares out its attention over all words, 100 % in all,
          and takes in more from those it gives more to. Here is what one real head of a small model does for <i>it</i>.
        </p>
        <p>
          A <b>head</b> is one such way of sharing out: a model has several of them side by side in every <b>layer</b>,
          and its layers work one after the other. L3.H1 is head 1 of layer 3, both counted from 0. What the model reads
          are <b>tokens</b>: words, pieces of words, and signs of its own. This one puts <b>[CLS]</b> before the
          sentence and <b>[SEP]</b> behind it.
        </p>
      </Prose>
      <Figure
        answer={first.answer}
        label={first.head ? movingHeading(first.head.grid) : null}
        caption="Computed just now, not drawn. This head's light moves when the last word changes, but it does not simply flip from one noun to the other: real heads are not that tidy, and a model has many of them."
      >
        <Pair first={first} second={second} names={["A: too tired", "B: too wide"]} />
      </Figure>
      <Own state={state} />
      <TryIt>
        Write a sentence of your own with a pronoun in it, or take{" "}
        <button class="chip" type="button" onClick={() => go({ text: kDog, pins: [] })}>
          {kDog}
        </button>{" "}
        and click the pronoun. Does this head find what it stands for?
      </TryIt>
    </>
  );
}
