// Every number of the Look room is the one that `limelight look --json` and `limelight heads --json` print.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { assertSays, named, sharesIn, tableOf } from "./reading.mjs";
import { fragment, kTired, open, program, quiet } from "./session.mjs";

let session;
let models;

before(async () => {
  session = await open();
  models = (await session.ask("models", {})).models.filter((model) => model.present);
});
after(() => session.close());

function lookJson(...args) {
  return JSON.parse(program("look", kTired, ...args, "--json"));
}

function percents(row) {
  return row.map((share) => share.percent);
}

function told(percent) {
  return `${percent.toFixed(1)} %`;
}

async function assertRow(page, row, what) {
  assert.deepEqual(await sharesIn(page.locator(".sentence").first()), percents(row.row), what);
  const tenths = row.row.reduce(
    (sum, share) => sum + Math.round((share.percent ?? 0) * 10),
    Math.round((row.special_percent ?? 0) * 10),
  );
  assert.equal(tenths, 1000, `${what}: adds to 100`);
}

// Of each bar the part of its cell that it fills; a share too small to be seen has a sliver.
function widthsIn(bars) {
  return bars.evaluateAll((cells) =>
    cells.map((cell) => {
      const [whole, bar] = ["svg", "rect"].map((name) => cell.querySelector(name).getBoundingClientRect());
      return bar.width / whole.width;
    }),
  );
}

function assertBar(width, weight, what) {
  assert.ok(Math.abs(width - weight) <= 0.003, `${what}: a bar of ${width}, a weight of ${weight}`);
}

test("the shares of every pinned word are the program's, under every mask of every model", async () => {
  const page = await session.visit();
  for (const { name } of models) {
    for (const mask of ["model", "causal", "none"]) {
      const { grid, words } = lookJson("--model", name, "--mask", mask);
      for (let i = 0; i < words.length; ++i) {
        await page.goto(session.url + fragment("look", { model: name, mask, pins: i }));
        await quiet(page);
        await assertRow(page, grid[i], `${name} ${mask} ${words[i]}`);
      }
    }
  }
});

test("a word that is pointed at shows what it shows when it is pinned", async () => {
  const page = await session.visit(fragment("look"));
  const { grid, words } = lookJson();
  for (let i = 0; i < words.length; ++i) {
    await page.locator(".word").nth(i).hover();
    await assertRow(page, grid[i], words[i]);
  }
});

test("the table of shares, its bars and the weighted sum are those of the pinned word", async () => {
  const page = await session.visit(fragment("look", { raw: "1" }));
  const look = await session.ask("look", { text: kTired, word: "it" });
  const order = [...look.row].sort((a, b) => b.weight - a.weight || a.index - b.index);
  const table = await tableOf(page.locator(".shares"));
  order.forEach((share, i) => {
    assert.equal(table[i][0], named(look.row, share.index));
    assert.equal(table[i][1], `${share.percent.toFixed(1)} %`);
    assertSays(table[i][2], share.weight, share.word);
  });
  const bars = await widthsIn(page.locator(".shares .bar"));
  [...order.map(({ weight }) => weight), look.special].forEach((weight, i) => assertBar(bars[i], weight, table[i][0]));
  assert.equal(table.at(-1)[0], look.special_name);
  assert.equal(table.at(-1)[1], `${look.special_percent.toFixed(1)} %`);
  const sum = (await page.locator(".sum").textContent()).replaceAll(/Vec\(([^)]*)\)/g, "$1");
  assert.equal(sum, `new vector of ${look.sum}`);
  const raw = await page.locator("text=/entropy/").textContent();
  assertSays(raw.match(/entropy ([\d.]+)/)[1], look.entropy, "entropy");
});

test("words that a text has several times are numbered in the weighted sum, on the page and by the program", async () => {
  const text = "The cat and the dog saw the cat.";
  for (const [pins, word] of [
    ["7", 7],
    ["3.7", [3, 7]],
  ]) {
    const page = await session.visit(fragment("look", { text, pins }));
    const look = await session.ask("look", { text, word });
    const sum = (await page.locator(".sum").textContent()).replaceAll(/Vec\(([^)]*)\)/g, "$1");
    assert.match(sum, /cat:2 = .*\w:[12]/);
    assert.ok(sum.endsWith(` of ${look.sum}`), `${sum} / ${look.sum}`);
    await page.context().close();
  }
});

