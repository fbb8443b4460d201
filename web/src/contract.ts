// Of what the program answers (docs/studio-api.md) what the page reads: the only thing it knows of the engine.
import type { MaskChoice } from "./state";

export interface ModelInfo {
  name: string;
  kind: string;
  present: boolean;
  writes: boolean;
  command: string;
  damage: string | null;
  layers: number | null;
  heads: number | null;
  own_mask: "none" | "causal" | null;
}

export interface Models {
  version: string;
  isa: string;
  threads: number;
  default_model: string | null;
  models: ModelInfo[];
}

export interface Ask {
  text: string;
  model?: string;
  mask?: MaskChoice;
  layer?: number;
  head?: number;
  cut?: boolean;
}

export interface Share {
  word: string;
  index: number;
  weight: number;
  percent: number | null;
  blocked: boolean;
  blocked_because?: string; // where it is
  left_out?: boolean;
}

// Of units before and after the one that looks, where weights come without shares.
export interface BlockedReasons {
  earlier: string;
  later: string;
}

export interface Row {
  row: Share[];
  special: number;
  special_percent: number | null;
  entropy: number | null;
  lse: number | null;
}

export interface Shown {
  model: string;
  mask: "none" | "causal";
  layer: number;
  head: number;
  chosen_by: string;
  temperature?: number; // of the softmax; else 1
}

export interface Look extends Row, Shown {
  query: { word: string; index: number; indices?: number[] };
  first_token?: object; // where there is one
  special_name: string;
  notes: string[];
}

export interface Grid extends Shown {
  tokens: number;
  units: string[];
  weights: string;
  special: string;
  entropy: string;
  blocked_because: BlockedReasons;
  special_name: string;
  notes: string[];
}

export interface Heads {
  model: string;
  mask: Shown["mask"];
  from: { word: string; index: number };
  to: { word: string; index: number };
  blocked: boolean;
  heads: { layer: number; head: number; weight: number; blocked: boolean }[];
}

export interface Thumbnails {
  model: string;
  mask: Shown["mask"];
  layers: number;
  heads: number;
  tokens: number;
  side: number;
  cells: string;
}

export interface LongMap extends Shown {
  tokens: number;
  region: [number, number, number, number];
  rows: number;
  columns: number;
  mean: string;
  max?: string; // not where a cell is one pair: it is the mean
  words?: string[];
  gaps?: number[];
  token_word?: string;
  received?: string;
  special_received?: number;
  notes: string[];
}

export interface Generated {
  token: string;
  index: number;
  top: { word: string; index: number; weight: number }[];
  first_token: number;
}

export interface Generation {
  model: string;
  layer: number;
  head: number;
  chosen_by: string;
  tokens_per_second: number;
}

export interface Export {
  name: string;
  type: string;
  content: string;
}

export interface Failure {
  field: string | null;
  message: string;
}

// What the exported file carries: see "The exported page".
export interface Exported {
  engine: string;
  look: Look | GridLook;
  pin: number | null;
  heads: ExportedHeads | null;
}

export interface ExportedHeads {
  layers: number;
  heads: number;
  words: string[];
  blocked_because: BlockedReasons;
  rows: number[];
  cells: string;
}

export interface GridLook extends Shown {
  words: string[];
  grid: (Row & { query: { word: string; index: number } })[];
  special_name: string;
  notes: string[];
}
