// Specs of looking: nothing here changes anything. node reading.mjs, with PREMATH_URL and PREMATH_TOKEN of a server on the seeded workspace.
import { serious } from './axe.mjs';
import { get, rows } from './api.mjs';
import { hold, prove, until } from './harness.mjs';

const PAGES = ['/runs', '/runs/wrong-tool', '/runs/travel?view=events', '/approvals', '/work', '/work/bd-4', '/policy', '/desk', '/audit', '/audit?why=bd-4'];
const LONG = process.env.LONG_RUN ?? 'long';

/** What reaches beyond the window and cannot be scrolled to where it is; runs in the page. */
const tooWide = () => [...(document.documentElement.scrollWidth > innerWidth ? ['the page'] : []), ...[...document.querySelectorAll('#app *')].filter((element) => {
  const box = element.getBoundingClientRect();
  if (box.width === 0 || box.right <= innerWidth + 1) return false;
  for (let up = element.parentElement; up; up = up.parentElement) if (getComputedStyle(up).overflowX !== 'visible' && up.getBoundingClientRect().right <= innerWidth + 1) return false;
  return true;
}).map((element) => `${element.tagName}.${element.className}`)].slice(0, 4);

await prove([
  ...PAGES.flatMap((path) => ['light', 'dark'].map((colorScheme) => [`axe finds nothing serious on ${path} (${colorScheme})`, async ({ visit }) => {
    const page = await visit(path, { colorScheme, reducedMotion: 'reduce' });
    await page.waitForSelector('main');
    await page.waitForTimeout(1200);
    const found = await serious(page);
    hold(found.length === 0, found.join('\n     '));
  }])),
  ...[400, 900].map((width) => [`nothing is wider than a window of ${width}`, async ({ visit }) => {
    const file = (await get('/api/desk/files')).items.find((it) => it.type !== 'folder');
    for (const path of [...PAGES, `/desk/${file.id}`]) {
      const page = await visit(path, { viewport: { width, height: 800 } });
      await page.waitForSelector('main');
      await page.waitForTimeout(1200);
      const over = await page.evaluate(tooWide);
      hold(over.length === 0, `${path}: ${over.join(', ')}`);
    }
  }]),
  ['in a narrow window the desk is three parts behind tabs', async ({ visit }) => {
    const page = await visit('/desk', { viewport: { width: 400, height: 800 } });
    await page.locator('a.file').first().click();
    await page.locator('.editor').waitFor();
    hold(!(await page.locator('.explorer').isVisible()) && !(await page.locator('.chat').isVisible()), 'the parts stand side by side');
    await page.getByRole('group', { name: 'Part of the desk' }).getByRole('button', { name: 'Chat' }).click();
    await page.getByLabel('Message').waitFor();
    const box = await page.locator('.chat').boundingBox();
    hold(box.width > 380, `the chat is ${box.width} wide`);
  }],
  ['without a token the page asks for one, and a wrong one is refused', async ({ browser }) => {
    const context = await browser.newContext();
    const page = await context.newPage();
    const { BASE, TOKEN } = await import('./browser.mjs');
    await page.goto(`${BASE}/runs`);
    await page.getByLabel('Token, or the whole address').fill('wrong');
    await page.getByRole('button', { name: 'Come in' }).click();
    await page.getByText('The server does not know this token').waitFor();
    await page.getByLabel('Token, or the whole address').fill(`${BASE}/#token=${TOKEN}`);
    await page.getByRole('button', { name: 'Come in' }).click();
    await page.getByRole('heading', { name: 'Runs' }).waitFor();
    hold(!page.url().includes('token'), 'the token stays in the address');
    await context.close();
  }],
  ['the token is taken out of the address', async ({ visit }) => {
    const page = await visit('/runs');
    await page.getByRole('heading', { name: 'Runs' }).waitFor();
    hold(!page.url().includes('token'), page.url());
    await page.reload();
    await page.getByRole('heading', { name: 'Runs' }).waitFor();
  }],
  ['runs that need somebody come first, and the keys open one', async ({ visit }) => {
    const page = await visit('/runs');
    await page.locator('.run-row:not(.head)').first().waitFor();
    const first = await page.locator('.run-row:not(.head)').first().innerText();
    hold(first.includes('waiting for you'), first);
    await page.keyboard.press('j');
    await page.keyboard.press('Enter');
    await page.locator('.chain').waitFor();
  }],
  ['a refused turn is red at its stage with the exact class', async ({ visit }) => {
    const page = await visit('/runs/wrong-tool');
    const red = page.locator('.chain .red').first();
    await red.waitFor();
    hold((await red.innerText()).includes('tool.unknown_or_disallowed'), await red.innerText());
    await page.locator('.turn-row').nth(1).click();
    await until('the address names the turn', () => decodeURIComponent(page.url()).includes('wrong-tool.t0002'));
    await page.reload();
    await page.getByRole('heading', { name: 'Turn 2' }).waitFor();
  }],
  ['verify and replay say what they found', async ({ visit }) => {
    const page = await visit('/runs/travel');
    await page.getByRole('button', { name: 'Verify' }).click();
    await page.locator('.chip.green', { hasText: 'Verified' }).waitFor({ timeout: 30_000 });
    await page.getByRole('button', { name: 'Replay' }).click();
    await page.locator('.chip.green', { hasText: 'Replayed' }).waitFor({ timeout: 30_000 });
  }],
  ['the issue graph shows who holds what and what it waits for', async ({ visit }) => {
    const page = await visit('/work');
    const held = page.getByRole('button', { name: /^bd-4 .*held by/ });
    await held.waitFor();
    hold((await page.locator('.edge').count()) > 3, 'no lines');
    await page.getByRole('button', { name: /^bd-5 .*needs bd-[34], bd-[34]/ }).click();
    await page.getByRole('region', { name: 'Issue bd-5' }).waitFor();
    hold(page.url().endsWith('/work/bd-5'), page.url());
  }],
  ['payloads from models, files and runs stay text', async ({ visit }) => {
    for (const path of ['/runs', '/runs/evil', '/runs/evil?view=events', '/audit']) {
      const page = await visit(path);
      await page.waitForTimeout(1500);
      hold(await page.evaluate(() => globalThis.pwned === undefined && document.querySelectorAll('#app script, #app iframe, #app img, #app [onerror]').length === 0), `something came alive on ${path}`);
    }
    const page = await visit('/desk');
    await page.locator('.file', { hasText: 'evil.md' }).click();
    await page.getByText('<img src=x onerror=alert(1)>').waitFor();
    hold(await page.evaluate(() => globalThis.pwned === undefined && document.querySelectorAll('#app img, #app a[href^="javascript"]').length === 0), 'the preview came alive');
    hold((await page.locator('.escape').count()) >= 2, 'bidi and control characters are not shown as what they are');
  }],
  ['a run of 10,000 events scrolls without a long task over 200 ms', async ({ visit }) => {
    const page = await visit(`/runs/${LONG}?view=events`);
    const list = page.locator('.journal .rows');
    const all = await rows(LONG);
    hold(all.length >= 10_000, `${all.length} rows`);
    await until('all rows are there', async () => Number((await page.getByRole('tab', { name: /^Events/ }).innerText()).replace(/\D/g, '')) >= all.length, 60_000);
    await page.evaluate(() => {
      globalThis.longest = 0;
      new PerformanceObserver((entries) => entries.getEntries().forEach((entry) => (globalThis.longest = Math.max(globalThis.longest, entry.duration)))).observe({ type: 'longtask' });
    });
    const height = await list.evaluate((element) => element.scrollHeight);
    for (let step = 0; step <= 60; step += 1) {
      await list.evaluate((element, top) => void (element.scrollTop = top), (height * step) / 60);
      await page.waitForTimeout(16);
    }
    await page.getByRole('tab', { name: /^Turns/ }).click();
    await page.locator('.turn-row').first().waitFor();
    for (let step = 0; step <= 30; step += 1) await page.locator('.list .virtual').evaluate((element, part) => void (element.scrollTop = element.scrollHeight * part), step / 30);
    const longest = await page.evaluate(() => globalThis.longest);
    console.log(`     longest task ${Math.round(longest)} ms, ${await page.locator('.turn-row').count()} rows drawn`);
    hold(longest <= 200, `a task of ${longest} ms`);
  }],
  ['policy shows layers, guards, rules and tools', async ({ visit }) => {
    const page = await visit('/policy');
    for (const name of ['Layers', 'Digests', 'Guards', 'Rules', 'Tools', 'Gates']) await page.getByRole('region', { name, exact: true }).waitFor();
    await page.getByRole('button', { name: 'Explain' }).click();
    await page.locator('[aria-label="Explain a call"] .chip').first().waitFor();
  }],
  ['audit finds rows, says that the chain holds, and goes back to why', async ({ visit }) => {
    const page = await visit('/audit');
    await page.locator('.chip.green', { hasText: 'chain holds' }).waitFor();
    await page.getByLabel('Search the log').fill('draft-a');
    await until('only rows about it', async () => (await page.locator('.audit-row:not(.head)').count()) > 0 && !(await page.locator('.audit-rows').innerText()).includes('wrong-tool'));
    await page.getByLabel(/^Why did this change happen/).fill('bd-4');
    await page.getByRole('button', { name: 'Why', exact: true }).first().click();
    await page.locator('.why-steps li').first().waitFor();
  }],
  ['the keys are shown on ?, and / goes to anything', async ({ visit }) => {
    const page = await visit('/runs');
    await page.getByRole('heading', { name: 'Runs' }).waitFor();
    await page.keyboard.press('?');
    await page.getByRole('dialog', { name: 'Keys' }).waitFor();
    await page.keyboard.press('Escape');
    await page.keyboard.press('g');
    await page.keyboard.press('w');
    await page.getByRole('heading', { name: 'Work', exact: true }).waitFor();
    await page.keyboard.press('/');
    await page.getByRole('combobox', { name: 'Go to' }).fill('wrong-tool');
    await page.getByRole('option', { name: /wrong-tool/ }).waitFor();
    await page.keyboard.press('Enter');
    await page.locator('.chain').waitFor();
  }],
]);
