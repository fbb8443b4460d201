// The text that is looked at: what is typed is followed at once.
import { tune } from "../store";

interface TextFieldProps {
  text: string;
  label?: string;
}

export const kPresetTexts = [
  "The animal didn't cross the street because it was too tired.",
  "The animal didn't cross the street because it was too wide.",
  "The dog chased the ball because it was fast.",
  "The cat sat on the mat",
];

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
        {kPresetTexts.map((preset) => (
          <button
            key={preset}
            class="chip"
            type="button"
            aria-pressed={preset === text}
            onClick={() => tune({ text: preset, pins: [], to: -1 })}
          >
            {preset}
          </button>
        ))}
      </div>
    </div>
  );
}
