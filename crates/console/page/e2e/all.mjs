// All specs against the program itself: PREMATH=path/to/premath node all.mjs [pictures FOLDER]
// It seeds a workspace for looking and deciding, and takes a fresh demo for the desk. Ends with 1 when one of them does not hold.
import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const premath = process.env.PREMATH ?? 'premath';
const here = dirname(fileURLToPath(import.meta.url));
const folder = mkdtempSync(join(tmpdir(), 'premath-page-'));
// Nobody's own state, credentials or settings are touched.
const env = { ...process.env, HOME: folder, XDG_STATE_HOME: join(folder, 'state'), XDG_CONFIG_HOME: join(folder, 'config'), PREMATH: premath };

async function serving(args, cwd, use) {
  const server = spawn(premath, ['serve', '--port', '0', '--json', ...args], { cwd, env, stdio: ['ignore', 'pipe', 'inherit'] });
  const line = await new Promise((done, fail) => {
    let text = '';
    server.stdout.on('data', (piece) => {
      text += piece;
      const found = text.split('\n').find((one) => one.includes('"url"'));
      if (found) done(found);
    });
    server.on('exit', (code) => fail(new Error(`the server ended with ${code}`)));
  });
  const { url, tokenFile } = JSON.parse(line);
  try {
    return await use({ ...env, PREMATH_URL: url.replace(/\/$/, ''), PREMATH_TOKEN: readFileSync(tokenFile, 'utf8').trim() });
  } finally {
    server.removeAllListeners('exit');
    server.kill('SIGTERM');
    await new Promise((done) => server.on('exit', done));
  }
}

const spec = (name, environment, ...args) => spawnSync(process.execPath, [join(here, name), ...args], { env: environment, stdio: 'inherit' }).status === 0;

/** More than 10,000 rows by a scripted model that reads one file over and over, each time a little more of it. */
function longRun(workspace) {
  const turn = (_, at) => `[[turn]]\ntext = "Step ${at}."\n[[turn.call]]\ntool = "fs_read"\narguments = { path = "notes.md", limit = ${at + 1} }\n`;
  const turns = Array.from({ length: 2000 }, turn).join('');
  writeFileSync(join(workspace, 'long.toml'), `name = "long"\n${turns}[[turn]]\ntext = "done"\n`);
  const limits = ['--max-turns', '2500', '--max-tool-calls', '2500', '--max-tokens', '10000000000', '--max-minutes', '30', '--context-tokens', '100000000'];
  execFileSync(premath, ['run', 'A very long run', '--model', 'scripted:long.toml', '--run-id', 'long', ...limits], { cwd: workspace, env, stdio: 'ignore' });
}

/** A port that was free a moment ago: the server has to be told the origin before the page is there. */
function freePort() {
  return new Promise((done, fail) => {
    const listener = createServer().once('error', fail);
    listener.listen(0, '127.0.0.1', () => {
      const { port } = listener.address();
      listener.close(() => done(port));
    });
  });
}

const results = [];
try {
  if (process.argv[2] === 'pictures') {
    await serving(['--demo', '--keep', join(folder, 'demo')], folder, (environment) => results.push(spec('screenshots.mjs', environment, process.argv[3])));
  } else {
    const workspace = join(folder, 'seeded');
    execFileSync(process.execPath, [join(here, '../tests/fixture/seed.mjs'), workspace], { env, stdio: 'ignore' });
    writeFileSync(join(workspace, 'slow.toml'), execFileSync(process.execPath, [join(here, '../tests/fixture/slow.mjs')]));
    longRun(workspace);
    await serving([], workspace, (environment) => ['reading.mjs', 'deciding.mjs', 'live.mjs'].forEach((name) => results.push(spec(name, environment))));
    const EMBEDDED_PORT = String(await freePort());
    const origin = `http://localhost:${EMBEDDED_PORT}`;
    await serving(['--demo', '--keep', join(folder, 'demo'), '--allow-origin', origin], folder, (environment) => ['embedded.mjs', 'desk.mjs', 'careful.mjs', 'markup.mjs'].forEach((name) => results.push(spec(name, { ...environment, EMBEDDED_PORT }))));
  }
} finally {
  rmSync(folder, { recursive: true, force: true });
}
if (results.includes(false)) process.exitCode = 1;
