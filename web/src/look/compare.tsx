// Two spotlights side by side: another head on the same sentence, or the same head on another sentence.
import { useRef } from "preact/hooks";
import type { Models, Row } from "../contract";
import { modelNamed } from "../models";
import { NumberPick } from "../parts/head_controls";
import { headingOf, headName } from "../parts/head_name";
import { Alarm } from "../parts/notice";
import { shareText } from "../parts/number";
import { Sentence } from "../parts/sentence";
import { Shares } from "../parts/shares";
import { ViewFile, ViewSave } from "../parts/view_file";
import type { Question } from "../question";
import { Spotlight, usualPin, useSpotlight } from "../spotlight";
import type { State } from "../state";
import { go, tune } from "../store";

interface PanelProps {
  light: Spotlight;
  title: string;
  onPin: (index: number) => void;
}

function Panel({ light, title, onPin }: PanelProps) {
  const grid = light.head?.grid;
  return (
    <div class="panel">
      <h2>{title}</h2>
      <p class="small dim">{grid ? headingOf(grid) : "\u00a0"}</p>
      <Sentence label={title} words={grid?.units ?? []} row={light.row} from={light.from} onPin={onPin} />
      {light.row ? (
        <Shares row={light.row} caption={title} restName={grid?.special_name ?? ""} most={6} />
      ) : null}
    </div>
  );
}

interface SettingsProps {
  state: State;
  models: Models | null;
}

function Settings({ state, models }: SettingsProps) {
  const model = modelNamed(models, state.model);
  return (
    <div class="controls">
      <label class="control wide">
        <span>Second sentence (empty: the same)</span>
        <input
          class="field"
          value={state.text2}
          placeholder={state.text}
          spellcheck={false}
          onInput={(event) => tune({ text2: event.currentTarget.value })}
        />
      </label>
      <NumberPick
        label="Second layer"
        none="the same"
        value={state.layer2}
        count={model?.layers ?? null}
        onPick={(layer2) => go({ layer2 })}
      />
      <NumberPick
        label="Second head"
        none="the same"
        value={state.head2}
        count={model?.heads ?? null}
        onPick={(head2) => go({ head2 })}
      />
    </div>
  );
}

// The word of the second text that stands for the pinned one: same place and spelling, else same spelling, else the usual.
function counterpart(words: string[], index: number, word: string): number {
  if (words[index] === word) return index;
  const same = words.indexOf(word);
  return same >= 0 ? same : usualPin(words);
}

function shareOf(row: Row, i: number): string {
  const { percent, weight } = row.row[i];
  return shareText(percent, weight);
}

function Difference({ first, second }: { first: Spotlight; second: Spotlight }) {
  const units = first.head?.grid.units ?? [];
  const same = units.join("\u0000") === second.head?.grid.units.join("\u0000");
  if (!same || !first.row || !second.row) return null;
  return (
    <details>
      <summary>Both in one table</summary>
      <table>
        <thead>
          <tr>
            <th>word</th>
            <th class="number">first</th>
            <th class="number">second</th>
          </tr>
        </thead>
        <tbody>
          {units.map((word, i) => (
            <tr key={i}>
              <th scope="row">
                <bdi>{word}</bdi>
              </th>
              <td class="number">{shareOf(first.row!, i)}</td>
              <td class="number">{shareOf(second.row!, i)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </details>
  );
}

function linesOf(side: string, { head, row, of, from }: Spotlight) {
  const { model, mask, layer, head: number, units } = head!.grid;
  const query = from.map((i) => units[i]).join(" + ");
  const looks = { model, mask, temperature: of?.temperature ?? 1, layer, head: number, query, query_index: from[0] };
  return row!.row.map(({ word, index, weight, percent, blocked }) => ({
    side,
    ...looks,
    word,
    index,
    weight,
    percent,
    blocked,
  }));
}

function pairFile(first: Spotlight, second: Spotlight): ViewFile | null {
  if (!first.head || !first.row || !second.head || !second.row) return null;
  const [one, two] = [first.head.grid, second.head.grid];
  const of = ({ of: asked, head, row }: Spotlight) => ({
    text: asked?.text,
    special_name: head!.grid.special_name,
    special: row!.special,
    special_percent: row!.special_percent,
  });
  return {
    name: `compare-L${one.layer}H${one.head}-L${two.layer}H${two.head}`,
    about: `first: ${headingOf(one)}; second: ${headName(two.layer, two.head)}`,
    facts: {},
    rows: () => [...linesOf("first", first), ...linesOf("second", second)],
    besides: () => ({ first: of(first), second: of(second) }),
  };
}

export function CompareView({ state, models, light }: { state: State; models: Models | null; light: Spotlight }) {
  const shown = light.head?.grid;
  const own = state.text2.trim() !== "";
  const question: Question | null = light.of && {
    ...light.of,
    ...(own ? { text: state.text2 } : {}),
    layer: state.layer2 >= 0 ? state.layer2 : shown?.layer,
    head: state.head2 >= 0 ? state.head2 : shown?.head,
  };
  const pin = light.from[0] ?? 0;
  const second = useSpotlight(question, (units) => [counterpart(units, pin, shown?.units[pin] ?? "")], 150);
  const seen = useRef<HTMLDivElement>(null);
  const onPin = (index: number) => go({ pins: [index] });
  const found = second.head?.grid;
  const name = found ? headName(found.layer, found.head) : "";
  return (
    <section aria-label="Compare">
      <Settings state={state} models={models} />
      <Alarm failure={second.answer.failure} />
      <div class="halves" ref={seen}>
        <Panel light={light} title="First" onPin={onPin} />
        <Panel light={second} title={`Second: ${name}`} onPin={(i) => !own && onPin(i)} />
      </div>
      <Difference first={light} second={second} />
      <ViewSave models={models} file={pairFile(light, second)} picture={seen} />
    </section>
  );
}
