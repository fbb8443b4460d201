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

export function go(patch: Partial<State>) {
  const [next, fragment] = moved(patch);
  if (fragment !== toFragment(state)) history.pushState(null, "", fragment);
  set(next);
}

export function tune(patch: Partial<State>) {
  const [next, fragment] = moved(patch);
  history.replaceState(null, "", fragment);
  set(next);
}

export function linkTo(patch: Partial<State>): string {
  return toFragment({ ...state, ...patch });
}

addEventListener("popstate", () => set(fromFragment(location.hash)));
addEventListener("hashchange", () => set(fromFragment(location.hash)));

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
