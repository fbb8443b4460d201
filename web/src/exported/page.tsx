// The one view that an exported file carries: works from disk, asks nobody anything, keeps the pinned word.
import { useMemo, useState } from "preact/hooks";
import type { Exported, GridLook, Look, Row } from "../contract";
import { Mark } from "../mark";
import { NumberPick } from "../parts/head_controls";
import { headingOf } from "../parts/head_name";
import { Notes } from "../parts/notice";
import { Sentence } from "../parts/sentence";
import { Shares } from "../parts/shares";
import { WeightedSum } from "../parts/weighted_sum";
import { ThemeSwitch } from "../theme";
import { rowsIn } from "./cells";

function isGrid(look: Look | GridLook): look is GridLook {
  return "grid" in look;
}

// The rows as the program sent them, of the head that was on show.
function sentRow(look: Look | GridLook, word: number): Row | null {
  if (isGrid(look)) return look.grid.find((row) => row.query.index === word) ?? null;
  return look.query.index === word ? look : null;
}

interface Place {
  layer: number;
  head: number;
  word: number;
}

function HeadPicks({ data, place, onMove }: { data: Exported; place: Place; onMove: (place: Place) => void }) {
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

export function ExportedPage({ data }: { data: Exported }) {
  const { look, heads } = data;
  const words = isGrid(look) ? look.words : look.row.map((share) => share.word);
  const [place, setPlace] = useState<Place>({
    layer: look.layer,
    head: look.head,
    word: data.pin ?? (isGrid(look) ? 0 : look.query.index),
  });
  const rowAt = useMemo(() => (heads ? rowsIn(heads) : null), [heads]);
  const saved = place.layer === look.layer && place.head === look.head;
  const row = (saved && sentRow(look, place.word)) || rowAt?.(place.layer, place.head, place.word) || null;
  const word = words[place.word];
  const shown = saved ? look : { ...look, ...place, chosen_by: "chosen in this file" };
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
          Where “<bdi>{word}</bdi>” looks
        </h1>
        <p class="dim">
          {headingOf(shown)}. Made by {data.engine}.
        </p>
        <HeadPicks data={data} place={place} onMove={setPlace} />
        <div class="stage">
          <Sentence words={words} row={row} from={[place.word]} onPin={(next) => setPlace({ ...place, word: next })} />
        </div>
        {row ? (
          <>
            <WeightedSum name={word} row={row} restName={look.special_name} />
            <Shares row={row} caption={`Where ${word} looks`} restName={look.special_name} />
          </>
        ) : (
          <p>This file does not keep the light of “{word}”.</p>
        )}
        <Notes notes={look.notes} />
      </main>
      <footer class="foot">
        Percentages are softmax weights, special tokens included, and add to 100. They show where a head reads, not why
        the model answers.
      </footer>
    </>
  );
}
