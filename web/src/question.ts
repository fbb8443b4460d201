// What is asked of the program about a text: the model and the mask that the reader chose, and the head where one is chosen.
import type { Ask } from "./contract";
import type { State } from "./state";

export interface Question extends Ask {
  unit?: "pieces"; // else words
  temperature?: number;
}

export function textOf({ text, model, mask = "model" }: Pick<Ask, "text" | "model" | "mask">): Ask {
  return { text, ...(model ? { model } : {}), ...(mask !== "model" ? { mask } : {}) };
}

export function chosenHead({ layer, head }: State): Pick<Ask, "layer" | "head"> {
  return { ...(layer >= 0 ? { layer } : {}), ...(head >= 0 ? { head } : {}) };
}

export function questionOf(state: State): Question {
  return {
    ...textOf(state),
    ...chosenHead(state),
    ...(state.pieces ? { unit: "pieces" } : {}),
    ...(state.temperature !== 1 ? { temperature: state.temperature } : {}),
  };
}
