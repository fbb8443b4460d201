// Rows that were not sent rounded are rounded here by the program's own rule: tenths of a percent that add to 100.
// Round down, then give one tenth more to the largest remainders, the earlier first where equal.
import type { Row, Share } from "../contract";

function permilles(weights: number[]): number[] {
  const exact = weights.map((w) => w * 1000);
  const shown = exact.map(Math.floor);
  let left = 1000 - shown.reduce((sum, n) => sum + n, 0);
  const order = exact.map((_, i) => i).filter((i) => weights[i] > 0);
  order.sort((a, b) => exact[b] - shown[b] - (exact[a] - shown[a]) || a - b);
  for (const i of order) if (left-- > 0) ++shown[i];
  return shown;
}

// weights: NaN where blocked. A word for which the model has no piece has no row: all of it is NaN, special too.
export function rowOf(
  units: string[],
  weights: ArrayLike<number>,
  special: number,
  entropy: number | null,
  reasonOf: (index: number) => string,
): Row | null {
  if (Number.isNaN(special)) return null;
  const found = [...Array.from(weights, (w) => (Number.isNaN(w) ? 0 : w)), special];
  const shown = permilles(found);
  const row: Share[] = units.map((word, index) => {
    if (Number.isNaN(weights[index]))
      return { word, index, weight: 0, percent: null, blocked: true, blocked_because: reasonOf(index) };
    return { word, index, weight: found[index], percent: shown[index] / 10, blocked: false };
  });
  return { row, special, special_percent: shown[units.length] / 10, entropy, lse: null };
}

// The same row without what is hidden, the others made to add to 100.
export function without(row: Row, hidden: number[]): Row {
  const kept = row.row.map((share) => (share.blocked || hidden.includes(share.index) ? 0 : share.weight));
  const sum = kept.reduce((a, b) => a + b, 0);
  if (!(sum > 0)) return row;
  const shown = permilles(kept.map((w) => w / sum));
  const shares = row.row.map((share, i) =>
    share.blocked ? share : { ...share, weight: kept[i] / sum, percent: shown[i] / 10, left_out: hidden.includes(i) },
  );
  return { row: shares, special: 0, special_percent: 0, entropy: row.entropy, lse: row.lse };
}
