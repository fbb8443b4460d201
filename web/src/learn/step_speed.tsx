// Step: plain attention against the flash pass, measured on this machine when the button is pressed.
import { useState } from "preact/hooks";
import { useRun } from "../answer";
import type { Speed, SpeedRow } from "../contract_lesson";
import { Choices } from "../parts/choices";
import { Alarm, Progress } from "../parts/notice";
import { bytesText, fixed, secondsText, threadsText, tiny, whole } from "../parts/number";
import { RunButton } from "../parts/run_button";
import { Figure, Prose, TryIt } from "./frame";
import { PlainTable } from "./plain_table";

function SpeedTable({ rows }: { rows: SpeedRow[] }) {
  return (
    <PlainTable
      label="Measured times"
      names={["tokens T", "plain", "flash", "faster", "memory, plain", "memory, flash", "difference"]}
    >
      {rows.map((row) => (
        <tr key={row.tokens}>
          <th scope="row" class="number">
            {whole(row.tokens)}
          </th>
          <td class="number">{secondsText(row.plain_seconds)}</td>
          <td class="number">{secondsText(row.flash_seconds)}</td>
          <td class="number">{fixed(row.plain_seconds / row.flash_seconds, 1)} ×</td>
          <td class="number">{bytesText(row.plain_bytes)}</td>
          <td class="number">{bytesText(row.flash_bytes)}</td>
          <td class="number">{tiny(row.difference)}</td>
        </tr>
      ))}
    </PlainTable>
  );
}

function Measured({ rows }: { rows: SpeedRow[] }) {
  const longest = rows[rows.length - 1];
  return (
    <>
      <SpeedTable rows={rows} />
      <p>
        Measured here, at {whole(longest.tokens)} tokens:{" "}
        <b class="number">{fixed(longest.plain_seconds / longest.flash_seconds, 1)}</b> times as fast.
      </p>
    </>
  );
}

export function SpeedStep() {
  const [mask, setMask] = useState<"none" | "causal">("none");
  const run = useRun<Speed, SpeedRow>("speed");
  const rows = run.value?.rows ?? run.parts;
  return (
    <>
      <Prose>
        <p>
          Less memory also means less waiting for memory. On graphics cards FlashAttention was three to five times as
          fast as the plain way. In PyTorch 2 it is one call,
        </p>
        <pre tabIndex={0} aria-label="One call of PyTorch">
          <code>scaled_dot_product_attention(q, k, v, is_causal=True)</code>
        </pre>
        <p>
          which the lesson that this one follows calls about three times as fast as the steps written out. The engine below
          this page does the same on the processor of your computer, and how much it gains here can be measured.
        </p>
      </Prose>
      <Figure
        label={
          run.value
            ? `${run.value.isa}, ${threadsText(run.value.threads)}, dₖ ${run.value.d_k}, mask ${run.value.mask}`
            : null
        }
        caption="Plain: the four steps with the grid in memory, each as a well written loop. Flash: the engine. Both are measured now, and their results compared."
      >
        <div class="controls">
          <Choices
            label="Mask"
            value={mask}
            options={[
              ["none", "none"],
              ["causal", "causal"],
            ]}
            onPick={setMask}
          />
          <RunButton label="Measure on this machine" run={run} onStart={() => run.start({ mask })} />
        </div>
        <Alarm failure={run.failure} />
        {run.running ? <Progress label="Measuring, the longest last" done={run.done} /> : null}
        {rows.length ? <Measured rows={rows} /> : <p class="dim">Nothing is measured yet.</p>}
      </Figure>
      <TryIt>
        Measure with the causal mask too: the flash pass skips what is blocked, the plain way computes it and throws it
        away.
      </TryIt>
    </>
  );
}
