// Step: what comes next: many heads, and whole blocks.
import { useAnswer } from "../answer";
import type { Thumbnails } from "../contract";
import { Thumbs } from "../parts/thumbs";
import type { State } from "../state";
import { linkTo } from "../store";
import { Figure, OwnSentence, Prose, TryIt } from "./frame";
import { lessonBody } from "./recipe_answer";

export function NextStep({ state }: { state: State }) {
  const body = lessonBody(state);
  const answer = useAnswer<Thumbnails>("thumbnails", body && { ...body, side: 16 }, { wait: 60, stream: true });
  const found = answer.value;
  return (
    <>
      <Prose>
        <p>
          One head is one lamp. A model has many, 8 to 64 in each layer, each with matrices of its own, so that one can
          follow pronouns while another looks at the word before. Their results are put side by side and mixed by one
          more matrix.
        </p>
        <p>
          A layer adds to this a small network that works on each word alone, and takes care to keep what was there
          before. That is a <b>block</b>, and a model is a stack of them. Below are all heads of such a stack, reading
          your sentence.
        </p>
      </Prose>
      <Figure
        answer={answer}
        label={found ? `${found.model}: ${found.layers} layers of ${found.heads} heads` : null}
        caption="A row of pictures is a layer. Bright diagonals are heads that look at a neighbour, bright columns are words that all others look at."
      >
        <OwnSentence text={state.text} />
        {found ? (
          <Thumbs found={found} shade="sqrt" layer={state.layer} head={state.head} />
        ) : (
          <div class="map-space" />
        )}
        <p class="small dim">Colours on a square root scale, so that small shares are seen.</p>
      </Figure>
      <TryIt>
        Open <a href={linkTo({ room: "look", view: "heads" })}>all heads in Look</a> and ask which of them links two
        words of your sentence; or take a whole chapter to <a href={linkTo({ room: "long" })}>Long</a>.
      </TryIt>
    </>
  );
}