test("each blocked word says the program's reason, of a word that is pinned or pointed at", async () => {
  const page = await session.visit(fragment("look", { mask: "causal" }));
  const { grid } = lookJson("--mask", "causal");
  const it = grid.findIndex(({ query }) => query.word === "it");
  for (const word of [it, 1]) {
    if (word !== it) await page.locator(".word").nth(word).hover();
    const blocked = grid[word].row.filter((share) => share.blocked);
    const table = await tableOf(page.locator(".shares"));
    assert.deepEqual(
      table.slice(-blocked.length),
      blocked.map((share) => [named(grid[word].row, share.index), "blocked", share.blocked_because]),
    );
  }
});

test("several words together have the mean of their rows", async () => {
  const page = await session.visit(fragment("look", { pins: "1.5" }));
  const look = await session.ask("look", { text: kTired, word: [1, 5] });
  await assertRow(page, look, "animal and street");
});

test("ticked words are added up, as the table says their shares", async () => {
  const page = await session.visit(fragment("look", { pins: 7 }));
  const together = page.locator(".together");
  assert.match(await together.textContent(), /^Tick words/);
  for (const word of ["tired", "animal"]) await page.getByRole("checkbox", { name: word, exact: true }).check();
  const sum = () => {
    const { row } = lookJson("--word", "it", ...head);
    return Math.round(row[1].percent * 10 + row[10].percent * 10) / 10;
  };
  let head = [];
  assert.equal(await together.textContent(), `animal + tired together: ${told(sum())}`);
  await page.keyboard.press("]");
  await quiet(page);
  head = ["--layer", "5", "--head", "0"];
  assert.equal(await together.textContent(), `animal + tired together: ${told(sum())}`, "in another head");
  await page.locator("textarea").fill("The animal slept");
  await quiet(page);
  assert.match(await together.textContent(), /^Tick words/, "of another sentence");
});

test("what is hidden is left out and the others add to 100", async () => {
  for (const { name, own_mask } of models) {
    const page = await session.visit(fragment("look", { model: name, rest: "hide" }));
    const shown = await sharesIn(page.locator(".sentence"));
    const tenths = shown.reduce((sum, share) => sum + Math.round((Number.isNaN(share) ? 0 : (share ?? 0)) * 10), 0);
    assert.equal(tenths, 1000, name);
    if (own_mask === "causal") {
      const { row } = lookJson("--model", name, "--word", "it", "--without-first");
      assert.deepEqual(shown.slice(1), percents(row).slice(1));
    }
    await page.context().close();
  }
});

test("where all light is on what is hidden, nothing is said to remain", async (t) => {
  const writer = models.find((model) => model.writes);
  if (!writer) return t.skip("no model that only looks back is here");
  const page = await session.visit(fragment("look", { model: writer.name, pins: "0", rest: "hide" }));
  assert.match(await page.locator(".rest").textContent(), /^Hidden: 100\.0 % .*Nothing remains/);
  assert.equal(await page.locator(".sum").count(), 0);
});

test("every cell of the map says its row's share, or that it is blocked", async () => {
  const page = await session.visit(fragment("look", { view: "map", mask: "causal" }));
  const { grid, words } = lookJson("--mask", "causal");
  const map = page.locator("[role=grid]");
  await map.focus();
  for (let up = 0; up < words.length; ++up) await page.keyboard.press("ArrowUp");
  for (let i = 0; i < words.length; ++i) {
    await page.keyboard.press("Home");
    for (let j = 0; j < words.length; ++j) {
      const { blocked, percent, weight } = grid[i].row[j];
      const text = blocked ? "blocked" : `${percent === 0 && weight > 0 ? "<0.1" : percent.toFixed(1)} %`;
      assert.equal(await map.locator("[role=gridcell]").textContent(), `${words[i]} → ${words[j]}: ${text}`);
      await page.keyboard.press("ArrowRight");
    }
    await page.keyboard.press("ArrowDown");
  }
});

