// A small chart of one or two series over named places, told apart by shape and label, not by colour alone.
import { PlainTable } from "./plain_table";

interface Series {
  name: string;
  values: number[];
}

interface ChartProps {
  title: string;
  places: string[];
  series: Series[]; // at most two
  text: (value: number) => string;
  log?: boolean;
  top?: number; // a line for the most that can be
  topName?: string;
}

const kWidth = 420;
const kHeight = 190;
const kLeft = 10;
const kRight = 14;
const kTop = 20;
const kBottom = 26;
const kLabel = 9; // letters of a place's name, at most
const kLetter = 7.5;

function scaleOf(values: number[], log: boolean): (value: number) => number {
  const room = kHeight - kTop - kBottom;
  const most = Math.max(...values, 1e-12);
  if (!log) return (value) => kTop + room * (1 - value / most);
  const lowest = Math.max(Math.min(...values.filter((v) => v > 0)), most * 1e-12);
  const span = Math.log(most / lowest) || 1;
  return (value) => kTop + room * (1 - Math.max(0, Math.log(Math.max(value, lowest) / lowest) / span) * 0.94 - 0.06);
}

function Mark({ x, y, kind }: { x: number; y: number; kind: number }) {
  return kind === 0 ? (
    <circle cx={x} cy={y} r="4.5" class="mark-a" />
  ) : (
    <rect x={x - 4} y={y - 4} width="8" height="8" class="mark-b" />
  );
}

interface LinesProps extends ChartProps {
  y: (value: number) => number;
}

function Lines({ places, series, top, topName, y }: LinesProps) {
  const step = (kWidth - kLeft - kRight - 40) / Math.max(places.length - 1, 1);
  const x = (i: number) => kLeft + 20 + i * step;
  const longest = Math.max(...places.map((place) => Math.min(place.length, kLabel)), 1);
  const sparse = Math.ceil((longest * kLetter) / step);
  return (
    <svg viewBox={`0 0 ${kWidth} ${kHeight}`} aria-hidden="true">
      {top === undefined ? null : (
        <>
          <line x1={kLeft} x2={kWidth - kRight} y1={y(top)} y2={y(top)} class="limit" />
          <text x={kWidth - kRight} y={y(top) - 5} text-anchor="end">
            {topName}
          </text>
        </>
      )}
      <line x1={kLeft} x2={kWidth - kRight} y1={kHeight - kBottom} y2={kHeight - kBottom} class="axis" />
      {series.map((one, kind) => (
        <g key={one.name} class={kind === 0 ? "series-a" : "series-b"}>
          <polyline points={one.values.map((value, i) => `${x(i)},${y(value)}`).join(" ")} />
          {one.values.map((value, i) => (
            <Mark key={i} x={x(i)} y={y(value)} kind={kind} />
          ))}
        </g>
      ))}
      {places.map((place, i) =>
        i % sparse === 0 ? (
          <text key={i} x={x(i)} y={kHeight - 8} text-anchor="middle">
            {place.length > kLabel ? `${place.slice(0, kLabel - 1)}…` : place}
          </text>
        ) : null,
      )}
    </svg>
  );
}

function Numbers({ title, places, series, text }: ChartProps) {
  return (
    <PlainTable label={`Numbers of: ${title}`} names={["", ...series.map((one) => one.name)]}>
      {places.map((place, i) => (
        <tr key={i}>
          <th scope="row">{place}</th>
          {series.map((one) => (
            <td key={one.name} class="number">
              {text(one.values[i])}
            </td>
          ))}
        </tr>
      ))}
    </PlainTable>
  );
}

export function Chart(props: ChartProps) {
  const { title, series, log = false, top } = props;
  const y = scaleOf(series.flatMap((one) => one.values).concat(top ?? []), log);
  return (
    <div class="chart">
      <h2>{title}</h2>
      <p class="row small keys">
        {series.map((one, kind) => (
          <span key={one.name}>
            <svg width="14" height="12" aria-hidden="true">
              <Mark x={7} y={6} kind={kind} />
            </svg>{" "}
            {one.name}
          </span>
        ))}
        {log ? <span class="dim">logarithmic scale</span> : null}
      </p>
      <Lines {...props} y={y} />
      <details>
        <summary>Its numbers</summary>
        <Numbers {...props} />
      </details>
    </div>
  );
}
