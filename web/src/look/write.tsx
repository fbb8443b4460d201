// The model writes on, token by token; each new token shows where it looked when it was read.
import type { ComponentChildren } from "preact";
import { useRef, useState } from "preact/hooks";
import { useRun } from "../answer";
import type { Generated, Generation, ModelInfo, Models } from "../contract";
import { canBeAsked, modelNamed } from "../models";
import { BarCell } from "../parts/bar_cell";
import { Slider } from "../parts/choices";
import { headingOf } from "../parts/head_name";
import { Alarm } from "../parts/notice";
import { fixed } from "../parts/number";
import { RunButton } from "../parts/run_button";
import { Cell, ViewFile, ViewSave } from "../parts/view_file";
import { chosenHead } from "../question";
import type { State } from "../state";

interface TokenLightProps {
  token: Generated;
}

function TokenLight({ token }: TokenLightProps) {
  return (
    <div class="token-light">
      <h2>
        Where “<bdi>{token.token.trim() || token.token}</bdi>” looked
      </h2>
      <table class="shares">
        <caption class="unseen">The strongest words for this token</caption>
        <tbody>
          {token.top.map(({ word, index, weight }) => (
            <tr key={index}>
              <th scope="row">
                <bdi>{word}</bdi>
              </th>
              <td class="number">{fixed(weight)}</td>
              <BarCell weight={weight} />
            </tr>
          ))}
        </tbody>
      </table>
      <p class="small dim">
        {fixed(token.first_token)} on the first token of the text, where light rests that has nowhere to go.
      </p>
    </div>
  );
}

function writer(models: Models | null, name: string): ModelInfo | null {
  const chosen = modelNamed(models, name);
  if (chosen?.writes && canBeAsked(chosen)) return chosen;
  return models?.models.find((model) => model.writes && canBeAsked(model)) ?? null;
}

function Written({ parts, seen, onSee }: { parts: Generated[]; seen: number; onSee: (index: number) => void }) {
  return (
    <div class="written" role="group" aria-label="Written tokens">
      {parts.map((part) => (
        <button
          key={part.index}
          class="piece"
          type="button"
          aria-pressed={part.index === seen}
          onClick={() => onSee(part.index)}
        >
          <bdi>{part.token.replaceAll("\n", "↵")}</bdi>
        </button>
      ))}
    </div>
  );
}

// A line for each word that a token looked at, among the strongest; one without a word where none is told.
function writtenFile(text: string, run: Generation, parts: Generated[], settings: Record<string, Cell>): ViewFile {
  const { model, layer, head } = run;
  const none = { word: null, index: null, weight: null };
  const rows = () =>
    parts.flatMap(({ token, index: token_index, top, first_token }) =>
      (top.length ? top : [none]).map(({ word, index, weight }) => ({ token, token_index, first_token, word, index, weight })),
    );
  return {
    name: `write-L${layer}H${head}`,
    about: headingOf({ ...run, mask: "causal" }),
    facts: { model, mask: "causal", layer, head, sampling_temperature: settings.temperature },
    rows,
    besides: () => ({ text }),
  };
}

interface WritingProps {
  models: Models | null;
  text: string;
  model: ModelInfo | null;
  settings: Record<string, Cell>; // of the call
  children: ComponentChildren; // what sets them
}

// What was written for one text by one model: with another of either it is made anew, and empty.
function Writing({ models, text, model, settings, children }: WritingProps) {
  const run = useRun<Generation, Generated>("generate");
  const [seen, setSeen] = useState(-1);
  const [ran, setRan] = useState(settings); // of what is on show
  const picture = useRef<HTMLDivElement>(null);
  const start = () => {
    setSeen(-1);
    setRan(settings);
    run.start({ text, model: model!.name, ...settings });
  };
  const token = run.parts.find((part) => part.index === seen) ?? run.parts.at(-1);
  return (
    <section aria-label="Write on">
      <div class="halves" ref={picture}>
      <div>
        <div class="controls">
          {children}
          <RunButton label="Write on" run={run} onStart={start} disabled={!model || !text.trim()} />
        </div>
        <Alarm failure={run.failure} />
        <p class="prompt">
          <bdi>{text}</bdi>
        </p>
        <Written parts={run.parts} seen={token?.index ?? -1} onSee={setSeen} />
        <p class="small dim" aria-live="polite">
          {run.value
            ? `${headingOf({ ...run.value, mask: "causal" })}; ${run.value.tokens_per_second.toFixed(1)} tokens a second`
            : model
              ? `${model.name} writes. A token is watched when it is read, one step after it was chosen.`
              : ""}
        </p>
      </div>
      {token ? (
        <TokenLight token={token} />
      ) : (
        <p class="dim">Each token that is written can be clicked, to see where it looked.</p>
      )}
      </div>
      {run.value && run.parts.length ? (
        <ViewSave models={models} file={writtenFile(text, run.value, run.parts, ran)} picture={picture} />
      ) : null}
    </section>
  );
}

export function WriteView({ state, models }: { state: State; models: Models | null }) {
  const [heat, setHeat] = useState(0);
  const [count, setCount] = useState(24);
  const chosen = modelNamed(models, state.model);
  const model = writer(models, state.model);
  if (models && !model) {
    const commands = models.models.filter((found) => found.writes).map((found) => found.command);
    return <p>No model that writes is here yet. {commands.join(" or ")} brings one.</p>;
  }
  const same = chosen?.name === model?.name;
  const settings = { max_tokens: count, temperature: heat, ...(same ? chosenHead(state) : {}) };
  return (
    <>
      {chosen && !same ? (
        <p>
          {chosen.name} does not write: {model?.name} does, with its own mask and its usual head.
        </p>
      ) : null}
      <Writing
        key={JSON.stringify([state.text, model?.name])}
        models={models}
        text={state.text}
        model={model}
        settings={settings}
      >
        <Slider label="Tokens" low={1} high={64} step={1} value={count} shown={String(count)} onMove={setCount} />
        <Slider
          label="Temperature of the next word"
          low={0}
          high={2}
          step={0.1}
          value={heat}
          shown={heat === 0 ? "0, the likeliest" : heat.toFixed(1)}
          onMove={setHeat}
        />
      </Writing>
    </>
  );
}