test("the ranking of heads is that of the program", async () => {
  const page = await session.visit(fragment("look", { view: "heads", to: "1" }));
  const heads = JSON.parse(program("heads", kTired, "--from", "it", "--to", "animal", "--top", "10", "--json"));
  const table = await tableOf(page.locator(".ranking"));
  heads.forEach(({ layer, head, weight }, i) => {
    assert.equal(table[i][0], `L${layer}.H${head}`);
    assertSays(table[i][1], weight, table[i][0]);
  });
  const bars = await widthsIn(page.locator(".ranking .bar"));
  heads.forEach(({ weight }, i) => assertBar(bars[i], weight, table[i][0]));
});

test("a temperature changes the shares as the program says, and not which head is shown", async () => {
  const page = await session.visit(fragment("look", { temperature: "3" }));
  const look = await session.ask("look", { text: kTired, word: "it", temperature: 3 });
  await assertRow(page, look, "temperature 3");
  assert.notDeepEqual(percents(look.row), percents(lookJson("--word", "it").row));
});

test("a comparison shows both sentences as each is alone", async () => {
  const wide = kTired.replace("tired", "wide");
  const page = await session.visit(fragment("look", { view: "compare", text2: wide }));
  const first = lookJson("--word", "it");
  const second = JSON.parse(program("look", wide, "--word", "it", "--json"));
  assert.deepEqual(await sharesIn(page.locator(".sentence").nth(0)), percents(first.row));
  assert.deepEqual(await sharesIn(page.locator(".sentence").nth(1)), percents(second.row));
  for (const [n, { row }] of [first, second].entries()) {
    const order = [...row].sort((a, b) => b.weight - a.weight || a.index - b.index);
    const table = await tableOf(page.locator(".panel .shares").nth(n));
    order.slice(0, 6).forEach(({ index, percent }, i) => {
      assert.deepEqual(table[i].slice(0, 2), [named(row, index), told(percent)]);
    });
  }
});

test("two heads on one sentence stand in one table, each as it is alone", async () => {
  const page = await session.visit(fragment("look", { view: "compare", layer2: 3, head2: 1 }));
  const first = lookJson("--word", "it").row;
  const second = lookJson("--word", "it", "--layer", "3", "--head", "1").row;
  await page.getByText("Both in one table").click();
  assert.deepEqual(
    await tableOf(page.locator("details table")),
    first.map(({ word, percent }, i) => [word, told(percent), told(second[i].percent)]),
  );
});

test("each written token has the words it looked at, as the program tells them", async (t) => {
  const writer = models.find((model) => model.writes);
  if (!writer) return t.skip("no model that writes is here");
  const page = await session.visit(fragment("look", { view: "write", model: writer.name }));
  await page.getByRole("button", { name: "Write on" }).click();
  await page.getByRole("button", { name: "Stop" }).waitFor({ state: "detached" });
  const found = await session.ask("generate", { text: kTired, model: writer.name, max_tokens: 24, temperature: 0 });
  const pieces = page.locator(".piece");
  assert.equal(await pieces.count(), found.tokens.length);
  for (const [i, { token, top, first_token }] of found.tokens.entries()) {
    await pieces.nth(i).click();
    assert.equal(await pieces.nth(i).textContent(), token.replaceAll("\n", "↵"));
    const table = await tableOf(page.locator(".token-light table"));
    const bars = await widthsIn(page.locator(".token-light .bar"));
    assert.equal(table.length, top.length);
    top.forEach(({ word, weight }, n) => {
      assert.equal(table[n][0], word);
      assertSays(table[n][1], weight, `token ${i}, ${word}`);
      assertBar(bars[n], weight, `token ${i}, ${word}`);
    });
    assertSays(await page.locator(".token-light p").textContent(), first_token, `token ${i}, first token`);
  }
  assert.match(await page.locator("main").textContent(), new RegExp(`${writer.name} L${found.layer}.H${found.head}: `));
  await page.locator("textarea").fill("Another sentence");
  await quiet(page);
  assert.equal(await pieces.count(), 0, "what was written for another text is gone");
});

test("no page had an error, a refusal or a request to elsewhere", () => assert.deepEqual(session.faults, []));
