// Runs specs one after the other, each with its own page, and says which held. A spec that was not run is a failure.
import { launch, visit } from './browser.mjs';

export class Refuted extends Error {}

export function hold(condition, words) {
  if (!condition) throw new Refuted(words);
}

export async function until(words, check, ms = 10_000) {
  const end = Date.now() + ms;
  for (;;) {
    const value = await check();
    if (value) return value;
    if (Date.now() > end) throw new Refuted(`never came true: ${words}`);
    await new Promise((done) => setTimeout(done, 50));
  }
}

/** `specs` is a list of [sentence, async ({ visit, api }) => …]. */
export async function prove(specs) {
  const only = process.env.SPEC;
  const browser = await launch();
  let failed = 0;
  for (const [sentence, body] of specs) {
    if (only && !sentence.includes(only)) continue;
    const opened = [];
    const started = Date.now();
    try {
      await body({
        browser,
        visit: async (path, options) => {
          const one = await visit(browser, path, options);
          opened.push(one);
          return one.page;
        },
      });
      const wrong = opened.flatMap((one) => one.wrong);
      hold(wrong.length === 0, `the page reported ${JSON.stringify(wrong)}`);
      console.log(`ok   ${sentence} (${Date.now() - started} ms)`);
    } catch (error) {
      failed += 1;
      console.log(`FAIL ${sentence}\n     ${error instanceof Refuted ? error.message : error.stack}`);
      const page = opened.at(-1)?.page;
      if (page && process.env.SHOTS) await page.screenshot({ path: `${process.env.SHOTS}/${sentence.replaceAll(/\W+/g, '-')}.png` });
    }
    for (const one of opened) await one.context.close();
  }
  await browser.close();
  if (failed > 0) process.exitCode = 1;
}
