// Every head of a model as a small picture, a row a layer. One tab stop; arrows walk.
import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import { floats } from "../api";
import type { Thumbnails } from "../contract";
import type { Shade } from "../state";
import { go } from "../store";
import { headName } from "./head_name";
import { paint } from "./heatmap_paint";

const kFew = 100; // heads that fit beside something else

export function manyHeads({ layers, heads }: Thumbnails): boolean {
  return layers * heads > kFew;
}

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
      class={manyHeads(found) ? "thumbs many-heads" : "thumbs"}
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
