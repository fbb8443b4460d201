// A map of who looks where, however large: one canvas with a pixel a cell. Blocked cells are transparent, and the hatching
// behind them shows. One tab stop; arrows walk the cells, Enter pins the row, dragging draws a frame.
import type { RefObject } from "preact";
import { useId, useLayoutEffect, useRef, useState } from "preact/hooks";
import type { Shade } from "../state";
import { Cell, Chosen, Cursor, Names, percent } from "./heatmap_overlay";
import { paint } from "./heatmap_paint";

interface HeatmapProps {
  label: string;
  rows: number;
  columns: number;
  values: Float32Array; // NaN: blocked
  shade: Shade;
  rowNames?: string[];
  columnNames?: string[];
  cellText: (row: number, column: number) => string;
  pinned?: number[];
  onPin?: (row: number, column: number) => void;
  onUnpin?: () => void;
  onDrag?: (from: Cell, to: Cell) => void;
}

function keyMove(key: string, at: Cell, rows: number, columns: number): Cell | null {
  const page = Math.max(1, Math.floor(rows / 10));
  const moves: Record<string, Cell> = {
    ArrowUp: { row: at.row - 1, column: at.column },
    ArrowDown: { row: at.row + 1, column: at.column },
    ArrowLeft: { row: at.row, column: at.column - 1 },
    ArrowRight: { row: at.row, column: at.column + 1 },
    Home: { row: at.row, column: 0 },
    End: { row: at.row, column: columns - 1 },
    PageUp: { row: at.row - page, column: at.column },
    PageDown: { row: at.row + page, column: at.column },
  };
  const to = moves[key];
  if (!to) return null;
  return { row: Math.min(Math.max(to.row, 0), rows - 1), column: Math.min(Math.max(to.column, 0), columns - 1) };
}

interface Size {
  rows: number;
  columns: number;
}

function cellUnder(event: PointerEvent, canvas: HTMLCanvasElement, { rows, columns }: Size): Cell {
  const box = canvas.getBoundingClientRect();
  const part = (x: number, size: number, count: number) =>
    Math.min(Math.max(Math.floor((x / size) * count), 0), count - 1);
  return {
    row: part(event.clientY - box.top, box.height, rows),
    column: part(event.clientX - box.left, box.width, columns),
  };
}

// Where the cursor is, where a frame was begun, and what moves them.
function useCursor(
  { rows, columns, pinned = [], onPin, onUnpin, onDrag }: HeatmapProps,
  canvas: RefObject<HTMLCanvasElement | null>,
) {
  const [cursor, setCursor] = useState<Cell | null>(null);
  const [begun, setBegun] = useState<Cell | null>(null);
  const at = cursor && cursor.row < rows && cursor.column < columns ? cursor : null;
  const start = { row: pinned[0] ?? 0, column: 0 };
  const cellAt = (event: PointerEvent) => cellUnder(event, canvas.current!, { rows, columns });

  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key === "Escape") onUnpin?.();
    const here = at ?? start;
    const to = keyMove(event.key, here, rows, columns);
    if (!to && event.key !== "Enter" && event.key !== " ") return;
    event.preventDefault();
    if (to) setCursor(to);
    else onPin?.(here.row, here.column);
  };
  const onPointerUp = (event: PointerEvent) => {
    const to = cellAt(event);
    const moved = begun && (Math.abs(begun.row - to.row) > 1 || Math.abs(begun.column - to.column) > 1);
    if (moved && onDrag) onDrag(begun, to);
    else if (begun) onPin?.(to.row, to.column);
    setBegun(null);
  };
  const onPointerLeave = () => {
    setBegun(null);
    if (document.activeElement !== canvas.current?.parentElement) setCursor(null);
  };
  const moves = {
    onKeyDown,
    onPointerUp,
    onPointerLeave,
    onPointerCancel: onPointerLeave,
    onFocus: () => at ?? setCursor(start),
    onPointerDown: (event: PointerEvent) => setBegun(cellAt(event)),
    onPointerMove: (event: PointerEvent) => setCursor(cellAt(event)),
  };
  return { at, begun, moves };
}

export function Heatmap(props: HeatmapProps) {
  const { rows, columns, values, shade, rowNames, columnNames, cellText, pinned = [] } = props;
  const canvas = useRef<HTMLCanvasElement>(null);
  const id = useId();
  const { at, begun, moves } = useCursor(props, canvas);
  useLayoutEffect(() => paint(canvas.current!, values, columns, rows, shade), [values, columns, rows, shade]);

  return (
    <div class="heatmap">
      <div class={`frame${rowNames ? " named" : ""}`}>
        {columnNames ? <Names names={columnNames} along="columns" /> : null}
        {rowNames ? <Names names={rowNames} along="rows" /> : null}
        <div
          class="picture"
          role="grid"
          tabIndex={0}
          aria-label={props.label}
          aria-rowcount={rows}
          aria-colcount={columns}
          aria-activedescendant={at ? id : undefined}
          style={{ aspectRatio: `${columns} / ${rows}` }}
          {...moves}
        >
          <canvas ref={canvas} aria-hidden="true" />
          {pinned.map((row) => (
            <i key={row} class="pinned" style={{ top: percent(row, rows), height: percent(1, rows) }} />
          ))}
          {at ? <Cursor cell={at} rows={rows} columns={columns} /> : null}
          {begun && at && props.onDrag ? <Chosen from={begun} to={at} rows={rows} columns={columns} /> : null}
          <div role="row" class="unseen" aria-rowindex={(at?.row ?? 0) + 1}>
            <div role="gridcell" id={id} aria-colindex={(at?.column ?? 0) + 1}>
              {rows && columns ? cellText(at?.row ?? 0, at?.column ?? 0) : ""}
            </div>
          </div>
        </div>
      </div>
      <p class="told number">{at ? cellText(at.row, at.column) : "\u00a0"}</p>
    </div>
  );
}
