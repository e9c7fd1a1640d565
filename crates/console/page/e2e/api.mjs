// The server without the page: what a spec arranges or compares.
import { BASE, TOKEN } from './browser.mjs';

export async function call(method, path, body) {
  const response = await fetch(BASE + path, {
    method, headers: { Authorization: `Bearer ${TOKEN}`, ...(body === undefined ? {} : { 'Content-Type': 'application/json' }) }, ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  const text = await response.text();
  return { status: response.status, body: text === '' ? null : JSON.parse(text) };
}

export const get = async (path) => (await call('GET', path)).body.data;

/** Every row of a run, page by page. */
export async function rows(runId) {
  const all = [];
  for (let cursor = '0'; ; ) {
    const response = await fetch(`${BASE}/api/runs/${encodeURIComponent(runId)}/events?cursor=${cursor}`, { headers: { Authorization: `Bearer ${TOKEN}`, Accept: 'application/json' } });
    const { data } = await response.json();
    all.push(...data.rows);
    if (data.rows.length === 0 || data.hasMore === false) return all;
    cursor = data.nextCursor;
  }
}
