// Measures the time until a page is ready: node measure.js PAGE.html [RUNS]. Prints each time and the median (ms).
import { browser, closeBrowser, open } from "./support.js";

const [, , file, runs = "5"] = process.argv;
await browser();
const times = [];
for (let k = 0; k < Number(runs); k++) {
  const start = performance.now();
  const { close } = await open(file);
  times.push(Math.round(performance.now() - start));
  await close();
}
await closeBrowser();
console.log(`${times.join(" ")}; median ${times.sort((a, b) => a - b)[times.length >> 1]} ms`);
