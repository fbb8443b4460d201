// A pixel a cell: the browser scales the picture, so that drawing costs the same at any size on the screen.
import type { Shade } from "../state";
import { lightTable, place } from "./colour";

export function paint(canvas: HTMLCanvasElement, values: Float32Array, columns: number, rows: number, shade: Shade) {
  canvas.width = columns;
  canvas.height = rows;
  const context = canvas.getContext("2d");
  if (!context || !rows || !columns) return;
  const image = context.createImageData(columns, rows);
  const pixels = new Uint32Array(image.data.buffer);
  for (let i = 0; i < pixels.length; ++i) {
    pixels[i] = Number.isNaN(values[i]) ? 0 : lightTable[Math.min(255, Math.round(place(values[i], shade) * 255))];
  }
  context.putImageData(image, 0, 0);
}
