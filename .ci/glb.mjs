// Validates GLB files with the Khronos validator: node .ci/glb.mjs FILE.glb...
// Exit 0: no error and no warning; 1: an issue; 3: the module gltf-validator is not installed.
import { readFileSync } from 'node:fs';

let validateBytes;
try {
    ({ default: { validateBytes } } = await import('gltf-validator'));
} catch {
    process.exit(3);
}
let wrong = 0;
for (const file of process.argv.slice(2)) {
    const { issues } = await validateBytes(new Uint8Array(readFileSync(file)));
    if (issues.numErrors + issues.numWarnings > 0) {
        wrong += 1;
        console.error(file, JSON.stringify(issues.messages, null, 1));
    }
}
console.log(`${process.argv.length - 2} files, ${wrong} with errors or warnings`);
process.exit(wrong > 0 ? 1 : 0);
