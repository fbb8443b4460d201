// A preset of the lesson as a spotlight shows it: its shares come from small q, k, v, and the engine computed them.
import type { Row, Share } from "../contract";
import type { Preset } from "../contract_lesson";

export function presetRow(found: Preset, query: number): Row {
  const { steps, words, percent } = found;
  const row: Share[] = words.map((word, index) => {
    const weight = steps.weights[query][index];
    return { word, index, weight: weight ?? 0, percent: percent[query][index], blocked: weight === null };
  });
  return { row, special: 0, special_percent: 0, entropy: steps.entropy[query], lse: steps.lse[query] };
}
