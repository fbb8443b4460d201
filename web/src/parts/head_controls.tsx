// Which model, under which mask, and which of its heads; the answer says which head it became and why.
import type { Models, Shown } from "../contract";
import { canBeAsked, modelNamed } from "../models";
import type { MaskChoice, State } from "../state";
import { go } from "../store";
import { Choices, numbered, Pick } from "./choices";
import { headingOf } from "./head_name";
import { Notes } from "./notice";
import { useWide } from "./wide";

const kMasks: readonly (readonly [MaskChoice, string])[] = [
  ["model", "Its own"],
  ["causal", "GPT: only back"],
  ["none", "BERT: both ways"],
];

function ModelPick({ models, name }: { models: Models | null; name: string }) {
  const chosen = modelNamed(models, name);
  return (
    <label class="control">
      <span>Model</span>
      <select
        class="model"
        value={chosen?.name ?? ""}
        onChange={(event) => go({ model: event.currentTarget.value, layer: -1, head: -1, layer2: -1, head2: -1 })}
      >
        {(models?.models ?? []).map((model) => (
          <option key={model.name} value={model.name} disabled={!canBeAsked(model)}>
            {model.name} · {model.kind}
            {canBeAsked(model) ? "" : model.present ? " (damaged)" : " (not here)"}
          </option>
        ))}
      </select>
    </label>
  );
}

function MaskPick({ mask }: { mask: MaskChoice }) {
  return <Choices label="Mask" value={mask} options={kMasks} onPick={(next) => go({ mask: next })} />;
}

interface NumberPickProps {
  label: string;
  value: number;
  count: number | null;
  none: string;
  onPick: (value: number) => void;
}

export function NumberPick({ label, value, count, none, onPick }: NumberPickProps) {
  const numbers = Array.from({ length: count ?? 0 }, (_, i) => String(i));
  return <Pick label={label} value={value} options={[[-1, none], ...numbered(numbers)]} onPick={onPick} />;
}

interface HeadControlsProps {
  state: State;
  models: Models | null;
}

function Picks({ state, models }: HeadControlsProps) {
  const model = modelNamed(models, state.model);
  return (
    <div class="controls">
      <ModelPick models={models} name={state.model} />
      <MaskPick mask={state.mask} />
      <NumberPick
        label="Layer"
        none="usual"
        value={state.layer}
        count={model?.layers ?? null}
        onPick={(layer) => go({ layer })}
      />
      <NumberPick
        label="Head"
        none="usual"
        value={state.head}
        count={model?.heads ?? null}
        onPick={(head) => go({ head })}
      />
    </div>
  );
}

// On a phone the picture comes first, and these are folded away above it.
export function HeadControls({ state, models }: HeadControlsProps) {
  const wide = useWide();
  const damaged = models?.models.filter((model) => model.damage !== null);
  const picks = (
    <>
      <Picks state={state} models={models} />
      <Notes notes={damaged?.map((model) => `${model.name} cannot be used: ${model.damage}`)} />
    </>
  );
  if (wide) return picks;
  return (
    <details class="folded-picks">
      <summary>Model, mask, layer and head</summary>
      {picks}
    </details>
  );
}

// Which head it became, and why. The line is there before the answer is.
export function ShownHead({ shown }: { shown: Shown | null }) {
  return <p class="shown small dim">{shown ? headingOf(shown) : "\u00a0"}</p>;
}
