// What the steps about "it" share: the head whose light moves, and what is told of some words.
import type { ModelInfo } from "../contract";
import { shareText } from "../parts/number";
import type { Spotlight } from "../spotlight";

// The head of MiniLM whose light on "it" moves most with the last word of the sentence. Of others the usual one.
export function movingHead(model: ModelInfo): { layer?: number; head?: number } {
  return model.name === "minilm" ? { layer: 3, head: 1 } : {};
}

function shareOf(light: Spotlight, word: string): string {
  const share = light.row?.row.find((one) => one.word === word);
  return share ? shareText(share.percent, share.weight) : "–";
}

export function Told({ light, words }: { light: Spotlight; words: string[] }) {
  return (
    <p class="told number">
      {words.map((word, i) => (
        <span key={word}>
          {i ? ", " : ""}
          {word} <b>{shareOf(light, word)}</b>
        </span>
      ))}
    </p>
  );
}
