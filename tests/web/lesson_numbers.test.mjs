// Every number of the lesson's figures is the engine's, for the lesson's sentence and for one of the reader's own.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { assertGrid, assertSays, sharesIn, tableOf } from "./reading.mjs";
import { fragment, kTired, open, program, quiet } from "./session.mjs";

const kOwn = "My old bicycle squeaks when it rains";
let session;
let page;

before(async () => {
  session = await open();
  page = await session.visit();
});
after(() => session.close());

async function step(name, text = kTired) {
  await page.goto("about:blank"); // so that nothing chosen in the step before is kept
  await page.goto(session.url + fragment(`learn/${name}`, { text }));
  await quiet(page);
}

function figure(n = 0) {
  return page.locator(".figure").nth(n);
}

const pick = (name) => page.locator(".choices label", { hasText: name }).first().click();
const grid = (n = 0) => tableOf(page.locator(".number-grid table").nth(n));

async function openDetails() {
  for (const summary of await page.locator(".chart summary").all()) await summary.click();
}

test("puzzle: both sentences in the head that it names", async () => {
  await step("puzzle");
  for (const [n, word] of ["tired", "wide"].entries()) {
    const look = JSON.parse(
      program("look", kTired.replace("tired", word), "--word", "it", "--layer", "3", "--head", "1", "--json"),
    );
    assert.deepEqual(
      await sharesIn(page.locator(".pair .sentence").nth(n)),
      look.row.map((share) => share.percent),
    );
    const told = await page.locator(".pair .told").nth(n).textContent();
    const street = look.row.find((share) => share.word === "street");
    assert.ok(told.includes(`street ${street.percent.toFixed(1)} %`), told);
    const rest = await page.locator(".pair .rest").nth(n).textContent();
    const figures = [...(told + rest).matchAll(/([\d.]+) %/g)].map(([, percent]) => Math.round(percent * 10));
    assert.equal(
      figures.reduce((a, b) => a + b, 0),
      1000,
      told + rest,
    );
  }
});

test("chain: the gradients of both, and what is left of the first word", async () => {
  for (const text of [kTired, kOwn]) {
    await step("chain", text);
    const found = await session.ask("recurrent", { words: text.split(" ") });
    await openDetails();
    const table = await tableOf(page.locator(".chart table"));
    table.forEach(([, attention, chain], i) => {
      assertSays(attention, found.attention[i].gradient, `attention ${i}`);
      assertSays(chain, found.recurrent[i].gradient, `chain ${i}`);
    });
    const bold = await figure().locator("p b.number").allTextContents();
    [found.recurrent[0].steps, found.first_recurrent, found.attention[0].steps, found.first_attention].forEach(
      (value, i) => assertSays(bold[i], value, `sentence ${i}`),
    );
  }
});

test("roles: the score is that of the vectors shown", async () => {
  await step("roles");
  const { steps, tokens, words } = await session.ask("recipe", { text: kTired });
  const at = (word) => tokens.findIndex((token) => token.word !== null && words[token.word] === word);
  const [query, key] = [at("it"), at("animal")];
  assertSays(await figure().locator("b.number").textContent(), steps.scores[query][key], "score");
  const first = (await page.locator(".vector span").first().textContent()).slice(1).split(", ");
  first.slice(0, 3).forEach((text, i) => assertSays(text, steps.q[query][i], `q ${i}`));
});

test("spotlight: the illustrative shares are those of the preset", async () => {
  await step("spotlight");
  for (const [label, name] of [
    ["animal and tired", "pronoun"],
    ["animal or street", "animal_street"],
  ]) {
    await pick(label);
    await quiet(page);
    const found = await session.ask("preset", { name });
    assert.deepEqual(await sharesIn(page.locator(".sentence")), found.percent[found.query]);
    const sum = (await page.locator(".sum").textContent()).replaceAll(/Vec\(([^)]*)\)/g, "$1");
    assert.equal(sum, `new vector of ${found.sum}`);
  }
});

test("recipe: each of the four steps", async () => {
  for (const text of [kTired, kOwn]) {
    await step("recipe", text);
    const found = await session.ask("recipe", { text });
    const { steps } = found;
    assertGrid(await grid(), steps.scores, "scores");
    await pick("2 Divide");
    assertGrid(await grid(), steps.masked, "divided");
    await pick("3 Softmax");
    assertGrid(await grid(), steps.weights, "weights");
    (await grid()).forEach((row, i) => assertSays(row.at(-1), steps.row_sums[i], `sum of row ${i}`));
    await page.locator(".tick input").uncheck();
    assertGrid(await grid(), steps.unscaled.weights, "weights without the division");
    await page.locator(".tick input").check();
    await pick("4 Blend");
    await assertBlend(steps, found.tokens.findIndex(({ word }) => word !== null && found.words[word] === "it"));
  }
});

