// The address holds the whole view: links reproduce it, back and forward work, a damaged address falls back to defaults.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { sharesIn } from "./reading.mjs";
import { fragment, kTired, open, quiet } from "./session.mjs";

let session;

before(async () => (session = await open()));
after(() => session.close());

const pinned = (page) => page.locator('.word[aria-pressed="true"] .token').allTextContents();

test("a copied link shows the same view in another browser", async () => {
  const first = await session.visit(fragment("look"));
  await first.locator(".word", { hasText: "street" }).click();
  await first.locator(".choices label", { hasText: "GPT" }).click();
  await first.locator("select").nth(1).selectOption("3");
  await first.locator("select").nth(2).selectOption("1");
  await quiet(first);
  const second = await session.visit(new URL(first.url()).hash);
  assert.deepEqual(await pinned(second), ["street"]);
  assert.deepEqual(await sharesIn(second.locator(".sentence")), await sharesIn(first.locator(".sentence")));
  assert.match(await second.locator(".shown").textContent(), /L3\.H1/);
});

test("back and forward walk through what was chosen", async () => {
  const page = await session.visit(fragment("look"));
  await page.locator(".word", { hasText: "animal" }).click();
  await page.locator(".views a", { hasText: "Map" }).click();
  await page.locator(".rooms a", { hasText: "Learn" }).click();
  await page.goBack();
  assert.ok(await page.locator("[role=grid]").isVisible());
  await page.goBack();
  assert.deepEqual(await pinned(page), ["animal"]);
  await page.goBack();
  assert.deepEqual(await pinned(page), ["it"]);
  await page.goForward();
  assert.deepEqual(await pinned(page), ["animal"]);
});

test("typing makes no entry of its own in the history", async () => {
  const page = await session.visit(fragment("look"));
  const before = await page.evaluate(() => history.length);
  await page.locator("textarea").fill("The dog barked because it was hungry.");
  await quiet(page);
  assert.equal(await page.evaluate(() => history.length), before);
  await page.waitForURL(/hungry/);
  assert.deepEqual(await pinned(page), ["it"]);
});

test("every field comes back from the address, false and empty ones too", async () => {
  const page = await session.visit(
    fragment("look", { pieces: "1", rest: "hide", keep: "60", temperature: "2.5", raw: "1" }),
  );
  assert.ok(await page.getByLabel("Pieces instead of words").isChecked());
  assert.ok(await page.getByLabel("Raw numbers").isChecked());
  assert.ok(await page.getByLabel("Hidden").isChecked());
  await page.getByLabel("Pieces instead of words").uncheck();
  assert.doesNotMatch(page.url(), /pieces=/);
  await page.reload();
  await quiet(page);
  assert.ok(!(await page.getByLabel("Pieces instead of words").isChecked()));
});

test("a damaged address shows the defaults where it is damaged, and the rest as it says", async () => {
  const damaged = [
    ...["layer=banana", "layer=1.5", "layer=", "layer=1000", "head=%20", "head2=-2", "to=1e9", "keep=1e9", "keep=55.5"],
    ...["temperature=-3", "temperature=NaN", "pins=", "pins=-4.x", "pins=1e0", "pins=1..2", "zoom=1.-2.3.4", "raw=yes"],
    ...["mask=sideways", "rest=", "shade=dark", "unknown=1", "constructor=1", "__proto__=1", "toString=", "step=flash"],
    ...["room=long", "%E0%A4%A"],
  ];
  const page = await session.visit();
  for (const field of [...damaged, damaged.join("&")]) {
    await page.goto(`${session.url}#look?${field}&view=map&text=A+cat+purrs.`);
    await quiet(page);
    assert.ok(await page.locator("[role=grid]").isVisible(), field);
    await page.getByRole("link", { name: "Spotlight" }).click();
    assert.equal(new URL(page.url()).hash, fragment("look", { text: "A cat purrs." }), field);
  }
  assert.deepEqual(session.faults, []);
});

test("the place in the lesson is kept, and each step has its link", async () => {
  const page = await session.visit("#learn/flash");
  assert.equal(await page.locator("h1").textContent(), "Tile by tile");
  await page.goto(`${session.url}#learn`);
  await page.reload();
  assert.equal(await page.locator("h1").textContent(), "Tile by tile");
  await page.locator("a[rel=next]").click();
  assert.match(page.url(), /#learn\/speed/);
});

test("light and dark follow the system, then the switch, and the switch is kept", async () => {
  const page = await session.visit("#look", { theme: "dark" });
  const ground = () => page.evaluate(() => getComputedStyle(document.body).backgroundColor);
  const dark = await ground();
  await page.getByRole("button", { name: "Light" }).click();
  const light = await ground();
  assert.notEqual(light, dark);
  await page.reload();
  assert.equal(await ground(), light);
});

test("the text of one room is the text of the others", async () => {
  const page = await session.visit(fragment("look", { text: "A cat purrs." }));
  await page.locator(".rooms a", { hasText: "Long" }).click();
  assert.equal(await page.locator("textarea").inputValue(), "A cat purrs.");
  await page.goto(session.url + fragment("learn/recipe", { text: kTired }));
  assert.equal(await page.locator(".own input").inputValue(), kTired);
});
