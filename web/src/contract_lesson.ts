// Of the lesson's answers (docs/studio-api.md) what the page reads.
import type { Shown } from "./contract";

export type Numbers = number[];
export type Matrix = number[][];
export type Masked = (number | null)[][];

export interface Token {
  piece: string;
  word: number | null;
}

export interface Steps {
  d_k: number;
  scale: number;
  q: Matrix;
  k: Matrix;
  v: Matrix;
  scores: Matrix;
  scaled: Matrix;
  masked: Masked;
  weights: Masked;
  row_sums: Numbers;
  out: Matrix;
  entropy: Numbers;
  gradient: Numbers;
  unscaled: { weights: Masked; entropy: Numbers; gradient: Numbers };
  difference: number;
  lse: Numbers;
}

export interface Preset {
  words: string[];
  query: number;
  steps: Steps;
  percent: Masked;
  zero_fill: { weights: Matrix; row_sums: Numbers; leak: number } | null; // hidden scores at 0
}

export interface Recipe extends Shown {
  tokens: Token[];
  words: string[];
  steps: Steps;
}

export interface Scaled {
  entropy: number;
  largest: number;
  gradient: number;
}

export interface Scaling {
  keys: number;
  seed: number;
  rows: { d_k: number; scaled: Scaled; unscaled: Scaled }[];
  most_entropy: number;
}

export interface Tile {
  first: number;
  end: number;
  scores: (number | null)[];
  skipped: boolean;
  tile_max: number | null;
  max: number | null;
  rescale: number;
  sum: number;
  out: Numbers | null;
  difference: number | null;
}

export interface Tiles extends Shown {
  tokens: Token[];
  query: { word: string; index: number; token: number };
  tile: number;
  engine_tile: number;
  trace: Tile[];
  plain: Numbers;
  difference: number;
}

export interface Side {
  grid: Masked | null;
  row_sums: Numbers;
  shape: Numbers;
  error: string | null;
}

export interface Mistake {
  name: "mask_after_softmax" | "no_scaling" | "wrong_transpose" | "zero_fill";
  right: Side;
  wrong: Side;
  figures: Record<string, number | null>;
}

export interface Mistakes {
  model: string;
  layer: number;
  head: number;
  tokens: Token[];
  mistakes: Mistake[];
}

export interface Memory {
  rows: { tokens: number; pairs: number; grid_bytes: number; limelight_bytes: number }[];
}

export interface SpeedRow {
  tokens: number;
  plain_seconds: number;
  flash_seconds: number;
  plain_bytes: number;
  flash_bytes: number;
  difference: number;
}

export interface Speed {
  isa: string;
  threads: number;
  mask: string;
  d_k: number;
  rows: SpeedRow[];
}

export interface Chain {
  steps: number;
  gradient: number;
}

export interface Recurrent {
  words: string[];
  hidden: number;
  seed: number;
  recurrent: Chain[];
  attention: Chain[];
  first_recurrent: number;
  first_attention: number;
}

interface ClassRun {
  weights: Masked;
  rounded: string[][];
  golden_difference: number;
}

export interface HeadClass {
  shape: Numbers;
  causal: ClassRun;
  full: ClassRun;
  cpp: string;
  pytorch: string;
  printed: string;
}
