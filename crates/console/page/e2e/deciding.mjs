// Specs of deciding: approvals and plans from the inbox. node deciding.mjs on a freshly seeded workspace; each question can be answered once.
import { call, get } from './api.mjs';
import { hold, prove, until } from './harness.mjs';

const stateOf = async (id) => (await get(`/api/confirmations/${id}`)).approval.state;
const pending = async (tool) => (await get('/api/confirmations?state=pending')).items.find((it) => it.tool === tool);

await prove([
  ['a write is approved with the keyboard, after its whole diff was seen', async ({ visit }) => {
    const asked = await pending('desk_update_markdown');
    const page = await visit(`/approvals/${asked.id}`);
    const card = page.locator(`[data-approval="${asked.id}"]`);
    await card.getByText('The').first().waitFor();
    hold((await card.locator('.line.removed em').allInnerTexts()).join(' ') === 'old 40 May', 'the words that change are not marked');
    hold((await card.locator('.line.added em').allInnerTexts()).join(' ') === 'new 41 June', 'the words that change are not marked');
    await until('the card can be approved', async () => card.getByRole('button', { name: /^Approve/ }).isEnabled());
    await page.keyboard.press('a');
    await until('it is decided', async () => (await stateOf(asked.id)) !== 'pending');
    hold(['approved', 'consumed'].includes(await stateOf(asked.id)), await stateOf(asked.id));
  }],
  ['a pattern shows what it would and would not cover before it is decided', async ({ visit }) => {
    const asked = await pending('desk_delete_file');
    const page = await visit(`/approvals/${asked.id}`);
    await page.getByRole('button', { name: 'Pattern' }).click();
    await page.getByLabel('Names like').fill('draft-*.md');
    await page.getByText('Would have covered').waitFor();
    hold((await page.locator('.pattern').innerText()).includes('draft-a.md'), 'the example is not there');
    hold((await stateOf(asked.id)) === 'pending', 'looking decided it');
  }],
  ['a delete is denied with the keyboard and a word to the model', async ({ visit }) => {
    const asked = await pending('desk_delete_file');
    const page = await visit('/approvals');
    await page.locator('.question', { hasText: 'draft-a.md' }).click();
    await page.locator(`[data-approval="${asked.id}"] .button.danger:enabled`).waitFor();
    await page.keyboard.press('m');
    await page.keyboard.type('not this one');
    await page.keyboard.press('Escape');
    await page.keyboard.press('d');
    await until('it is denied', async () => (await stateOf(asked.id)) === 'denied');
    hold((await get(`/api/confirmations/${asked.id}`)).approval.message === 'not this one', 'the word is lost');
  }],
  ['a plan of three deletes is done with one click, and each comes back after a reload', async ({ visit }) => {
    const plan = (await get('/api/proposals?state=pending')).items.find((it) => it.steps.length === 3);
    const page = await visit(`/approvals/${plan.id}`);
    await page.getByRole('button', { name: /^Do all 3 steps/ }).click();
    await until('it is done', async () => (await get(`/api/proposals/${plan.id}`)).proposal.state === 'executed', 20_000);
    const gone = (await get('/api/desk/files?deleted=true')).items.filter((it) => it.deletedAt);
    hold(gone.length === 3, `${gone.length} are gone`);
    await page.goto(`${new URL(page.url()).origin}/desk`);
    await page.reload();
    for (const file of gone) {
      await page.getByRole('button', { name: 'What was deleted' }).click();
      await page.locator('.file.gone', { hasText: file.name }).click();
      await page.getByRole('button', { name: 'Undo delete' }).click();
      await until(`${file.name} is back`, async () => (await get(`/api/desk/files/${file.id}`))?.file.deletedAt === undefined && (await get('/api/desk/files')).items.some((it) => it.id === file.id));
      await page.reload();
    }
  }],
  ['an approval for a run is listed as active with what it covers, and a click takes it back', async ({ visit }) => {
    const run = { task: 'Delete the first draft', desk: true, scopes: ['desk:delete'], models: ['scripted:delete-draft.toml'], runId: 'taken-back' };
    const begun = await call('POST', '/api/runs', run);
    hold(begun.status === 202, JSON.stringify(begun.body));
    let asked;
    await until('it asks', async () => (asked = await pending('desk_delete_file')));
    const page = await visit(`/approvals/${asked.id}`);
    await page.getByRole('button', { name: 'This run' }).click();
    await page.locator(`[data-approval="${asked.id}"]`).getByRole('button', { name: /^Approve/ }).click();
    await until('it is used and stays', async () => (await get('/api/runs/taken-back')).run.state === 'done' && (await stateOf(asked.id)) === 'approved', 20_000);
    await page.goto(`${new URL(page.url()).origin}/approvals`);
    await page.getByRole('button', { name: 'Active' }).click();
    await page.locator('.question', { hasText: 'draft-a.md' }).click();
    const card = page.locator(`[data-approval="${asked.id}"]`);
    await card.getByText('every call of desk_delete_file on draft-a.md in run taken-back').waitFor();
    await card.getByRole('button', { name: 'Revoke' }).click();
    await until('it is revoked', async () => (await stateOf(asked.id)) === 'revoked');
    hold((await get('/api/confirmations?state=approved')).items.every((it) => it.id !== asked.id), 'it is still active');
    await page.goto(`${new URL(page.url()).origin}/approvals/${asked.id}`);
    await card.getByText('revoked', { exact: true }).first().waitFor();
    hold((await card.getByRole('button', { name: 'Revoke' }).count()) === 0, 'it can be revoked twice');
  }],
  ['nothing is left to answer, and the page says which command shows that', async ({ visit }) => {
    const page = await visit('/approvals');
    await page.getByText('Nothing waits for you').waitFor();
    await page.getByText('premath approvals list').waitFor();
  }],
]);
