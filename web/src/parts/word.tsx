// One word of a sentence: a button that glows with the light it gets, and says its share or why it has none.
import type { Share } from "../contract";
import { percentText } from "./number";

const kMuch = 0.12; // of the light: the number stands on a glow, and is written darker
const kLong = 18; // letters that are shown

interface WordProps {
  word: string;
  share: Share | null;
  lit: number;
  out: boolean; // hidden with the rest
  pinned: boolean;
  stop: boolean; // the one that Tab reaches
  onPreview: (seen: boolean) => void;
  onFocus: () => void;
  onPin: (add: boolean) => void;
}

function told(share: Share | null, out: boolean): string {
  if (!share) return "";
  if (share.blocked) return "blocked";
  return out ? "hidden" : percentText(share.percent ?? 0, share.weight);
}

export function Word({ word, share, lit, out, pinned, stop, onPreview, onFocus, onPin }: WordProps) {
  return (
    <button
      type="button"
      tabIndex={stop ? 0 : -1}
      aria-pressed={pinned}
      class={`word${share?.blocked ? " blocked" : ""}${out ? " out" : ""}`}
      title={word.length > kLong ? word : undefined}
      onPointerEnter={(event) => event.pointerType === "mouse" && onPreview(true)}
      onFocus={() => {
        onFocus();
        onPreview(true);
      }}
      onBlur={() => onPreview(false)}
      onClick={(event) => onPin(event.shiftKey)}
    >
      <i class="glow" style={{ opacity: Math.min(1, lit) }} />
      <bdi class="token">{word}</bdi>
      <span class={lit > kMuch ? "share lit" : "share"}>{told(share, out)}</span>
    </button>
  );
}
