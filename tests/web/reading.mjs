// Reads numbers from the page, and says whether a number as written is the engine's, rounded to the digits it has.
import assert from "node:assert/strict";

const kRaised = "⁰¹²³⁴⁵⁶⁷⁸⁹";
const kBytes = { bytes: 1, KB: 1e3, MB: 1e6, GB: 1e9, TB: 1e12, PB: 1e15 };
const kSizes = { ...kBytes, million: 1e6, billion: 1e9, trillion: 1e12 };

// The value a text says and how far it may be off: half of its last digit.
export function written(text) {
  const plain = text.replaceAll(",", "").replaceAll("\u2212", "-");
  const found = plain.match(/(-?\d+)(?:\.(\d+))?(?: × 10(⁻?)([⁰¹²³⁴-⁹]+))?(?:\s(bytes|[KMGTP]B|[mb]illion|trillion))?/);
  assert.ok(found, `a number, found "${text}"`);
  const [, whole, digits = "", minus, power = "", unit] = found;
  const exponent = [...power].reduce((sum, c) => sum * 10 + kRaised.indexOf(c), 0) * (minus ? -1 : 1);
  const factor = 10 ** exponent * (kSizes[unit] ?? 1);
  return { value: Number(digits ? `${whole}.${digits}` : whole) * factor, slack: 0.5 * 10 ** -digits.length * factor };
}

export function assertSays(text, exact, what) {
  if (text.startsWith("<")) {
    assert.ok(exact < written(text.slice(1)).value, `${what}: the page says ${text}, the engine ${exact}`);
    return;
  }
  const { value, slack } = written(text);
  const off = Math.abs(value - exact);
  assert.ok(off <= slack * (1 + 1e-9) + 1e-12 * Math.abs(exact), `${what}: the page says ${text}, the engine ${exact}`);
}

// A table as lists of what its cells say, without its head; blocked cells say so.
export async function tableOf(locator) {
  return locator.evaluate((table) =>
    [...table.querySelectorAll("tbody tr")].map((row) => [...row.children].map((cell) => cell.textContent.trim())),
  );
}

// A number grid of the lesson against the engine's: blocked where the engine has null.
export function assertGrid(cells, exact, what) {
  assert.equal(cells.length, exact.length, `${what}: rows`);
  exact.forEach((row, i) =>
    row.forEach((value, j) => {
      const text = cells[i][j + 1];
      if (value === null) assert.equal(text, "blocked", `${what} ${i}, ${j}`);
      else assertSays(text, value, `${what} ${i}, ${j}`);
    }),
  );
}

// The shares under the words of a sentence: a percentage each, or null where it says blocked.
export async function sharesIn(sentence) {
  const told = await sentence.locator(".word .share").allTextContents();
  return told.map((text) => (text === "blocked" ? null : text === "<0.1" ? 0 : Number(text)));
}

// A word of a row as a table names it: with its place, "it:2", where the text has it several times.
export function named(row, index) {
  const same = row.filter(({ word }) => word.toLowerCase() === row[index].word.toLowerCase());
  return row[index].word + (same.length > 1 ? `:${same.findIndex((share) => share.index === index) + 1}` : "");
}
