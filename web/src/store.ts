// Keeps the state and the fragment equal. `go` makes an entry in the history, `tune` (typing, sliders) replaces the last one.
import { useEffect, useState } from "preact/hooks";
import { fromFragment, State, toFragment } from "./state";

let state = fromFragment(location.hash);
const listeners = new Set<() => void>();

function set(next: State) {
  state = next;
  for (const listener of listeners) listener();
}

function moved(patch: Partial<State>): [State, string] {
  const next = { ...state, ...patch };
  return [next, toFragment(next)];
}

export function current(): State {
  return state;
}

// Browsers refuse an address that changes at every key, so what is tuned is written a moment later.
const kRest = 150;
let waiting = 0;

function write() {
  clearTimeout(waiting);
  waiting = 0;
  history.replaceState(null, "", toFragment(state));
}

export function go(patch: Partial<State>) {
  if (waiting) write();
  const [next, fragment] = moved(patch);
  if (fragment !== toFragment(state)) history.pushState(null, "", fragment);
  set(next);
}

export function tune(patch: Partial<State>) {
  const [next] = moved(patch);
  clearTimeout(waiting);
  waiting = setTimeout(write, kRest);
  set(next);
}

export function linkTo(patch: Partial<State>): string {
  return toFragment({ ...state, ...patch });
}

// A link or the way back: what was about to be written belongs to a place that was left.
function arrived() {
  clearTimeout(waiting);
  waiting = 0;
  set(fromFragment(location.hash));
}

addEventListener("popstate", arrived);
addEventListener("hashchange", arrived);
// A click may follow a link: the place it leaves is written first.
for (const leaving of ["click", "pagehide"]) addEventListener(leaving, () => waiting && write(), true);

export function useStudio(): State {
  const [seen, show] = useState(state);
  useEffect(() => {
    const listener = () => show(state);
    listeners.add(listener);
    listener();
    return () => void listeners.delete(listener);
  }, []);
  return seen;
}
