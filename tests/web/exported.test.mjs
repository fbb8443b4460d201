// The exported file: one file from disk, no request, the pinned word kept, its numbers as exact as shown.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { after, before, test } from "node:test";
import { pathToFileURL } from "node:url";
import { complaints } from "./axe.mjs";
import { sharesIn } from "./reading.mjs";
import { fragment, kProgram, kTired, open, program } from "./session.mjs";

const kMost = 1.5 * 1024 * 1024;
let session;
let folder;

before(async () => {
  session = await open();
  folder = mkdtempSync(path.join(tmpdir(), "limelight-"));
});
after(async () => {
  await session.close();
  rmSync(folder, { recursive: true });
});

async function exported(name, ...args) {
  const file = path.join(folder, name);
  program("look", ...args, "--html", file);
  const page = await session.visit(pathToFileURL(file).href, { offline: true });
  return { file, page };
}

test("the file shows the pinned word's shares and says what made it", async () => {
  const { page } = await exported("it.html", kTired, "--word", "it");
  const look = JSON.parse(program("look", kTired, "--word", "it", "--json"));
  assert.deepEqual(
    await sharesIn(page.locator(".sentence")),
    look.row.map((share) => share.percent),
  );
  assert.deepEqual(await page.locator('.word[aria-pressed="true"] .token').allTextContents(), ["it"]);
  assert.match(await page.locator("main").textContent(), /minilm L5\.H11.*every word sees every other.*limelight \d/s);
});

test("every other word and head is in it, with the program's percentages", async () => {
  const { page } = await exported("all.html", kTired, "--word", "it", "--mask", "causal");
  await page.locator("select").nth(0).selectOption("3");
  await page.locator("select").nth(1).selectOption("1");
  await page.locator(".word", { hasText: "tired" }).click();
  const look = JSON.parse(
    program("look", kTired, "--word", "tired", "--layer", "3", "--head", "1", "--mask", "causal", "--json"),
  );
  assert.deepEqual(
    await sharesIn(page.locator(".sentence")),
    look.row.map((share) => share.percent),
  );
});

// The file that the page saves.
async function saved(asked) {
  const { content } = await session.ask("export", { text: kTired, format: "html", ...asked });
  const file = path.join(folder, "saved.html");
  writeFileSync(file, content);
  return session.visit(pathToFileURL(file).href, { offline: true });
}

const sum = async (page) => (await page.locator(".sum").textContent()).replaceAll(/Vec\(([^)]*)\)/g, "$1");

test("several words stay several, and each of them has its own row besides", async () => {
  const both = await session.ask("look", { text: kTired, word: [1, 7] });
  const page = await saved({ word: [1, 7] });
  assert.equal(await sum(page), `mean of the new vectors of ${both.sum}`);
  assert.match(await page.locator("h1").textContent(), /animal \+ it” look together/);
  assert.equal(await page.locator('.word[aria-pressed="true"]').count(), 2);
  await page.locator(".word", { hasText: "animal" }).click();
  const one = await session.ask("look", { text: kTired, word: 1 });
  assert.equal(await sum(page), `new vector of ${one.sum}`);
  await page.getByRole("button", { name: "Back to animal + it" }).click();
  assert.equal(await sum(page), `mean of the new vectors of ${both.sum}`);
});

test("another temperature is told", async () => {
  const page = await saved({ word: 7, temperature: 0.3 });
  assert.match(await page.locator("main").textContent(), /softmax temperature 0\.3/);
  assert.doesNotMatch(await (await saved({ word: 7 })).locator("main").textContent(), /temperature/);
});

test("the file of a map has the map, and opens with the pinned word or piece", async () => {
  for (const pieces of [false, true]) {
    const page = await saved({ pieces, pin: 8 });
    assert.equal(await page.locator(".heatmap canvas").count(), 1);
    const pinned = page.locator('.word[aria-pressed="true"]');
    assert.equal(await pinned.getAttribute("data-word"), "8");
    await page.locator(".picture").focus();
    for (const key of ["Home", "ArrowUp"]) await page.keyboard.press(key);
    const look = await session.ask("look", { text: kTired, pieces });
    const { percent } = look.grid[7].row[0];
    assert.ok((await page.locator(".heatmap .told").textContent()).endsWith(`: ${percent.toFixed(1)} %`));
    await page.keyboard.press("Enter");
    assert.equal(await pinned.getAttribute("data-word"), "7");
  }
});

test("64 tokens and all heads stay under 1.5 MB", async () => {
  const text = "the cat sat on the mat and ".repeat(9).trim().split(" ").slice(0, 62).join(" ");
  const { file, page } = await exported("long.html", text, "--word", "cat:1");
  assert.ok(statSync(file).size < kMost, `${statSync(file).size} bytes`);
  assert.equal(await page.locator(".word").count(), 62);
});

test("a text too long to keep all heads says so, in the file and when it is written", async () => {
  const text = "the cat sat on the mat and ".repeat(20).trim();
  const file = path.join(folder, "one_head.html");
  const { stderr } = spawnSync(kProgram, ["look", text, "--word", "cat:1", "--html", file], { encoding: "utf8" });
  const note = "the page keeps L5.H11 alone: all heads of a text of 140 words would take more than 1 MB";
  assert.ok(stderr.includes(note), stderr);
  const page = await session.visit(pathToFileURL(file).href, { offline: true });
  assert.deepEqual(await page.locator(".notes li").allTextContents(), [note]);
  assert.equal(await page.locator("select").count(), 0);
  assert.equal(await (await exported("all_heads.html", kTired, "--word", "it")).page.locator(".notes").count(), 0);
});

test("axe-core finds nothing in the file, light or dark", async () => {
  const { file } = await exported("axe.html", kTired, "--word", "it", "--mask", "causal");
  for (const theme of ["light", "dark"]) {
    const page = await session.visit(pathToFileURL(file).href, { offline: true, theme });
    assert.deepEqual(await complaints(page), []);
  }
});

test("text that looks like markup stays text", async () => {
  const { file, page } = await exported(
    "hostile.html",
    "</script><script>document.title='owned'</script> it",
    "--word",
    "it",
  );
  assert.doesNotMatch(await page.title(), /owned/);
  assert.doesNotMatch(readFileSync(file, "utf8"), /document\.title='owned'<\/script>/);
});

test("the page saves the same file, and all other forms", async () => {
  const page = await session.visit(fragment("look"));
  for (const [button, end] of [
    ["HTML", ".html"],
    ["SVG", ".svg"],
    ["PNG", ".png"],
    ["CSV", ".csv"],
    ["JSON", ".json"],
  ]) {
    const [download] = await Promise.all([
      page.waitForEvent("download"),
      page.getByRole("button", { name: button, exact: true }).click(),
    ]);
    assert.ok(download.suggestedFilename().endsWith(end), download.suggestedFilename());
    const bytes = readFileSync(await download.path());
    assert.ok(bytes.length > 200, `${button}: ${bytes.length} bytes`);
    if (button === "PNG") assert.equal(bytes.subarray(1, 4).toString(), "PNG");
    if (button === "JSON") assert.equal(JSON.parse(bytes).query.word, "it");
  }
});

test("no file asked for anything", () => assert.deepEqual(session.faults, []));
