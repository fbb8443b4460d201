// How much light every word receives from all the others, along the text; the strongest as a table.
import { useLayoutEffect, useMemo, useRef } from "preact/hooks";
import { fixed, whole } from "../parts/number";
import { go } from "../store";

const kBins = 600;
const kHeight = 64;
const kListed = 8;

interface Bin {
  word: number; // the strongest in it
  light: number;
}

function binned(received: Float32Array): Bin[] {
  const bins: Bin[] = Array.from({ length: Math.min(kBins, received.length) }, () => ({ word: 0, light: -1 }));
  received.forEach((light, word) => {
    const bin = bins[Math.floor((word * bins.length) / received.length)];
    if (light > bin.light) Object.assign(bin, { word, light });
  });
  return bins;
}

// Where light rests on the first token that has nowhere to go, it would make all else look dark.
const kSink = 4;

export function scaleOf(received: Float32Array): number {
  let others = 0;
  for (let i = 1; i < received.length; ++i) others = Math.max(others, received[i]);
  return received[0] > kSink * others && others > 0 ? others : Math.max(received[0] ?? 0, others);
}

interface ReceivedProps {
  names: string[]; // of the words
  received: Float32Array;
  special: number;
}

export function ReceivedView({ names, received, special }: ReceivedProps) {
  const canvas = useRef<HTMLCanvasElement>(null);
  const bins = useMemo(() => binned(received), [received]);
  const order = useMemo(
    () => Array.from(received.keys()).sort((a, b) => received[b] - received[a] || a - b),
    [received],
  );
  const most = scaleOf(received);
  useLayoutEffect(() => {
    const element = canvas.current!;
    element.width = bins.length;
    element.height = kHeight;
    const context = element.getContext("2d");
    if (!context) return;
    context.fillStyle = getComputedStyle(element).color;
    bins.forEach((bin, i) => {
      const height = most > 0 ? Math.max(1, Math.min(1, Math.sqrt(bin.light / most)) * kHeight) : 1;
      context.fillRect(i, kHeight - height, 1, height);
    });
  });
  const pinAt = (event: MouseEvent) => {
    const box = canvas.current!.getBoundingClientRect();
    const bin = bins[Math.min(bins.length - 1, Math.floor(((event.clientX - box.left) / box.width) * bins.length))];
    if (bin) go({ pins: [bin.word] });
  };
  return (
    <section aria-label="Light received">
      <h2>Light received, along the text</h2>
      <canvas class="received" ref={canvas} aria-hidden="true" onClick={pinAt} />
      <p class="small dim">
        From the first word to the last; the height is on a square root scale, up to {fixed(most, 1)} tokens' worth of
        light.
        {received[0] > most ? ` The first word receives ${fixed(received[0], 1)}, and is cut off at the top.` : ""}
        {special > 0 ? ` Special tokens receive ${fixed(special, 1)}.` : ""}
      </p>
      <table>
        <caption class="unseen">The words that receive most light</caption>
        <thead>
          <tr>
            <th>word</th>
            <th class="number">place</th>
            <th class="number">light received</th>
          </tr>
        </thead>
        <tbody>
          {order.slice(0, kListed).map((word) => (
            <tr key={word}>
              <th scope="row">
                <button class="chip" type="button" onClick={() => go({ pins: [word] })}>
                  <bdi>{names[word]}</bdi>
                </button>
              </th>
              <td class="number">{whole(word)}</td>
              <td class="number">{fixed(received[word], 2)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}
