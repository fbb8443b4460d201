// The rows of all heads as an exported file keeps them: a cell is a weight in 1/10,000 and its tenths of a percent as shown.
import { halves } from "../api";
import type { ExportedHeads, Row, Share } from "../contract";
import { rowOf } from "../parts/rounding";

const kBlocked = 65535;
const kWeightBits = 14;

interface Cell {
  weight: number;
  percent: number | null;
}

function cellOf(code: number): Cell {
  if (code === kBlocked) return { weight: 0, percent: null };
  const weight = code & ((1 << kWeightBits) - 1);
  return { weight: weight / 10000, percent: (Math.floor(weight / 10) + (code >> kWeightBits) - 1) / 10 };
}

export type RowAt = (layer: number, head: number, word: number) => Row | null;

export function rowsIn(heads: ExportedHeads): RowAt {
  const cells = halves(heads.cells);
  const width = heads.words.length + 1;
  return (layer, head, word) => {
    const place = heads.rows.indexOf(word);
    if (place < 0) return null;
    const start = ((layer * heads.heads + head) * heads.rows.length + place) * width;
    const row: Share[] = heads.words.map((text, index) => {
      const { weight, percent } = cellOf(cells[start + index]);
      if (percent !== null) return { word: text, index, weight, percent, blocked: false };
      const because = index > word ? heads.blocked_because.later : heads.blocked_because.earlier;
      return { word: text, index, weight, percent, blocked: true, blocked_because: because };
    });
    const special = cellOf(cells[start + width - 1]);
    return { row, special: special.weight, special_percent: special.percent, entropy: null, lse: null };
  };
}

// The mean of the rows of several words; blocked is what none of them sees.
export function together(rows: Row[]): Row | null {
  const mean = (of: (row: Row) => number) => rows.reduce((sum, row) => sum + of(row), 0) / rows.length;
  const weights = rows[0].row.map((_, i) =>
    rows.every((row) => row.row[i].blocked) ? NaN : mean((row) => row.row[i].weight),
  );
  return rowOf(
    rows[0].row.map((share) => share.word),
    weights,
    mean((row) => row.special),
    null,
    (i) => rows[0].row[i].blocked_because ?? "",
  );
}
