// A small grid with its numbers in it, as a real table: shares as light, scores with their sign, blocked cells hatched.
import { paintLight, paintSigned } from "../parts/colour";
import { fixed } from "../parts/number";

export type Grid = readonly (readonly (number | null)[])[];

interface NumberGridProps {
  caption: string;
  grid: Grid;
  rows: string[];
  columns: string[];
  paint: "light" | "signed";
  text?: (value: number, row: number, column: number) => string;
  sums?: number[]; // a column of row sums
  picked?: number;
  onPick?: (row: number) => void;
  outside?: (column: number) => boolean; // columns that this picture leaves out
  marked?: (row: number, column: number) => boolean; // cells to point out
}

function largestOf(grid: Grid): number {
  return Math.max(0, ...grid.flatMap((row) => row.map((value) => Math.abs(value ?? 0))));
}

function Head({ columns, sums }: { columns: string[]; sums: boolean }) {
  return (
    <thead>
      <tr>
        <td />
        {columns.map((name, j) => (
          <th key={j} scope="col">
            <bdi>{name}</bdi>
          </th>
        ))}
        {sums ? <th scope="col">sum</th> : null}
      </tr>
    </thead>
  );
}

export function NumberGrid(props: NumberGridProps) {
  const { grid, rows, columns, text = (value: number) => fixed(value, 2), sums, picked, onPick, marked } = props;
  const largest = props.paint === "signed" ? largestOf(grid) : 1;
  const cell = (value: number | null, i: number, j: number) => {
    if (props.outside?.(j)) return <td key={j} />;
    if (value === null) {
      return (
        <td key={j} class="shut">
          <span class="unseen">blocked</span>
        </td>
      );
    }
    const painted = props.paint === "light" ? paintLight(value) : paintSigned(value, largest);
    return (
      <td key={j} style={painted} class={marked?.(i, j) ? "wrong" : undefined}>
        {text(value, i, j)}
      </td>
    );
  };
  return (
    <div class="number-grid" role="region" tabIndex={0} aria-label={props.caption}>
      <table>
        <caption class="unseen">{props.caption}</caption>
        <Head columns={columns} sums={sums !== undefined} />
        <tbody>
          {grid.map((row, i) => (
            <tr key={i} class={i === picked ? "picked" : undefined}>
              <th scope="row">
                {onPick ? (
                  <button type="button" aria-pressed={i === picked} onClick={() => onPick(i)}>
                    <bdi>{rows[i]}</bdi>
                  </button>
                ) : (
                  <bdi>{rows[i]}</bdi>
                )}
              </th>
              {row.map((value, j) => cell(value, i, j))}
              {sums ? <td class="sum-cell">{fixed(sums[i], 3)}</td> : null}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
