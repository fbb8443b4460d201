// One of a few, as a row of radio buttons; one of many numbered things, as a list; and a slider that says its value.
import { useId } from "preact/hooks";

interface ChoicesProps<T extends string> {
  label: string;
  value: T;
  options: readonly (readonly [T, string])[];
  onPick: (value: T) => void;
}

export function Choices<T extends string>({ label, value, options, onPick }: ChoicesProps<T>) {
  const name = useId();
  return (
    <fieldset class="control">
      <legend>{label}</legend>
      <div class="choices">
        {options.map(([key, text]) => (
          <label key={key}>
            <input type="radio" name={name} checked={key === value} onChange={() => onPick(key)} />
            <span>{text}</span>
          </label>
        ))}
      </div>
    </fieldset>
  );
}

interface PickProps {
  label: string;
  value: number;
  options: readonly (readonly [number, string])[];
  onPick: (value: number) => void;
}

export function Pick({ label, value, options, onPick }: PickProps) {
  return (
    <label class="control">
      <span>{label}</span>
      <select value={value} onChange={(event) => onPick(Number(event.currentTarget.value))}>
        {options.map(([key, text]) => (
          <option key={key} value={key}>
            {text}
          </option>
        ))}
      </select>
    </label>
  );
}

export function numbered(names: string[]): (readonly [number, string])[] {
  return names.map((name, i) => [i, name] as const);
}

interface SliderProps {
  label: string;
  value: number;
  low: number;
  high: number;
  step: number;
  shown: string;
  onMove: (value: number) => void;
}

export function Slider({ label, value, low, high, step, shown, onMove }: SliderProps) {
  return (
    <label class="control">
      <span>
        {label}: <span class="number">{shown}</span>
      </span>
      <input
        type="range"
        min={low}
        max={high}
        step={step}
        value={value}
        aria-valuetext={shown}
        onInput={(event) => onMove(Number(event.currentTarget.value))}
      />
    </label>
  );
}

interface TickProps {
  label: string;
  checked: boolean;
  onChange: (checked: boolean) => void;
}

export function Tick({ label, checked, onChange }: TickProps) {
  return (
    <label class="tick">
      <input type="checkbox" checked={checked} onChange={(event) => onChange(event.currentTarget.checked)} />
      <span>{label}</span>
    </label>
  );
}
