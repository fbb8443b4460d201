// A small grid with its numbers in it, as a real table: shares as light, scores with their sign, blocked
// cells hatched: no share, and a score of minus infinity.
import { useEffect, useRef } from "preact/hooks";
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
  seen?: number; // the column that is scrolled to
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
        {sums ? (
          <th scope="col" class="sum-cell">
            sum
          </th>
        ) : null}
      </tr>
    </thead>
  );
}

// Scrolls the grid alone, never the page, so that a column stands right behind the names of the rows.
function useSeen(column: number | undefined) {
  const box = useRef<HTMLDivElement>(null);
  const came = useRef(false);
  useEffect(() => {
    const names = box.current?.querySelectorAll<HTMLElement>("thead tr > *");
    if (!box.current || column === undefined || !names?.[column + 1]) return;
    const still = !came.current || matchMedia("(prefers-reduced-motion: reduce)").matches;
    came.current = true;
    const left = names[column + 1].offsetLeft - names[0].offsetWidth;
    box.current.scrollTo({ left, behavior: still ? "instant" : "smooth" });
  }, [column]);
  return box;
}

export function NumberGrid(props: NumberGridProps) {
  const { grid, rows, columns, text = (value: number) => fixed(value, 2), sums, picked, onPick, marked } = props;
  const box = useSeen(props.seen);
  const largest = props.paint === "signed" ? largestOf(grid) : 1;
  const cell = (value: number | null, i: number, j: number) => {
    if (props.outside?.(j)) return <td key={j} />;
    if (value === null) {
      return (
        <td key={j} class={props.paint === "signed" ? "shut endless" : "shut"}>
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
    <div class="number-grid" role="region" tabIndex={0} aria-label={props.caption} ref={box}>
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
