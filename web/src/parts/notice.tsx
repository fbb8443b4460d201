// What went wrong, in the program's own words; what the program remarks; and waiting, which is silent for 200 ms.
import type { Failure } from "../contract";

export function Alarm({ failure }: { failure: Failure | null }) {
  return <div aria-live="polite">{failure ? <p class="alarm">{failure.message}</p> : null}</div>;
}

export function Notes({ notes }: { notes?: string[] }) {
  return notes?.length ? (
    <ul class="notes small dim">
      {notes.map((note) => (
        <li key={note}>{note}</li>
      ))}
    </ul>
  ) : null;
}

export function Progress({ label, done }: { label: string; done: number }) {
  return (
    <label class="late small dim">
      <span>{label} </span>
      <progress max={1} value={done} />
    </label>
  );
}
