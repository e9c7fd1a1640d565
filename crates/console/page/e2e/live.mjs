// Specs of following a run while it works. node live.mjs; SLOW_MODEL names a scripted model that takes its time (tests/fixture/slow.toml).
import { call, rows } from './api.mjs';
import { TOKEN } from './browser.mjs';
import { hold, prove, until } from './harness.mjs';
import { proxy } from './proxy.mjs';

const SLOW = process.env.SLOW_MODEL ?? 'scripted:slow.toml';
const eventsOf = async (page) => Number((await page.getByRole('tab', { name: /^Events/ }).innerText()).replace(/\D/g, ''));

await prove([
  ['a run is followed live, the connection is lost, and comes back without a gap', async ({ browser }) => {
    const begun = await call('POST', '/api/runs', { task: 'Take your time', models: [SLOW] });
    hold(begun.status === 202, JSON.stringify(begun.body));
    const { runId } = begun.body.data;
    const wire = await proxy();
    const context = await browser.newContext();
    const page = await context.newPage();
    try {
      await page.goto(`${wire.url}/runs/${runId}?view=events#token=${TOKEN}`);
      await until('rows come', async () => (await eventsOf(page).catch(() => 0)) > 3, 15_000);
      wire.cut();
      await page.locator('.chip', { hasText: 'connection lost' }).waitFor({ timeout: 15_000 });
      const before = await eventsOf(page);
      await until('the run went on meanwhile', async () => (await rows(runId)).length > before + 3, 20_000);
      wire.mend();
      await until('all of it is there', async () => {
        const all = await rows(runId);
        return all.at(-1)?.event.kind === 'run.stopped' && (await eventsOf(page)) === all.length;
      }, 60_000);
      const all = await rows(runId);
      hold(all.every((row, at) => row.seq === at + 1), 'the server has a gap');
      const list = page.locator('.journal .rows');
      const seen = new Set();
      const height = await list.evaluate((element) => element.scrollHeight);
      for (let top = 0; top <= height; top += 300) {
        await list.evaluate((element, to) => void (element.scrollTop = to), top);
        await page.waitForTimeout(30);
        for (const text of await page.locator('.journal-row span:first-child').allInnerTexts()) seen.add(Number(text));
      }
      for (const row of all) hold(seen.has(row.seq), `row ${row.seq} is not shown`);
      await page.locator('.chip', { hasText: 'complete' }).waitFor();
    } finally {
      await context.close();
      wire.close();
    }
  }],
  ['the stop button ends a run where it can be gone on with', async ({ visit }) => {
    const begun = await call('POST', '/api/runs', { task: 'Take your time', models: [SLOW] });
    const { runId } = begun.body.data;
    const page = await visit(`/runs/${runId}`);
    await page.locator('.turn-row').first().waitFor();
    await page.getByRole('button', { name: 'Stop' }).click();
    await page.locator('.chip', { hasText: 'interrupted' }).first().waitFor({ timeout: 20_000 });
    await page.getByRole('button', { name: 'Resume' }).waitFor();
  }],
]);
