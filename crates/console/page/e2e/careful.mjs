// Specs of what must not go wrong between a person and the page: nothing decided unseen, nothing lost. On a fresh demo with its open questions.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { call, get } from './api.mjs';
import { hold, prove, until } from './harness.mjs';

const waiting = async () => [...(await get('/api/confirmations?state=pending')).items, ...(await get('/api/proposals?state=pending')).items];
const fileNamed = async (name) => (await get('/api/desk/files')).items.find((it) => it.name === name);

/** A run of a scripted model in the workspace of the server. */
async function runScript(name, script) {
  const path = join((await get('/api/me')).workspace, `${name}.toml`);
  writeFileSync(path, script);
  const { status, body } = await call('POST', '/api/runs', { task: name, desk: true, models: [`scripted:${path}`], runId: `${name}-${Date.now()}` });
  hold(status === 202, JSON.stringify(body));
  return body.data.runId;
}

await prove([
  ['a key that is held decides exactly one question', async ({ visit }) => {
    const page = await visit('/approvals');
    const before = (await waiting()).length;
    hold(before >= 3, `only ${before} wait`);
    let sent = 0;
    page.on('request', (request) => void (request.method() !== 'GET' && /confirmations|proposals/.test(request.url()) && (sent += 1)));
    await page.locator('.decide .button.good:enabled').first().waitFor();
    for (let at = 0; at < 70; at += 1) {
      await page.keyboard.down('a');
      await page.waitForTimeout(33);
    }
    await page.keyboard.up('a');
    hold(sent === 1, `${sent} were sent`);
    await until('one is decided', async () => (await waiting()).length === before - 1);
  }],
  ['a press on a card that just came up decides nothing', async ({ visit }) => {
    const page = await visit('/approvals');
    let sent = 0;
    page.on('request', (request) => void (request.method() !== 'GET' && /confirmations|proposals/.test(request.url()) && (sent += 1)));
    await page.locator('.decide').waitFor();
    await page.keyboard.press('a');
    await page.waitForTimeout(300);
    hold(sent === 0, 'it was answered before anybody could see it');
  }],
  ['an address of a question that is not there shows no other', async ({ visit }) => {
    const page = await visit('/approvals/apr_000000000000');
    await page.getByText('There is no such question').waitFor();
    await page.locator('.question').first().waitFor();
    hold((await page.locator('.decide').count()) === 0, 'another question is shown');
    const before = (await waiting()).length;
    await page.waitForTimeout(900);
    await page.keyboard.press('a');
    await page.waitForTimeout(500);
    hold((await waiting()).length === before, 'a stranger was approved');
    await page.keyboard.press('j');
    await page.locator('.decide').waitFor();
  }],
  ['a plan with a cut preview is done only after all of its arguments were opened', async ({ visit }) => {
    const made = await call('POST', '/api/desk/files', { name: `minutes-${Date.now()}.md`, type: 'markdown', content: 'nothing yet\n' });
    const { file } = await get(`/api/desk/files/${made.body.data.id}`);
    const content = `${Array.from({ length: 300 }, (_, at) => `harmless line ${at} of the minutes\\n`).join('')}THE LAST LINE OF ALL\\n`;
    const runId = await runScript('cut', `name = "cut"\n[[turn]]\ntext = "plan"\n[[turn.call]]\ntool = "desk_propose_plan"\n[turn.call.arguments]\ngoal = "tidy"\nrollback = "restore"\n[[turn.call.arguments.steps]]\ntool = "desk_update_markdown"\nrationale = "tidy"\nargs = { file_id = "${file.id}", version = ${file.version}, content = "${content}" }\n`);
    const plan = await until('the plan waits', async () => (await get('/api/proposals?state=pending')).items.find((it) => it.runId === runId));
    const page = await visit(`/approvals/${plan.id}`);
    const go = page.getByRole('button', { name: /^Do all 1 step/ });
    await go.waitFor();
    await page.waitForTimeout(1000);
    if (/bytes left out/.test((await get(`/api/proposals/${plan.id}`)).proposal.steps[0].preview)) {
      hold(await go.isDisabled(), 'it can be done unread');
      await page.keyboard.press('a');
      await page.locator('.step-arguments summary').click();
    }
    await until('it can be done', () => go.isEnabled());
    hold((await page.locator('.step-arguments').innerText()).includes('THE LAST LINE OF ALL'), 'the arguments are not whole');
    hold((await get(`/api/proposals/${plan.id}`)).proposal.state === 'pending', 'it was done unread');
    await page.getByLabel('Say something with the answer').fill('as you say');
    await page.keyboard.press('Escape');
    // Two presses of one key in a quarter of a second are one.
    await page.waitForTimeout(300);
    const sent = page.waitForRequest((request) => request.url().endsWith('/approve'));
    await page.keyboard.press('a');
    hold((await sent).postDataJSON().message === 'as you say', 'the word to the model is dropped');
    await until('it is done', async () => (await get(`/api/proposals/${plan.id}`)).proposal.state === 'executed');
  }],
  ['a decision whose run cannot go on says both', async ({ visit }) => {
    const page = await visit('/approvals');
    await page.route('**/deny', (route) => route.fulfill({ json: { data: { resumed: false, resumeError: { code: 'environment', message: 'the model file is gone', hint: 'put it back' } } } }));
    await page.route(/\/api\/proposals\/prp_[^/]+$/, (route) => route.request().method() === 'DELETE' ? route.fulfill({ json: { data: { resumed: false, resumeError: { code: 'environment', message: 'the model file is gone', hint: 'put it back' } } } }) : route.continue());
    await page.locator('.decide .button.danger:enabled').first().click();
    await page.getByText('It is decided, but the run did not go on: the model file is gone').waitFor();
    await page.getByText('put it back').first().waitFor();
  }],
  ['what was streamed stays after Stop, says so, and goes on', async ({ visit }) => {
    const path = join((await get('/api/me')).workspace, '.premath/demo/assistant.toml');
    const script = readFileSync(path, 'utf8');
    const slow = '[[conversation]]\nwhen = { asked_matches = "snail" }\n[[conversation.turn]]\ntext = "One two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen."\n[[conversation.turn.fault]]\nkind = "slow"\ndelay_ms = 250\nalways = true\n\n';
    writeFileSync(path, script.replace('[[conversation]]', `${slow}[[conversation]]`));
    try {
      const page = await visit('/desk');
      await page.getByRole('button', { name: 'A new conversation' }).click();
      await page.waitForTimeout(600);
      await page.getByLabel('Message').fill('be a snail');
      await page.keyboard.press('Enter');
      await page.getByText('One two three').waitFor({ timeout: 20_000 });
      await page.getByRole('button', { name: 'Stop' }).click();
      await page.locator('.broken-end', { hasText: 'Stopped' }).waitFor();
      hold((await page.locator('.message.assistant').last().innerText()).includes('One two three'), 'the words are gone');
      await page.reload();
      await page.locator('.broken-end', { hasText: 'Stopped' }).waitFor();
      await page.getByRole('button', { name: 'Go on' }).click();
      await page.getByText('fifteen sixteen.').waitFor({ timeout: 30_000 });
      await until('no mark is left', async () => (await page.locator('.broken-end').count()) === 0);
      hold((await page.getByText('One two three').count()) === 1, 'it is said twice');
    } finally {
      writeFileSync(path, script);
    }
  }],
  ['a message that is refused is the writer\'s again, and Try again sends it', async ({ visit }) => {
    const page = await visit('/desk');
    await page.getByRole('button', { name: 'A new conversation' }).click();
    await page.waitForTimeout(600);
    await page.route('**/api/chat', (route) => route.fulfill({ status: 503, json: { error: { code: 'server_busy', message: 'too much is going on' } } }));
    await page.getByLabel('Message').fill('What is in the budget?');
    await page.keyboard.press('Enter');
    await page.getByText('too much is going on').waitFor();
    hold((await page.getByLabel('Message').inputValue()) === 'What is in the budget?', 'the words are gone');
    hold((await page.locator('.message.user').count()) === 0, 'it looks as if it had been sent');
    await page.unroute('**/api/chat');
    await page.getByRole('button', { name: 'Try again' }).click();
    await page.getByText('2,685 are left').waitFor({ timeout: 30_000 });
    hold((await page.getByLabel('Message').inputValue()) === '', 'the words are there twice');
  }],
  ['what somebody writes is kept when they look elsewhere, and leaving the page asks', async ({ visit }) => {
    const [one, other] = [await fileNamed('launch-plan.md'), await fileNamed('welcome.md')];
    const page = await visit(`/desk/${one.id}`);
    await page.getByRole('button', { name: 'Write' }).click();
    await page.getByLabel('Content of launch-plan.md').fill('half a sentence');
    await page.locator('.file', { hasText: 'welcome.md' }).click();
    await page.getByRole('heading', { name: 'welcome.md' }).waitFor();
    await page.goBack();
    hold((await page.getByLabel('Content of launch-plan.md').inputValue()) === 'half a sentence', 'the draft is gone');
    const asked = new Promise((done) => page.once('dialog', (dialog) => (done(dialog.type()), void dialog.dismiss())));
    void page.reload().catch(() => undefined);
    hold((await asked) === 'beforeunload', 'nothing asks');
    hold((await get(`/api/desk/files/${other.id}`)).file.version === other.version, 'the other file was changed');
    await page.getByRole('button', { name: 'A new conversation' }).click();
    await page.waitForTimeout(600);
    await page.getByLabel('Message').fill('Write a summary of the meeting notes');
    await page.keyboard.press('Enter');
    await page.locator('.notice').waitFor({ timeout: 30_000 });
    await page.waitForTimeout(500);
    hold((await page.getByLabel('Content of launch-plan.md').inputValue()) === 'half a sentence', 'the assistant took the editor away');
    await page.getByRole('button', { name: 'Discard' }).click();
  }],
  ['Escape leaves a field, and the keys are keys again', async ({ visit }) => {
    const page = await visit('/desk');
    await page.getByLabel('Message').waitFor();
    await page.waitForTimeout(600);
    await page.keyboard.press('c');
    await page.keyboard.type('words');
    await page.keyboard.press('Escape');
    await page.keyboard.press('n');
    await page.getByRole('dialog', { name: 'Something new' }).waitFor();
    hold((await page.getByLabel('Message').inputValue()) === 'words', 'the words did not stay');
  }],
  ['a conversation is deleted only after a question', async ({ visit }) => {
    const page = await visit('/desk');
    await page.getByRole('button', { name: 'A new conversation' }).click();
    await page.waitForTimeout(800);
    const before = (await get('/api/conversations')).items.length;
    await page.getByRole('button', { name: 'Delete the conversation' }).click();
    await page.getByRole('button', { name: 'Keep it' }).click();
    hold((await get('/api/conversations')).items.length === before, 'it is gone');
    await page.getByRole('button', { name: 'Delete the conversation' }).click();
    await page.getByRole('button', { name: 'Delete it' }).click();
    await until('it is gone', async () => (await get('/api/conversations')).items.length === before - 1);
  }],
]);
