// Step: FlashAttention tile by tile on the reader's sentence: running maximum, sum and result, until they are the plain answer.
import { useMemo, useState } from "preact/hooks";
import { useAnswer } from "../answer";
import type { Ask } from "../contract";
import type { Recipe, Tile, Tiles } from "../contract_lesson";
import { Pick, Slider } from "../parts/choices";
import { headingOf } from "../parts/head_name";
import { fixed, tiny } from "../parts/number";
import type { State } from "../state";
import { Check, Question } from "./check";
import { Running } from "./formula";
import { Figure, OwnSentence, Prose, TryIt } from "./frame";
import { NumberGrid } from "./number_grid";
import { PlainTable } from "./plain_table";
import { lessonBody, tokenNames } from "./recipe_answer";
import { largestIn, Vector } from "./vector";

const kQuestion: Question = {
  ask: "FlashAttention never has a whole row of scores. Is its result an estimate?",
  options: [
    {
      text: "No. When a larger score turns up, what was added before is rescaled, and the end is the same.",
      right: true,
      reply: "Running maximum and running sum are all that softmax needs to know of the tiles before.",
    },
    {
      text: "Yes, it leaves out the small scores.",
      reply: "Every visible score is used. Only where they are kept, and for how long, is different.",
    },
    {
      text: "Yes, but the error is small enough for texts.",
      reply: "There is no such error. What is left is the rounding that any order of adding has.",
    },
  ],
};

interface TraceProps {
  found: Tiles;
  at: number;
}

function TileTable({ found, at }: TraceProps) {
  return (
    <PlainTable
      label="The tiles so far"
      names={["tile", "largest in it", "running maximum", "old sum times", "running sum", "off the plain answer by"]}
    >
      {found.trace.map((tile, i) => (
        <tr key={i} class={i === at ? "picked" : i > at ? "later" : undefined} aria-hidden={i > at}>
          <th scope="row">
            {`${tile.first}\u00a0to\u00a0${tile.end - 1}`}
          </th>
          {tile.skipped ? (
            <td colspan={5} class="dim">
              nothing to see here for this word: not computed
            </td>
          ) : (
            <>
              <td class="number">{fixed(tile.tile_max, 3)}</td>
              <td class="number">{fixed(tile.max, 3)}</td>
              <td class="number">{fixed(tile.rescale, 3)}</td>
              <td class="number">{fixed(tile.sum, 3)}</td>
              <td class="number">{tile.difference === null ? "–" : tiny(tile.difference)}</td>
            </>
          )}
        </tr>
      ))}
    </PlainTable>
  );
}

function allScores(trace: Tile[]): (number | null)[] {
  return trace.flatMap((tile) => tile.scores);
}

function Trace({ found, at }: TraceProps) {
  const names = tokenNames(found);
  const partial = found.trace[at].out;
  const largest = largestIn(found.plain, partial ?? []);
  return (
    <>
      <NumberGrid
        caption="The scores of this tile: all that is in fast memory"
        grid={[allScores(found.trace)]}
        rows={[found.query.word]}
        columns={names}
        paint="signed"
        seen={found.trace[at].first}
        outside={(j) => j < found.trace[at].first || j >= found.trace[at].end}
      />
      <TileTable found={found} at={at} />
      {partial ? (
        <Vector name="result so far" values={partial} largest={largest} />
      ) : (
        <p class="small dim">No result yet: nothing was seen.</p>
      )}
      <Vector name="plain answer" values={found.plain} largest={largest} />
      <p>
        After the last tile the two differ by at most <b class="number">{tiny(found.difference)}</b>.
      </p>
    </>
  );
}

const kSizes = [4, 3, 2, 1]; // keys a tile, the first that tells something

// Whether a later tile has a larger score than all before, so that the sum must be rescaled.
function rises(scores: (number | null)[], size: number): boolean {
  const seen = scores.map((score) => score ?? -Infinity);
  return seen.some((score, j) => {
    const before = Math.max(-Infinity, ...seen.slice(0, j - (j % size)));
    return before > -Infinity && score > before;
  });
}

interface Start {
  word: number;
  size: number;
}

