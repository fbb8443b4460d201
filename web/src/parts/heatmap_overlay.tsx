// What lies over and beside a heatmap: the cursor's row and column, a frame that is drawn, names of rows and columns.

export interface Cell {
  row: number;
  column: number;
}

export function Names({ names, along }: { names: string[]; along: "rows" | "columns" }) {
  return (
    <div class={`names ${along}`} aria-hidden="true">
      {names.map((name, i) => (
        <span key={i}>
          <bdi>{name}</bdi>
        </span>
      ))}
    </div>
  );
}

export function percent(part: number, whole: number): string {
  return `${(part / whole) * 100}%`;
}

interface BandProps {
  cell: Cell;
  rows: number;
  columns: number;
}

export function Cursor({ cell, rows, columns }: BandProps) {
  return (
    <>
      <i class="band" style={{ top: percent(cell.row, rows), height: percent(1, rows), left: "0", right: "0" }} />
      <i
        class="band"
        style={{ left: percent(cell.column, columns), width: percent(1, columns), top: "0", bottom: "0" }}
      />
    </>
  );
}

export function Chosen({ from, to, rows, columns }: { from: Cell; to: Cell; rows: number; columns: number }) {
  const top = Math.min(from.row, to.row);
  const left = Math.min(from.column, to.column);
  return (
    <i
      class="chosen"
      style={{
        top: percent(top, rows),
        left: percent(left, columns),
        height: percent(Math.abs(from.row - to.row) + 1, rows),
        width: percent(Math.abs(from.column - to.column) + 1, columns),
      }}
    />
  );
}
