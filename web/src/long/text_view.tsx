// The text itself, each word lit by the light it receives, or by what the pinned word gives to it.
import { useEffect, useMemo, useRef } from "preact/hooks";
import { go } from "../store";
import type { Text } from "./map_cells";

const kChunk = 120; // words a block: only blocks that change are made again

interface ChunkProps {
  text: Text;
  first: number;
  end: number;
  lit: Float32Array; // 0 ... 1 a word; NaN: blocked
  pinned: number; // -1: not here
  found: Set<number>;
}

function wordClass(lit: number, pinned: boolean, found: boolean): string | undefined {
  const classes = [Number.isNaN(lit) ? "blocked" : "", pinned ? "pinned" : "", found ? "found" : ""].filter(Boolean);
  return classes.length ? classes.join(" ") : undefined;
}

function chunkOf({ text, first, end, lit, pinned, found }: ChunkProps) {
  const words = [];
  for (let i = first; i < end; ++i) {
    const share = lit[i];
    if (text.gaps[i]) words.push(" ");
    words.push(
      <span
        key={i}
        data-word={i}
        class={wordClass(share, i === pinned, found.has(i))}
        style={
          share > 0.004 && i !== pinned
            ? { backgroundColor: `color-mix(in srgb, var(--light) ${Math.round(share * 55)}%, transparent)` }
            : undefined
        }
      >
        {text.words[i]}
      </span>,
    );
  }
  return <div class="chunk">{words}</div>;
}

function Chunk(props: ChunkProps) {
  return useMemo(() => chunkOf(props), Object.values(props));
}

// Scrolls the text alone, never the page around it.
function bringIntoView(word: HTMLElement, box: HTMLElement) {
  const hidden =
    word.offsetTop < box.scrollTop || word.offsetTop + word.offsetHeight > box.scrollTop + box.clientHeight;
  if (hidden) box.scrollTop = word.offsetTop - box.clientHeight / 2;
}

interface TextViewProps {
  text: Text;
  lit: Float32Array;
  pinned: number;
  found: Set<number>;
}

export function TextView({ text, lit, pinned, found }: TextViewProps) {
  const box = useRef<HTMLDivElement>(null);
  const starts = useMemo(
    () => Array.from({ length: Math.ceil(text.words.length / kChunk) }, (_, i) => i * kChunk),
    [text],
  );
  useEffect(() => {
    const word = box.current?.querySelector<HTMLElement>(`[data-word="${pinned}"]`);
    if (word && box.current) bringIntoView(word, box.current);
  }, [pinned, text]);
  const pin = (word: number) => go({ pins: [Math.min(Math.max(word, 0), text.words.length - 1)] });
  const onKeyDown = (event: KeyboardEvent) => {
    const step = { ArrowLeft: -1, ArrowRight: 1, ArrowUp: -10, ArrowDown: 10 }[event.key];
    if (step === undefined) return;
    event.preventDefault();
    pin(pinned + step);
  };
  return (
    <div
      class="long-text"
      ref={box}
      role="region"
      tabIndex={0}
      aria-label="The text. Arrow keys move the pinned word"
      onKeyDown={onKeyDown}
      onClick={(event) => {
        const word = (event.target as HTMLElement).dataset.word;
        if (word !== undefined) pin(Number(word));
      }}
    >
      {starts.map((first) => {
        const end = Math.min(first + kChunk, text.words.length);
        return (
          <Chunk
            key={first}
            text={text}
            first={first}
            end={end}
            lit={lit}
            found={found}
            pinned={pinned >= first && pinned < end ? pinned : -1}
          />
        );
      })}
    </div>
  );
}
