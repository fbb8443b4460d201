// The program and a browser for the tests: started once a file, ended with it. Every page watches for errors and refusals.
import { spawn, execFileSync } from "node:child_process";
import { existsSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { chromium } from "playwright-core";

const kRoot = path.resolve(path.dirname(fileURLToPath(import.meta.url)), "../..");
export const kProgram = process.env.LIMELIGHT ?? path.join(kRoot, "build/release/limelight");
const kBrowser = process.env.CHROMIUM ?? "/usr/bin/chromium";

export const kTired = "The animal didn't cross the street because it was too tired.";

export function fragment(room, fields = {}) {
  const query = new URLSearchParams(fields).toString();
  return `#${room}${query ? `?${query}` : ""}`;
}

export function program(...args) {
  return execFileSync(kProgram, args, { encoding: "utf8", maxBuffer: 1 << 28 });
}

function served(environment) {
  const env = { ...process.env, ...environment };
  const child = spawn(kProgram, ["studio", "--no-open"], { stdio: ["ignore", "pipe", "inherit"], env });
  const url = new Promise((give, fail) => {
    let told = "";
    child.stdout.on("data", (text) => {
      told += text;
      const found = told.match(/http:\/\/127\.0\.0\.1:\d+/);
      if (found) give(`${found[0]}/`);
    });
    child.on("error", fail);
    child.on("exit", (code) => fail(new Error(`limelight studio ended with ${code}: ${told}`)));
  });
  const end = () =>
    new Promise((done) => {
      child.on("exit", done);
      child.kill("SIGINT");
    });
  return { url, end };
}

// What a page did that no page may do: an error in the console, a refused request, a request to elsewhere.
function watch(page, origin, faults) {
  page.on("pageerror", (error) => faults.push(`error: ${error.message}`));
  page.on("console", (message) => message.type() === "error" && faults.push(`console: ${message.text()}`));
  page.on("response", (response) => response.status() >= 400 && faults.push(`${response.status()} ${response.url()}`));
  page.on("request", (request) => {
    const url = request.url();
    if (!url.startsWith(origin) && !/^(data|blob|file):/.test(url)) faults.push(`request: ${url}`);
  });
}

export async function open(environment) {
  if (!existsSync(kBrowser)) throw new Error(`${kBrowser} is missing; as root: apt-get install chromium`);
  const server = process.env.STUDIO_URL && !environment ? { url: process.env.STUDIO_URL, end: async () => {} } : served(environment);
  const url = await server.url;
  const browser = await chromium.launch({ executablePath: kBrowser, args: ["--no-sandbox"] });
  const faults = [];

  async function visit(place = "", options = {}) {
    const { width = 1280, height = 900, theme = "light", ...rest } = options;
    const context = await browser.newContext({ viewport: { width, height }, colorScheme: theme, ...rest });
    const page = await context.newPage();
    watch(page, url, faults);
    count(page);
    await page.goto(/^(file|http):/.test(place) ? place : url + place);
    await quiet(page);
    return page;
  }

  async function ask(name, body) {
    const response = await fetch(`${url}api/${name}`, {
      method: "POST",
      headers: { "Content-Type": "application/json" },
      body: JSON.stringify(body),
    });
    return response.json();
  }

  async function close() {
    await browser.close();
    await server.end();
  }

  return { url, browser, visit, ask, faults, close };
}

const kCalm = 120; // milliseconds without a request after which nothing more is expected
const pending = new WeakMap(); // page -> its requests on their way, and when the last one ended

function count(page) {
  const state = { open: 0, changed: Date.now() };
  pending.set(page, state);
  const step = (by) => () => Object.assign(state, { open: state.open + by, changed: Date.now() });
  page.on("request", step(1));
  page.on("requestfinished", step(-1));
  page.on("requestfailed", step(-1));
}

// Until the page has drawn twice: what came, was typed or clicked is rendered, and what hangs on it is asked.
function drawn(page) {
  return page.evaluate(async () => {
    for (let i = 0; i < 2; ++i) await new Promise((next) => requestAnimationFrame(() => setTimeout(next)));
  });
}

// Until nothing is on its way any more, and has not been for a moment, however busy the machine is.
export async function quiet(page) {
  const state = pending.get(page);
  let last;
  do {
    await drawn(page);
    const asked = Date.now();
    while (state.open > 0 || Date.now() - Math.max(state.changed, asked) < kCalm) {
      await new Promise((next) => setTimeout(next, 15));
    }
    last = state.changed;
    await drawn(page);
  } while (state.open > 0 || state.changed !== last);
}
