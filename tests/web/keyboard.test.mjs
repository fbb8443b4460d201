// All of it by keyboard alone: words, map, heads, lesson.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { kPlaces } from "./places.mjs";
import { fragment, open, quiet } from "./session.mjs";

let session;

before(async () => (session = await open()));
after(() => session.close());

const pinned = (page) => page.locator('.word[aria-pressed="true"] .token').allTextContents();
const focused = (page) => page.evaluate(() => document.activeElement.textContent);

test("the words are one stop; arrows walk, Enter pins, Shift and Enter adds, Escape lets go", async () => {
  const page = await session.visit(fragment("look"));
  await page.locator('.word[tabindex="0"]').focus();
  await page.keyboard.press("Home");
  await page.keyboard.press("ArrowRight");
  assert.match(await focused(page), /^animal/);
  await page.keyboard.press("Enter");
  assert.deepEqual(await pinned(page), ["animal"]);
  await page.keyboard.press("End");
  await page.keyboard.press("ArrowLeft");
  await page.keyboard.press("Shift+Enter");
  await page.keyboard.press("Tab");
  assert.deepEqual(await pinned(page), ["animal", "tired"]);
  await page.keyboard.press("Shift+Tab");
  await page.keyboard.press("Escape");
  await page.keyboard.press("Tab");
  assert.deepEqual(await pinned(page), ["it"]);
  assert.equal(await page.locator('.word[tabindex="0"]').count(), 1);
});

test("the map is one stop; arrows, Home and End walk it, Enter pins the row", async () => {
  const page = await session.visit(fragment("look", { view: "map" }));
  const cell = page.locator("[role=gridcell]");
  await page.locator("[role=grid]").focus();
  assert.match(await cell.textContent(), /^it → The/);
  await page.keyboard.press("End");
  assert.match(await cell.textContent(), /^it → \./);
  await page.keyboard.press("ArrowUp");
  await page.keyboard.press("Home");
  assert.match(await cell.textContent(), /^because → The/);
  await page.keyboard.press("Enter");
  assert.match(page.url(), /pins=6/);
  await page.keyboard.press("Escape");
  assert.doesNotMatch(page.url(), /pins=/);
  const grid = page.locator("[role=grid]");
  assert.equal(await grid.getAttribute("aria-rowcount"), "12");
  assert.equal(await grid.getAttribute("aria-activedescendant"), await cell.getAttribute("id"));
});

test("brackets walk the heads and braces the layers, but not while one types", async () => {
  const page = await session.visit(fragment("look"));
  const shown = page.locator(".shown");
  await page.locator("main").focus();
  await page.keyboard.press("[");
  await quiet(page);
  assert.match(await shown.textContent(), /L5\.H10/);
  await page.keyboard.press("{");
  await quiet(page);
  assert.match(await shown.textContent(), /L4\.H10/);
  await page.keyboard.press("]");
  await page.keyboard.press("}");
  await quiet(page);
  assert.match(await shown.textContent(), /L5\.H11/);
  await page.locator("textarea").focus();
  await page.keyboard.press("End");
  await page.keyboard.type("[]");
  await quiet(page);
  assert.match(await shown.textContent(), /L5\.H11/);
});

test("the heads are one stop; arrows walk, Enter opens", async () => {
  const page = await session.visit(fragment("look", { view: "heads" }));
  await page.locator('.thumb[tabindex="0"]').focus();
  await page.keyboard.press("ArrowUp");
  await page.keyboard.press("ArrowRight");
  await page.keyboard.press("Enter");
  const at = await page.locator(".thumb:focus").getAttribute("data-at");
  const [layer, head] = at.split(".");
  assert.match(page.url(), new RegExp(`layer=${layer}&head=${head}`));
  assert.equal(await page.locator('.thumb[tabindex="0"]').count(), 1);
});

test("one of the heads is always the stop, whatever head is asked for", async () => {
  for (const place of [
    fragment("learn/next", { layer: 20, head: 3 }),
    fragment("learn/next", { layer: 3, head: 500 }),
    fragment("look", { view: "heads" }),
  ]) {
    const page = await session.visit(place);
    await page.locator('.thumb[tabindex="0"]').focus();
    await page.keyboard.press("ArrowLeft");
    assert.equal(await page.locator('.thumb[tabindex="0"]').count(), 1, place);
    assert.equal(await page.locator(".thumb:focus").count(), 1, place);
    await page.context().close();
  }
});

test("the stop among the heads is the one on show, then the one that had the focus", async () => {
  const page = await session.visit(fragment("look", { view: "heads", layer: 2, head: 4 }));
  await page.locator('.thumb[aria-pressed="true"]').waitFor();
  assert.equal(await page.locator('.thumb[tabindex="0"]').getAttribute("data-at"), "2.4");
  await page.locator(".thumb").first().click();
  await page.keyboard.press("ArrowRight");
  assert.equal(await page.locator('.thumb[tabindex="0"]').getAttribute("data-at"), "0.1");
});

test("a check question answers each choice, and can be tried again", async () => {
  const page = await session.visit(fragment("learn/roles"));
  const answers = page.locator(".answer input");
  await answers.nth(0).focus();
  const replies = new Set();
  for (let i = 0; i < (await answers.count()); ++i) {
    await page.keyboard.press("ArrowDown");
    replies.add(await page.locator(".reply p").first().textContent());
  }
  assert.equal(replies.size, await answers.count());
  assert.equal([...replies].filter((reply) => reply.startsWith("Right.")).length, 1);
});

test("the whole lesson can be walked with Enter, and the heading has the focus after each step", async () => {
  const page = await session.visit("#learn/puzzle");
  let steps = 1;
  while (await page.locator("a[rel=next]").count()) {
    await page.locator("a[rel=next]").focus();
    await page.keyboard.press("Enter");
    await quiet(page);
    assert.equal(await page.evaluate(() => document.activeElement.tagName), "H1");
    ++steps;
  }
  assert.equal(steps, 16);
});

test("another room has the focus, and no frame is drawn around all of it", async () => {
  const page = await session.visit(fragment("look"));
  await page.locator(".rooms a", { hasText: "Learn" }).focus();
  await page.keyboard.press("Enter");
  await quiet(page);
  const shown = await page.evaluate(() => {
    const { tagName } = document.activeElement;
    return [tagName, getComputedStyle(document.activeElement).outlineStyle];
  });
  assert.deepEqual(shown, ["MAIN", "none"]);
});

test("nothing moves by itself: what is late appears at once, after its wait", async () => {
  const page = await session.visit("", { reducedMotion: "reduce" });
  for (const [name, place] of kPlaces) {
    await page.goto(session.url + place);
    await quiet(page);
    const moving = await page.evaluate(() =>
      [...document.querySelectorAll("*")].flatMap((element) =>
        ["", "::before", "::after"].flatMap((part) => {
          const { animationDuration, transitionDuration } = getComputedStyle(element, part || null);
          const lasts = `${animationDuration}, ${transitionDuration}`.split(", ").some((time) => parseFloat(time) > 0);
          return lasts ? [`${element.className}${part}`] : [];
        }),
      ),
    );
    assert.deepEqual(moving, [], name);
  }
});
