// How a head is called, and what is said of the one on show.
import type { Shown } from "../contract";

export function headName(layer: number, head: number): string {
  return `L${layer}.H${head}`;
}

export function maskText(mask: Shown["mask"]): string {
  return mask === "causal" ? "no word sees a later one" : "every word sees every other";
}

export function headingOf(shown: Shown): string {
  const { model, layer, head, chosen_by, temperature = 1 } = shown;
  const mask = maskText(shown.mask);
  const heat = temperature === 1 ? "" : `; softmax temperature ${temperature}`;
  return `${model} ${headName(layer, head)}: ${chosen_by}; ${mask}${heat}`;
}
