// Step: one head as a class of a few lines, in C++ and PyTorch, with what it prints.
import { useState } from "preact/hooks";
import { useAnswer } from "../answer";
import type { HeadClass } from "../contract_lesson";
import { Choices } from "../parts/choices";
import { tiny } from "../parts/number";
import { Figure, Prose, TryIt } from "./frame";
import { NumberGrid } from "./number_grid";

const kWords = ["word 1", "word 2", "word 3", "word 4"];
const kNothing = {};

export function ClassStep() {
  const [language, setLanguage] = useState<"cpp" | "pytorch">("cpp");
  const [mask, setMask] = useState<"causal" | "full">("causal");
  const answer = useAnswer<HeadClass>("class", kNothing);
  const found = answer.value;
  const run = found?.[mask];
  return (
    <>
      <Prose>
        <p>
          Now the whole of it as a program: three matrices without bias, a score, a mask if wanted, softmax, a blend. In
          go numbers of the shape batch × T × d_model, out come the result and the weights.
        </p>
      </Prose>
      <Figure
        answer={answer}
        caption="The same head in two languages: in C++ how it is made and called, and what the call does. The weights under the source were computed by this program now, and are compared with those that PyTorch gave once."
      >
        <Choices
          label="Language"
          value={language}
          options={[
            ["cpp", "C++"],
            ["pytorch", "PyTorch"],
          ]}
          onPick={setLanguage}
        />
        <pre tabIndex={0} aria-label="Source text">
          <code>{found?.[language] ?? " "}</code>
        </pre>
        <Choices
          label="Mask"
          value={mask}
          options={[
            ["causal", "causal"],
            ["full", "none"],
          ]}
          onPick={setMask}
        />
        {found && run ? (
          <>
            <p>
              Output shape <b class="number">{found.shape.join(" × ")}</b>, weights:
            </p>
            <NumberGrid
              caption="Weights of the four words"
              grid={run.weights}
              rows={kWords}
              columns={kWords}
              paint="light"
              text={(_, i, j) => run.rounded[i][j]}
            />
            <p class="small dim">Largest difference from the kept values of PyTorch: {tiny(run.golden_difference)}.</p>
            <details>
              <summary>What the program prints</summary>
              <pre tabIndex={0} aria-label="What the program prints">
                <code>{found.printed}</code>
              </pre>
            </details>
          </>
        ) : (
          <div class="map-space" />
        )}
      </Figure>
      <TryIt>Take the mask away. Which of the four rows does not change, and why?</TryIt>
    </>
  );
}
