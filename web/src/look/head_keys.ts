// [ and ] walk the heads, { and } the layers, in every view.
import { useEffect } from "preact/hooks";
import type { ModelInfo, Models } from "../contract";
import { modelNamed } from "../models";
import type { Spotlight } from "../spotlight";
import type { State } from "../state";
import { current, go } from "../store";

interface HeadPlace {
  layer: number;
  head: number;
}

function stepHead(key: string, from: HeadPlace | null, model: ModelInfo | null): HeadPlace | null {
  const moves: Record<string, [number, number]> = { "[": [0, -1], "]": [0, 1], "{": [-1, 0], "}": [1, 0] };
  if (!(key in moves) || !from || !model?.layers || !model.heads) return null;
  const [up, along] = moves[key];
  return {
    layer: (from.layer + up + model.layers) % model.layers,
    head: (from.head + along + model.heads) % model.heads,
  };
}

export function useHeadKeys(light: Spotlight, models: Models | null, state: State) {
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      const target = event.target as HTMLElement;
      const types = target.matches("textarea, select, input:not([type=checkbox])");
      if (event.ctrlKey || event.metaKey || event.altKey || types) return;
      // From the head last asked for, which may not have come yet; else from the one that was chosen for us.
      const asked = current();
      const from = asked.layer >= 0 && asked.head >= 0 ? asked : (light.head?.grid ?? null);
      const step = stepHead(event.key, from, modelNamed(models, state.model));
      if (step) go(step);
    };
    addEventListener("keydown", onKey);
    return () => removeEventListener("keydown", onKey);
  }, [light.head, models, state.model]);
}
