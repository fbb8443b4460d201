// The models the program knows, asked for once a visit.
import { Answered, useAnswer } from "./answer";
import type { ModelInfo, Models } from "./contract";

const kNothing = {};

export function useModels(): Answered<Models> {
  return useAnswer<Models>("models", kNothing);
}

export function modelNamed(models: Models | null, name: string): ModelInfo | null {
  const wanted = name || models?.default_model;
  return models?.models.find((model) => model.name === wanted) ?? null;
}
