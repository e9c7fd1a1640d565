import { describe, expect, it } from 'vitest';
import type { Row } from '../src/api/follow';
import { lightsOf, stageOf, STAGES, type TurnFacts } from '../src/run/chain';
import { emptyRun, foldRows } from '../src/run/model';

let seq = 0;
const row = (kind: string, more: Record<string, unknown> = {}): Row => {
  seq += 1;
  return { seq, at: new Date(1_700_000_000_000 + seq * 1000).toISOString(), digest: '', event: { kind, ...more } };
};
const facts = (more: Partial<TurnFacts>): TurnFacts => ({ verdict: 'closed', reasons: [], answered: true, requests: 1, results: 1, intents: 0, refusals: [], ...more });
const colours = (more: Partial<TurnFacts>) => lightsOf(facts(more)).map((it) => it.light);
const because = (name: string) => [{ class: name, subject: '', detail: '' }];

describe('the chain', () => {
  it('is green where a turn is closed, and idle where nothing was asked', () => {
    expect(colours({ intents: 1 })).toEqual(['green', 'green', 'green', 'green', 'green', 'green']);
    expect(colours({ requests: 0, results: 0 })).toEqual(['green', 'idle', 'idle', 'idle', 'green', 'idle']);
  });
  it('is red at the stage of the class, and at the join of a refused turn', () => {
    expect(colours({ verdict: 'refused', reasons: [...because('tool.result_missing'), ...because('tool.join_incomplete')] })).toEqual(['green', 'green', 'red', 'green', 'red', 'dark']);
    expect(colours({ verdict: 'refused', reasons: because('tool.schema_invalid') })[1]).toBe('red');
    expect(colours({ verdict: 'refused', reasons: because('tool.schema_invalid') }).at(-1)).toBe('dark');
  });
  it('is red at the end where a change was refused', () => {
    const last = lightsOf(facts({ intents: 1, refusals: ['mutation.capability_claim_missing'] })).at(-1);
    expect(last).toEqual({ stage: 'MutationReady', light: 'red', classes: ['mutation.capability_claim_missing'] });
  });
  it('waits where a turn is open', () => {
    expect(colours({ verdict: 'open', results: 0 })).toEqual(['green', 'green', 'wait', 'dark', 'dark', 'dark']);
    expect(colours({ verdict: 'open', answered: false })).toEqual(['wait', 'dark', 'dark', 'dark', 'dark', 'dark']);
  });
  it('has a stage for every class', () => {
    for (const name of ['tool.use_missing', 'governance.eval_gate_unmet', 'handoff.target_not_allowed', 'mutation.use_evidence_missing', 'something.new']) expect(STAGES).toContain(stageOf(name));
  });
});

describe('a run', () => {
  const turn = (n: number, name: string, args: string) => [
    row('turn.called', { callId: `r.t${n}`, turn: n }),
    row('turn.answered', { modelRef: 'm', stop: 'tool_use', parts: [{ type: 'text', text: 'x' }, { type: 'call', id: `c${n}`, name, arguments: args }], usage: { input: 10, output: 5 }, costMicros: 7 }),
    row('turn.results', { elapsedMillis: 1, results: [{ toolCallId: `c${n}`, status: 'ok', content: 'y' }], traces: [{ toolCallId: `c${n}`, durationMicros: 2000 }] }),
    row('turn.closed', { callId: `r.t${n}`, result: 'accepted', turnDigest: 'd', witnessId: 'w', callSpecDigest: 's' }),
  ];
  it('is folded from rows, in one go or one by one', () => {
    seq = 0;
    const rows = [row('run.started', { config: {} }), ...turn(1, 'fs_read', '{"path":"a"}'), ...turn(2, 'fs_read', '{"path":"a"}'), row('run.stopped', { outcome: 'completed' })];
    const whole = emptyRun();
    foldRows(whole, rows);
    const slow = emptyRun();
    for (const one of rows) foldRows(slow, [one]);
    expect(slow).toEqual(whole);
    expect(whole.turns.map((it) => it.verdict)).toEqual(['closed', 'closed']);
    expect(whole).toMatchObject({ outcome: 'completed', tokens: 30, costMicros: 14, toolCalls: 2 });
    expect(whole.turns[1]?.calls[0]).toMatchObject({ repeats: 1, millis: 2, status: 'ok' });
    expect(whole.turns[0]?.stretches.map((it) => it.lane)).toEqual(['model', 'tool']);
  });
});
