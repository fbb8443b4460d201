// The spotlight: arcs from the pinned word, its new vector as a weighted sum, and the table of shares.
import { useMemo, useState } from "preact/hooks";
import type { Row } from "../contract";
import { Choices, Slider, Tick } from "../parts/choices";
import { NoRow } from "../parts/no_row";
import { fixed } from "../parts/number";
import { Rest, restOf } from "../parts/rest";
import { without } from "../parts/rounding";
import { Sentence } from "../parts/sentence";
import { Shares } from "../parts/shares";
import { WeightedSum } from "../parts/weighted_sum";
import { nameOf, numberedWords } from "../parts/word_names";
import { lightOf, Spotlight } from "../spotlight";
import type { State } from "../state";
import { go, tune } from "../store";

const kNoLight: Row = { row: [], special: 0, special_percent: 0, entropy: null, lse: null };

interface SettingsProps {
  state: State;
  light: Spotlight;
  adding: boolean;
  onAdding: (adding: boolean) => void;
}

function Settings({ state, light, adding, onAdding }: SettingsProps) {
  return (
    <div class="controls settings">
      <Tick
        label="Pieces instead of words"
        checked={state.pieces}
        onChange={(pieces) => go({ pieces, pins: [], to: -1 })}
      />
      <Choices
        label={`Rest: ${restName(light)}`}
        value={state.rest}
        options={[
          ["show", "Shown"],
          ["hide", "Hidden"],
        ]}
        onPick={(rest) => go({ rest })}
      />
      <Slider
        label="Arcs for the strongest"
        low={10}
        high={100}
        step={5}
        value={state.keep}
        shown={`${state.keep} % of the light`}
        onMove={(keep) => tune({ keep })}
      />
      <Slider
        label="Softmax temperature"
        low={-1}
        high={1}
        step={0.05}
        value={Math.log10(state.temperature)}
        shown={state.temperature.toFixed(2)}
        onMove={(power) => tune({ temperature: Number((10 ** power).toFixed(2)) })}
      />
      <Tick label="Several words together" checked={adding} onChange={onAdding} />
      <Tick label="Raw numbers" checked={state.raw} onChange={(raw) => go({ raw })} />
    </div>
  );
}

function restName(light: Spotlight): string {
  return light.head?.grid.special_name || "first token";
}

function RawLine({ row, light, hidden }: { row: Row; light: Spotlight; hidden: boolean }) {
  return (
    <p class="small dim number">
      {hidden ? "of the whole row, with nothing hidden: " : ""}entropy {fixed(row.entropy)} nats
      {row.lse === null ? "" : `, log of the row's sum ${fixed(row.lse)}`},{" "}
      {light.head?.grid.tokens} tokens
    </p>
  );
}

// The row on show, in full and with the rest hidden where it is; and of several words the row of each.
function useShown(state: State, light: Spotlight, from: number[], seen: number | null) {
  const hide = state.rest === "hide";
  const hidden = hide ? restOf(light) : [];
  const full = useMemo(
    () => (seen === null || !light.head ? light.row : lightOf(light.head, [seen])),
    [seen, light.head, light.row],
  );
  const row = useMemo(() => (full && hide ? without(full, hidden) : full), [full, hide, hidden.length]);
  const own = useMemo(() => {
    if (!light.head || !full || from.length < 2) return undefined;
    const rows = from.map((i) => lightOf(light.head!, [i])!);
    return hide ? rows.map((one) => without(one, hidden)) : rows;
  }, [light.head, full, from.join(), hide, hidden.length]);
  return { full, row, own, hidden };
}

export function SpotlightView({ state, light }: { state: State; light: Spotlight }) {
  const [preview, setPreview] = useState<number | null>(null);
  const [adding, setAdding] = useState(false);
  const units = light.head?.grid.units ?? [];
  const names = useMemo(() => numberedWords(units), [light.head]);
  const seen = preview !== null && preview < units.length ? preview : null;
  const from = seen === null ? light.from : [seen];
  const { full, row, own, hidden } = useShown(state, light, from, seen);
  const hide = state.rest === "hide";
  const pin = (index: number, add: boolean) => {
    const others = light.from.filter((i) => i !== index);
    const next = add ? (others.length === light.from.length ? [...light.from, index] : others) : [index];
    go({ pins: next.sort((a, b) => a - b) });
  };
  const several = (on: boolean) => {
    setAdding(on);
    if (!on && light.from.length > 1) go({ pins: [light.from[0]] });
  };
  if (!light.head) return <div class="stage stage-space" />;
  return (
    <section aria-label="Spotlight">
      <div class="stage">
        <Sentence
          words={units}
          row={row}
          from={from}
          own={own}
          keep={state.keep}
          hidden={hidden}
          onPreview={setPreview}
          onPin={(index, add) => pin(index, add || adding)}
          onUnpin={() => go({ pins: [] })}
        />
      </div>
      {full ? <Rest light={light} row={full} hidden={hide} /> : null}
      {row ? (
        <WeightedSum
          name={nameOf(names, from)}
          names={names}
          several={from.length > 1}
          row={row}
          restName={hide ? "" : light.head.grid.special_name}
        />
      ) : (
        <NoRow head={light.head} from={from} />
      )}
      <div class="halves">
        <div>
          <Settings state={state} light={light} adding={adding || light.from.length > 1} onAdding={several} />
          <p class="small dim">
            Point at a word to see its light, click to pin it, Shift and click to add another, Escape to let go. [ and ]
            change the head, {"{"} and {"}"} the layer.
            {from.length > 1 ? " The arcs are of each pinned word by itself, the shares are their mean." : ""}
          </p>
          <p class="small dim">
            Shares are rounded down to tenths of a percent; the tenths then missing to 100 go to those that lost most.
          </p>
          {state.raw && row ? <RawLine row={row} light={light} hidden={hide} /> : null}
        </div>
        <Shares
          row={row ?? kNoLight}
          names={names}
          caption={`Where ${nameOf(names, from)} looks`}
          restName={hide ? "" : (light.head?.grid.special_name ?? "")}
          raw={state.raw}
          more
          adds
        />
      </div>
    </section>
  );
}
