// Does the page work in a browser: from disk, by keyboard, in a sandbox, with hostile names, and with many findings?
import assert from "node:assert/strict";
import { createRequire } from "node:module";
import { after, before, test } from "node:test";
import {
  blocks, closeBrowser, crowd, difference, fixture, folder, join, open, pageOf, pixels, read, ready, rest, run, writeFileSync,
} from "./support.js";

const axe = read(createRequire(import.meta.url).resolve("axe-core/axe.min.js"));
let one, several;

const SEVERAL = {
  parts: { plate: [20, 20, 2], bar: [6, 5, 8], peg: [3, 3, 6] },
  instances: [["plate", "plate", [0, 0, 0]], ["bar", "bar", [3, 3, 1.5]], ["plate-2", "plate", [30, 0, 0]],
    ["peg", "peg", [33, 4, 1.2]], ["peg-2", "peg", [42, 13, 2.3]], ["plate-3", "plate", [60, 0, 0]], ["bar-2", "bar", [63, 5, 1.9]]],
  more: { rules: [{ between: ["plate*", "peg-2"], min_clearance: 0.5, reason: "hot" }] },
};

before(() => {
  one = pageOf(fixture("pivot"), "one");
  several = pageOf(blocks("several", SEVERAL.parts, SEVERAL.instances, SEVERAL.more), "several", "--fail-on", "any");
});
after(closeBrowser);

const selected = (page) => page.evaluate(() => ({
  row: document.querySelector("#rows tr.on td")?.textContent, names: document.getElementById("pair").innerText.replace(/\s+/g, " "),
  sentence: document.getElementById("sentence").innerText, label: document.getElementById("gl").getAttribute("aria-label"),
  live: document.getElementById("live").textContent, hash: location.hash,
}));
const press = async (page, key) => {
  await page.focus("#gl");
  await page.keyboard.press(key);
  await rest(page);
};
const slide = async (page, id, value) => {
  await page.evaluate(([name, v]) => {
    const input = document.getElementById(name);
    input.value = v;
    input.dispatchEvent(new Event("input", { bubbles: true }));
  }, [id, String(value)]);
  await rest(page);
};

test("opens from disk without requests, errors and violations, and shows the overlap", async () => {
  const { page, seen, close } = await open(one);
  await rest(page);
  assert.deepEqual(seen(), []);
  for (const key of ["1", "2"]) {
    await press(page, key);
    assert.ok((await pixels(page)).red > 50, `red in view ${key}`);
  }
  await press(page, "3");
  const where = await pixels(page);
  assert.ok(where.blue > 50 && where.amber > 20 && where.distinct > 20, JSON.stringify({ ...where, bytes: "" }));
  assert.deepEqual(seen(), []);
  await close();
});

test("a click, keys, the address and back select a finding", async () => {
  const { page, seen, close } = await open(several);
  const ids = JSON.parse(await page.evaluate(() => document.getElementById("report").textContent)).findings;
  assert.ok(ids.length >= 3, "several findings");
  await page.click("#rows tr:nth-child(2) button");
  const second = await selected(page);
  assert.equal(second.row, "2");
  assert.ok(second.hash.includes(`finding=${ids[1].id}`), second.hash);
  assert.ok(second.label.includes(ids[1].sentence) && second.live === ids[1].sentence, second.label);
  for (const line of ids[1].lines.slice(1)) assert.ok(second.sentence.includes(line), second.sentence);
  await page.keyboard.press("j");
  assert.equal((await selected(page)).row, "3");
  await page.keyboard.press("k");
  await page.keyboard.press("k");
  assert.equal((await selected(page)).row, "1");
  await page.goBack();
  assert.equal((await selected(page)).row, "2");
  await page.evaluate((id) => { location.hash = `#finding=${id}&view=where`; }, ids[2].id);
  await page.waitForTimeout(300);
  assert.equal((await selected(page)).row, "3");
  assert.equal(await page.getAttribute("#views [data-view=where]", "aria-pressed"), "true");
  await rest(page);
  assert.ok((await pixels(page)).distinct > 20, "the canvas is not blank");
  await close();
  const direct = await open(several, { hash: `#finding=${ids[1].id}&view=section` });
  assert.equal((await selected(direct.page)).row, "2");
  assert.deepEqual([...seen(), ...direct.seen()], []);
  await direct.close();
  const missing = await open(several, { hash: "#finding=000000000000" });
  assert.match(await missing.page.innerText("#message"), /no finding 000000000000/);
  await missing.close();
});

