// A run as people read it, folded from the rows of its journal one after the other. Derived: it decides nothing.
import type { Row } from '../api/follow';
import { model as modelName } from '../text/format';
import type { Reason } from './chain';

export interface Call {
  readonly id: string;
  readonly tool: string;
  readonly args: string;
  readonly program: string | null;
  status: 'asked' | 'running' | 'ok' | 'error';
  code: string | null;
  message: string | null;
  content: string | null;
  stored: { ref: string; bytes: number; head: string; tail: string } | null;
  exitCode: number | null;
  millis: number | null;
  effect: string | null;
  policy: string | null;
  /** How often the same tool was called with the same arguments before. */
  repeats: number;
}

export interface Applied {
  readonly action: string;
  readonly outcome: string;
  readonly class: string | null;
  readonly detail: string | null;
  readonly subject: string | null;
  readonly callId: string;
}

/** A stretch of time of a turn, in milliseconds since the run began. */
export interface Stretch {
  readonly lane: 'model' | 'tool' | 'human';
  readonly from: number;
  readonly to: number;
  readonly label: string;
}

export interface Turn {
  readonly number: number;
  readonly callId: string;
  readonly purpose: string | null;
  readonly startedAt: number;
  endedAt: number;
  model: string | null;
  stop: string | null;
  text: string;
  reasoning: string;
  calls: Call[];
  verdict: 'open' | 'closed' | 'refused';
  reasons: Reason[];
  applied: Applied[];
  tokens: number;
  input: number;
  output: number;
  costMicros: number | null;
  turnDigest: string | null;
  witnessId: string | null;
  callSpecDigest: string | null;
  stretches: Stretch[];
  /** Notes between this turn and the next: compaction, questions, interruption. */
  notes: { readonly seq: number; readonly kind: string; readonly text: string }[];
  firstSeq: number;
}

export interface Worker {
  readonly issueId: string;
  readonly title: string;
  runId: string | null;
  outcome: string | null;
}

export interface RunModel {
  rows: Row[];
  turns: Turn[];
  workers: Worker[];
  startedAt: number;
  lastAt: number;
  config: Record<string, unknown> | null;
  outcome: string | null;
  detail: string | null;
  classes: string[];
  tokens: number;
  costMicros: number;
  toolCalls: number;
}

const seen = new WeakMap<RunModel, Map<string, number>>();
const waiting = new WeakMap<RunModel, number>();

export function emptyRun(): RunModel {
  return {
    rows: [], turns: [], workers: [], startedAt: 0, lastAt: 0, config: null, outcome: null, detail: null, classes: [], tokens: 0, costMicros: 0, toolCalls: 0,
  };
}

type Fields = Record<string, unknown>;
const text = (value: unknown): string | null => (typeof value === 'string' ? value : null);
const number = (value: unknown): number => (typeof value === 'number' ? value : Number(value ?? 0) || 0);
const list = (value: unknown): Fields[] => (Array.isArray(value) ? (value as Fields[]) : []);

/** Takes more rows in. The model is changed in place; the caller draws anew. */
export function foldRows(run: RunModel, rows: readonly Row[]): void {
  for (const row of rows) {
    run.rows.push(row);
    const at = Date.parse(row.at) || run.lastAt;
    if (run.startedAt === 0) run.startedAt = at;
    foldRow(run, row, at);
    run.lastAt = at;
  }
}

function foldRow(run: RunModel, row: Row, at: number): void {
  const event = row.event as Fields & { kind: string };
  const turn = run.turns.at(-1);
  switch (event.kind) {
    case 'run.started':
      run.config = (event['config'] as Fields | undefined) ?? null;
      return;
    case 'turn.called':
      run.turns.push(newTurn(event, at, row.seq));
      return;
    case 'turn.answered':
      if (turn) answered(run, turn, event, at);
      return;
    case 'turn.unanswered':
      note(turn, row, `no model answered: ${text(event['message']) ?? text(event['errorKind']) ?? ''}`);
      return;
    case 'turn.judged':
      if (turn) judged(turn, event);
      return;
    case 'program.called':
      if (turn) for (const call of list(event['calls'])) addCall(run, turn, call, text(event['toolCallId']));
      return;
    case 'turn.results':
      if (turn) results(run, turn, event, at);
      return;
    case 'turn.closed':
      if (turn) closed(turn, event, at);
      return;
    case 'turn.applied':
      if (turn) turn.applied.push(...list(event['outcomes']).map(applied));
      return;
    case 'workers.spawned':
      for (const worker of list(event['workers'])) run.workers.push({ issueId: text(worker['issueId']) ?? '', title: text(worker['title']) ?? '', runId: null, outcome: null });
      return;
    case 'workers.returned':
      for (const worker of list(event['workers'])) returned(run, worker);
      return;
    case 'run.stopped':
      run.outcome = text(event['outcome']);
      run.detail = text(event['detail']);
      run.classes = Array.isArray(event['classes']) ? (event['classes'] as string[]) : [];
      run.costMicros = number(event['costMicros']) || run.costMicros;
      return;
    case 'run.resumed':
      human(run, turn, at, 'waited for a person');
      run.outcome = null;
      run.detail = null;
      run.classes = [];
      note(turn, row, 'goes on');
      return;
    case 'person.asked':
      waiting.set(run, at);
      note(turn, row, `a person was asked: ${text(event['question']) ?? ''}`);
      return;
    case 'person.decided':
    case 'person.confirmed':
    case 'plan.decided':
      human(run, turn, at, event.kind);
      note(turn, row, decisionText(event));
      return;
    case 'context.compacted':
      note(turn, row, 'older turns were replaced by a summary');
      return;
    case 'context.windowed':
      note(turn, row, `${number(event['dropped'])} older messages are no longer shown`);
      return;
    case 'handoff.prepared':
      note(turn, row, 'handed on to a fresh session');
      return;
    case 'run.interrupted':
      note(turn, row, 'interrupted');
      return;
    default:
      return;
  }
}

