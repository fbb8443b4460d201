// Every head of the model as a thumbnail, and the heads that link the pinned word to another, ranked.
import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import { useAnswer } from "../answer";
import { floats } from "../api";
import type { Heads, Thumbnails } from "../contract";
import { paint } from "../parts/heatmap_paint";
import { Legend } from "../parts/legend";
import { Alarm, Progress } from "../parts/notice";
import { fixed } from "../parts/number";
import { textOf } from "../question";
import type { Spotlight } from "../spotlight";
import { Shade, shadeOf, State } from "../state";
import { go } from "../store";
import { headName } from "./head_controls";
import { anyBlocked } from "./map";

const kRanked = 10;
const kFew = 100; // heads that fit beside the ranking

interface ThumbProps {
  layer: number;
  head: number;
  values: Float32Array;
  side: number;
  shade: Shade;
  chosen: boolean;
  stop: boolean;
}

function Thumb({ layer, head, values, side, shade, chosen, stop }: ThumbProps) {
  const canvas = useRef<HTMLCanvasElement>(null);
  useEffect(() => paint(canvas.current!, values, side, side, shade), [values, side, shade]);
  return (
    <button
      type="button"
      class="thumb"
      aria-pressed={chosen}
      aria-label={`Layer ${layer}, head ${head}`}
      title={headName(layer, head)}
      tabIndex={stop ? 0 : -1}
      data-at={`${layer}.${head}`}
      onClick={() => go({ layer, head })}
    >
      <canvas ref={canvas} aria-hidden="true" />
    </button>
  );
}

const kMoves: Record<string, [number, number]> = {
  ArrowLeft: [0, -1],
  ArrowRight: [0, 1],
  ArrowUp: [-1, 0],
  ArrowDown: [1, 0],
};

interface ThumbsProps {
  found: Thumbnails;
  shade: Shade;
  layer: number;
  head: number;
}

export function Thumbs({ found, shade, layer, head }: ThumbsProps) {
  const cells = useMemo(() => floats(found.cells), [found]);
  const [focused, setFocused] = useState<number[] | null>(null); // last; until then the chosen head is the stop
  const within = (at: number, count: number) => Math.min(Math.max(at, 0), count - 1);
  const stop = [within(focused?.[0] ?? layer, found.layers), within(focused?.[1] ?? head, found.heads)];
  const grid = useRef<HTMLDivElement>(null);
  const size = found.side * found.side;
  const onKeyDown = (event: KeyboardEvent) => {
    const move = kMoves[event.key];
    if (!move) return;
    event.preventDefault();
    const to = [(stop[0] + move[0] + found.layers) % found.layers, (stop[1] + move[1] + found.heads) % found.heads];
    grid.current?.querySelector<HTMLElement>(`[data-at="${to.join(".")}"]`)?.focus();
  };
  return (
    <div
      class={found.layers * found.heads > kFew ? "thumbs many-heads" : "thumbs"}
      role="group"
      aria-label="Heads by layer"
      ref={grid}
      onKeyDown={onKeyDown}
      onFocusIn={(event) => setFocused((event.target as HTMLElement).dataset.at?.split(".").map(Number) ?? null)}
    >
      {Array.from({ length: found.layers }, (_, l) => (
        <div class="layer" key={l}>
          <span>L{l}</span>
          {Array.from({ length: found.heads }, (_, h) => (
            <Thumb
              key={h}
              layer={l}
              head={h}
              side={found.side}
              shade={shade}
              chosen={l === layer && h === head}
              stop={l === stop[0] && h === stop[1]}
              values={cells.subarray((l * found.heads + h) * size, (l * found.heads + h + 1) * size)}
            />
          ))}
        </div>
      ))}
    </div>
  );
}

interface FinderProps {
  state: State;
  light: Spotlight;
}

