// What axe-core has to say about every step and view, in light and in dark: nothing.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { complaints } from "./axe.mjs";
import { kPlaces } from "./places.mjs";
import { open, quiet } from "./session.mjs";

let session;

before(async () => (session = await open()));
after(() => session.close());

for (const theme of ["light", "dark"]) {
  test(`nothing is found in ${theme}`, async (t) => {
    const page = await session.visit("", { theme });
    for (const [name, place] of kPlaces) {
      await t.test(name, async () => {
        await page.goto(session.url + place);
        await quiet(page);
        assert.deepEqual(await complaints(page), []);
      });
    }
    await page.context().close();
  });
}

test("nothing is found on a phone", async (t) => {
  const page = await session.visit("", { width: 360, height: 740 });
  for (const [name, place] of kPlaces) {
    await t.test(name, async () => {
      await page.goto(session.url + place);
      await quiet(page);
      assert.deepEqual(await complaints(page), []);
      const wide = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
      assert.ok(wide <= 0, `the page is ${wide} pixels wider than the screen`);
    });
  }
  await page.context().close();
});

test("no page had an error, a refusal or a request to elsewhere", () => assert.deepEqual(session.faults, []));
