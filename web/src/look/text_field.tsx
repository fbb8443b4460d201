// The text that is looked at: what is typed is followed at once.
import { kCat, kDog, kTired, kWide } from "../sentences";
import { go, tune } from "../store";

const kPresets = [
  ["too tired", kTired],
  ["too wide", kWide],
  ["dog and ball", kDog],
  ["cat on the mat", kCat],
] as const;

export function TextField({ text }: { text: string }) {
  return (
    <div class="text">
      <label class="control">
        <span>Your sentence</span>
        <textarea
          class="field line"
          rows={1}
          spellcheck={false}
          value={text}
          onInput={(event) => tune({ text: event.currentTarget.value, to: -1 })}
        />
      </label>
      <div class="row presets">
        <span class="small dim">Try</span>
        {kPresets.map(([name, preset]) => (
          <button
            key={name}
            class="chip"
            type="button"
            title={preset}
            aria-pressed={preset === text}
            onClick={() => go({ text: preset, pins: [], to: -1 })}
          >
            {name}
          </button>
        ))}
      </div>
    </div>
  );
}
