// Pictures of every page, light and dark, for docs/console: node screenshots.mjs FOLDER [WIDTH]
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { BASE, launch, visit } from './browser.mjs';

const folder = process.argv[2] ?? '../../../docs/console';
const width = Number(process.argv[3] ?? 1440);
const only = process.argv[4];
mkdirSync(folder, { recursive: true });
const wait = (ms) => new Promise((done) => setTimeout(done, ms));
const runs = ['wrong-tool', 'demo-refused', 'edit-roadmap'];

/** Opens what makes a page worth a picture. */
const PAGES = {
  runs: { path: '/runs' },
  run: { path: `/runs/${process.env.SHOT_RUN ?? runs[0]}` },
  approvals: { path: '/approvals' },
  work: { path: '/work' },
  policy: { path: '/policy' },
  desk: {
    path: '/desk',
    async act(page) {
      const file = page.locator('.file', { hasText: 'notes.md' }).first();
      if (await file.count()) await file.click();
    },
  },
  audit: { path: '/audit' },
};

const browser = await launch();
for (const scheme of ['light', 'dark']) {
  for (const [name, { path, act }] of Object.entries(PAGES)) {
    if (only && only !== name) continue;
    const { page, context, wrong } = await visit(browser, path, { colorScheme: scheme, viewport: { width, height: 900 }, reducedMotion: 'reduce' });
    await page.waitForSelector('main');
    await wait(1200);
    await act?.(page);
    await wait(900);
    await page.screenshot({ path: join(folder, `${name}-${scheme}.png`) });
    if (wrong.length > 0) console.log(name, scheme, wrong);
    await context.close();
  }
}
await browser.close();
console.log(`pictures of ${BASE} in ${folder}`);
