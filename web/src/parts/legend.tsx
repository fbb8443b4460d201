// What the colours mean: the scale in force, from no light to all of it, and the hatching of what is blocked.
import { useLayoutEffect, useRef } from "preact/hooks";
import type { Shade } from "../state";
import { Choices } from "./choices";
import { kShadeNames, lightTable } from "./colour";

function Scale() {
  const canvas = useRef<HTMLCanvasElement>(null);
  useLayoutEffect(() => {
    const context = canvas.current?.getContext("2d");
    const image = context?.createImageData(256, 1);
    if (!context || !image) return;
    new Uint32Array(image.data.buffer).set(lightTable);
    context.putImageData(image, 0, 0);
  }, []);
  return <canvas class="scale" ref={canvas} width={256} height={1} aria-hidden="true" />;
}

export function anyBlocked(values: Float32Array): boolean {
  return values.includes(NaN);
}

interface LegendProps {
  shade: Shade;
  blocked: boolean;
  onShade: (shade: Shade) => void;
}

export function Legend({ shade, blocked, onShade }: LegendProps) {
  return (
    <div class="legend">
      <span class="row small dim">
        <span>{shade === "log" ? "0.01" : "0"}</span>
        <Scale />
        <span>100 %, {kShadeNames[shade]}</span>
      </span>
      {blocked ? (
        <span class="row small dim">
          <span class="swatch" aria-hidden="true" />
          blocked by the mask
        </span>
      ) : null}
      <Choices
        label="Colour scale"
        value={shade}
        options={[
          ["linear", "Linear"],
          ["sqrt", "Root"],
          ["log", "Log"],
        ]}
        onPick={onShade}
      />
    </div>
  );
}