test("the slider moves the part out of the overlap and back", async () => {
  for (const file of [one, several]) {
    const { page, close } = await open(file);
    for (const view of ["1", "2"]) {
      await press(page, view);
      const start = await pixels(page);
      assert.ok(start.red > 50);
      await slide(page, "slide", 0.5);
      assert.ok(difference(await pixels(page), start) > 0.001, "half way looks different");
      await slide(page, "slide", 1);
      assert.equal((await pixels(page)).red, 0, `red at the end in view ${view}`);
      await slide(page, "slide", 0);
      assert.equal(difference(await pixels(page), start), 0);
    }
    await close();
  }
});

test("the section plane moves, and leaves the overlap", async () => {
  const { page, close } = await open(one, { hash: "#view=section" });
  await rest(page);
  const start = await pixels(page);
  await press(page, "]");
  assert.ok(difference(await pixels(page), start) > 0.0001);
  await slide(page, "plane", 1);
  assert.equal((await pixels(page)).red, 0);
  await press(page, "r");
  assert.equal(difference(await pixels(page), start), 0);
  await page.mouse.move(600, 450);
  await page.mouse.down();
  await page.mouse.move(680, 480, { steps: 4 });
  await page.mouse.up();
  await rest(page);
  assert.ok(difference(await pixels(page), start) > 0.05, "a drag turns the view");
  await close();
});

test("the list filters, sorts and follows an instance", async () => {
  const { page, close } = await open(several);
  const rows = () => page.locator("#rows tr:not(.space)").count();
  const all = await rows();
  await page.fill("#filter", "peg-2");
  const some = await rows();
  assert.ok(some > 0 && some < all);
  await page.fill("#filter", "no such name");
  assert.equal(await rows(), 0);
  await page.fill("#filter", "");
  await page.selectOption("#status", "too_close");
  assert.equal(await page.locator("#rows .too_close").count(), await rows());
  await page.selectOption("#status", "");
  await page.selectOption("#sort", "name");
  const names = await page.locator("#rows .name-a").allInnerTexts();
  assert.deepEqual(names, [...names].sort(new Intl.Collator("en", { numeric: true }).compare));
  await page.click("#pair .name-a");
  assert.ok(await page.isVisible("#instance"));
  assert.ok((await rows()) <= all);
  await page.click("#instance");
  assert.equal(await rows(), all);
  // A click on the part in the middle of the stage names it.
  const box = await page.locator("#gl").boundingBox();
  const main = (await page.getAttribute("#gl", "data-panel")).split(" ").map(Number);
  await page.mouse.click(box.x + main[2] / 2, box.y + main[3] / 2);
  await page.waitForTimeout(300);
  assert.match(await page.innerText("#picked"), /^(plate|bar|peg)(-\d)?\n/);
  await close();
});

test("works as an opaque origin in a sandbox", async () => {
  const outer = join(folder, "outer.html");
  writeFileSync(outer, '<!doctype html><iframe sandbox="allow-scripts" src="several.html" width="1200" height="700"></iframe>');
  const { page, seen, close } = await open(outer, { wait: false });
  const frame = await (await page.waitForSelector("iframe")).contentFrame();
  await ready(frame);
  assert.equal(await frame.evaluate(() => origin), "null");
  await frame.click("#rows tr:nth-child(2) button");
  assert.equal(await frame.innerText("#rows tr.on td"), "2");
  await frame.waitForTimeout(500);
  assert.ok((await pixels(frame)).distinct > 20);
  assert.deepEqual(seen().filter((s) => !s.startsWith("request file:")), []);
  await close();
});

