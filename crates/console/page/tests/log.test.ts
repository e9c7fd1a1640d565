import { expect, test } from 'vitest';
import type { LogEntry } from '../src/api/types';
import { errorOf } from '../src/api/client';
import { NO_PAGES, readBehind } from '../src/chat/log';
import { kpiWords, pointsOf } from '../src/pages/work';
import { layerWords } from '../src/pages/policy';

const entry = (at: number, status = 'ok'): LogEntry => ({ tool: `t${at}`, status }) as LogEntry;

function server(entries: LogEntry[]) {
  const asked: (string | undefined)[] = [];
  const read = async (cursor: string | undefined) => {
    asked.push(cursor);
    const from = Number(cursor ?? 0);
    return { items: entries.slice(from, from + 10), nextCursor: from + 10 < entries.length ? String(from + 10) : null } as never;
  };
  return { asked, read };
}

test('only what lies behind the last cursor is read again', async () => {
  const entries = Array.from({ length: 25 }, (_, at) => entry(at));
  const { asked, read } = server(entries);
  const first = await readBehind(NO_PAGES, read);
  expect([...first.before, ...first.last].map((it) => it.tool)).toEqual(entries.map((it) => it.tool));
  expect(asked).toEqual([undefined, '10', '20']);
  entries.push(entry(25), entry(26));
  const second = await readBehind(first, read);
  expect(asked.slice(3)).toEqual(['20']);
  expect([...second.before, ...second.last]).toHaveLength(27);
});

test('a call without an end is read again until it has one', async () => {
  const entries = Array.from({ length: 25 }, (_, at) => entry(at, at === 12 ? 'open' : 'ok'));
  const { asked, read } = server(entries);
  const first = await readBehind(NO_PAGES, read);
  entries[12] = entry(12);
  const second = await readBehind(first, read);
  expect(asked.slice(3)).toEqual(['10', '20']);
  expect([...second.before, ...second.last].map((it) => it.status)).not.toContain('open');
});

test('figures are said in words of people', () => {
  const kpi = { decision: { state: 'rollback', reason: '' }, ratios: { kpi: 0.142857 }, thresholds: { target: 0.8, rollback: 0.4, minRows: 3 }, counts: { windowRows: 7 } } as never;
  expect(kpiWords(kpi)).toBe('0.14 is below 0.40: no worker is started until somebody says what was done about it.');
  expect(layerWords({ layer: 'seconds a question waits', says: '900' })[1]).toMatch(/15\s?m/);
  expect(layerWords({ layer: 'role', says: 'owner' })).toEqual(['role', 'owner']);
});

test('a code is not said twice', () => {
  expect(errorOf(422, { error: { code: 'input.field_invalid', message: 'input.field_invalid: no model is named' } })).toMatchObject({ code: 'input.field_invalid', message: 'no model is named' });
});

test('the history of the figure begins with the first day on which anything was done, and ends now', () => {
  const day = (end: string, kpi: number, windowRows: number) => ({ end, kpi, windowRows });
  const answer = (history: ReturnType<typeof day>[]) => ({ history, ratios: { kpi: 0.5 }, window: { end: '2026-11-16T10:00:00Z' } }) as never;
  const values = (points: readonly { value: number }[]) => points.map((point) => point.value);
  expect(values(pointsOf(answer([])))).toEqual([0.5]);
  expect(values(pointsOf(answer([day('2026-11-13T10:00:00Z', 0, 0), day('2026-11-14T10:00:00Z', 1, 2), day('2026-11-15T10:00:00Z', 0, 0)])))).toEqual([1, 0, 0.5]);
  expect(pointsOf(answer([day('2026-11-15T10:00:00Z', 1, 1)]))[0]?.at).toBe(Date.parse('2026-11-15T10:00:00Z'));
});
