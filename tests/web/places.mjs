// Every place of the page that has a link of its own: the steps of the lesson and the views of the rooms.
import { fragment } from "./session.mjs";

export const kSteps = [
  "puzzle",
  "chain",
  "roles",
  "spotlight",
  "recipe",
  "scale",
  "mask",
  "parallel",
  "switch",
  "mistakes",
  "growth",
  "flash",
  "speed",
  "class",
  "check",
  "next",
];

export const kViews = ["arcs", "map", "heads", "compare", "write"];

export const kStory =
  "The keeper had one lamp and one rule: the lamp must never rest. Ships knew him by that light, though none of them " +
  "knew his name. One autumn his granddaughter came to stay. She watched the lamp go round and asked why it looked at " +
  "everything for the same short time.";

export const kPlaces = [
  ...kSteps.map((step) => [`step ${step}`, fragment(`learn/${step}`)]),
  ...kViews.map((view) => [`view ${view}`, fragment("look", { view, to: "1" })]),
  ["view map, causal", fragment("look", { view: "map", mask: "causal" })],
  ["view arcs, pieces and raw", fragment("look", { pieces: "1", raw: "1", rest: "hide", keep: "70" })],
  ["room long", fragment("long", { text: kStory })],
];
