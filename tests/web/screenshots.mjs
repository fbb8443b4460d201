// Makes the pictures of docs/studio/ again: node screenshots.mjs. Every step and view, light and dark in turn, some on a phone.
import { mkdirSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { kStory, kSteps } from "./places.mjs";
import { fragment, open, quiet } from "./session.mjs";

const kFolder = path.resolve(path.dirname(fileURLToPath(import.meta.url)), "../../docs/studio");
const kScale = 0.75; // of the pictures, to keep them small
const kTo = { to: "1" };

const kViews = [
  ["look", fragment("look"), {}],
  ["look-dark", fragment("look"), { theme: "dark" }],
  ["look-phone", fragment("look"), { width: 360, height: 740, deviceScaleFactor: 1 }],
  ["look-map", fragment("look", { view: "map", mask: "causal" }), {}],
  ["look-heads", fragment("look", { view: "heads", ...kTo }), { theme: "dark" }],
  [
    "look-compare",
    fragment("look", {
      view: "compare",
      layer: 3,
      head: 1,
      text2: "The animal didn't cross the street because it was too wide.",
    }),
    {},
  ],
  ["look-write", fragment("look", { view: "write", text: "Once upon a time, there was a small robot who" }), {}],
  ["long", fragment("long", { text: kStory }), { height: 1000 }],
];

const session = await open();
mkdirSync(kFolder, { recursive: true });

async function take(name, place, options) {
  const page = await session.visit(place, { width: 1000, height: 720, deviceScaleFactor: kScale, ...options });
  if (name === "look-write") {
    await page.getByRole("button", { name: "Write on" }).click();
    await page.getByRole("button", { name: "Stop" }).waitFor({ state: "detached" });
    await page.locator(".piece").nth(8).click();
  }
  if (name === "step-speed") {
    await page.getByText("Measure on this machine").click();
    await page.getByText("Stop").waitFor({ state: "detached", timeout: 120000 });
  }
  if (name === "step-flash") for (let i = 0; i < 2; ++i) await page.getByText("Next tile").click();
  if (name === "long") await page.locator(".shares").waitFor();
  await quiet(page);
  await page.screenshot({ path: path.join(kFolder, `${name}.jpg`), type: "jpeg", quality: 70, animations: "disabled" });
  await page.context().close();
}

for (const [i, step] of kSteps.entries())
  await take(`step-${step}`, fragment(`learn/${step}`), { theme: i % 2 ? "dark" : "light", height: 860 });
for (const [name, place, options] of kViews) await take(name, place, options);
await session.close();
