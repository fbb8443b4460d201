// Says of words for which the model has no piece of its own that they do not look: they have no row, which is not a row of 0.
import type { HeadGrid } from "../spotlight";

export function NoRow({ head, from }: { head: HeadGrid; from: number[] }) {
  const silent = from.filter((i) => Number.isNaN(head.special[i])).map((i) => head.grid.units[i]);
  if (!silent.length) return null;
  return (
    <p class="silent dim">
      {head.grid.model} has no piece of its own for “<bdi>{silent.join("”, “")}</bdi>”, so there is no light to show.
    </p>
  );
}
