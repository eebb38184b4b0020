// Are the models of all fixtures valid glTF, by the validator of the Khronos Group?
import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { test } from "node:test";
import validator from "gltf-validator";
import { fixture, folder, join, root, run } from "./support.js";

test("models of all fixtures have no error and no warning", async () => {
  const cases = readdirSync(join(root, "fixtures/cases"), { withFileTypes: true }).filter((entry) => entry.isDirectory());
  let meshes = 0;
  for (const { name } of cases) {
    const file = join(folder, `${name}.glb`);
    run("check", fixture(name), "--quiet", "--no-baseline", "--allow-outside", "--format", `glb=${file}`);
    const report = await validator.validateBytes(new Uint8Array(readFileSync(file)));
    const { numErrors, numWarnings, messages } = report.issues;
    const severe = messages.filter((message) => message.severity < 2);
    assert.deepEqual([numErrors, numWarnings], [0, 0], `${name}: ${JSON.stringify(severe.slice(0, 5))}`);
    assert.equal(report.mimeType, "model/gltf-binary");
    meshes += report.info.totalTriangleCount > 0 ? 1 : 0;
  }
  assert.ok(meshes > 20, `${meshes} models with triangles`);
});