function newTurn(event: Fields, at: number, seq: number): Turn {
  return {
    number: number(event['turn']), callId: text(event['callId']) ?? '', purpose: text(event['purpose']), startedAt: at, endedAt: at, model: null, stop: null,
    text: '', reasoning: '', calls: [], verdict: 'open', reasons: [], applied: [], tokens: 0, input: 0, output: 0, costMicros: null, turnDigest: null,
    witnessId: null, callSpecDigest: null, stretches: [], notes: [], firstSeq: seq,
  };
}

function addCall(run: RunModel, turn: Turn, part: Fields, program: string | null): void {
  const tool = text(part['name']) ?? '';
  const args = typeof part['arguments'] === 'string' ? part['arguments'] : JSON.stringify(part['arguments'] ?? {});
  const counts = seen.get(run) ?? new Map<string, number>();
  seen.set(run, counts);
  const key = `${tool}\n${args}`;
  const before = counts.get(key) ?? 0;
  counts.set(key, before + 1);
  run.toolCalls += 1;
  turn.calls.push({
    id: text(part['id']) ?? '', tool, args, program, status: 'asked', code: null, message: null, content: null, stored: null, exitCode: null, millis: null,
    effect: null, policy: null, repeats: before,
  });
}

function answered(run: RunModel, turn: Turn, event: Fields, at: number): void {
  turn.model = text(event['modelRef']);
  turn.stop = text(event['stop']);
  for (const part of list(event['parts'])) {
    if (part['type'] === 'text' || part['type'] === 'refusal') turn.text += text(part['text']) ?? '';
    if (part['type'] === 'reasoning') turn.reasoning += text(part['text']) ?? '';
    if (part['type'] === 'call') addCall(run, turn, part, null);
  }
  const usage = (event['usage'] as Fields | undefined) ?? {};
  turn.input = number(usage['input']);
  turn.output = number(usage['output']);
  turn.tokens = turn.input + turn.output;
  run.tokens += turn.tokens;
  const micros = event['costMicros'];
  turn.costMicros = typeof micros === 'number' ? micros : null;
  run.costMicros += turn.costMicros ?? 0;
  turn.endedAt = at;
  turn.stretches.push({ lane: 'model', from: turn.startedAt - run.startedAt, to: at - run.startedAt, label: turn.model ?? 'model' });
}

function judged(turn: Turn, event: Fields): void {
  for (const judgement of list(event['calls'])) {
    const call = turn.calls.find((it) => it.id === text(judgement['toolCallId']));
    const error = judgement['error'] as Fields | undefined;
    if (call) {
      call.effect = text(judgement['effect']);
      call.policy = text(error?.['policyName']) ?? call.policy;
    }
  }
}

function results(run: RunModel, turn: Turn, event: Fields, at: number): void {
  const millis = new Map(list(event['traces']).map((trace) => [text(trace['toolCallId']) ?? '', number(trace['durationMicros']) / 1000]));
  const calls = new Map(turn.calls.map((call) => [call.id, call]));
  for (const row of list(event['results'])) {
    const call = calls.get(text(row['toolCallId']) ?? '');
    if (!call) continue;
    call.status = row['status'] === 'error' ? 'error' : 'ok';
    call.code = text(row['errorCode']);
    call.message = text(row['message']);
    call.content = text(row['content']);
    call.exitCode = typeof row['exitCode'] === 'number' ? row['exitCode'] : null;
    call.millis = millis.get(call.id) ?? null;
    const stored = row['stored'] as Fields | undefined;
    if (stored) call.stored = { ref: text(stored['objectRef']) ?? '', bytes: number(stored['bytes']), head: text(stored['head']) ?? '', tail: text(stored['tail']) ?? '' };
  }
  turn.stretches.push({ lane: 'tool', from: turn.endedAt - run.startedAt, to: at - run.startedAt, label: turn.calls.map((call) => call.tool).join(', ') });
  turn.endedAt = at;
}

