// Files that the page itself makes of a view: its numbers are the program's, and each file says what made it.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { after, before, test } from "node:test";
import { kStory } from "./places.mjs";
import { named } from "./reading.mjs";
import { fragment, kTired, open, program, quiet } from "./session.mjs";

const floatsOf = (text) => new Float32Array(Uint8Array.from(Buffer.from(text, "base64")).buffer);
let session;
let engine;
let models;
before(async () => {
  session = await open();
  const told = await session.ask("models", {});
  engine = `limelight ${told.version}`;
  models = told.models.filter((model) => model.present);
});
after(() => session.close());

async function download(page, button) {
  const [found] = await Promise.all([page.waitForEvent("download"), button.click()]);
  return { name: found.suggestedFilename(), bytes: readFileSync(await found.path()) };
}

// Every file of one row of buttons, by format.
async function filesOf(page, what = "this view") {
  const group = page.getByRole("group", { name: `Save ${what}`, exact: true });
  await group.waitFor();
  const files = {};
  for (const button of await group.getByRole("button").all()) {
    const format = (await button.textContent()).toLowerCase();
    const { name, bytes } = await download(page, button);
    assert.ok(name.startsWith("limelight-") && name.endsWith(`.${format}`), name);
    if (format === "png") assert.equal(bytes.subarray(1, 4).toString(), "PNG");
    files[format] = format === "png" ? bytes : bytes.toString("utf8");
  }
  return files;
}

// Of a CSV without quoted fields.
function lines(csv) {
  const [head, ...rest] = csv.trimEnd().split("\n");
  const names = head.split(",");
  return rest.map((line) => Object.fromEntries(line.split(",").map((cell, i) => [names[i], cell])));
}

function near(found, expected, what) {
  assert.ok(Math.abs(Number(found) - expected) <= 1e-6, `${what}: ${found}, not ${expected}`);
}

// The text of a picture, which must be XML.
function textIn(page, svg) {
  return page.evaluate((source) => {
    const found = new DOMParser().parseFromString(source, "image/svg+xml");
    if (found.querySelector("parsererror")) throw new Error(found.documentElement.textContent);
    return [...found.querySelectorAll("text")].map((text) => text.textContent);
  }, svg);
}

test("all heads: every cell, and every head of the ranking", async () => {
  const page = await session.visit(fragment("look", { view: "heads", to: "1", mask: "causal" }));
  const { svg, csv, json } = await filesOf(page);
  const found = await session.ask("thumbnails", { text: kTired, mask: "causal", side: 16 });
  const cells = floatsOf(found.cells);
  const rows = lines(csv);
  assert.equal(rows.length, cells.length);
  rows.forEach((row, i) => {
    const place = ((Number(row.layer) * found.heads + Number(row.head)) * 16 + Number(row.row)) * 16 + Number(row.column);
    assert.equal(place, i);
    assert.equal(row.blocked, String(Number.isNaN(cells[i])));
    if (!Number.isNaN(cells[i])) near(row.weight, cells[i], `cell ${i}`);
    else assert.equal(row.weight, "");
  });
  assert.deepEqual([rows[0].engine, rows[0].model, rows[0].mask], [engine, found.model, "causal"]);
  const whole = JSON.parse(json);
  assert.deepEqual([whole.engine, whole.mask, whole.text, whole.rows.length], [engine, "causal", kTired, cells.length]);
  assert.equal((svg.match(/<image /g) ?? []).length, found.layers * found.heads + 1);
  assert.match((await textIn(page, svg)).join("\n"), new RegExp(`${found.model}, all .*Made by ${engine}`));

  const ranking = await filesOf(page, "the ranking of all heads");
  const { heads } = await session.ask("heads", { text: kTired, mask: "causal", from: 7, to: 1 });
  lines(ranking.csv).forEach((row, i) => {
    assert.deepEqual([row.from, row.to, row.layer, row.head], ["it", "animal", `${heads[i].layer}`, `${heads[i].head}`]);
    near(row.weight, heads[i].weight, `head ${i}`);
  });
});

