// The map: a cell for each pair of tokens, or the mean or the largest weight of several pairs, said which; drag to zoom.
import { useMemo } from "preact/hooks";
import { floats } from "../api";
import type { LongMap } from "../contract";
import { Choices } from "../parts/choices";
import { Heatmap } from "../parts/heatmap";
import { anyBlocked, Legend } from "../parts/legend";
import { fixed, whole } from "../parts/number";
import { shadeOf, State } from "../state";
import { go } from "../store";
import { columnsOf, rowsOf, Span, spanText, Text, wordsOf, zoomed } from "./map_cells";

interface MapProps {
  state: State;
  word: number; // the pinned one
  map: LongMap;
  text: Text;
}

function pooledText(map: LongMap): string {
  const [q0, q1, k0, k1] = map.region;
  const rows = (q1 - q0) / map.rows;
  const columns = (k1 - k0) / map.columns;
  const part = map.region[0] === 0 && map.region[2] === 0 && q1 === map.tokens && k1 === map.tokens;
  const where = part
    ? `all ${whole(map.tokens)} tokens`
    : `tokens ${whole(q0)} to ${whole(q1 - 1)} looking at ${whole(k0)} to ${whole(k1 - 1)}`;
  const pooled =
    rows <= 1 && columns <= 1
      ? "one cell for each pair, so its mean is its weight"
      : `pooled: ${rows.toFixed(1)} × ${columns.toFixed(1)} tokens a cell`;
  return `${where}, ${pooled}`;
}

export function LongMapView({ state, word, map, text }: MapProps) {
  const values = useMemo(() => {
    const mean = floats(map.mean);
    return { mean, max: map.max === undefined ? mean : floats(map.max) };
  }, [map]);
  const rows = useMemo(() => rowsOf(map), [map]);
  const columns = useMemo(() => columnsOf(map), [map]);
  const blocked = useMemo(() => anyBlocked(values.max), [values]);
  const pinned = useMemo(
    () => rows.flatMap((span, i) => (text.tokenWord.subarray(span.first, span.end).includes(word) ? [i] : [])),
    [rows, text, word],
  );
  const cellText = (i: number, j: number) => {
    const at = i * map.columns + j;
    const pair = `${spanText(rows[i], text)} → ${spanText(columns[j], text)}`;
    if (Number.isNaN(values.max[at])) return `${pair}: blocked`;
    return map.max === undefined
      ? `${pair}: ${fixed(values.mean[at])}`
      : `${pair}: mean ${fixed(values.mean[at])}, largest ${fixed(values.max[at])}`;
  };
  const pick = (row: number) => {
    const found = wordsOf(rows[row], text);
    if (found) go({ pins: [found[0]] });
  };
  const ends = (spans: Span[], a: number, b: number) => [spans[Math.min(a, b)].first, spans[Math.max(a, b)].end];
  const region = state.zoom.length === 4 ? state.zoom : [0, map.tokens, 0, map.tokens];
  return (
    <div>
      <div class="controls">
        <Choices
          label="A cell shows"
          value={state.pool}
          options={[
            ["mean", "the mean"],
            ["max", "the largest"],
          ]}
          onPick={(pool) => go({ pool })}
        />
        <div class="row zoom" role="group" aria-label="Zoom">
          <button class="button" type="button" onClick={() => go({ zoom: zoomed(region, 0.5, map.tokens) })}>
            Closer
          </button>
          <button
            class="button"
            type="button"
            disabled={!state.zoom.length}
            onClick={() => go({ zoom: zoomed(region, 2, map.tokens) })}
          >
            Further
          </button>
          <button class="button" type="button" disabled={!state.zoom.length} onClick={() => go({ zoom: [] })}>
            All
          </button>
        </div>
      </div>
      <Heatmap
        label={`${map.max === undefined ? "Map" : "Pooled map"} of ${map.tokens} tokens: rows look, columns are looked at`}
        rows={map.rows}
        columns={map.columns}
        values={state.pool === "mean" ? values.mean : values.max}
        shade={shadeOf(state, "log")}
        cellText={cellText}
        pinned={pinned}
        onPin={pick}
        onDrag={(from, to) => go({ zoom: [...ends(rows, from.row, to.row), ...ends(columns, from.column, to.column)] })}
      />
      <Legend shade={shadeOf(state, "log")} blocked={blocked} onShade={(shade) => go({ shade })} />
      <p class="small dim pooled">
        {pooledText(map)}.{" "}
        <span class="hint">Click a row for the exact light of its first word, drag a frame to zoom into it.</span>
      </p>
    </div>
  );
}
