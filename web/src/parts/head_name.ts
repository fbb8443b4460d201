// How a head is called, and what is said of the one on show.
import type { Shown } from "../contract";

export function headName(layer: number, head: number): string {
  return `L${layer}.H${head}`;
}

export function headingOf(shown: Shown): string {
  const mask = shown.mask === "causal" ? "no word sees a later one" : "every word sees every other";
  return `${shown.model} ${headName(shown.layer, shown.head)}: ${shown.chosen_by}; ${mask}`;
}