test("compare: both rows, each with its head, and the picture has every word and share", async () => {
  const place = { view: "compare", layer: 3, head: 1, layer2: 5, head2: 11 };
  const page = await session.visit(fragment("look", place));
  const { svg, csv } = await filesOf(page);
  const rows = lines(csv);
  const told = await textIn(page, svg);
  for (const [side, layer, head] of [
    ["first", "3", "1"],
    ["second", "5", "11"],
  ]) {
    const look = JSON.parse(program("look", kTired, "--word", "it", "--layer", layer, "--head", head, "--json"));
    const mine = rows.filter((row) => row.side === side);
    assert.equal(mine.length, look.row.length);
    look.row.forEach((share, i) => {
      const { word, percent, weight, query } = mine[i];
      assert.deepEqual([mine[i].layer, mine[i].head, query, word], [layer, head, "it", share.word]);
      assert.equal(Number(percent), share.percent);
      near(weight, share.weight, named(look.row, i));
      assert.ok(told.includes(share.percent.toFixed(1)) && told.includes(share.word), share.word);
    });
  }
  assert.match(told.at(-1), new RegExp(`L3\\.H1.*L5\\.H11.*Made by ${engine}`));
});

test("write on: where each token looked", async (t) => {
  const writer = models.find((model) => model.writes);
  if (!writer) return t.skip("no model that writes is here");
  const text = "Once upon a time";
  const page = await session.visit(fragment("look", { view: "write", text, model: writer.name }));
  assert.equal(await page.getByRole("group", { name: "Save this view" }).count(), 0);
  await page.getByRole("button", { name: "Write on" }).click();
  await page.getByRole("group", { name: "Save this view" }).waitFor();
  const { svg, json } = await filesOf(page);
  const made = await session.ask("generate", { text, model: writer.name, max_tokens: 24, temperature: 0 });
  const saved = JSON.parse(json);
  assert.deepEqual([saved.model, saved.layer, saved.head, saved.mask], [writer.name, made.layer, made.head, "causal"]);
  const expected = made.tokens.flatMap(({ token, top }) => top.map(({ word, weight }) => ({ token, word, weight })));
  const rows = saved.rows.filter((row) => row.word !== null);
  assert.equal(rows.length, expected.length);
  expected.forEach(({ token, word, weight }, i) => {
    assert.deepEqual([rows[i].token, rows[i].word], [token, word]);
    near(rows[i].weight, weight, word);
  });
  assert.match((await textIn(page, svg)).join("\n"), new RegExp(`Once upon a time[^]*Made by ${engine}`));
});

test("long: the light that each word receives and the pinned row, with the map", async () => {
  const page = await session.visit(fragment("long", { text: kStory, pins: "5" }));
  const { svg, csv, json } = await filesOf(page, "the map, the row and the light received");
  const map = await session.ask("map", { text: kStory, side: 160 });
  const look = await session.ask("look", { text: kStory, layer: map.layer, head: map.head, word: 5 });
  const received = floatsOf(map.received);
  const saved = JSON.parse(json);
  assert.equal(saved.rows.length, map.words.length);
  saved.rows.forEach((row, i) => {
    assert.deepEqual([row.word, row.percent], [map.words[i], look.row[i].percent]);
    near(row.received, received[i], row.word);
    near(row.weight, look.row[i].weight, row.word);
  });
  floatsOf(map.mean).forEach((mean, i) => near(saved.map.mean[i], mean, `cell ${i}`));
  assert.match(csv, new RegExp(`^engine,model,mask,layer,head,[^\n]*\n${engine},${map.model},none,${map.layer},`));
  assert.match((await textIn(page, svg)).at(-1), new RegExp(`L${map.layer}\\.H${map.head}.*Made by ${engine}`));
});

test("what a text holds stays text, and no cell is a formula", async () => {
  const text = 'it = <b>&"x" + @ - it';
  const page = await session.visit(fragment("look", { view: "compare", text }));
  const { svg, csv } = await filesOf(page);
  const told = await textIn(page, svg);
  for (const part of ["<", "&", '"', "="]) assert.ok(told.includes(part), part);
  assert.match(csv, /,'=,1,/);
  assert.doesNotMatch(csv, /,[=+@-][,\n]/);
});

test("no file asked for anything", () => assert.deepEqual(session.faults, []));