// The five largest shares and their values, what the others have together, and the new vector.
async function assertBlend({ weights, v, out, difference }, row) {
  const order = weights[row].map((_, j) => j).sort((a, b) => weights[row][b] - weights[row][a]);
  const shares = await page.locator(".blend-line b.number").allTextContents();
  const vectors = await page.locator(".blend-line .vector span").allTextContents();
  assert.equal(shares.length, 5);
  shares.forEach((text, i) => assertSays(text, weights[row][order[i]], `share ${i}`));
  [...order.slice(0, 5).map((j) => v[j]), out[row]].forEach((vector, i) => {
    const told = vectors[i].slice(1).split(", ").slice(0, 2);
    told.forEach((text, c) => assertSays(text, vector[c], `vector ${i}, ${c}`));
  });
  const [others, off] = await page.locator(".blend > p").allTextContents();
  const rest = order.slice(5).reduce((sum, j) => sum + weights[row][j], 0);
  assertSays(others, rest, "the others");
  assertSays(off.split("at most ")[1], difference, "difference");
}

test("scale: entropy and gradient, random and real", async () => {
  await step("scale");
  const found = await session.ask("scaling", {});
  await openDetails();
  for (const [n, of] of ["entropy", "gradient"].entries()) {
    const table = await tableOf(page.locator(".chart table").nth(n));
    found.rows.forEach((row, i) => {
      assertSays(table[i][1], row.scaled[of], `${of} divided ${row.d_k}`);
      assertSays(table[i][2], row.unscaled[of], `${of} not divided ${row.d_k}`);
    });
  }
  const { steps } = await session.ask("recipe", { text: kTired });
  const mean = (values) => values.reduce((sum, value) => sum + value, 0) / values.length;
  const own = await tableOf(figure(1).locator("table"));
  for (const [i, of] of [steps, steps.unscaled].entries()) {
    assertSays(own[i][1], mean(of.entropy), `entropy of the sentence, ${own[i][0]}`);
    assertSays(own[i][2], mean(of.gradient), `gradient of the sentence, ${own[i][0]}`);
  }
});

test("mask: the four by four map, before and after softmax", async () => {
  await step("mask");
  const found = await session.ask("preset", { name: "causal" });
  assertGrid(await grid(), found.percent, "percent");
  await pick("with the mask");
  assertGrid(await grid(), found.steps.masked, "masked");
  const mistakes = await session.ask("mistakes", { text: "The cat sat down" });
  const leak = mistakes.mistakes.find((one) => one.name === "zero_fill").figures.leak;
  assertSays(await figure().locator("b.number").textContent(), leak * 100, "leak");
  await pick("shares");
  const filled = found.zero_fill.weights.map((row) => row.map((weight) => weight * 100));
  assertGrid(await grid(1), filled, "filled with 0");
});

test("parallel: the rows of one pass", async () => {
  await step("parallel");
  const { models, default_model } = await session.ask("models", {});
  const model = models.find((one) => one.present && one.own_mask === "causal")?.name ?? default_model;
  const look = JSON.parse(program("look", "The cat sat on the mat", "--model", model, "--mask", "causal", "--json"));
  assertGrid(
    await grid(),
    look.grid.map(({ row }) => row.map((share) => share.percent)),
    "shares",
  );
});

test("switch: what comes later is blocked, and the same in both sentences", async () => {
  await step("switch");
  const right = page.locator(".pair .sentence").nth(1);
  const tired = await sharesIn(right);
  await pick("wide");
  await quiet(page);
  assert.deepEqual(await sharesIn(right), tired);
  assert.deepEqual(tired.slice(8), [null, null, null, null]);
  const left = await sharesIn(page.locator(".pair .sentence").nth(0));
  assert.ok(left.every((share) => share !== null));
});

test("mistakes: both grids and the figures of each", async () => {
  await step("mistakes");
  const { mistakes } = await session.ask("mistakes", { text: kTired });
  const labels = {
    mask_after_softmax: "Mask too late",
    no_scaling: "No division",
    wrong_transpose: "Wrong transpose",
    zero_fill: "Filled with 0",
  };
  for (const mistake of mistakes) {
    await pick(labels[mistake.name]);
    const grids = [mistake.right, mistake.wrong].filter((side) => side.grid);
    for (const [n, side] of grids.entries()) assertGrid(await grid(n), side.grid, mistake.name);
    const told = (await figure().locator("table").last().locator("td.number").allTextContents()).map((text) =>
      text.replace(" %", ""),
    );
    const leaks = Object.entries(mistake.figures).filter(([, value]) => value !== null);
    leaks.forEach(([key, value], i) =>
      assertSays(told[i], /leak/.test(key) ? value * 100 : value, `${mistake.name} ${key}`),
    );
    for (const error of [mistake.right.error, mistake.wrong.error].filter(Boolean))
      assert.ok((await figure().textContent()).includes(error));
  }
});

