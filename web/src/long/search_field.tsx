// Search in the text: every hit is marked, Enter goes to the next one and pins it.
import { go } from "../store";

interface SearchProps {
  hits: number[][]; // of each the words that it touches
  sought: string;
  pinned: number;
  onSeek: (sought: string) => void;
}

export function SearchField({ hits, sought, pinned, onSeek }: SearchProps) {
  const starts = hits.map(([first]) => first);
  const at = starts.indexOf(pinned);
  const step = (forward: boolean) => {
    const next = forward
      ? (starts.find((i) => i > pinned) ?? starts[0])
      : (starts.findLast((i) => i < pinned) ?? starts.at(-1));
    if (next !== undefined) go({ pins: [next] });
  };
  const told = !sought.trim()
    ? "\u00a0"
    : hits.length === 0
      ? "not in this text"
      : at >= 0
        ? `${at + 1} of ${hits.length}`
        : `${hits.length} found`;
  return (
    <div class="controls">
      <label class="control">
        <span>Search</span>
        <input
          class="field"
          type="search"
          value={sought}
          onInput={(event) => onSeek(event.currentTarget.value)}
          onKeyDown={(event) => event.key === "Enter" && step(!event.shiftKey)}
        />
      </label>
      <button class="button" type="button" disabled={!hits.length} onClick={() => step(false)}>
        Previous
      </button>
      <button class="button" type="button" disabled={!hits.length} onClick={() => step(true)}>
        Next
      </button>
      <p class="small dim number hits" aria-live="polite">
        {told}
      </p>
    </div>
  );
}
