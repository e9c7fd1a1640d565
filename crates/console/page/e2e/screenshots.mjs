// Pictures of every page, light and dark, for docs/console: node screenshots.mjs FOLDER [WIDTH]
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { BASE, launch, visit } from './browser.mjs';

const folder = process.argv[2] ?? '../../../docs/console';
const width = Number(process.argv[3] ?? 1440);
const only = process.argv[4];
mkdirSync(folder, { recursive: true });
const wait = (ms) => new Promise((done) => setTimeout(done, ms));
const say = async (page, words, waitFor) => {
  await page.getByLabel('Message').fill(words);
  await page.keyboard.press('Enter');
  await page.locator(waitFor).last().waitFor({ timeout: 30_000 });
};

/** The pages, and what makes each worth a picture. They are those of `premath serve --demo`. */
const PAGES = {
  runs: { path: '/runs' },
  run: { path: '/runs/tell-the-team' },
  turn: { path: '/runs/mend-the-totals/turns/mend-the-totals%2Et0005' },
  approvals: { path: '/approvals', act: (page) => page.locator('.question', { hasText: 'desk_update_cells' }).first().click() },
  work: { path: '/work' },
  policy: { path: '/policy' },
  audit: { path: '/audit?why=bd-1' },
  desk: {
    path: '/desk',
    async act(page) {
      await page.locator('.file', { hasText: 'launch-plan.md' }).first().click();
      await page.getByRole('button', { name: 'A new conversation' }).click();
      await wait(700);
      await say(page, 'Correct the date in the launch plan', '.decide');
      await wait(1200);
    },
  },
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
