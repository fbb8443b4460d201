// The Long room: thousands of tokens as a map, pooled where they are too many for a cell each, the exact row of any word,
// the light received, and search.
import { useMemo, useRef, useState } from "preact/hooks";
import { Answered, useAnswer } from "../answer";
import { floats, integers } from "../api";
import type { Ask, Look, LongMap, Models } from "../contract";
import { Choices } from "../parts/choices";
import { HeadControls, ShownHead } from "../parts/head_controls";
import { headingOf } from "../parts/head_name";
import { Alarm, Notes, Progress } from "../parts/notice";
import { Shares } from "../parts/shares";
import { ViewFile, ViewSave } from "../parts/view_file";
import { numberedWords } from "../parts/word_names";
import { questionOf } from "../question";
import { usualPin } from "../spotlight";
import type { State } from "../state";
import type { Text } from "./map_cells";
import { LongMapView } from "./map_view";
import { ReceivedView, scaleOf } from "./received_view";
import { hitsIn } from "./search";
import { SearchField } from "./search_field";
import { TextSource } from "./text_source";
import { TextView } from "./text_view";

const kSide = 160; // cells of a pooled map, at most
const kFine = 2048; // tokens that have a cell each, at most
const kListed = 14;
const kRest = 400; // milliseconds without typing before a long text is read

type Lit = "received" | "row";

function askedOf(state: State): object | null {
  const { unit, temperature, ...rest } = questionOf(state);
  return state.text.trim() ? { ...rest, cut: true } : null;
}

function scaled(values: ArrayLike<number>, most: number): Float32Array {
  return Float32Array.from(values, (value) =>
    Number.isNaN(value) || most === 0 ? value : Math.min(1, Math.sqrt(value / most)),
  );
}

interface RowProps {
  word: string;
  names: string[];
  answer: Answered<Look>;
}

function RowOfWord({ word, names, answer }: RowProps) {
  const look = answer.value;
  return (
    <section aria-label="The exact row" class="row-space">
      <h2>
        Where “<bdi>{word}</bdi>” looks
      </h2>
      <Alarm failure={answer.failure} />
      {answer.fresh && look ? (
        <Shares
          row={look}
          names={names}
          caption={`Where ${word} looks`}
          restName={look.special_name}
          most={kListed}
        />
      ) : answer.busy ? (
        <Progress label="Reading the row" done={answer.done} />
      ) : null}
    </section>
  );
}

// The table of an exact row tells how many words are blocked, and does not list thousands of them.
function withoutBlocked(look: Look | null): Look | null {
  return look && { ...look, row: look.row.filter((share) => !share.blocked) };
}

function Blocked({ look }: { look: Look }) {
  const counts = new Map<string, number>(); // by reason
  for (const { blocked_because: because } of look.row) if (because) counts.set(because, (counts.get(because) ?? 0) + 1);
  return (
    <>
      {[...counts].map(([reason, count]) => (
        <p key={reason} class="small dim">
          {count} words are blocked: {reason}.
        </p>
      ))}
    </>
  );
}

// A line for each word: the light it receives, and what the pinned word gives to it. The whole map, pooled, is in JSON
// besides: a cell for each pair would be 100 MB.
function longFile(asked: Ask, received: Float32Array, whole: LongMap, look: Look): ViewFile {
  const { model, mask, layer, head } = look;
  const { tokens, region, rows, columns } = whole;
  const list = (cells: string) => Array.from(floats(cells));
  return {
    name: `long-L${layer}H${head}`,
    about: headingOf(look),
    facts: { model, mask, layer, head, query: look.query.word, query_index: look.query.index },
    rows: () =>
      look.row.map(({ word, index, weight, percent, blocked }) => ({
        word,
        index,
        received: received[index],
        weight: blocked ? null : weight,
        percent,
        blocked,
      })),
    besides: () => ({
      text: asked.text,
      map: { tokens, region, rows, columns, mean: list(whole.mean), max: whole.max && list(whole.max) },
      special: look.special,
      special_percent: look.special_percent,
    }),
  };
}

interface ViewsProps {
  models: Models | null;
  asked: Ask; // whole is of
  state: State;
  whole: LongMap;
  fresh: boolean; // whole is of what is asked now
  map: LongMap;
}