function closed(turn: Turn, event: Fields, at: number): void {
  turn.verdict = event['result'] === 'accepted' ? 'closed' : 'refused';
  turn.reasons = list(event['reasons']).map((reason) => ({ class: text(reason['class']) ?? '', subject: text(reason['subject']) ?? '', detail: text(reason['detail']) ?? '' }));
  turn.turnDigest = text(event['turnDigest']);
  turn.witnessId = text(event['witnessId']);
  turn.callSpecDigest = text(event['callSpecDigest']);
  turn.endedAt = at;
}

function applied(outcome: Fields): Applied {
  return {
    action: text(outcome['action']) ?? '', outcome: text(outcome['outcome']) ?? '', class: text(outcome['class']), detail: text(outcome['detail']),
    subject: text(outcome['issueId']) ?? text(outcome['subjectId']), callId: text(outcome['toolCallId']) ?? '',
  };
}

function returned(run: RunModel, row: Fields): void {
  const worker = run.workers.find((it) => it.issueId === text(row['issueId']) && it.outcome === null);
  if (!worker) return;
  worker.runId = text(row['runId']);
  worker.outcome = text(row['outcome']);
}

function note(turn: Turn | undefined, row: Row, words: string): void {
  turn?.notes.push({ seq: row.seq, kind: row.event.kind, text: words });
}

function human(run: RunModel, turn: Turn | undefined, at: number, label: string): void {
  const from = waiting.get(run) ?? run.lastAt;
  waiting.delete(run);
  if (!turn || at <= from) return;
  turn.stretches.push({ lane: 'human', from: from - run.startedAt, to: at - run.startedAt, label });
  turn.endedAt = Math.max(turn.endedAt, at);
}

function decisionText(event: Fields & { kind: string }): string {
  if (event.kind === 'person.decided') return event['decision'] === 'no_answer' ? 'nobody answered' : `a person said: ${text(event['decision']) ?? ''}`;
  if (event.kind === 'plan.decided') return `the plan ${text(event['proposalId']) ?? ''} is ${text(event['state']) ?? ''}`;
  return list(event['confirmations'])
    .map((it) => `${text(it['approvalId']) ?? 'a question'}: ${text(it['answer']) ?? ''}${text(it['decidedBy']) ? ` by ${text(it['decidedBy'])}` : ''}`)
    .join('; ');
}

/** What one row says, in one line. */
export function rowSummary(row: Row): string {
  const event = row.event as Fields & { kind: string };
  switch (event.kind) {
    case 'turn.called': return `${text(event['callId']) ?? ''}${text(event['purpose']) ? ` · ${text(event['purpose'])}` : ''}`;
    case 'turn.answered': return `${modelName(text(event['modelRef']))} · ${text(event['stop']) ?? ''} · ${list(event['parts']).map((part) => (part['type'] === 'call' ? text(part['name']) : text(part['text']) ?? part['type'])).join(' · ')}`;
    case 'turn.results': return list(event['results']).map((it) => `${text(it['toolCallId']) ?? ''} ${text(it['errorCode']) ?? text(it['status']) ?? ''}`).join(' · ');
    case 'turn.closed': return `${text(event['result']) ?? ''}${list(event['reasons']).map((it) => ` · ${text(it['class']) ?? ''}`).join('')}`;
    case 'turn.applied': return list(event['outcomes']).map((it) => `${text(it['action']) ?? ''} ${text(it['outcome']) ?? ''}${text(it['class']) ? ` ${text(it['class'])}` : ''}`).join(' · ');
    case 'turn.intended': return list(event['intents']).map((it) => `${text(it['tool']) ?? ''} ${text(it['toolCallId']) ?? ''}`).join(' · ');
    case 'turn.judged': return list(event['calls']).map((it) => `${text(it['toolCallId']) ?? ''} ${text(it['effect']) ?? ''}`).join(' · ');
    case 'run.stopped': return `${text(event['outcome']) ?? ''}${text(event['detail']) ? ` · ${text(event['detail'])}` : ''}`;
    case 'person.asked': return text(event['question']) ?? '';
    case 'person.decided': case 'person.confirmed': case 'plan.decided': return decisionText(event);
    case 'run.started': return 'the beginning: configuration, tools, policy';
    default: {
      const rest = Object.entries(event).filter(([name]) => name !== 'kind');
      return rest.length === 0 ? '' : JSON.stringify(Object.fromEntries(rest)).slice(0, 400);
    }
  }
}