test("without WebGL and without scripts, table and pictures show", async () => {
  const cases = [{ args: ["--disable-gpu", "--disable-software-rasterizer", "--disable-3d-apis"] }, { context: { javaScriptEnabled: false } }];
  for (const options of cases) {
    const { page, seen, close } = await open(several, { ...options, wait: false });
    await page.waitForTimeout(500);
    assert.ok(await page.isVisible("#static table"));
    assert.ok(await page.isVisible("#static img"));
    assert.ok(!(await page.isVisible("#app")));
    assert.ok((await page.locator("#static img").first().boundingBox()).height > 200);
    assert.deepEqual(seen().filter((s) => s.startsWith("request") || s.includes("Content Security")), []);
    await close();
  }
});

test("hostile names run nothing and are shown escaped", async () => {
  const names = ["<script>window.hacked=1", "<img src=x onerror=window.hacked=2>", `"'><b onclick=window.hacked=3>`,
    "evil\u202egpj.exe", "nul\u0000byte", "x".repeat(10_000), "<!--<script>", "${window.hacked=4}"];
  const instances = names.map((name, k) => [name, k % 2 ? "bar" : `plate`, [k % 2 ? 2 : 0, 0, k % 2 ? 1.1 + 0.01 * k : 0].map((v, axis) => v + (axis ? 0 : 15 * Math.floor(k / 2)))]);
  const part = "</script><script>window.hacked=6</script>";
  const file = blocks("hostile", { plate: [10, 10, 2], [part]: [4, 4, 4] }, instances.map(([id, p, at]) => [id, p === "bar" ? part : p, at]),
    { rules: [{ between: ["*", "*"], min_clearance: 0.1, reason: "</script><img src=x onerror=window.hacked=5>" }] });
  const html = pageOf(file, "hostile");
  const { page, seen, close } = await open(html);
  await rest(page);
  for (let k = 0; k < 4; k++) await press(page, "j");
  assert.deepEqual(seen(), []);
  assert.equal(await page.evaluate(() => window.hacked), undefined);
  const texts = await page.evaluate(() => `${document.body.innerText} ${[...document.querySelectorAll("#pair button")].map((b) => b.textContent).join(" ")}`);
  assert.ok(!/[\u202e\u0000]/.test(texts));
  const report = JSON.parse(await page.evaluate(() => document.getElementById("report").textContent));
  assert.deepEqual(report.instances.map((i) => i.id).sort(), [...names].sort());
  const quiet = await open(html, { context: { javaScriptEnabled: false }, wait: false });
  const still = await quiet.page.innerText("#static");
  assert.ok(still.includes("<script>window") && still.includes("\\u{202e}"), "names as text");
  assert.equal(await quiet.page.locator("#static b, #static script").count(), 0);
  await quiet.close();
  await close();
});