function Views({ models, asked, state, whole, fresh, map }: ViewsProps) {
  const seen = useRef<HTMLDivElement>(null);
  const [sought, setSought] = useState("");
  const [shown, setShown] = useState<Lit>("received");
  const text: Text = useMemo(
    () => ({ words: whole.words!, gaps: whole.gaps!, tokenWord: integers(whole.token_word!) }),
    [whole],
  );
  const names = useMemo(() => numberedWords(text.words), [text]);
  const received = useMemo(() => floats(whole.received!), [whole]);
  const pinned = state.pins[0] < text.words.length ? state.pins[0] : usualPin(text.words);
  const row = useAnswer<Look>(
    "look",
    fresh ? { ...askedOf(state), layer: whole.layer, head: whole.head, word: pinned } : null,
    { stream: true },
  );
  const look = row.fresh ? row.value : null;
  const listed = useMemo(() => withoutBlocked(look), [look]);
  const byLight = useMemo(() => scaled(received, scaleOf(received)), [received]);
  const byRow = useMemo(() => {
    const shares = look?.row.map((share) => (share.blocked ? NaN : share.weight)) ?? [];
    return scaled(shares, 1);
  }, [look]);
  const hits = useMemo(() => hitsIn(text, sought), [text, sought]);
  const found = useMemo(() => new Set(hits.flat()), [hits]);
  const lit = shown === "row" && look ? byRow : byLight;
  return (
    <>
      <div ref={seen}>
        <div class="halves">
          <LongMapView state={state} word={pinned} map={map} text={text} />
          <div>
            <RowOfWord word={names[pinned]} names={names} answer={{ ...row, value: listed }} />
            {look ? <Blocked look={look} /> : null}
          </div>
        </div>
        <ReceivedView names={names} received={received} special={whole.special_received ?? 0} />
      </div>
      <ViewSave
        models={models}
        file={look && longFile(asked, received, whole, look)}
        picture={seen}
        what="the map, the row and the light received"
      />
      <section aria-label="The text">
        <h2>The text</h2>
        <SearchField hits={hits} sought={sought} pinned={pinned} onSeek={setSought} />
        <div class="lit-by">
          <Choices
            label="Words are lit by"
            value={shown}
            options={[
              ["received", "the light they receive"],
              ["row", `what “${names[pinned]}” gives them`],
            ]}
            onPick={setShown}
          />
        </div>
        <TextView text={text} lit={lit} pinned={pinned} found={found} />
        <p class="small dim">
          Brightness on a square root scale{lit === byRow ? "; words in italics are blocked" : ""}. Click a word to see
          its exact row; in the text, arrow keys move on.
        </p>
      </section>
    </>
  );
}

function isPart(zoom: number[], tokens: number): boolean {
  const [q0, q1, k0, k1] = zoom;
  return zoom.length === 4 && q0 < q1 && q1 <= tokens && k0 < k1 && k1 <= tokens;
}

// The part to be shown, if the first answer does not show it: what is zoomed into, or all of it with a cell for each pair.
function partOf(zoom: number[], whole: LongMap | null): object | null {
  if (!whole) return null;
  const zooms = isPart(zoom, whole.tokens);
  const [q0, q1, k0, k1] = zooms ? zoom : whole.region;
  const fine = q1 - q0 <= kFine && k1 - k0 <= kFine;
  if (!zooms && (!fine || whole.max === undefined)) return null;
  return { side: fine ? kFine : kSide, region: [q0, q1, k0, k1] };
}

function isOf(part: object | null, whole: object | null): boolean {
  return part !== null && JSON.stringify({ ...part, side: kSide, region: undefined }) === JSON.stringify(whole);
}

export function LongRoom({ state, models }: { state: State; models: Models | null }) {
  const asked = askedOf(state);
  const whole = useAnswer<LongMap>("map", asked && { ...asked, side: kSide }, { wait: kRest, stream: true });
  const wanted = partOf(state.zoom, whole.value);
  const part = useAnswer<LongMap>("map", wanted && { ...whole.of, ...wanted }, { stream: true, keep: false });
  const map = wanted && isOf(part.of, whole.of) ? part.value : whole.value;
  return (
    <>
      <h1>A long text</h1>
      <p class="dim">
        Thousands of tokens: up to {kFine.toLocaleString("en")} have a cell for each pair, a longer text is pooled
        until you zoom in. The exact row of a word is computed when you ask for it.
      </p>
      <TextSource text={state.text} />
      <HeadControls state={state} models={models} />
      <ShownHead shown={whole.value} />
      <Alarm failure={whole.failure ?? part.failure} />
      {whole.busy ? <Progress label="Reading the text" done={whole.done} /> : null}
      <Notes notes={whole.value?.notes} />
      {whole.value?.words && (map ?? whole.value) ? (
        <Views
          models={models}
          asked={whole.of as Ask}
          state={state}
          whole={whole.value}
          fresh={whole.fresh}
          map={map ?? whole.value}
        />
      ) : (
        <div class="map-space" />
      )}
    </>
  );
}
