// What the steps about "it" share: the head whose light moves, and what is told of some words.
import type { ModelInfo, Shown } from "../contract";
import { headingOf } from "../parts/head_name";
import { percentText, shareText } from "../parts/number";
import { Rest, restOf } from "../parts/rest";
import type { Spotlight } from "../spotlight";

const kMoving = "picked for this step, because its light on “it” moves most with the last word";

// The head of MiniLM whose light on "it" moves most with the last word of the sentence. Of others the usual one.
export function movingHead(model: ModelInfo): { layer?: number; head?: number } {
  return model.name === "minilm" ? { layer: 3, head: 1 } : {};
}

// Of the head that `movingHead` named: it is not the reader who gave it.
export function movingHeading(shown: Shown): string {
  const picked = shown.model === "minilm" && shown.layer === 3 && shown.head === 1;
  return headingOf(picked ? { ...shown, chosen_by: kMoving } : shown);
}

// The shares of some words, of the others together, and of the rest: they add to 100.
export function Told({ light, words }: { light: Spotlight; words: string[] }) {
  const row = light.row?.row ?? [];
  const apart = restOf(light);
  const others = row.filter((share) => !share.blocked && !apart.includes(share.index) && !words.includes(share.word));
  const tenths = others.reduce((sum, share) => sum + Math.round((share.percent ?? 0) * 10), 0);
  return (
    <>
      <p class="told number">
        {words.map((word) => {
          const share = row.find((one) => one.word === word);
          return (
            <span key={word}>
              {word} <b>{share ? shareText(share.percent, share.weight) : "–"}</b>,{" "}
            </span>
          );
        })}
        all other words <b>{light.row ? `${percentText(tenths / 10)} %` : "–"}</b>
      </p>
      {light.row ? <Rest light={light} row={light.row} /> : <p class="rest small">{"\u00a0"}</p>}
    </>
  );
}