test("is accessible, light and dark, and works by keyboard", async () => {
  for (const colorScheme of ["light", "dark"]) {
    const { page, close } = await open(several, { context: { colorScheme, bypassCSP: true } });
    for (const before of [async () => {}, async () => page.fill("#filter", "no such name"), async () => page.click("#help")]) {
      await before();
      await page.evaluate(axe);
      const found = await page.evaluate(() => axe.run({ runOnly: ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"] }));
      assert.deepEqual(found.violations.map((v) => `${v.id}: ${v.nodes.map((n) => n.html).join(" ").slice(0, 300)}`), [], colorScheme);
    }
    await close();
    const still = await open(several, { context: { colorScheme, bypassCSP: true }, args: ["--disable-gpu", "--disable-3d-apis"], wait: false });
    await still.page.waitForTimeout(300);
    await still.page.evaluate(axe);
    const found = await still.page.evaluate(() => axe.run({ runOnly: ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"] }));
    assert.deepEqual(found.violations.map((v) => v.id), [], `static, ${colorScheme}`);
    await still.close();
  }
  const { page, close } = await open(several);
  const reached = new Set();
  for (let k = 0; k < 60; k++) {
    await page.keyboard.press("Tab");
    reached.add(await page.evaluate(() => document.activeElement.id || document.activeElement.dataset.view
      || document.activeElement.closest("#rows, #pair, #labels")?.id || document.activeElement.tagName));
  }
  for (const wanted of ["filter", "status", "sort", "list", "rows", "pair", "overlap", "section", "where", "ghost", "others", "cut", "reset", "help", "gl", "plane", "slide", "labels"]) {
    assert.ok(reached.has(wanted), `${wanted} is reachable: ${[...reached]}`);
  }
  // Single keys are text in the filter.
  await page.focus("#filter");
  await page.keyboard.type("j2x");
  assert.equal(await page.inputValue("#filter"), "j2x");
  assert.ok(await page.isChecked("#ghost"));
  await close();
});

test("a lost context is drawn again", async () => {
  const { page, seen, close } = await open(one);
  await rest(page);
  const start = await pixels(page);
  await page.evaluate(async () => {
    const lose = document.getElementById("gl").getContext("webgl2").getExtension("WEBGL_lose_context");
    lose.loseContext();
    await new Promise((done) => setTimeout(done, 300));
    lose.restoreContext();
    await new Promise((done) => setTimeout(done, 300));
  });
  await rest(page);
  assert.equal(difference(await pixels(page), start), 0);
  assert.deepEqual(seen(), []);
  await close();
});

test("far from the origin, the page shows the same", async () => {
  const moved = SEVERAL.instances.map(([id, part, t]) => [id, part, [t[0] + 1e6, t[1] - 1e6, t[2] + 1e6]]);
  const far = pageOf(blocks("far", SEVERAL.parts, moved, SEVERAL.more), "far");
  const [near, away] = [await open(several), await open(far)];
  for (const key of ["1", "2", "3"]) {
    await press(near.page, key);
    await press(away.page, key);
    const share = difference(await pixels(near.page), await pixels(away.page));
    assert.ok(share <= 0.001, `view ${key}: ${share}`);
  }
  await near.close();
  await away.close();
});

test("ten thousand findings: few rows exist, filter and order work", async () => {
  const html = pageOf(crowd("crowd", 10_000), "crowd");
  assert.ok(read(html).length <= 20e6, `${read(html).length} bytes`);
  const { page, close } = await open(html);
  const rows = () => page.locator("tr").count();
  assert.ok((await rows()) <= 120, `${await rows()} rows`);
  await page.evaluate(() => { document.getElementById("list").scrollTop = 300_000; });
  await page.waitForTimeout(200);
  assert.ok((await rows()) <= 120);
  assert.ok(Number(await page.locator("#rows tr:not(.space) td").first().innerText()) > 4000);
  await page.fill("#filter", "plate-4321");
  assert.equal(await page.locator("#rows tr:not(.space)").count(), 1);
  assert.match(await page.innerText("#shown"), /^1 of 10000 lines/);
  await page.fill("#filter", "");
  const first = await page.locator("#rows .name-a").first().innerText();
  await page.selectOption("#sort", "name");
  assert.notEqual(await page.locator("#rows .name-a").first().innerText(), first);
  await close();
});

test("printed, the page has its table and pictures", async () => {
  const { page, close } = await open(several);
  await page.emulateMedia({ media: "print" });
  await page.waitForTimeout(200);
  assert.ok(await page.isVisible("#static table") && await page.isVisible("#static img"));
  assert.ok(!(await page.isVisible("#app")));
  await page.emulateMedia({ media: "screen" });
  await page.waitForTimeout(200);
  assert.ok(await page.isVisible("#app"));
  await close();
});

test("page and picture show the same shares of colours in the section", async () => {
  const cases = [["pivot", "peg", "stop"], ["overlap-0.2", null, null], ["thin-pierce", "bracket", "needle"], ["press-fit-too-deep", null, null], ["pin-inside-block", "a-pin", "block"]];
  let compared = 0;
  for (const [name] of cases) {
    const html = pageOf(fixture(name), `agree-${name}`);
    const { page, close } = await open(html, { context: { viewport: { width: 1100, height: 900 } } });
    const { findings, instances } = JSON.parse(await page.evaluate(() => document.getElementById("report").textContent));
    for (const f of findings.slice(0, 3)) {
      const png = join(folder, `${f.id}.png`);
      run("render", fixture(name), ...f.pair.map((i) => instances[i].id), "-o", png);
      await page.evaluate((id) => { location.hash = `#finding=${id}&view=section`; }, f.id);
      await page.waitForFunction((id) => location.hash.includes(id) && document.querySelector("[data-view=section][aria-pressed=true]"), f.id);
      await rest(page);
      const data = (await import("node:fs")).readFileSync(png).toString("base64");
      const shares = await page.evaluate(async ({ data, size }) => {
        const count = (source, x, y, w, h) => {
          const copy = document.createElement("canvas");
          [copy.width, copy.height] = [Math.round(w), Math.round(h)];
          const c = copy.getContext("2d");
          c.drawImage(source, -x, -y);
          const bytes = c.getImageData(0, 0, copy.width, copy.height).data;
          const n = [0, 0, 0];
          for (let p = 0; p < bytes.length; p += 4) {
            const [r, g, b] = [bytes[p], bytes[p + 1], bytes[p + 2]];
            if (r > 190 && g < 60 && b < 70) n[0]++;
            else if (b > r + 40 && b > 150) n[1]++;
            else if (r > b + 60 && r > 190) n[2]++;
          }
          return n.map((k) => k / (bytes.length / 4));
        };
        const image = new Image();
        image.src = `data:image/png;base64,${data}`;
        await image.decode();
        const gl = document.getElementById("gl"), k = gl.width / gl.clientWidth;
        const [left, bottom, width, height] = gl.dataset.panel.split(" ").map(Number);
        const mm = Number(gl.dataset.mm);
        // The frame of the picture in the middle of the panel.
        const [w, h] = size.map((s) => s / mm);
        const x = left + (width - w) / 2, y = gl.clientHeight - bottom - height + (height - h) / 2;
        // The upper left quarter has no magnifier, scale bar or label in either.
        return [count(image, 640, 78, 300, 260), count(gl, x * k, y * k, w * k * 300 / 640, h * k * 260 / 562)];
      }, { data, size: f.views.section.size });
      [0, 1, 2].forEach((c) => assert.ok(Math.abs(shares[0][c] - shares[1][c]) <= 0.02, `${name} ${f.id}: ${JSON.stringify(shares)}`));
      compared++;
    }
    await close();
  }
  assert.ok(compared >= 4, `${compared} findings`);
});


/** Placements of the selected pair, as the page draws them, and as the program placed them at the worst pose. */
const places = (page) => page.evaluate(() => {
  const { places: drawn, values } = document.getElementById("gl").dataset;
  return { drawn: JSON.parse(drawn), values: JSON.parse(values) };
});
const apart = (x, y) => Math.max(...x.flat(3).map((v, k) => Math.abs(v - y.flat(3)[k])));

/** Data of a page file. */
const dataOf = (file) => JSON.parse(read(file).split('id="report">')[1].split("</script>")[0]);

/** A chain of a turn, a screw and a slide, with a follower, that hits a wall. */
const CHAIN = {
  parts: { base: [20, 20, 4], arm: [40, 6, 6], nut: [8, 8, 8], tip: [12, 4, 4], wall: [4, 80, 60] },
  instances: [["base", "base", [0, 0, -10]], ["arm", "arm", [0, 0, 0]], ["nut", "nut", [42, 0, 0]],
    ["tip", "tip", [52, 1, 1]], ["wall", "wall", [70, -30, -20]]],
  more: {
    joints: {
      turn: { type: "revolute", axis: [0.1, 0.2, 1], at: [3, 3, 0], moves: ["arm"], range_deg: [-40, 40] },
      nut: { type: "screw", axis: [1, 0, 0], at: [0, 3, 3], lead: 5, on: "turn", moves: ["nut"],
        range_deg: [-720, 720], follows: { joint: "turn", ratio: -3, offset: 15 } },
      tip: { type: "prismatic", axis: [1, 0.1, 0], on: "nut", moves: ["tip"], range: [0, 12] },
    },
    poses: { out: { turn: 12.5, tip: 11 } },
    sweeps: { reach: { joints: { tip: "range" } } },
  },
};

test("sliders of the joints place parts where the program does", async () => {
  const file = pageOf(blocks("chain", CHAIN.parts, CHAIN.instances, CHAIN.more), "chain");
  const data = dataOf(file);
  const inPose = data.findings.find((f) => f.run?.name === "out" && f.pair.some((i) => data.instances[i].id === "tip"));
  const inSweep = data.findings.find((f) => f.run?.name === "reach" && f.run.safe);
  assert.ok(inPose && inSweep, JSON.stringify(data.findings.map((f) => [f.run?.name, f.sentence])));
  const { page, seen, close } = await open(file, { hash: `#finding=${inPose.id}` });
  await rest(page);
  // A finding of a run opens at its worst pose.
  const opened = await places(page);
  assert.deepEqual(opened.values, inPose.run.values);
  assert.ok(apart(opened.drawn, inPose.run.placed) < 1e-6, JSON.stringify([opened.drawn, inPose.run.placed]));
  // Followers have no slider.
  const names = () => page.evaluate(() => [...document.querySelectorAll("#joint-list input")].map((i) => i.id));
  assert.deepEqual(await names(), ["joint-0", "joint-2"]);
  await slide(page, "joint-0", 0);
  await slide(page, "joint-2", 0);
  const home = await places(page);
  assert.ok(apart(home.drawn, inPose.run.placed) > 1, "the sliders move the parts");
  assert.equal(home.values[1], 15);
  // From other values back to those of the pose, by the sliders alone.
  await slide(page, "joint-2", inPose.run.values[2]);
  await slide(page, "joint-0", inPose.run.values[0]);
  const back = await places(page);
  assert.ok(apart(back.drawn, inPose.run.placed) < 1e-6, JSON.stringify([back.drawn, inPose.run.placed]));
  assert.deepEqual(seen(), []);
  await close();
});

test("the slider of a crank moves the rod and the piston of its loop", async () => {
  const file = pageOf(fixture("slider-crank"), "slider-crank");
  const found = dataOf(file).findings.find((f) => f.run?.name === "turn");
  const { page, seen, close } = await open(file, { hash: `#finding=${found.id}` });
  await rest(page);
  const names = () => page.evaluate(() => [...document.querySelectorAll("#joint-list input")].map((i) => i.id));
  assert.deepEqual(await names(), ["joint-0"]);
  for (const angle of [270, 181, 500]) {
    await slide(page, "joint-0", angle);
    const [crank, , piston] = (await places(page)).values;
    const [cos, sin] = [Math.cos(angle * Math.PI / 180), Math.sin(angle * Math.PI / 180)];
    assert.equal(crank, angle);
    assert.ok(Math.abs(piston - (30 * cos + Math.sqrt(85 ** 2 - (30 * sin) ** 2) - 55)) < 1e-6, `${angle}: ${piston}`);
  }
  assert.deepEqual(seen(), []);
  await close();
});

test("playing a sweep starts without an overlap and ends at the worst pose", async () => {
  const file = pageOf(fixture("sliding-doors"), "doors");
  const data = dataOf(file);
  const found = data.findings.find((f) => f.run?.name === "opening" && f.status === "interference");
  const { page, seen, close } = await open(file, { hash: `#finding=${found.id}`, context: { reducedMotion: "reduce" } });
  await rest(page);
  const worst = (await pixels(page)).red;
  assert.ok(worst > 50, `red ${worst}`);
  assert.match(await page.textContent("#play"), /Play opening/);
  await page.click("#play");
  await rest(page);
  const safe = await places(page);
  assert.deepEqual(safe.values, found.run.safe);
  assert.equal((await pixels(page)).red, 0);
  await page.click("#play");
  await rest(page);
  assert.deepEqual((await places(page)).values, found.run.values);
  assert.equal((await pixels(page)).red, worst);
  await close();
  const moving = await open(file, { hash: `#finding=${found.id}` });
  await rest(moving.page);
  await press(moving.page, "p");
  await moving.page.waitForFunction((values) => {
    const canvas = document.getElementById("gl");
    return canvas.dataset.values === values && canvas.dataset.moving === "false";
  }, JSON.stringify(found.run.values));
  assert.deepEqual([seen(), moving.seen()], [[], []]);
  await moving.close();
});

test("the curve of a sweep shows the nearest part, and says it", async () => {
  const file = pageOf(fixture("sliding-doors"), "doors-curve");
  const data = dataOf(file);
  const found = data.findings.find((f) => f.run?.name === "opening" && f.status === "interference");
  const { page, seen, close } = await open(file, { hash: `#finding=${found.id}` });
  await rest(page);
  const curve = await page.evaluate(() => {
    const box = document.getElementById("curve"), bars = [...box.querySelectorAll("rect")];
    const ends = (bar) => [Number(bar.getAttribute("x")), Number(bar.getAttribute("x")) + Number(bar.getAttribute("width"))];
    return {
      hidden: box.hidden, label: box.querySelector("svg").getAttribute("aria-label"), caption: box.querySelector("figcaption").textContent,
      deep: bars.filter((b) => b.className.baseVal === "deep").map(ends), sure: bars.filter((b) => b.className.baseVal === "sure").map(ends),
      wide: box.querySelector("svg").viewBox.baseVal.width, mark: (({ x, width }) => x + width / 2)(box.querySelector(".worst").getBBox()),
    };
  });
  assert.equal(curve.hidden, false);
  assert.equal(curve.label, curve.caption);
  assert.match(curve.label, /^Gap from left 0 to left 20, up to .* mm( and more)?; nearest part left .* … left 20, gap -2/);
  // The door overlaps on the last tenth, and is clear before.
  assert.ok(curve.deep.length >= 4 && curve.deep.every(([from]) => from > 0.85 * curve.wide), JSON.stringify(curve.deep));
  assert.ok(curve.sure.length >= 40 && curve.sure.every(([, to]) => to < 0.95 * curve.wide), JSON.stringify(curve.sure));
  assert.ok(curve.mark > 0.97 * curve.wide && curve.mark < curve.wide, String(curve.mark));
  assert.deepEqual(seen(), []);
  await close();
  const drawing = await open(several);
  await rest(drawing.page);
  assert.equal(await drawing.page.evaluate(() => document.getElementById("curve").hidden), true);
  await drawing.close();
});

test("controls of the joints are accessible, light and dark", async () => {
  const file = pageOf(fixture("sliding-doors"), "doors-axe");
  for (const colorScheme of ["light", "dark"]) {
    const { page, close } = await open(file, { context: { colorScheme } });
    await rest(page);
    await page.evaluate(axe);
    const found = await page.evaluate(() => axe.run({ runOnly: ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"] })
      .then((r) => r.violations.map((v) => v.id)));
    assert.deepEqual(found, [], colorScheme);
    await close();
  }
});
