// The one view that an exported file carries: works from disk, asks nobody anything, keeps the pinned words.
import { useMemo, useState } from "preact/hooks";
import type { Exported, GridLook, Look, Row } from "../contract";
import { Mark } from "../mark";
import { NumberPick } from "../parts/head_controls";
import { headingOf } from "../parts/head_name";
import { Notes } from "../parts/notice";
import { Sentence } from "../parts/sentence";
import { Shares } from "../parts/shares";
import { WeightedSum } from "../parts/weighted_sum";
import { nameOf, numberedWords } from "../parts/word_names";
import { ThemeSwitch } from "../theme";
import { RowAt, rowsIn, together } from "./cells";
import { HeadMap } from "./map";

function isGrid(look: Look | GridLook): look is GridLook {
  return "grid" in look;
}

interface Place {
  layer: number;
  head: number;
  from: number[]; // the words that look; of several the mean is shown
}

// The words that the file was saved with.
function savedWords({ look, pin }: Exported): number[] {
  return isGrid(look) ? [pin ?? 0] : (look.query.indices ?? [look.query.index]);
}

// The rows as the program sent them, of the head that was on show.
function sentRow(look: Look | GridLook, word: number): Row | null {
  if (isGrid(look)) return look.grid.find((row) => row.query.index === word) ?? null;
  return !look.query.indices && look.query.index === word ? look : null;
}

interface Kept {
  single: RowAt; // null: this file does not keep it
  row: Row | null; // of the words that look, together where they are several
  own?: Row[]; // the row of each of them
}

function useKept(data: Exported, { layer, head, from }: Place): Kept {
  const { look, heads } = data;
  const rowAt = useMemo(() => (heads ? rowsIn(heads) : null), [heads]);
  const here = (l: number, h: number) => l === look.layer && h === look.head;
  const single: RowAt = (l, h, word) => (here(l, h) && sentRow(look, word)) || rowAt?.(l, h, word) || null;
  if (from.length < 2) return { single, row: single(layer, head, from[0]) };
  const rows = from.map((word) => single(layer, head, word)).filter((row) => row !== null);
  const own = rows.length === from.length ? rows : undefined;
  if (here(layer, head) && !isGrid(look)) return { single, row: look, own };
  return { single, row: own ? together(own) : null, own };
}

interface PicksProps {
  data: Exported;
  place: Place;
  onMove: (place: Place) => void;
}

function HeadPicks({ data, place, onMove }: PicksProps) {
  if (!data.heads) return null;
  const { layer, head } = data.look;
  return (
    <div class="controls">
      <NumberPick
        label="Layer"
        none={`as saved (${layer})`}
        value={place.layer}
        count={data.heads.layers}
        onPick={(next) => onMove({ ...place, layer: next < 0 ? layer : next })}
      />
      <NumberPick
        label="Head"
        none={`as saved (${head})`}
        value={place.head}
        count={data.heads.heads}
        onPick={(next) => onMove({ ...place, head: next < 0 ? head : next })}
      />
    </div>
  );
}

interface LightProps {
  look: Look | GridLook;
  row: Row | null;
  name: string;
  names: string[];
  several: boolean;
}

function Light({ look, row, name, names, several }: LightProps) {
  if (!row) return <p>This file does not keep the light of “{name}”.</p>;
  return (
    <>
      <WeightedSum name={name} names={names} several={several} row={row} restName={look.special_name} />
      <Shares row={row} names={names} caption={`Where ${name} looks`} restName={look.special_name} />
    </>
  );
}

export function ExportedPage({ data }: { data: Exported }) {
  const { look } = data;
  const words = isGrid(look) ? look.words : look.row.map((share) => share.word);
  const start = savedWords(data);
  const [place, setPlace] = useState<Place>({ layer: look.layer, head: look.head, from: start });
  const { layer, head, from } = place;
  const { single, row, own } = useKept(data, place);
  const saved = layer === look.layer && head === look.head;
  const names = useMemo(() => numberedWords(words), [look]);
  const name = nameOf(names, from);
  const shown = saved ? look : { ...look, layer, head, chosen_by: "chosen in this file" };
  const pin = (word: number) => setPlace({ ...place, from: [word] });
  return (
    <>
      <header class="head">
        <span class="mark">
          <Mark />
          Limelight
        </span>
        <span class="rooms" />
        <ThemeSwitch />
      </header>
      <main>
        <h1>
          Where “<bdi>{name}</bdi>” {from.length > 1 ? "look together" : "looks"}
        </h1>
        <p class="dim">
          {headingOf(shown)}. Made by {data.engine}.
        </p>
        <HeadPicks data={data} place={place} onMove={setPlace} />
        <div class="stage">
          <Sentence
            words={words}
            row={row}
            from={from}
            own={own}
            hidden={row?.row.filter((share) => share.left_out).map((share) => share.index)}
            onPin={pin}
            onUnpin={() => setPlace({ ...place, from: start })}
          />
        </div>
        {start.length > 1 && from.length === 1 ? (
          <button class="button small" type="button" onClick={() => setPlace({ ...place, from: start })}>
            Back to {nameOf(names, start)}
          </button>
        ) : null}
        <div class={isGrid(look) ? "halves map-view" : undefined}>
          {isGrid(look) ? (
            <HeadMap
              words={words}
              rowAt={(word) => single(layer, head, word)}
              of={`${layer} ${head}`}
              from={from}
              onPin={pin}
            />
          ) : null}
          <div>
            <Light look={look} row={row} name={name} names={names} several={from.length > 1} />
          </div>
        </div>
        <Notes notes={look.notes} />
      </main>
      <footer class="foot">
        Percentages are softmax weights, special tokens included, and add to 100. They show where a head reads, not why
        the model answers.
      </footer>
    </>
  );
}
