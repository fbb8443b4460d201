// Every head of the model as a thumbnail, and the heads that link the pinned word to another, ranked.
import { useMemo, useRef } from "preact/hooks";
import { useAnswer } from "../answer";
import { floats } from "../api";
import type { Ask, Heads, Models, Thumbnails } from "../contract";
import { BarCell } from "../parts/bar_cell";
import { numbered, Pick } from "../parts/choices";
import { headName, maskText } from "../parts/head_name";
import { anyBlocked, Legend } from "../parts/legend";
import { Alarm, Progress } from "../parts/notice";
import { fixed } from "../parts/number";
import { manyHeads, Thumbs } from "../parts/thumbs";
import { ViewFile, ViewSave } from "../parts/view_file";
import { textOf } from "../question";
import type { Spotlight } from "../spotlight";
import { shadeOf, State } from "../state";
import { go } from "../store";

const kRanked = 10;

// Every cell of every picture; a cell is the largest weight of its tokens.
function cellsFile(found: Thumbnails, asked: Ask): ViewFile {
  const { model, mask, layers, heads, tokens, side } = found;
  const rows = () =>
    Array.from(floats(found.cells), (weight, i) => {
      const head = Math.floor(i / (side * side));
      const at = i % (side * side);
      return {
        layer: Math.floor(head / heads),
        head: head % heads,
        row: Math.floor(at / side),
        column: at % side,
        weight,
        blocked: Number.isNaN(weight),
      };
    });
  return {
    name: `heads-${model}`,
    about: `${model}, all ${layers} × ${heads} heads; ${maskText(mask)}`,
    facts: { model, mask },
    rows,
    besides: () => ({ text: asked.text, tokens, side }),
  };
}

function rankingFile(found: Heads, asked: Ask): ViewFile {
  const { model, mask, from, to, heads } = found;
  return {
    name: `heads-from-${from.index}-to-${to.index}-${model}`,
    about: "",
    facts: { model, mask, from: from.word, from_index: from.index, to: to.word, to_index: to.index },
    rows: () => heads.map(({ layer, head, weight, blocked }) => ({ layer, head, weight, blocked })),
    besides: () => ({ text: asked.text }),
  };
}

interface FinderProps {
  models: Models | null;
  state: State;
  light: Spotlight;
}

function Ranking({ found, light }: { found: Heads; light: Spotlight }) {
  const grid = light.head?.grid;
  return (
    <table class="ranking">
      <caption class="small dim">
        Heads by the light that {found.from.word} sends to {found.to.word}
      </caption>
      <thead>
        <tr>
          <th>head</th>
          <th class="number">weight</th>
          <th class="unseen">picture</th>
        </tr>
      </thead>
      <tbody>
        {found.heads.slice(0, kRanked).map(({ layer, head, weight }) => (
          <tr key={headName(layer, head)}>
            <th scope="row">
              <button
                class="chip"
                type="button"
                aria-pressed={grid?.layer === layer && grid.head === head}
                onClick={() => go({ layer, head, view: "arcs" })}
              >
                {headName(layer, head)}
              </button>
            </th>
            <td class="number">{fixed(weight)}</td>
            <BarCell weight={weight} />
          </tr>
        ))}
      </tbody>
    </table>
  );
}

function Finder({ models, state, light }: FinderProps) {
  const units = light.head?.grid.units ?? [];
  const from = light.from[0];
  const to = state.to >= 0 && state.to < units.length ? state.to : -1;
  const pieces = light.of?.unit === "pieces";
  const body = light.of && !pieces && from !== undefined && to >= 0 ? { ...textOf(light.of), from, to } : null;
  const { value, of, failure, busy, fresh } = useAnswer<Heads>("heads", body);
  return (
    <div class="finder">
      <h2>Which head links two words?</h2>
      <div class="controls">
        <Pick label="From" value={from ?? -1} options={numbered(units)} onPick={(next) => go({ pins: [next] })} />
        <Pick
          label="To"
          value={to}
          options={[[-1, "choose a word"], ...numbered(units)]}
          onPick={(next) => go({ to: next })}
        />
      </div>
      <Alarm failure={failure} />
      {pieces ? <p class="dim">Heads are ranked between words: switch pieces off.</p> : null}
      {value && fresh && value.blocked ? (
        <p class="dim">
          The mask blocks “{value.to.word}” from “{value.from.word}” in every head.
        </p>
      ) : null}
      {value && fresh && !value.blocked ? (
        <>
          <Ranking found={value} light={light} />
          <ViewSave models={models} file={rankingFile(value, of as Ask)} what="the ranking of all heads" />
        </>
      ) : null}
      {busy && !fresh ? <p class="late dim">Ranking all heads …</p> : null}
    </div>
  );
}

export function HeadsView({ models, state, light }: FinderProps) {
  const seen = useRef<HTMLDivElement>(null);
  const { value, of, failure, done, busy, fresh } = useAnswer<Thumbnails>(
    "thumbnails",
    { ...textOf(state), side: 16 },
    { stream: true },
  );
  const blocked = useMemo(() => value !== null && anyBlocked(floats(value.cells)), [value]);
  const grid = light.head?.grid;
  const shade = shadeOf(state, "sqrt");
  const many = value !== null && manyHeads(value);
  return (
    <section aria-label="All heads" class={many ? "heads-many" : "halves heads-view"}>
      <div>
        <div ref={seen}>
          <Alarm failure={failure} />
          {value ? (
            <Thumbs found={value} shade={shade} layer={grid?.layer ?? -1} head={grid?.head ?? -1} />
          ) : (
            <div class="map-space">{busy ? <Progress label="Reading with every head" done={done} /> : null}</div>
          )}
          <Legend shade={shade} blocked={blocked} onShade={(next) => go({ shade: next })} />
          <p class="small dim">
            {value && value.side < value.tokens
              ? `Each picture has ${value.side} × ${value.side} cells for ${value.tokens} × ${value.tokens} tokens; a cell shows the largest weight in it. `
              : "Special tokens are in these pictures. "}
            <span class="hint">Click one to see it.</span>
          </p>
        </div>
        <ViewSave models={models} file={value && fresh ? cellsFile(value, of as Ask) : null} picture={seen} />
      </div>
      <Finder models={models} state={state} light={light} />
    </section>
  );
}
