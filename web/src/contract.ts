// What the program answers, as docs/studio-api.md says it: the only thing the page knows of the engine.
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
  positions: number | null;
  own_mask: "none" | "causal" | null;
  default_head: { layer: number; head: number } | null;
}

export interface Models {
  version: string;
  isa: string;
  threads: number;
  default_model: string | null;
  limits: Record<"text_bytes" | "tokens" | "grid_tokens" | "lesson_tokens" | "body_bytes" | "seconds", number>;
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
}

export interface Look extends Row, Shown {
  text: string;
  query: { word: string; index: number; words?: string[]; indices?: number[] };
  first_token?: { word: string; weight: number; percent: number | null } | null;
  gaps: number[];
  special_name: string;
  sum: string | null;
  tokens: number;
  temperature: number;
  notes: string[];
}

export interface Grid extends Shown {
  unit: "words" | "pieces" | "tokens";
  tokens: number;
  units: string[];
  gaps: number[];
  weights: string;
  special: string;
  entropy: string;
  blocked_because: BlockedReasons;
  special_name: string;
  temperature: number;
  notes: string[];
}

export interface Heads {
  model: string;
  mask: "none" | "causal";
  from: { word: string; index: number };
  to: { word: string; index: number };
  blocked: boolean;
  heads: { layer: number; head: number; weight: number }[];
  notes: string[];
}

export interface Thumbnails {
  model: string;
  mask: "none" | "causal";
  layers: number;
  heads: number;
  tokens: number;
  side: number;
  pool: "max" | "mean";
  cells: string;
  notes: string[];
}

export interface LongMap extends Shown {
  tokens: number;
  region: [number, number, number, number];
  rows: number;
  columns: number;
  mean: string;
  max: string;
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
  first_token: number | null;
}

export interface Generation {
  model: string;
  layer: number;
  head: number;
  chosen_by: string;
  text: string;
  prompt_tokens: number;
  end: "end_token" | "max_tokens" | "context_full";
  seconds: number;
  tokens_per_second: number;
  tokens: Generated[];
}

export interface Export {
  format: string;
  name: string;
  type: string;
  content: string;
}

export interface Failure {
  field: string;
  expected: string;
  found: string;
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
  gaps: number[];
  special_name: string;
  blocked_because: BlockedReasons;
  rows: number[];
  cells: string;
}

export interface GridLook extends Shown {
  text: string;
  words: string[];
  grid: (Row & { query: { word: string; index: number } })[];
  gaps: number[];
  special_name: string;
  tokens: number;
  temperature: number;
  notes: string[];
}
