// What was not sent rounded is rounded here by the program's own rule: whole numbers (tenths of a percent, hundredths)
// that add up. Round down, then give one more to the largest remainders, the earlier first where equal.
import type { Row, Share } from "../contract";

export function largestRemainder(shares: number[], total: number): number[] {
  const sum = shares.reduce((a, b) => a + b, 0);
  if (!(sum > 0)) return shares.map(() => 0);
  const exact = shares.map((share) => (share / sum) * total);
  const shown = exact.map(Math.floor);
  let left = total - shown.reduce((a, b) => a + b, 0);
  const order = exact.map((_, i) => i);
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
  const shown = largestRemainder(found, 1000);
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
  const part = sum > 0 ? 1 / sum : 0; // 0: all light was on what is hidden
  const shown = largestRemainder(kept, 1000);
  const shares = row.row.map((share, i) =>
    share.blocked ? share : { ...share, weight: kept[i] * part, percent: shown[i] / 10, left_out: hidden.includes(i) },
  );
  return { row: shares, special: 0, special_percent: 0, entropy: row.entropy, lse: row.lse };
}
