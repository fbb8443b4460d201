// The text that is looked at: what is typed is followed at once.
import { go, tune } from "../store";

interface TextFieldProps {
  text: string;
  label?: string;
}

const kPresets = [
  ["too tired", "The animal didn't cross the street because it was too tired."],
  ["too wide", "The animal didn't cross the street because it was too wide."],
  ["dog and ball", "The dog chased the ball because it was fast."],
  ["cat on the mat", "The cat sat on the mat"],
] as const;

export function TextField({ text, label = "Your sentence" }: TextFieldProps) {
  return (
    <div class="text">
      <label class="control">
        <span>{label}</span>
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
