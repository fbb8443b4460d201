// Token text is shown literally wherever it appears, whatever it looks like.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { fragment, open } from "./session.mjs";

const kHostile = [
  `<img src=x onerror="document.title='owned'"> looked at it`,
  "</script><script>document.title='owned'</script> it",
  "=cmd|'/c calc'!A1 and it",
  "\u202Eevil it \u0007 bell \u001b[31m red",
  "${7*7} {{7*7}} %s it",
  "苹果 it 🙂‍↔️ é e\u0301 ﷽",
];
let session;

before(async () => (session = await open()));
after(() => session.close());

for (const text of kHostile) {
  test(`shown as it is: ${JSON.stringify(text)}`, async () => {
    for (const place of [
      fragment("look", { text }),
      fragment("look", { text, view: "map" }),
      fragment("look", { text, view: "heads" }),
      fragment("long", { text }),
      fragment("learn/recipe", { text }),
    ]) {
      const page = await session.visit(place);
      assert.doesNotMatch(await page.title(), /owned/);
      assert.equal(await page.locator("main img, main script").count(), 0);
      assert.equal(await page.locator("textarea, .own input").first().inputValue(), text.replaceAll("\r", ""));
      await page.context().close();
    }
  });
}

test("a word of the text is one word of the page, spelt as the program spells it", async () => {
  const text = "<b>it</b> & it's 1 < 2";
  const page = await session.visit(fragment("look", { text }));
  const grid = await session.ask("grid", { text, unit: "words" });
  assert.deepEqual(await page.locator(".word .token").allTextContents(), grid.units);
});

test("an empty text asks for one, and a text that is too long says so in the program's words", async () => {
  const page = await session.visit(fragment("look", { text: " " }));
  assert.match(await page.locator("main").textContent(), /Type a sentence/);
  await page.locator("textarea").fill("word ".repeat(1200));
  await page.locator(".alarm").waitFor();
  assert.ok(await page.getByRole("link", { name: "open it in Long" }).isVisible());
});

test("no page had an error or a request to elsewhere", () => {
  assert.deepEqual(
    session.faults.filter((fault) => !/^(400|console: Failed to load resource)/.test(fault)),
    [],
  );
});
