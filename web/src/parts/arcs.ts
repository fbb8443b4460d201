// The geometry of the arcs: from the word that looks to the words it looks at, thickness by share.

export interface Box {
  left: number;
  right: number;
  top: number;
  bottom: number;
}

export interface Arc {
  path: string;
  width: number;
  loop: boolean;
}

const kThickest = 22; // pixels for all of the light
const kThinnest = 0.75;
const kBetweenLines = 34; // how high an arc may rise between two lines of words

function middle(box: Box): number {
  return (box.left + box.right) / 2;
}

function curve(x0: number, y0: number, x1: number, y1: number, rise: number): string {
  return `M${x0} ${y0}C${x0} ${y0 - rise} ${x1} ${y1 - rise} ${x1} ${y1}`;
}

// On one line an arc rises with the distance. To another line it goes through the space between them.
function pathBetween(from: Box, to: Box, head: number): string {
  const [x0, x1] = [middle(from), middle(to)];
  if (from.top === to.top) {
    const room = from.top > head ? kBetweenLines : head;
    return curve(x0, from.top, x1, to.top, Math.min(room, 22 + Math.abs(x1 - x0) * 0.42) * 1.3);
  }
  const up = to.top < from.top;
  const [y0, y1] = up ? [from.top, to.bottom] : [from.bottom, to.top];
  const bend = Math.min(60, Math.abs(y1 - y0)) * (up ? 1 : -1);
  return `M${x0} ${y0}C${x0} ${y0 - bend} ${x1} ${y1 + bend} ${x1} ${y1}`;
}

// To itself: the thicker, the wider, so that it stays a loop.
function loopAt(box: Box, width: number): string {
  const x = middle(box);
  const foot = 7 + width * 0.45;
  const side = 24 + width * 1.5;
  const rise = box.top - 34 - width * 1.4;
  return `M${x - foot} ${box.top}C${x - side} ${rise} ${x + side} ${rise} ${x + foot} ${box.top}`;
}

// The strongest weights that together make `keep` percent of all of them.
export function strongest(weights: number[], keep: number): number[] {
  const order = weights.map((_, i) => i).filter((i) => weights[i] > 0);
  order.sort((a, b) => weights[b] - weights[a] || a - b);
  if (keep >= 100) return order;
  const all = order.reduce((sum, i) => sum + weights[i], 0);
  let sum = 0;
  const end = order.findIndex((i) => (sum += weights[i]) >= (all * keep) / 100);
  return order.slice(0, end + 1);
}

// The thinnest are one line among them: hundreds of words may have nothing but such arcs.
function joined(arcs: Arc[]): Arc[] {
  const thin = arcs.filter((arc) => arc.width === kThinnest && !arc.loop);
  if (thin.length < 2) return arcs;
  return [...arcs.filter((arc) => !thin.includes(arc)), { ...thin[0], path: thin.map((arc) => arc.path).join("") }];
}

export function arcsOf(boxes: Box[], from: number, weights: number[], kept: number[]): Arc[] {
  const head = boxes[0]?.top ?? 0;
  const arcs = kept
    .filter((to) => boxes[to] && boxes[from])
    .map((to) => {
      const width = Math.max(kThinnest, weights[to] * kThickest);
      const loop = to === from;
      return { loop, width, path: loop ? loopAt(boxes[to], width) : pathBetween(boxes[from], boxes[to], head) };
    });
  return joined(arcs);
}
