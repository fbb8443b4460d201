// A vector as a strip of cells, blue below zero and orange above; its numbers on demand.
import { paintSigned } from "../parts/colour";
import { fixed } from "../parts/number";

interface VectorProps {
  name: string;
  values: number[];
  largest?: number; // of the scale, where several strips share one
  few?: number; // numbers told beside it
}

export function largestIn(...vectors: number[][]): number {
  return Math.max(1e-12, ...vectors.flat().map(Math.abs));
}

export function Vector({ name, values, largest = largestIn(values), few = 3 }: VectorProps) {
  const told = values
    .slice(0, few)
    .map((value) => fixed(value, 2))
    .join(", ");
  return (
    <div class="vector">
      <b>{name}</b>
      <div class="strip" aria-hidden="true">
        {values.map((value, i) => (
          <i key={i} title={fixed(value)} style={{ backgroundColor: paintSigned(value, largest).backgroundColor }} />
        ))}
      </div>
      <span class="small dim number">
        [{told}
        {values.length > few ? `, … ${values.length} numbers` : ""}]
      </span>
    </div>
  );
}
