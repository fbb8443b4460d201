// A map of who looks where, however large: one canvas with a pixel a cell, which the browser scales. Blocked cells are
// transparent, and the hatching behind them shows. One tab stop; arrows walk the cells, Enter pins the row.
import { useId, useLayoutEffect, useRef, useState } from "preact/hooks";
import type { Shade } from "../state";
import { lightTable, place } from "./colour";

export interface HeatmapProps {
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
  onDrag?: (from: Cell, to: Cell) => void;
  children?: preact.ComponentChildren; // over the picture
}

export interface Cell {
  row: number;
  column: number;
}

export function paint(canvas: HTMLCanvasElement, values: Float32Array, columns: number, rows: number, shade: Shade) {
  canvas.width = columns;
  canvas.height = rows;
  const context = canvas.getContext("2d");
  if (!context || !rows || !columns) return;
  const image = context.createImageData(columns, rows);
  const pixels = new Uint32Array(image.data.buffer);
  for (let i = 0; i < pixels.length; ++i) {
    pixels[i] = Number.isNaN(values[i]) ? 0 : lightTable[Math.min(255, Math.round(place(values[i], shade) * 255))];
  }
  context.putImageData(image, 0, 0);
}

function Names({ names, along }: { names: string[]; along: "rows" | "columns" }) {
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

function percent(part: number, whole: number): string {
  return `${(part / whole) * 100}%`;
}

interface BandProps {
  cell: Cell;
  rows: number;
  columns: number;
}

function Cursor({ cell, rows, columns }: BandProps) {
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

export function Heatmap(props: HeatmapProps) {
  const { rows, columns, values, shade, rowNames, columnNames, cellText, pinned = [], onPin, onDrag } = props;
  const canvas = useRef<HTMLCanvasElement>(null);
  const id = useId();
  const [cursor, setCursor] = useState<Cell | null>(null);
  const [begun, setBegun] = useState<Cell | null>(null);
  useLayoutEffect(() => paint(canvas.current!, values, columns, rows, shade), [values, columns, rows, shade]);
  const at = cursor && cursor.row < rows && cursor.column < columns ? cursor : null;

  const cellAt = (event: PointerEvent): Cell => {
    const box = canvas.current!.getBoundingClientRect();
    const part = (x: number, size: number, count: number) =>
      Math.min(Math.max(Math.floor((x / size) * count), 0), count - 1);
    return {
      row: part(event.clientY - box.top, box.height, rows),
      column: part(event.clientX - box.left, box.width, columns),
    };
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const here = at ?? { row: pinned[0] ?? 0, column: 0 };
    const to = keyMove(event.key, here, rows, columns);
    if (to) {
      event.preventDefault();
      setCursor(to);
    } else if (event.key === "Enter" || event.key === " ") {
      event.preventDefault();
      onPin?.(here.row, here.column);
    }
  };
  const onUp = (event: PointerEvent) => {
    const to = cellAt(event);
    const moved = begun && (Math.abs(begun.row - to.row) > 1 || Math.abs(begun.column - to.column) > 1);
    if (moved && onDrag) onDrag(begun, to);
    else if (begun) onPin?.(to.row, to.column);
    setBegun(null);
  };

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
          onKeyDown={onKeyDown}
          onFocus={() => at ?? setCursor({ row: pinned[0] ?? 0, column: 0 })}
          onPointerDown={(event) => setBegun(cellAt(event))}
          onPointerUp={onUp}
          onPointerMove={(event) => setCursor(cellAt(event))}
          onPointerLeave={() => {
            setBegun(null);
            if (document.activeElement !== canvas.current?.parentElement) setCursor(null);
          }}
        >
          <canvas ref={canvas} aria-hidden="true" />
          {pinned.map((row) => (
            <i key={row} class="pinned" style={{ top: percent(row, rows), height: percent(1, rows) }} />
          ))}
          {props.children}
          {at ? <Cursor cell={at} rows={rows} columns={columns} /> : null}
          {begun && at && onDrag ? <Chosen from={begun} to={at} rows={rows} columns={columns} /> : null}
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

function Chosen({ from, to, rows, columns }: { from: Cell; to: Cell; rows: number; columns: number }) {
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
