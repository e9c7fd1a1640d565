// Specs of R21: strings that are markup in a browser stay text, wherever the page shows somebody else's words. Changes the desk: on a demo.
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { call, get } from './api.mjs';
import { markup } from './data.mjs';
import { hold, prove, until } from './harness.mjs';

// Toml's basic strings are JSON's but for a few escapes; what cannot be said in them is left to the other places.
const quoted = (text) => JSON.stringify(text).replaceAll('\u007f', '\\u007f');
const isPlain = (text) => !/[\u0000-\u0008\u000b-\u001f\ud800-\udfff]/.test(text);
const taken = ({ status, body }) => (hold(status < 300 || status === 422 || status === 400, JSON.stringify(body)), status < 300 ? body.data : null);

/** Nothing in the page but what the page itself is made of: no element, attribute or address that came with the text. */
async function isInert(page, where) {
  const found = await page.evaluate(() => [...document.querySelectorAll('#app *')].flatMap((element) => {
    const wrong = [];
    if (/^(script|iframe|img|object|embed|audio|video|link|meta|base|style|frame|applet|math|image|animate|set|foreignobject|marquee|xss|isindex|listing)$/i.test(element.tagName)) wrong.push(element.tagName);
    for (const { name, value } of element.attributes) {
      if (/^on/i.test(name) || ['srcdoc', 'formaction', 'background', 'src'].includes(name)) wrong.push(`${element.tagName} ${name}`);
      if (name === 'href' && !/^(https?:|mailto:|\/|#)/.test(value)) wrong.push(`href ${value}`);
    }
    return wrong;
  }));
  hold(found.length === 0, `${where}: ${found.slice(0, 4).join(', ')}`);
  hold(await page.evaluate(() => globalThis.pwned === undefined && globalThis.xss === undefined), `${where}: something ran`);
}

const strings = markup();
if (strings) {
  const dialogs = [];
  const look = async (visit, path, ready, act = async () => undefined) => {
    const page = await visit(path);
    page.on('dialog', (dialog) => (dialogs.push(`${path}: ${dialog.message()}`), void dialog.dismiss()));
    await page.locator(ready).first().waitFor({ timeout: 20_000 });
    await act(page);
    await page.waitForTimeout(700);
    await isInert(page, path);
    hold(dialogs.length === 0, dialogs.join(', '));
    return page;
  };
  await prove([
    [`${strings.length} strings stay text as a file, as names, and in cells`, async ({ visit }) => {
      const file = taken(await call('POST', '/api/desk/files', { name: `markup-${Date.now()}.md`, type: 'markdown', content: strings.join('\n\n') }));
      hold(file, 'the file was not taken');
      await look(visit, `/desk/${file.id}`, '.paper .prose', async (page) => {
        await page.getByRole('button', { name: 'Write' }).click();
        await page.locator('.writing').waitFor();
      });
      const cells = Object.fromEntries(strings.filter(isPlain).map((text, at) => [`${'ABCDEF'[at % 6]}${Math.floor(at / 6) + 1}`, { value: text }]));
      const sheet = taken(await call('POST', '/api/desk/files', { name: `markup-cells-${Date.now()}`, type: 'spreadsheet', cells }));
      hold(sheet, 'the sheet was not taken');
      await look(visit, `/desk/${sheet.id}`, '.sheet-row input', (page) => page.locator('.sheet .virtual').evaluate((box) => void (box.scrollTop = 400)));
      let named = 0;
      for (const text of strings.filter((it) => it.length < 150).slice(0, 60)) if (taken(await call('POST', '/api/desk/files', { name: text.replaceAll('/', ' '), type: 'markdown', content: text }))) named += 1;
      hold(named > 20, `only ${named} names were taken`);
      const page = await look(visit, '/desk', '.file');
      await page.getByLabel('Find in files').fill('alert');
      await page.locator('.file.found').first().waitFor();
      await isInert(page, 'what was found');
    }],
    ['they stay text as titles and messages of conversations', async ({ visit }) => {
      let titled = 0;
      for (const text of strings.filter((it) => it.length < 100).slice(0, 12)) {
        const made = taken(await call('POST', '/api/conversations', {}));
        if (taken(await call('PATCH', `/api/conversations/${made.id ?? made.conversation.id}`, { title: text }))) titled += 1;
      }
      hold(titled > 6, `only ${titled} titles were taken`);
      const page = await look(visit, '/desk', '.chat select');
      await page.getByRole('button', { name: 'A new conversation' }).click();
      await page.waitForTimeout(600);
      await page.getByLabel('Message').fill(strings.join('\n').slice(0, 12_000));
      await page.keyboard.press('Enter');
      await page.locator('.message.user').waitFor();
      await page.waitForTimeout(2000);
      await isInert(page, 'a message');
      await page.getByRole('button', { name: 'Delete the conversation' }).click();
      await isInert(page, 'the question');
    }],
    ['they stay text on cards, in plans, in runs and in the log', async ({ visit }) => {
      const file = (await get('/api/desk/files')).items.find((it) => it.name === 'welcome.md');
      const plain = strings.filter(isPlain);
      const folder = join((await get('/api/me')).workspace, 'markup');
      mkdirSync(folder, { recursive: true });
      const content = quoted(plain.join('\n'));
      const change = `file_id = ${quoted(file.id)}, version = ${file.version}, content = ${content}`;
      writeFileSync(join(folder, 'card.toml'), `name = "card"\n[[turn]]\ntext = ${content}\n[[turn.call]]\ntool = "desk_update_markdown"\narguments = { ${change} }\n`);
      writeFileSync(join(folder, 'plan.toml'), `name = "plan"\n[[turn]]\ntext = "a plan"\n[[turn.call]]\ntool = "desk_propose_plan"\n[turn.call.arguments]\ngoal = ${quoted('<img src=x onerror=alert(1)> <script>alert(2)</script>')}\nrollback = ${quoted('<svg onload=alert(3)>')}\n[[turn.call.arguments.steps]]\ntool = "desk_update_markdown"\nrationale = ${quoted('<iframe src=javascript:alert(4)>')}\nargs = { ${change} }\n`);
      const begin = async (name) => {
        const begun = taken(await call('POST', '/api/runs', { task: `<img src=x onerror=alert(5)> ${plain[0]}`, desk: true, models: [`scripted:${join(folder, `${name}.toml`)}`], runId: `markup-${name}-${Date.now()}` }));
        hold(begun, `${name} did not begin`);
        return begun.runId;
      };
      const runs = [await begin('card'), await begin('plan')];
      const asked = await until('the card waits', async () => (await get('/api/confirmations?state=pending')).items.find((it) => it.runId === runs[0]), 20_000);
      const plan = await until('the plan waits', async () => (await get('/api/proposals?state=pending')).items.find((it) => it.runId === runs[1]), 20_000);
      await look(visit, `/approvals/${asked.id}`, '.decide .diff');
      await look(visit, `/approvals/${plan.id}`, '.decide .steps');
      for (const runId of runs) await look(visit, `/runs/${runId}`, '.chain');
      await look(visit, `/runs/${runs[0]}?view=events`, '.journal-row', (page) => page.locator('.journal-row').nth(2).click());
      await look(visit, '/runs', '.run-row:not(.head)');
      await look(visit, '/audit', '.audit-row:not(.head)');
      await call('POST', `/api/confirmations/${asked.id}/deny`, { message: strings[0] });
      await call('DELETE', `/api/proposals/${plan.id}`, {});
    }],
  ]);
}
