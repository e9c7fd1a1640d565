// What axe finds on a page. Serious and critical findings are failures.
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';

const source = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

export async function serious(page) {
  await page.evaluate(source);
  const { violations } = await page.evaluate(() => globalThis.axe.run(document, { resultTypes: ['violations'] }));
  return violations.filter((it) => it.impact === 'serious' || it.impact === 'critical').map((it) => `${it.id}: ${it.nodes.map((node) => node.target.join(' ')).slice(0, 4).join(' | ')} (${it.nodes.length})`);
}
