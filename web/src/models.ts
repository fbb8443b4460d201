// The models the program knows, asked for once a visit.
import { Answered, useAnswer } from "./answer";
import type { ModelInfo, Models } from "./contract";

const kNothing = {};

export function useModels(): Answered<Models> {
  return useAnswer<Models>("models", kNothing);
}

// Here, and its files are whole: it can be asked.
export function canBeAsked(model: ModelInfo): boolean {
  return model.present && model.damage === null;
}

export function modelNamed(models: Models | null, name: string): ModelInfo | null {
  const wanted = name || models?.default_model;
  return models?.models.find((model) => model.name === wanted) ?? null;
}
