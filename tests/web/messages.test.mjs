// What the page says where it has no answer, and what it does not offer there.
import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { after, before, test } from "node:test";
import { kStory, kViews } from "./places.mjs";
import { fragment, open, program } from "./session.mjs";

let session;

before(async () => (session = await open()));
after(() => session.close());

test("a model that nobody knows is told as the program tells it, and another can be chosen", async () => {
  const { error } = await session.ask("grid", { text: "it", model: "nobody" });
  const page = await session.visit(fragment("look", { model: "nobody" }));
  assert.equal(await page.locator(".alarm").textContent(), error.message);
  await page.locator("select.model").selectOption("minilm");
  await page.locator(".arc").first().waitFor();
  assert.equal(await page.locator(".alarm").count(), 0);
});

test("a damaged model is told as damaged, cannot be chosen, and hides no other", async () => {
  const [first, ...others] = JSON.parse(program("models", "--json"));
  const folder = mkdtempSync(path.join(tmpdir(), "limelight-"));
  const damaged = path.join(folder, first.name);
  mkdirSync(damaged);
  for (const file of readdirSync(first.folder)) symlinkSync(path.join(first.folder, file), path.join(damaged, file));
  rmSync(path.join(damaged, "config.json"));
  writeFileSync(path.join(damaged, "config.json"), "{");
  const here = others.filter(({ present }) => present);
  for (const other of here) symlinkSync(other.folder, path.join(folder, other.name));
  const alone = await open({ LIMELIGHT_MODELS: folder });
  try {
    const { damage } = (await alone.ask("models", {})).models[0];
    assert.match(damage, /config\.json/);
    const page = await alone.visit(fragment("look"));
    const option = page.locator("select.model option").first();
    assert.match(await option.textContent(), /\(damaged\)/);
    assert.equal(await option.evaluate((one) => one.disabled), true);
    assert.match(await page.locator(".notes").first().textContent(), new RegExp(`${first.name} cannot be used: `));
    assert.ok((await page.locator(".notes").first().textContent()).endsWith(damage));
    if (here.length) await page.locator(".shown", { hasText: `${here[0].name} ` }).waitFor();
    else assert.equal(await page.locator(".alarm").textContent(), damage);
    assert.deepEqual(here.length ? alone.faults : [], []);
  } finally {
    await alone.close();
    rmSync(folder, { recursive: true });
  }
});

test("a word that the model has no piece for says so where it is pointed at, and has no shares", async () => {
  const text = "caf\ufffd time flies";
  const { units } = await session.ask("grid", { text });
  const silent = units.findIndex((unit) => unit.includes("\ufffd"));
  const page = await session.visit(fragment("look", { text }));
  await page.locator(".arc").first().waitFor();
  await page.locator(".word").nth(silent).hover();
  await page.locator(".silent").waitFor();
  assert.match(await page.locator(".silent").textContent(), /minilm has no piece of its own for “.*\ufffd”/);
  assert.doesNotMatch(await page.locator("main").textContent(), /NaN/);
  await page.locator(".views a", { hasText: "Map" }).click();
  const map = page.locator("[role=grid]");
  await map.focus();
  for (let up = 0; up < units.length; ++up) await page.keyboard.press("ArrowUp");
  for (let down = 0; down < silent; ++down) await page.keyboard.press("ArrowDown");
  assert.match(await map.locator("[role=gridcell]").textContent(), /no light, the model has no piece of its own/);
  assert.doesNotMatch(await page.locator("main").textContent(), /NaN/);
  await page.context().close();
});

test("an answer that is cut off says that the program does not answer", async () => {
  for (const [place, call] of [
    [fragment("long", { text: kStory }), "map"],
    [fragment("learn/class"), "class"],
  ]) {
    const page = await session.visit(fragment("learn/check"));
    await page.evaluate((cut) => {
      const whole = globalThis.fetch;
      const start = new TextEncoder().encode('event: progress\ndata: {"done":0.5}\n\nevent: res');
      let sent = false;
      const pull = (to) => (sent ? to.error(new TypeError("network error")) : (to.enqueue(start), (sent = true)));
      const half = () => new Response(new ReadableStream({ pull }));
      globalThis.fetch = async (url, options) => (url === `api/${cut}` ? half() : whole(url, options));
    }, call);
    await page.evaluate((hash) => (location.hash = hash), place);
    await page.locator(".alarm").first().waitFor();
    assert.match(await page.locator(".alarm").first().textContent(), /^The program does not answer/, call);
    await page.context().close();
  }
});

test("only the files that there are of a view are offered to be saved", async () => {
  for (const view of kViews) {
    const page = await session.visit(fragment("look", { view }));
    // Of the head on show nothing is said where another model writes.
    const said = view === "write" ? "does not write|No model" : "minilm L";
    await page.locator("main", { hasText: new RegExp(said) }).waitFor();
    const offered = await page.locator(".export button").allTextContents();
    const made = ["SVG", "PNG", "CSV", "JSON"];
    const whole = ["arcs", "map"].includes(view) ? ["HTML", ...made] : made;
    assert.deepEqual(offered, view === "write" ? [] : whole, view);
    await page.context().close();
  }
});