test("growth: pairs and bytes, up to a million tokens", async () => {
  await step("growth");
  const found = await session.ask("memory", {});
  const table = await grid();
  found.rows.forEach((row, i) => {
    assertSays(table[i][0], row.tokens, "tokens");
    assertSays(table[i][1], row.pairs, "pairs");
    assertSays(table[i][2], row.grid_bytes, "grid");
    assertSays(table[i][3], row.limelight_bytes, "without");
  });
});

test("growth: on a phone no number is broken, and nothing is beyond the edge", async () => {
  const phone = await session.visit("#learn/growth", { width: 360, height: 740 });
  const found = await phone.locator(".plain-table").evaluate((table) => ({
    beyond: table.scrollWidth - table.parentElement.clientWidth,
    broken: [...table.querySelectorAll("td")].filter((cell) => {
      const text = document.createRange();
      text.selectNodeContents(cell);
      return text.getClientRects().length > 1;
    }).length,
  }));
  assert.ok(found.beyond <= 0, `${found.beyond} px beyond`);
  assert.equal(found.broken, 0);
  await phone.context().close();
});

test("flash: every tile's running numbers, and the end", async () => {
  for (const text of [kTired, kOwn]) {
    await step("flash", text);
    const word = Number(await figure().locator("select").inputValue());
    const found = await session.ask("tiles", { text, tile: Number(await figure().getByLabel("Keys a tile").inputValue()), word });
    assert.ok(
      found.trace.some((tile) => tile.rescale > 0 && tile.rescale < 1),
      "a later tile is larger, so that the sum is rescaled",
    );
    for (let i = 1; i < found.trace.length; ++i) await page.getByText("Next tile").click();
    const rows = await grid(1);
    found.trace.forEach((tile, i) => {
      if (tile.skipped) return;
      const exact = [tile.tile_max, tile.max, tile.rescale, tile.sum];
      exact.forEach((value, j) => assertSays(rows[i][j + 1], value, `tile ${i}, ${j}`));
      assertSays(rows[i][5], tile.difference, `tile ${i} difference`);
    });
    assertSays(await figure().locator("b.number").last().textContent(), found.difference, "difference");
  }
});

test("speed: what is measured is shown as it comes, and can be stopped", async () => {
  await step("speed");
  await page.getByText("Measure on this machine").click();
  await page.locator(".plain-table tbody tr").first().waitFor();
  await page.getByText("Stop").click();
  assert.ok(await page.getByText("Measure on this machine").isVisible());
});

// "12.3 ms" says a number of seconds, to its last digit.
function assertSaysSeconds(text, exact, what) {
  const [number, unit] = text.split(" ");
  assertSays(number, exact * { s: 1, ms: 1e3, "µs": 1e6 }[unit], what);
}

test("speed: every row is as it was streamed", async () => {
  await step("speed");
  let streamed;
  const shorter = async (route) => {
    const asked = { ...route.request().postDataJSON(), tokens: [256, 512] };
    const response = await route.fetch({ postData: JSON.stringify(asked) });
    streamed = await response.text();
    await route.fulfill({ response, body: streamed });
  };
  await page.route("**/api/speed", shorter);
  await page.getByText("Measure on this machine").click();
  await page.locator(".plain-table tbody tr").nth(1).waitFor();
  await page.getByText("Stop").waitFor({ state: "detached" });
  await page.unroute("**/api/speed", shorter);
  const rows = [...streamed.matchAll(/event: part\ndata: (.*)\n/g)].map(([, json]) => JSON.parse(json));
  const table = await tableOf(page.locator(".plain-table"));
  assert.equal(rows.length, 2);
  assert.equal(table.length, 2);
  rows.forEach((row, i) => {
    const [tokens, plain, flash, faster, plainBytes, flashBytes, difference] = table[i];
    assertSays(tokens, row.tokens, "tokens");
    assertSaysSeconds(plain, row.plain_seconds, "plain");
    assertSaysSeconds(flash, row.flash_seconds, "flash");
    assertSays(faster, row.plain_seconds / row.flash_seconds, "faster");
    assertSays(plainBytes, row.plain_bytes, "memory, plain");
    assertSays(flashBytes, row.flash_bytes, "memory, flash");
    assertSays(difference, row.difference, "difference");
  });
  const told = await figure().locator("p b.number").textContent();
  assertSays(told, rows[1].plain_seconds / rows[1].flash_seconds, "faster, of the longest");
});

test("class: the weights as the program rounds them", async () => {
  await step("class");
  const found = await session.ask("class", {});
  for (const [label, mask] of [
    ["causal", "causal"],
    ["none", "full"],
  ]) {
    await pick(label);
    const cells = await grid();
    found[mask].weights.forEach((row, i) =>
      row.forEach((weight, j) =>
        assert.equal(cells[i][j + 1], weight === null ? "blocked" : found[mask].rounded[i][j]),
      ),
    );
  }
});

test("no page had an error, a refusal or a request to elsewhere", () => assert.deepEqual(session.faults, []));
