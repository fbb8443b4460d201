// Weights as light: cividis, dark blue to yellow, even in brightness and read alike by colour-blind eyes.
// Scores and differences have a sign: blue below zero, orange above, a neutral middle.
import type { Shade } from "../state";

type Rgb = [number, number, number];

const kCividis = "00204d00336f39486b575c6d7071738a8779a69d75c4b56ce4cf5bffea46";
const kSigned = "1f4e8c5b8fc9b9d0e6f1f1eef0cba3d98a3d8f4a00";

function stops(hex: string): Rgb[] {
  const found = hex.match(/.{6}/g) ?? [];
  return found.map((h) => [0, 2, 4].map((at) => parseInt(h.slice(at, at + 2), 16)) as Rgb);
}

function between(colours: Rgb[], place: number): Rgb {
  const at = Math.min(Math.max(place, 0), 1) * (colours.length - 1);
  const low = Math.min(Math.floor(at), colours.length - 2);
  const part = at - low;
  return colours[low].map((from, i) => Math.round(from + (colours[low + 1][i] - from) * part)) as Rgb;
}

const cividis = stops(kCividis);
const signed = stops(kSigned);

// Of a weight 0 ... 1 under each shade, the place on the scale. The shade in force is always told beside the picture.
export function place(weight: number, shade: Shade): number {
  if (!(weight > 0)) return 0;
  if (shade === "sqrt") return Math.sqrt(weight);
  return shade === "log" ? Math.max(0, 1 + Math.log10(weight) / 4) : weight;
}

export const kShadeNames: Record<Shade, string> = {
  linear: "linear",
  sqrt: "square root",
  log: "logarithmic",
};

// 256 colours as ImageData wants them.
export const lightTable: Uint32Array = (() => {
  const table = new Uint32Array(256);
  for (let i = 0; i < 256; ++i) {
    const [r, g, b] = between(cividis, i / 255);
    table[i] = (255 << 24) | (b << 16) | (g << 8) | r;
  }
  return table;
})();

function css([r, g, b]: Rgb): string {
  return `rgb(${r},${g},${b})`;
}

// The ink that is read on a colour, by its WCAG luminance.
function inkOn(colour: Rgb): string {
  const [r, g, b] = colour.map((c) => (c / 255 <= 0.04045 ? c / 255 / 12.92 : ((c / 255 + 0.055) / 1.055) ** 2.4));
  return 0.2126 * r + 0.7152 * g + 0.0722 * b > 0.1791 ? "#000000" : "#ffffff";
}

type Painted = { backgroundColor: string; color: string };

export function paintLight(weight: number): Painted {
  const colour = between(cividis, place(weight, "linear"));
  return { backgroundColor: css(colour), color: inkOn(colour) };
}

export function paintSigned(value: number, largest: number): Painted {
  const colour = between(signed, largest > 0 ? (value / largest + 1) / 2 : 0.5);
  return { backgroundColor: css(colour), color: inkOn(colour) };
}
