// Specs of the desk and its chat, with the scripted assistant of `premath serve --demo`. Each changes the desk: a fresh demo every time.
import { get } from './api.mjs';
import { hold, prove, until } from './harness.mjs';
import { serious } from './axe.mjs';
import { proxy } from './proxy.mjs';

const say = async (page, words) => {
  await page.getByLabel('Message').fill(words);
  await page.keyboard.press('Enter');
};
const fresh = async (visit, options) => {
  const page = await visit('/desk', options);
  await page.getByRole('button', { name: 'A new conversation' }).click();
  await page.getByLabel('Message').waitFor();
  await page.waitForTimeout(600);
  return page;
};
const quiet = (page) => until('the assistant is done', async () => (await page.locator('.thinking').count()) === 0 && (await page.getByRole('button', { name: 'Send' }).count()) === 1, 30_000);
const fileNamed = async (name) => (await get('/api/desk/files')).items.find((it) => it.name === name);

await prove([
  ['an answer streams in, with the tools that were called', async ({ visit }) => {
    const wire = await proxy({ slow: true });
    const page = await fresh(visit, { base: wire.url });
    await page.evaluate(() => {
      globalThis.lengths = new Set();
      new MutationObserver(() => globalThis.lengths.add(document.querySelector('.message.assistant')?.textContent?.length ?? 0)).observe(document.body, { childList: true, subtree: true, characterData: true });
    });
    await say(page, 'What is in the budget?');
    await page.getByText('2,685 are left').waitFor({ timeout: 30_000 });
    await quiet(page);
    hold((await page.locator('.message.assistant strong', { hasText: '2,685' }).count()) === 1, 'markdown is not drawn');
    hold((await page.locator('.tool-part', { hasText: 'desk_read_file' }).count()) >= 1, 'the call is not shown');
    hold((await page.evaluate(() => globalThis.lengths.size)) > 4, 'it came in one piece');
    await page.reload();
    await page.getByText('2,685 are left').waitFor();
    await page.getByRole('button', { name: 'I/O log' }).click();
    const row = page.locator('.log-row', { hasText: 'desk_read_file' });
    await row.first().waitFor();
    await row.first().locator('summary').click();
    hold((await row.first().innerText()).includes('Security review'), 'the result is not whole');
    wire.close();
  }],
  ['something new is announced and not asked about', async ({ visit }) => {
    const page = await fresh(visit);
    await say(page, 'Write a summary of the meeting notes');
    await page.locator('.notice').waitFor({ timeout: 30_000 });
    await quiet(page);
    await page.locator('.file', { hasText: 'summary.md' }).waitFor();
    hold((await page.locator('.decide').count()) === 0, 'it was asked about');
  }],
  ['a write is confirmed after its diff was seen, and the assistant goes on', async ({ visit }) => {
    const page = await fresh(visit);
    await say(page, 'Correct the date in the launch plan');
    const card = page.locator('.decide').last();
    await card.locator('.line.removed', { hasText: '31 November' }).waitFor({ timeout: 30_000 });
    await card.locator('.line.added', { hasText: '30 November' }).waitFor();
    const before = await fileNamed('launch-plan.md');
    await card.getByRole('button', { name: /^Approve/ }).click();
    await page.getByText('stands in the audit log').waitFor({ timeout: 30_000 });
    await until('the file is changed', async () => (await get(`/api/desk/files/${before.id}`)).content.includes('30 November'));
  }],
  ['a delete is confirmed by name, and undone after a reload', async ({ visit }) => {
    const page = await fresh(visit);
    const file = await fileNamed('old-draft.md');
    await say(page, 'Delete the old draft');
    const card = page.locator('.decide').last();
    await card.locator('.chip', { hasText: 'old-draft.md' }).waitFor({ timeout: 30_000 });
    await card.getByRole('button', { name: /^Approve/ }).click();
    await until('it is gone', async () => (await fileNamed('old-draft.md')) === undefined, 20_000);
    await page.reload();
    await page.locator('.undo-chip', { hasText: 'old-draft.md' }).first().click();
    await until('it is back', async () => (await fileNamed('old-draft.md'))?.id === file.id);
  }],
  ['a plan of three deletes is one card and one click, with three undos', async ({ visit }) => {
    const page = await fresh(visit);
    await say(page, 'Delete the three drafts');
    const card = page.locator('.decide').last();
    await card.getByRole('button', { name: 'Do all 3 steps' }).click({ timeout: 30_000 });
    for (const name of ['draft-a.md', 'draft-b.md', 'draft-c.md']) await until(`${name} is gone`, async () => (await fileNamed(name)) === undefined, 30_000);
    await page.getByText('Each step has its own result').waitFor({ timeout: 30_000 });
    await page.reload();
    await page.getByRole('button', { name: 'What was deleted' }).click();
    for (const name of ['draft-a.md', 'draft-b.md', 'draft-c.md']) await page.locator('.file.gone', { hasText: name }).waitFor();
  }],
  ['a person writes a file, and an old version comes back', async ({ visit }) => {
    const file = await fileNamed('welcome.md');
    const page = await visit(`/desk/${file.id}`);
    await page.getByRole('button', { name: 'Write' }).click();
    await page.getByLabel('Content of welcome.md').fill('# Written by a person\n');
    await page.getByRole('button', { name: 'Save' }).click();
    await until('it is saved', async () => (await get(`/api/desk/files/${file.id}`)).content.startsWith('# Written'));
    await page.getByRole('button', { name: 'History' }).click();
    await page.getByRole('button', { name: 'Restore' }).last().click();
    await until('it is back', async () => !(await get(`/api/desk/files/${file.id}`)).content.startsWith('# Written'));
  }],
  ['an answer is whole after a reload in the middle of it, and said once', async ({ visit }) => {
    const wire = await proxy({ slow: true });
    const page = await fresh(visit, { base: wire.url });
    await say(page, 'What is in the budget?');
    await page.locator('.thinking').waitFor();
    await page.getByRole('button', { name: 'Stop' }).waitFor();
    await page.reload();
    await page.getByText('2,685 are left').waitFor({ timeout: 30_000 });
    await quiet(page);
    hold((await page.getByText('2,685 are left').count()) === 1, 'it is said twice');
    wire.close();
  }],
  ['axe finds nothing serious beside a conversation', async ({ visit }) => {
    const page = await visit('/desk');
    await page.locator('.message').first().waitFor();
    const found = await serious(page);
    hold(found.length === 0, found.join('\n     '));
  }],
]);
