// Assemblies, pages and pixels for the tests of the page.
import { execFileSync, spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { chromium } from "playwright-core";

export const root = resolve(dirname(fileURLToPath(import.meta.url)), "../..");
const program = process.env.INTERFERE ?? join(root, "target/debug/interfere");
const browserPath = process.env.CHROMIUM ?? "/usr/bin/chromium";

export const folder = mkdtempSync(join(tmpdir(), "interfere-page-"));
process.on("exit", () => rmSync(folder, { recursive: true, force: true }));

/** Runs the program; returns exit code, stdout and stderr. Fails on exit 2. */
export function run(...args) {
  const ran = spawnSync(program, args, { encoding: "utf8", maxBuffer: 1 << 28 });
  if (ran.error) throw ran.error;
  if (ran.status > 1) throw new Error(`${args.join(" ")}\n${ran.stderr}`);
  return ran;
}

/** Writes the page of an assembly file; returns its path. */
export function pageOf(assembly, name, ...flags) {
  const file = join(folder, `${name}.html`);
  run("check", assembly, "--quiet", "--allow-outside", "--format", `html=${file}`, ...flags);
  return file;
}

export const fixture = (name) => join(root, "fixtures/cases", name, "assembly.json");

/** Solid block in the format STL, as text. */
export function block([x, y, z]) {
  const p = (k) => [k & 1 ? x : 0, k & 2 ? y : 0, k & 4 ? z : 0];
  const faces = [[0, 2, 3, 1], [4, 5, 7, 6], [0, 1, 5, 4], [2, 6, 7, 3], [0, 4, 6, 2], [1, 3, 7, 5]];
  const triangles = faces.flatMap(([a, b, c, d]) => [[a, b, c], [a, c, d]]);
  const facet = (t) => `facet normal 0 0 0\nouter loop\n${t.map((k) => `vertex ${p(k).join(" ")}`).join("\n")}\nendloop\nendfacet`;
  return `solid block\n${triangles.map(facet).join("\n")}\nendsolid block\n`;
}

/** Writes an assembly of blocks: `parts` maps names to sizes, `instances` are `[id, part, translation]`. */
export function blocks(name, parts, instances, more = {}) {
  const at = join(folder, name);
  mkdirSync(at, { recursive: true });
  const table = {};
  Object.entries(parts).forEach(([key, size], k) => {
    writeFileSync(join(at, `${k}.stl`), block(size));
    table[key] = { mesh: `${k}.stl` };
  });
  const assembly = {
    version: 1, name, parts: table, units: "mm",
    instances: instances.map(([id, part, translation]) => ({ id, part, placement: { translation } })), ...more,
  };
  const file = join(at, "assembly.json");
  writeFileSync(file, JSON.stringify(assembly));
  return file;
}

/** `n` bars through `n` plates, each pair with an overlap of its own; no two lines are alike. */
export function crowd(name, n) {
  const instances = [];
  for (let k = 0; k < n; k++) {
    const [x, y] = [30 * (k % 100), 30 * Math.floor(k / 100)];
    instances.push([`plate-${k}`, "plate", [x, y, 0]], [`bar-${k}`, "bar", [x + 2, y + 2, 1 - 0.05 - 0.00005 * k]]);
  }
  return blocks(name, { plate: [10, 10, 1], bar: [4, 3, 2] }, instances);
}

let shared = null;

/** The browser of the tests, started once. */
export const browser = async (args = []) => {
  if (args.length) return chromium.launch({ executablePath: browserPath, args });
  shared ??= chromium.launch({ executablePath: browserPath });
  return shared;
};

export const closeBrowser = async () => (await shared)?.close();

/**
 * Opens a page and waits until it is ready. `seen` collects requests, errors of the console and violations of the
 * policy.
 */
export async function open(file, { hash = "", context = {}, args = [], wait = true } = {}) {
  const started = await browser(args);
  const inContext = await started.newContext({ viewport: { width: 1280, height: 800 }, ...context });
  const page = await inContext.newPage();
  const seen = [];
  page.on("request", (r) => { if (!r.url().startsWith("data:")) seen.push(`request ${r.url()}`); });
  page.on("console", (m) => { if (m.type() === "error") seen.push(`console ${m.text()}`); });
  page.on("pageerror", (e) => seen.push(`error ${e.message}`));
  page.on("dialog", (d) => { seen.push(`dialog ${d.message()}`); d.dismiss(); });
  const url = pathToFileURL(file).href;
  await page.goto(url + hash);
  if (wait) await ready(page);
  return { page, seen: () => seen.filter((s) => s !== `request ${url}`), close: () => args.length ? started.close() : inContext.close() };
}

export const ready = (page) => page.waitForFunction(() => document.documentElement.dataset.ready === "yes", null, { timeout: 120_000 });

/** Waits until the stage rests and everything is drawn. */
export async function rest(page) {
  let last = "";
  for (let k = 0; k < 60; k++) {
    await page.waitForTimeout(220);
    const now = await page.evaluate(() => { const c = document.getElementById("gl"); return `${c.dataset.drawn} ${c.dataset.moving}`; });
    if (now === last && now.endsWith("false")) return;
    last = now;
  }
  throw new Error("the stage does not rest");
}

/** Pixels of the main panel without its marks: counts of colours, and all bytes as base64. */
export function pixels(page) {
  return page.evaluate(() => {
    const gl = document.getElementById("gl"), k = gl.width / gl.clientWidth;
    const [left, bottom, width, height] = gl.dataset.panel.split(" ").map(Number);
    const copy = document.createElement("canvas");
    [copy.width, copy.height] = [Math.round(width * k), Math.round(height * k)];
    const c = copy.getContext("2d", { willReadFrequently: true });
    c.drawImage(gl, -left * k, -(gl.clientHeight - bottom - height) * k);
    const bytes = c.getImageData(0, 0, copy.width, copy.height).data;
    const counts = { red: 0, blue: 0, amber: 0, all: copy.width * copy.height, distinct: 0 };
    const colors = new Set();
    for (let p = 0; p < bytes.length; p += 4) {
      const [r, g, b] = [bytes[p], bytes[p + 1], bytes[p + 2]];
      colors.add(r << 16 | g << 8 | b);
      // Red and its edges; blue and amber of any lightness.
      if (r > 100 && g < 60 && b < 70) counts.red++;
      else if (b > r + 25) counts.blue++;
      else if (r > b + 50) counts.amber++;
    }
    counts.distinct = colors.size;
    let text = "";
    for (let p = 0; p < bytes.length; p += 32768) text += String.fromCharCode(...bytes.subarray(p, p + 32768));
    return { ...counts, width: copy.width, height: copy.height, mm: Number(gl.dataset.mm) / k, bytes: btoa(text) };
  });
}

/** Share of the pixels that differ by more than `step` in a channel. */
export function difference(one, other, step = 8) {
  const [a, b] = [one, other].map((p) => Buffer.from(p.bytes, "base64"));
  if (a.length !== b.length) return 1;
  let n = 0;
  for (let p = 0; p < a.length; p += 4) {
    n += [0, 1, 2].some((k) => Math.abs(a[p + k] - b[p + k]) > step) ? 1 : 0;
  }
  return n / (a.length / 4);
}

export const read = (file) => readFileSync(file, "utf8");
export { execFileSync, join, writeFileSync };
