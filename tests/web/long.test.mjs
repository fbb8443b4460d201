// The Long room: thousands of tokens, the exact row of a word, zoom, search; the page stays alive meanwhile.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { assertSays, named, tableOf } from "./reading.mjs";
import { fragment, open, quiet } from "./session.mjs";
import { kStory } from "./places.mjs";

const kSlow = Number(process.env.LIMELIGHT_SLOW ?? 1);
let session;

before(async () => (session = await open()));
after(() => session.close());

test("the exact row of a clicked word is the program's", async () => {
  const page = await session.visit(fragment("long", { text: kStory }));
  await page.locator(".long-text span", { hasText: "granddaughter" }).click();
  await quiet(page);
  const map = await session.ask("map", { text: kStory });
  const look = await session.ask("look", { text: kStory, word: map.words.indexOf("granddaughter") });
  const table = await tableOf(page.locator(".shares"));
  const order = [...look.row].sort((a, b) => b.weight - a.weight || a.index - b.index);
  order.slice(0, 10).forEach((share, i) => {
    assert.equal(table[i][0], named(look.row, share.index));
    assert.equal(table[i][1], `${share.percent.toFixed(1)} %`);
  });
});

test("the light received is the program's, strongest first", async () => {
  const page = await session.visit(fragment("long", { text: kStory }));
  const map = await session.ask("map", { text: kStory });
  const received = new Float32Array(Uint8Array.from(Buffer.from(map.received, "base64")).buffer);
  const order = [...received.keys()].sort((a, b) => received[b] - received[a] || a - b);
  const words = map.words.map((word, index) => ({ word, index }));
  const table = await tableOf(page.locator("section", { hasText: "Light received" }).locator("table").first());
  table.forEach(([word, , light], i) => {
    assert.equal(word, named(words, order[i]));
    assertSays(light, received[order[i]], word);
  });
});

test("the text scrolls to the pinned word, and the page stays where it is", async () => {
  const text = kStory.repeat(6);
  const words = (await session.ask("map", { text })).words.length;
  const page = await session.visit(fragment("long", { text, pins: words - 2 }), { width: 600 });
  await page.locator(".shares").waitFor();
  assert.equal(await page.evaluate(() => scrollY), 0);
  assert.ok((await page.locator(".long-text").evaluate((box) => box.scrollTop)) > 0);
});

test("a text of some hundred tokens has a cell for each pair, with the program's weight", async () => {
  const text = kStory.repeat(5);
  const page = await session.visit(fragment("long", { text, pins: 3 }));
  const map = await session.ask("map", { text, side: 2048 });
  const weights = new Float32Array(Uint8Array.from(Buffer.from(map.mean, "base64")).buffer);
  assert.ok(map.tokens > 200 && map.max === undefined);
  await page.waitForFunction((width) => document.querySelector("[role=grid] canvas")?.width === width, map.tokens);
  assert.match(await page.locator(".pooled").textContent(), /one cell for each pair/);
  await page.locator("[role=grid]").focus();
  for (const key of ["Home", "PageDown", "ArrowRight"]) await page.keyboard.press(key);
  const cell = page.locator("[role=gridcell]");
  const row = Number(await page.locator("[role=grid] [role=row]").getAttribute("aria-rowindex")) - 1;
  const column = Number(await cell.getAttribute("aria-colindex")) - 1;
  assertSays((await cell.textContent()).split(": ").at(-1), weights[row * map.tokens + column], "the cell");
  await page.getByRole("button", { name: "Closer" }).click();
  await quiet(page);
  assert.match(await page.locator(".pooled").textContent(), /^tokens .* one cell for each pair/);
});

test("zoom shows a part, says which, and goes back", async () => {
  const page = await session.visit(fragment("long", { text: kStory }));
  const told = page.locator(".pooled");
  assert.match(await told.textContent(), /^all/);
  await page.getByRole("button", { name: "Closer" }).click();
  await quiet(page);
  assert.match(await told.textContent(), /^tokens \d+ to \d+ looking at/);
  await page.goBack();
  await quiet(page);
  assert.match(await told.textContent(), /^all/);
});

test("search marks every hit; Enter goes on to the next and pins it", async () => {
  const page = await session.visit(fragment("long", { text: kStory }));
  await page.getByLabel("Search").fill("lamp");
  assert.equal(await page.locator(".long-text .found").count(), 3);
  const places = [];
  for (let i = 0; i < 4; ++i) {
    await page.getByLabel("Search").press("Enter");
    places.push(await page.locator(".long-text .pinned").getAttribute("data-word"));
  }
  assert.equal(new Set(places).size, 3);
  await page.getByLabel("Search").fill("one  lamp and");
  assert.deepEqual(await page.locator(".long-text .found").allTextContents(), ["one", "lamp", "and"]);
  assert.equal(await page.locator(".hits").textContent(), "1 found");
});

test("reading some thousand tokens leaves the page alive, and leaving stops it", async (t) => {
  const { models } = await session.ask("models", {});
  const model = models.find((one) => one.present && one.own_mask === "causal");
  if (!model) return t.skip("no model that writes is here, and no other reads so many tokens");
  const text = kStory.repeat(125); // some seconds of work, so that a busy browser leaves before it is done
  const page = await session.visit(fragment("look"));
  const ended = { requestfinished: 0, requestfailed: 0 };
  for (const how of Object.keys(ended)) page.on(how, (request) => (ended[how] += request.url().endsWith("api/map")));
  await page.evaluate((hash) => (location.hash = hash), fragment("long", { text, model: model.name }));
  await page.locator("progress").waitFor();
  const late = await page.evaluate(async () => {
    let most = 0;
    for (let i = 0, last = performance.now(); i < 40; ++i) {
      await new Promise((next) => setTimeout(next, 10));
      most = Math.max(most, performance.now() - last);
      last = performance.now();
    }
    return most;
  });
  assert.ok(late < 250 * kSlow, `the page stood still for ${late.toFixed(0)} ms`);
  await page.locator(".rooms a", { hasText: "Look" }).click();
  await quiet(page);
  assert.deepEqual(ended, { requestfinished: 0, requestfailed: 1 }, "the reading was not called off");
});
