// A page of somebody else with useChat (examples/use-chat) in a real browser, from an origin of its own: it talks to a server that named its origin, and to no other.
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { get } from './api.mjs';
import { BASE, TOKEN } from './browser.mjs';
import { hold, prove } from './harness.mjs';

const example = join(dirname(fileURLToPath(import.meta.url)), '../../../../examples/use-chat');
const port = Number(process.env.EMBEDDED_PORT);

/** The page of the README: it says where the server is, then loads what esbuild made. */
function hosting() {
  if (!existsSync(join(example, 'node_modules'))) throw new Error(`run: npm ci --prefix ${example}`);
  const built = spawnSync('npm', ['run', 'build', '--silent', '--prefix', example], { stdio: 'inherit' });
  if (built.status !== 0) throw new Error('examples/use-chat does not build');
  const premath = JSON.stringify({ url: BASE, token: TOKEN, conversation: 'embedded' });
  const page = `<!doctype html><meta charset="utf-8"><link rel="icon" href="data:,"><title>useChat</title><div id="root"></div><script>window.PREMATH = ${premath}</script><script src="/page.js"></script>`;
  const server = createServer((request, response) => {
    const isScript = request.url === '/page.js';
    response.setHeader('Content-Type', isScript ? 'text/javascript' : 'text/html');
    response.end(isScript ? readFileSync(join(example, 'page.js')) : page);
  });
  return new Promise((done) => server.listen(port, '127.0.0.1', () => done(server)));
}

async function asks(browser, origin, words) {
  const context = await browser.newContext();
  const page = await context.newPage();
  await page.goto(origin);
  await page.locator('input').fill(words);
  await page.getByRole('button', { name: 'Say' }).click();
  return { page, context };
}

const server = await hosting();
try {
  await prove([
    ['useChat in a page of another origin is answered, with the calls of tools', async ({ browser }) => {
      const { page, context } = await asks(browser, `http://localhost:${port}`, 'How much of the budget is left?');
      await page.locator('article[data-role=assistant]').getByText('2,685 are left').waitFor({ timeout: 20_000 });
      await page.locator('main[data-status=ready]').waitFor();
      hold((await page.locator('article code').allInnerTexts()).includes('desk_read_file: output-available'), 'the call is not shown');
      const { messages } = await get('/api/conversations/embedded');
      hold(messages.length === 2, `${messages.length} messages are kept`);
      await context.close();
    }],
    ['the same page under a name that the server was not told of gets nothing', async ({ browser }) => {
      const { page, context } = await asks(browser, `http://127.0.0.1:${port}`, 'And now?');
      await page.locator('main[data-status=error]').waitFor({ timeout: 20_000 });
      const { messages } = await get('/api/conversations/embedded');
      hold(messages.length === 2, 'something was said');
      await context.close();
    }],
  ]);
} finally {
  server.close();
}
