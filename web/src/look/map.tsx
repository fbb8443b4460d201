// The map of one head: a row for every word that looks, a column for each looked at, the pinned row as a table.
import { useMemo } from "preact/hooks";
import { Heatmap } from "../parts/heatmap";
import { anyBlocked, Legend } from "../parts/legend";
import { NoRow } from "../parts/no_row";
import { shareText } from "../parts/number";
import { Shares } from "../parts/shares";
import { nameOf, numberedWords } from "../parts/word_names";
import { Spotlight, useRows } from "../spotlight";
import { shadeOf, State } from "../state";
import { go } from "../store";

export const kNamed = 40; // above this many words, names beside the map would not be read

export function MapView({ state, light }: { state: State; light: Spotlight }) {
  const head = light.head;
  const rowAt = useRows(head);
  const blocked = useMemo(() => head !== null && anyBlocked(head.weights), [head]);
  if (!head) return <div class="map-space" />;
  const units = head.grid.units;
  const names = units.length <= kNamed ? units : undefined;
  const cellText = (i: number, j: number) => {
    const share = rowAt(i)?.row[j];
    const told = share ? shareText(share.percent, share.weight) : "no light, the model has no piece of its own for it";
    return `${units[i]} → ${units[j]}: ${told}`;
  };
  return (
    <section aria-label="Map" class="halves map-view">
      <div>
        <Heatmap
          label={`Map of ${units.length} words: rows look, columns are looked at`}
          rows={units.length}
          columns={units.length}
          values={head.weights}
          shade={shadeOf(state, "linear")}
          rowNames={names}
          columnNames={names}
          cellText={cellText}
          pinned={light.from}
          onPin={(row) => go({ pins: [row] })}
          onUnpin={() => go({ pins: [] })}
        />
        <Legend shade={shadeOf(state, "linear")} blocked={blocked} onShade={(shade) => go({ shade })} />
        <p class="small dim">
          A row looks, a column is looked at. Click a row to pin its word; with the keyboard, arrows walk, Enter pins
          and Escape lets go.
        </p>
      </div>
      <div>
        <h2>Where “{nameOf(numberedWords(units), light.from)}” looks</h2>
        {light.row ? (
          <Shares
            row={light.row}
            caption="The pinned row"
            more
            restName={head.grid.special_name}
            raw={state.raw}
          />
        ) : (
          <NoRow head={head} from={light.from} />
        )}
      </div>
    </section>
  );
}
