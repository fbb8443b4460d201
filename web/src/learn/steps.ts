// The steps of the lesson, in order.
import type { ComponentType } from "preact";
import type { State } from "../state";
import { ChainStep } from "./step_chain";
import { ClassStep } from "./step_class";
import { FinalStep } from "./step_final";
import { FlashStep } from "./step_flash";
import { GrowthStep } from "./step_growth";
import { MaskStep } from "./step_mask";
import { MistakesStep } from "./step_mistakes";
import { NextStep } from "./step_next";
import { ParallelStep } from "./step_parallel";
import { Puzzle } from "./step_puzzle";
import { RecipeStep } from "./step_recipe";
import { Roles } from "./step_roles";
import { ScaleStep } from "./step_scale";
import { SpeedStep } from "./step_speed";
import { SpotlightStep } from "./step_spotlight";
import { SwitchStep } from "./step_switch";

export interface Step {
  name: string; // in the address
  title: string;
  level: "Beginner" | "Medium" | "Advanced" | "The end";
  View: ComponentType<{ state: State }>;
}

export const kSteps: Step[] = [
  { name: "puzzle", title: "Why words must talk", level: "Beginner", View: Puzzle },
  { name: "chain", title: "One hop instead of a chain", level: "Beginner", View: ChainStep },
  { name: "roles", title: "Query, key and value", level: "Beginner", View: Roles },
  { name: "spotlight", title: "The spotlight", level: "Beginner", View: SpotlightStep },
  { name: "recipe", title: "The recipe in four steps", level: "Medium", View: RecipeStep },
  { name: "scale", title: "Why divide?", level: "Medium", View: ScaleStep },
  { name: "mask", title: "No looking ahead", level: "Medium", View: MaskStep },
  { name: "parallel", title: "All next words at once", level: "Medium", View: ParallelStep },
  { name: "switch", title: "GPT or BERT", level: "Medium", View: SwitchStep },
  { name: "mistakes", title: "Four mistakes", level: "Medium", View: MistakesStep },
  { name: "growth", title: "T times T", level: "Advanced", View: GrowthStep },
  { name: "flash", title: "Tile by tile", level: "Advanced", View: FlashStep },
  { name: "speed", title: "Measured here", level: "Advanced", View: SpeedStep },
  { name: "class", title: "The code", level: "Advanced", View: ClassStep },
  { name: "check", title: "The final check", level: "The end", View: FinalStep },
  { name: "next", title: "What comes next", level: "The end", View: NextStep },
];
