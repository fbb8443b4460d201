// What the page shows, and its place in the URL fragment: the one state of the three rooms.
// A default is left out of the fragment; a fragment that cannot be read falls back to defaults, key by key.
import { kTired } from "./sentences";

export type Room = "learn" | "look" | "long";
export type MaskChoice = "model" | "causal" | "none";
export type LookView = "arcs" | "map" | "heads" | "compare" | "write";
export type Shade = "linear" | "sqrt" | "log";
type Pool = "mean" | "max";

export interface State {
  room: Room;
  step: string; // of the lesson, by name
  text: string;
  model: string; // empty: the engine's default
  layer: number; // -1: the engine chooses
  head: number;
  to: number; // the word whose link with the pinned one is ranked over all heads
  mask: MaskChoice;
  pins: number[]; // the words that look, by index; of several the mean is shown
  view: LookView;
  pieces: boolean;
  rest: "show" | "hide"; // special tokens and the first token's share
  keep: number; // percent of the row that is drawn, strongest first
  temperature: number;
  shade: Shade | ""; // of the map; empty: what suits the view
  raw: boolean;
  text2: string; // beside, in a comparison
  layer2: number;
  head2: number;
  pool: Pool;
  zoom: number[]; // the part of the long map on show: query from, to, key from, to
}

const kDefaults: State = {
  room: "learn",
  step: "",
  text: kTired,
  model: "",
  layer: -1,
  head: -1,
  to: -1,
  mask: "model",
  pins: [],
  view: "arcs",
  pieces: false,
  rest: "show",
  keep: 100,
  temperature: 1,
  shade: "",
  raw: false,
  text2: "",
  layer2: -1,
  head2: -1,
  pool: "mean",
  zoom: [],
};

const kChoices: Partial<Record<keyof State, readonly string[]>> = {
  mask: ["model", "causal", "none"],
  view: ["arcs", "map", "heads", "compare", "write"],
  rest: ["show", "hide"],
  shade: ["linear", "sqrt", "log"],
  pool: ["mean", "max"],
};

const kBounds: Partial<Record<keyof State, [number, number]>> = {
  layer: [-1, 999],
  head: [-1, 999],
  to: [-1, 9999],
  layer2: [-1, 999],
  head2: [-1, 999],
  keep: [10, 100],
  temperature: [0.1, 10],
};

function parsed(key: keyof State, text: string): unknown {
  const usual = kDefaults[key];
  if (typeof usual === "boolean") return text === "1";
  if (Array.isArray(usual)) return /^\d+(\.\d+)*$/.test(text) ? text.split(".").map(Number) : usual;
  if (typeof usual === "number") {
    const [low, high] = kBounds[key] ?? [-Infinity, Infinity];
    const number = Number(text);
    const whole = Number.isInteger(number) || key === "temperature";
    return text.trim() !== "" && whole && number >= low && number <= high ? number : usual;
  }
  const choices = kChoices[key];
  return !choices || choices.includes(text) ? text : usual;
}

function written(value: unknown): string {
  if (typeof value === "boolean") return value ? "1" : "0";
  return Array.isArray(value) ? value.join(".") : String(value);
}

// Pooled and small pictures need small weights to be seen; a single map shows shares as they are.
export function shadeOf(state: State, usual: Shade): Shade {
  return state.shade || usual;
}

export function fromFragment(fragment: string): State {
  const [path, query = ""] = fragment.replace(/^#\/?/, "").split("?", 2);
  const [room, step = ""] = path.split("/");
  const state: State = { ...kDefaults };
  if (room === "learn" || room === "look" || room === "long") state.room = room;
  state.step = step;
  for (const [key, text] of new URLSearchParams(query)) {
    if (Object.hasOwn(kDefaults, key) && key !== "room" && key !== "step")
      Object.assign(state, { [key]: parsed(key as keyof State, text) });
  }
  return state;
}

export function toFragment(state: State): string {
  const query = new URLSearchParams();
  for (const key of Object.keys(kDefaults) as (keyof State)[]) {
    const text = written(state[key]);
    if (key !== "room" && key !== "step" && text !== written(kDefaults[key])) query.set(key, text);
  }
  const path = state.room === "learn" && state.step ? `learn/${state.step}` : state.room;
  const rest = query.toString();
  return `#${path}${rest ? `?${rest}` : ""}`;
}
