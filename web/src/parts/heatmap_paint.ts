// A pixel a cell: the browser scales the picture, so that drawing costs the same at any size on the screen.
// Millions of cells take their colour from a table by the upper half of the float's bits: sign, exponent and 7 bits behind.
import type { Shade } from "../state";
import { lightTable, place } from "./colour";

const kHalves = 0x8000; // of numbers that are not negative
const kOne = 0x3f80; // no weight is larger

const tables = new Map<Shade, Uint32Array>();

// What lies between two entries has the colour of their middle, half a step of 256 off at most. NaN: transparent.
function tableOf(shade: Shade): Uint32Array {
  const known = tables.get(shade);
  if (known) return known;
  const table = new Uint32Array(kHalves);
  const middle = new Float32Array(1);
  const bits = new Uint32Array(middle.buffer);
  for (let i = 0; i <= kOne; ++i) {
    bits[0] = (i << 16) | 0x8000;
    table[i] = lightTable[Math.min(255, Math.round(place(middle[0], shade) * 255))];
  }
  tables.set(shade, table);
  return table;
}

export function paint(canvas: HTMLCanvasElement, values: Float32Array, columns: number, rows: number, shade: Shade) {
  canvas.width = columns;
  canvas.height = rows;
  const context = canvas.getContext("2d");
  if (!context || !rows || !columns) return;
  const image = context.createImageData(columns, rows);
  const pixels = new Uint32Array(image.data.buffer);
  const bits = new Uint32Array(values.buffer, values.byteOffset, pixels.length);
  const table = tableOf(shade);
  for (let i = 0; i < pixels.length; ++i) pixels[i] = table[bits[i] >>> 16];
  // Cells smaller than pixels of the screen are blended, or whole rows would be left out.
  canvas.style.imageRendering = columns > canvas.clientWidth * devicePixelRatio ? "auto" : "pixelated";
  context.putImageData(image, 0, 0);
}
