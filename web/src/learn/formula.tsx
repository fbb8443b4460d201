// Attention's formula in MathML, with the part that a step is about brought forward.

interface FormulaProps {
  part?: 0 | 1 | 2 | 3 | 4; // 0: all of it
}

function on(part: number | undefined, mine: number): string {
  return !part || part === mine ? "said" : "faint";
}

export function Formula({ part }: FormulaProps) {
  return (
    <math display="block" aria-label="softmax of Q times K transposed over the square root of d k, times V">
      <mrow>
        <mi class={on(part, 3)} mathvariant="normal">
          softmax
        </mi>
        <mo class={on(part, 3)}>(</mo>
        <mfrac>
          <mrow class={on(part, 1)}>
            <mi>Q</mi>
            <msup>
              <mi>K</mi>
              <mi mathvariant="normal">T</mi>
            </msup>
          </mrow>
          <msqrt class={on(part, 2)}>
            <msub>
              <mi>d</mi>
              <mi>k</mi>
            </msub>
          </msqrt>
        </mfrac>
        <mo class={on(part, 3)}>)</mo>
        <mi class={on(part, 4)}>V</mi>
      </mrow>
    </math>
  );
}

export function Projection() {
  const line = (left: string) => (
    <mrow>
      <mi>{left}</mi>
      <mo>=</mo>
      <msub>
        <mi>W</mi>
        <mi>{left}</mi>
      </msub>
      <mi>x</mi>
    </mrow>
  );
  return (
    <math display="block" aria-label="q is W q times x, k is W k times x, v is W v times x">
      <mrow>
        {line("q")}
        <mspace width="1.6em" />
        {line("k")}
        <mspace width="1.6em" />
        {line("v")}
      </mrow>
    </math>
  );
}

// The running sum of the flash pass: old sum rescaled, new terms added.
export function Running() {
  const sub = (base: string, index: string) => (
    <msub>
      <mi>{base}</mi>
      <mi mathvariant="normal">{index}</mi>
    </msub>
  );
  const power = (left: preact.ComponentChildren, right: preact.ComponentChildren) => (
    <msup>
      <mi>e</mi>
      <mrow>
        {left}
        <mo>−</mo>
        {right}
      </mrow>
    </msup>
  );
  return (
    <math
      display="block"
      aria-label="new sum is e to the old maximum minus the new one, times the old sum, plus the sum of e to each score minus the new maximum"
    >
      <mrow>
        {sub("l", "new")}
        <mo>=</mo>
        {power(sub("m", "old"), sub("m", "new"))}
        {sub("l", "old")}
        <mo>+</mo>
        <munder>
          <mo>∑</mo>
          <mi mathvariant="normal">tile</mi>
        </munder>
        {power(<mi>s</mi>, sub("m", "new"))}
      </mrow>
    </math>
  );
}
