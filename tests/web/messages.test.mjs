// What the page says where it has no answer, and what it does not offer there.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { kStory, kViews } from "./places.mjs";
import { fragment, open } from "./session.mjs";

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

test("only what a file can hold is offered to be saved", async () => {
  for (const view of kViews) {
    const page = await session.visit(fragment("look", { view }));
    await page.locator(".views .shown", { hasText: "minilm" }).waitFor();
    assert.equal(await page.locator(".export").count(), ["arcs", "map"].includes(view) ? 1 : 0, view);
    await page.context().close();
  }
});
