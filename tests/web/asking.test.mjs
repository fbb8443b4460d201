// What the page asks while one types and chooses: nothing that is refused, and of each text that came to rest one row.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { kStory } from "./places.mjs";
import { fragment, kTired, open, quiet } from "./session.mjs";

let session;

before(async () => (session = await open()));
after(() => session.close());

// The questions of one kind that the page asks from now on.
function asked(page, name) {
  const bodies = [];
  page.on("request", (request) => request.url().endsWith(`api/${name}`) && bodies.push(request.postDataJSON()));
  return bodies;
}

// At the pace of somebody who types: some keys before the answer to the one before, some after.
async function type(page, field, text) {
  for (const [i, key] of [...text].entries()) await field.press(key === "\b" ? "Backspace" : key, { delay: (i % 4) * 30 });
}

const kLast = { pins: 11 }; // the full stop of the sentence: a shorter text has no such word

test("in Look a word is asked of the text and the head that were found for it", async () => {
  const page = await session.visit(fragment("look", kLast));
  const looks = asked(page, "look");
  const field = page.locator("textarea");
  await field.press("End");
  await type(page, field, "\b".repeat(12));
  await quiet(page);
  await field.fill("it rests");
  await quiet(page);
  await field.fill("");
  await quiet(page);
  await field.fill(kTired);
  await quiet(page);
  const texts = looks.map(({ text }) => text);
  assert.deepEqual(texts, [...new Set(texts)], "one row for each text");
  for (const { text, word } of looks) assert.ok(word <= text.split(" ").length, `word ${word} of ${text}`);
  assert.equal(texts.filter((text) => text === "it rests").length, 1);
  assert.deepEqual(session.faults, []);
});

test("in Long typing asks for one row, once the text rests, and an emptied field for none", async () => {
  const page = await session.visit(fragment("long", { text: kStory, pins: 40 }));
  await page.locator(".shares").waitFor();
  const looks = asked(page, "look");
  const field = page.locator("textarea");
  await field.press("Control+End");
  await type(page, field, " It is");
  await quiet(page);
  await page.locator(".shares").waitFor();
  assert.deepEqual(
    looks.map(({ text }) => text),
    [`${kStory} It is`],
  );
  await field.fill("");
  await quiet(page);
  await field.fill("it rests");
  await page.locator(".shares").waitFor();
  assert.deepEqual(
    looks.slice(1).map(({ text }) => text),
    ["it rests"],
  );
  assert.deepEqual(session.faults, []);
});

test("every view that asks for words of the text lets go of them when it changes", async () => {
  for (const view of ["arcs", "heads", "compare"]) {
    const page = await session.visit(fragment("look", { view, ...kLast, to: 10, layer: 5, head: 11 }));
    await page.locator("textarea").fill("it rests");
    await quiet(page);
    assert.equal(await page.locator(".alarm").count(), 0, view);
    await page.context().close();
  }
  const page = await session.visit(fragment("learn/flash"));
  await page.getByLabel("Word").selectOption({ label: "tired" });
  await quiet(page);
  await page.locator(".own input").fill("it rests");
  await quiet(page);
  assert.equal(await page.locator(".alarm").count(), 0, "flash");
  assert.deepEqual(session.faults, []);
});

test("another model is not asked for a head that it has not", async (t) => {
  const { models } = await session.ask("models", {});
  const [small, large] = models.filter((model) => model.present).sort((a, b) => a.layers - b.layers);
  if (!large) return t.skip("only one model is here");
  for (const view of ["arcs", "heads", "compare"]) {
    const page = await session.visit(
      fragment("look", { view, model: large.name, layer: large.layers - 1, head: 0, pins: 1, to: 3 }),
    );
    await page.locator("select.model").selectOption(small.name);
    await page.locator(".shown", { hasText: `${small.name} ` }).waitFor();
    await quiet(page);
    await page.context().close();
  }
  assert.deepEqual(session.faults, []);
});