// What is followed until the reader chooses: a word whose sum is rescaled on the way, in tiles as large as that allows,
// and "it" before others.
function telling({ steps, tokens, words }: Recipe): Start {
  const rows = new Map<number, (number | null)[]>(); // by word: the row of its last token, which is the one followed
  tokens.forEach(({ word }, t) => word !== null && rows.set(word, steps.masked[t]));
  const all = [...rows.keys()];
  const its = all.filter((word) => words[word].toLowerCase() === "it");
  const order = [...its, ...all.filter((word) => !its.includes(word))];
  for (const size of kSizes) {
    const word = order.find((one) => rises(rows.get(one)!, size));
    if (word !== undefined) return { word, size };
  }
  return { word: its[0] ?? all.at(-1) ?? 0, size: kSizes[0] };
}

// The words that have tokens, each as its pieces.
function wordsIn({ tokens }: Tiles): [number, string][] {
  const words = [...new Set(tokens.map((token) => token.word).filter((one) => one !== null))];
  const pieces = (word: number) => tokens.filter((token) => token.word === word).map((token) => token.piece);
  return words.map((word) => [word, pieces(word).join(" ")]);
}

export function FlashStep({ state }: { state: State }) {
  const [picked, setSize] = useState(0); // 0: what tells something
  const [place, setPlace] = useState(0);
  const [chosen, choose] = useState({ text: "", word: -1 }); // a word is one of its text
  const recipe = useAnswer<Recipe>("recipe", lessonBody(state), { wait: 60 });
  const usual = useMemo(() => recipe.value && telling(recipe.value), [recipe.value]);
  const of = recipe.of as Ask | null; // what the usual word is one of, while another text is on its way
  const word = of && chosen.text === of.text ? chosen.word : usual?.word;
  const size = picked || (usual?.size ?? kSizes[0]);
  const answer = useAnswer<Tiles>("tiles", of && usual ? { ...of, tile: size, word } : null);
  const found = answer.value;
  const last = (found?.trace.length ?? 1) - 1;
  const at = Math.min(place, last);
  return (
    <>
      <Prose>
        <p>
          FlashAttention (Dao and others, 2022) cuts Q, K and V into tiles that fit into fast memory. Tiles meet there
          two by two, and the scores they make are thrown away when they are used. What it keeps for a row is little: the <b>largest score so far</b>, the <b>sum so far</b>,
          and the <b>result so far</b>. When a tile has a larger score, the old sum and result are rescaled to it.
        </p>
        <Running />
        <p>
          The answer is the same as that of the four steps, with no T × T grid anywhere. That is what made texts of
          128,000 tokens and more possible.
        </p>
      </Prose>
      <Figure
        answer={recipe.failure ? recipe : answer}
        label={
          found
            ? `${headingOf(found)}; tiles of ${found.tile} keys here, of ${found.engine_tile} in the engine's everyday work`
            : null
        }
        caption="Traced from the engine's own algorithm on your sentence. Step through the tiles and watch the result turn into the plain answer."
      >
        <OwnSentence text={state.text} />
        <div class="controls">
          {found ? (
            <Pick
              label="Word"
              value={found.query.index}
              options={wordsIn(found)}
              onPick={(next) => choose({ text: state.text, word: next })}
            />
          ) : null}
          <Slider label="Keys a tile" low={1} high={16} step={1} value={size} shown={String(size)} onMove={setSize} />
          <Slider
            label="Tile"
            low={0}
            high={Math.max(last, 1)}
            step={1}
            value={at}
            shown={`${at + 1} of ${last + 1}`}
            onMove={setPlace}
          />
          <button class="button main" type="button" disabled={at >= last} onClick={() => setPlace(at + 1)}>
            Next tile
          </button>
          <button class="button" type="button" disabled={at === 0} onClick={() => setPlace(0)}>
            From the start
          </button>
        </div>
        {found ? <Trace found={found} at={at} /> : <div class="map-space" />}
      </Figure>
      <TryIt>Make the tiles as small as one key. The way gets longer, the end does not change.</TryIt>
      <Check question={kQuestion} />
    </>
  );
}
