// How much light the special tokens and the first token take, where it rests that has nowhere to go.
import type { Row } from "../contract";
import type { Spotlight } from "../spotlight";
import { percentText } from "./number";

// The words whose share is "rest": the first one, where it stands where other models have a special token.
export function restOf(light: Spotlight): number[] {
  const grid = light.head?.grid;
  return light.look?.first_token || (grid && !grid.special_name) ? [0] : [];
}

interface RestProps {
  light: Spotlight;
  row: Row; // in full
  hidden?: boolean; // it was left out of what is shown
}

export function Rest({ light, row, hidden }: RestProps) {
  const parts = [];
  const name = light.head?.grid.special_name;
  if (name) parts.push(`${percentText(row.special_percent ?? 0, row.special)} % on ${name}`);
  const first = restOf(light);
  for (const i of first) {
    const share = row.row[i];
    if (share && !share.blocked)
      parts.push(`${percentText(share.percent ?? 0, share.weight)} % on the first token, “${share.word}”`);
  }
  if (!parts.length) return null;
  const told = parts.join(" and ");
  const left = row.row.some((share) => share.weight > 0 && !first.includes(share.index));
  return (
    <p class="rest small">
      {hidden
        ? `Hidden: ${told}. ${left ? "What remains is made to add to 100 %." : "Nothing remains to be shown."}`
        : `Rest: ${told}. Light often rests there that has nowhere to go.`}
    </p>
  );
}
