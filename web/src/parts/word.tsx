// One word of a sentence: a button that glows with the light it gets, and says its share or why it has none.
import { useMemo } from "preact/hooks";
import type { Share } from "../contract";
import { percentText } from "./number";

const kMuch = 0.12; // of the light: the number stands on a glow, and is written darker
const kLong = 18; // letters that are shown
const kGlow = 38; // percent of the light's colour under a word that gets all of it

interface WordProps {
  index: number;
  word: string;
  share: Share | null;
  lit: number;
  out: boolean; // hidden with the rest
  pinned: boolean;
  stop: boolean; // the one that Tab reaches
}

function told(share: Share | null, out: boolean): string {
  if (!share) return "";
  if (share.blocked) return "blocked";
  return out ? "hidden" : percentText(share.percent ?? 0, share.weight);
}

function glowOf(percent: number): string {
  return `linear-gradient(color-mix(in srgb, var(--light) ${percent}%, transparent) 0 0)`;
}

// Made again only where it looks different: a text may have hundreds of words, and each look lights all of them anew.
export function Word({ index, word, share, lit, out, pinned, stop }: WordProps) {
  const text = told(share, out);
  const blocked = share?.blocked ?? false;
  const glow = pinned ? 0 : Math.round(Math.min(1, lit) * kGlow);
  const much = lit > kMuch;
  return useMemo(
    () => (
      <button
        type="button"
        data-word={index}
        tabIndex={stop ? 0 : -1}
        aria-pressed={pinned}
        class={`word${blocked ? " blocked" : ""}${out ? " out" : ""}`}
        title={word.length > kLong ? word : undefined}
        style={glow > 0 ? { backgroundImage: glowOf(glow) } : undefined}
      >
        <bdi class="token">{word}</bdi>
        <span class={much ? "share lit" : "share"}>{text}</span>
      </button>
    ),
    [index, word, text, blocked, glow, much, out, pinned, stop],
  );
}