function Ranking({ found, light }: { found: Heads; light: Spotlight }) {
  const grid = light.head?.grid;
  return (
    <table class="ranking">
      <caption class="unseen">
        Heads by the light that {found.from.word} sends to {found.to.word}
      </caption>
      <thead>
        <tr>
          <th>head</th>
          <th class="number">weight</th>
          <th class="unseen">picture</th>
        </tr>
      </thead>
      <tbody>
        {found.heads.slice(0, kRanked).map(({ layer, head, weight }) => (
          <tr key={headName(layer, head)}>
            <th scope="row">
              <button
                class="chip"
                type="button"
                aria-pressed={grid?.layer === layer && grid.head === head}
                onClick={() => go({ layer, head, view: "arcs" })}
              >
                {headName(layer, head)}
              </button>
            </th>
            <td class="number">{fixed(weight)}</td>
            <td class="bar">
              <svg aria-hidden="true" preserveAspectRatio="none" viewBox="0 0 100 10">
                <rect width={weight * 100} height="10" />
              </svg>
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

function Finder({ state, light }: FinderProps) {
  const units = light.head?.grid.units ?? [];
  const from = light.from[0];
  const to = state.to >= 0 && state.to < units.length ? state.to : -1;
  const pieces = light.of?.unit === "pieces";
  const body = light.of && !pieces && from !== undefined && to >= 0 ? { ...textOf(light.of), from, to } : null;
  const { value, failure, busy, fresh } = useAnswer<Heads>("heads", body);
  return (
    <div class="finder">
      <h2>Which head links two words?</h2>
      <div class="controls">
        <label class="control">
          <span>From</span>
          <select value={from ?? -1} onChange={(event) => go({ pins: [Number(event.currentTarget.value)] })}>
            {units.map((word, i) => (
              <option key={i} value={i}>
                {word}
              </option>
            ))}
          </select>
        </label>
        <label class="control">
          <span>To</span>
          <select value={to} onChange={(event) => go({ to: Number(event.currentTarget.value) })}>
            <option value={-1}>choose a word</option>
            {units.map((word, i) => (
              <option key={i} value={i}>
                {word}
              </option>
            ))}
          </select>
        </label>
      </div>
      <Alarm failure={failure} />
      {pieces ? <p class="dim">Heads are ranked between words: switch pieces off.</p> : null}
      {value && fresh && value.blocked ? (
        <p class="dim">
          The mask blocks “{value.to.word}” from “{value.from.word}” in every head.
        </p>
      ) : null}
      {value && fresh && !value.blocked ? <Ranking found={value} light={light} /> : null}
      {busy && !fresh ? <p class="late dim">Ranking all heads …</p> : null}
    </div>
  );
}

export function HeadsView({ state, light }: FinderProps) {
  const { value, failure, done, busy } = useAnswer<Thumbnails>(
    "thumbnails",
    { ...textOf(state), side: 16 },
    { stream: true },
  );
  const blocked = useMemo(() => value !== null && anyBlocked(floats(value.cells)), [value]);
  const grid = light.head?.grid;
  const shade = shadeOf(state, "sqrt");
  const many = value !== null && value.layers * value.heads > kFew;
  return (
    <section aria-label="All heads" class={many ? "heads-many" : "halves heads-view"}>
      <div>
        <Alarm failure={failure} />
        {value ? (
          <Thumbs found={value} shade={shade} layer={grid?.layer ?? -1} head={grid?.head ?? -1} />
        ) : (
          <div class="map-space">{busy ? <Progress label="Reading with every head" done={done} /> : null}</div>
        )}
        <Legend shade={shade} blocked={blocked} onShade={(next) => go({ shade: next })} />
        <p class="small dim">
          {value && value.side < value.tokens
            ? `Each picture has ${value.side} × ${value.side} cells for ${value.tokens} × ${value.tokens} tokens; a cell shows the largest weight in it. `
            : "Special tokens are in these pictures. "}
          Click one to see it.
        </p>
      </div>
      <Finder state={state} light={light} />
    </section>
  );
}
