// The parts of a message: text, tools, and what people see of each risk: notice, card with a diff, undo, plan.
import { useEffect, useRef, useState } from 'preact/hooks';
import { post } from '../api/client';
import type { Approval, Proposal, ProposalStep, Target } from '../api/types';
import { duration } from '../text/format';
import { inert } from '../text/inert';
import { ApprovalCard, PlanCard } from '../ui/decide';
import { Icon } from '../ui/icons';
import { Arguments, Result } from '../ui/json';
import { Chip, Inert, StateChip, tell, tellError } from '../ui/kit';
import { LongText } from '../ui/long';
import { Prose } from '../ui/prose';
import { pathOf } from '../ui/route';
import { useAnswer, useDoing } from '../ui/use';
import type { Broken, DataPart, Message, Part, TextPart, ToolPart } from './messages';

type Data = Record<string, unknown>;
const text = (value: unknown): string => (typeof value === 'string' ? value : '');

const TOOL_STATES = { 'input-streaming': 'running', 'input-available': 'running', 'output-available': 'ok', 'output-error': 'error' } as const;

function Tool({ part, live }: { readonly part: ToolPart; readonly live: boolean }) {
  const state = TOOL_STATES[part.state];
  const millis = (part.output as { durationMs?: number } | undefined)?.durationMs;
  return (
    <details class="tool-part">
      <summary>
        <Icon name="tool" /> <code class="cut grow">{inert(part.toolName)}</code>
        {typeof millis === 'number' && <span class="small ink3 num">{duration(millis)}</span>}
        <StateChip state={state === 'running' && !live ? 'waits' : state} />
      </summary>
      <div class="col">
        <Arguments value={part.input ?? part.inputText ?? {}} />
        {part.errorText && <p class="del small"><Inert text={part.errorText} /></p>}
        {part.output !== undefined && <Result value={part.output} label={`Result of ${part.toolName}`} />}
      </div>
    </details>
  );
}

const targetsOf = (value: unknown): Target[] =>
  (Array.isArray(value) ? value : []).map((it) => (typeof it === 'string' ? { id: it, kind: 'file', name: it } : (it as Target)));

/** Somebody answered the card in the inbox or at a terminal: the conversation goes on here too. */
function useDecidedElsewhere(told: string, now: string | undefined, decided: () => void): void {
  const before = useRef(told);
  useEffect(() => {
    const wasAnswered = before.current === 'pending' && now !== undefined && now !== 'pending';
    const wasDone = ['approved', 'executing'].includes(before.current) && (now === 'executed' || now === 'failed');
    if (wasAnswered || wasDone) decided();
    before.current = now ?? told;
  }, [now]);
}

/** The card as the stream has it stands in until the server's own is read; the digest that is agreed to is always the server's. */
function Confirmation({ data, decided }: { readonly data: Data; readonly decided: () => void }) {
  const id = text(data['approvalId']);
  const answer = useAnswer<{ approval: Approval }>(id ? `/api/confirmations/${encodeURIComponent(id)}` : null, {}, text(data['state']) === 'pending' ? 4000 : 0);
  useDecidedElsewhere(text(data['state']), answer.data?.approval.state, decided);
  const approval: Approval = answer.data?.approval ?? {
    id, runId: text(data['runId']), tool: text(data['tool']), toolCallId: text(data['toolCallId']), kind: '', state: text(data['state']) || 'pending', arguments: data['arguments'] ?? {}, argumentsDigest: '',
    cardDigest: text(data['digest']), targets: targetsOf(data['targets']), diff: text(data['diff']) || null, reason: text(data['reason']), rule: text(data['rule']), tier: text(data['tier']), scope: 'once', requestedAt: '', expiresAt: text(data['expiresAt']),
  };
  return <ApprovalCard approval={approval} decided={() => answer.again()} compact />;
}

function Plan({ data, decided }: { readonly data: Data; readonly decided: () => void }) {
  const id = text(data['proposalId']);
  const answer = useAnswer<{ proposal: Proposal }>(id ? `/api/proposals/${encodeURIComponent(id)}` : null, {}, text(data['state']) === 'pending' ? 4000 : 0);
  useDecidedElsewhere(text(data['state']), answer.data?.proposal.state, decided);
  const steps = (Array.isArray(data['steps']) ? (data['steps'] as Data[]) : []).map((step, at): ProposalStep => ({
    id: String(at), n: at + 1, tool: text(step['tool']), arguments: step['args'] ?? step['arguments'] ?? {}, targets: targetsOf(step['targets']), preview: text(step['diff']) || text(step['preview']) || null, rationale: text(step['rationale']), state: text(step['status']) || null,
  }));
  const proposal: Proposal = answer.data?.proposal ?? {
    id, runId: '', goal: text(data['goal']), rollback: text(data['rollback']), state: text(data['state']) || 'pending', planDigest: text(data['digest']), createdAt: '', expiresAt: text(data['expiresAt']), steps,
  };
  return <PlanCard proposal={proposal} decided={() => answer.again()} compact />;
}

export function Undo({ fileId, name, version, done, undone }: { readonly fileId: string; readonly name: string; readonly version?: number | undefined; readonly done: boolean; readonly undone: () => void }) {
  const { busy, run } = useDoing();
  const [over, setOver] = useState(done);
  const undo = () => run('undo', async () => {
    try {
      await post(`/api/desk/files/${encodeURIComponent(fileId)}/restore`, version === undefined ? {} : { version });
      setOver(true);
      tell('green', `${name} is back`);
      undone();
    } catch (error) {
      tellError(error);
    }
  });
  return over || done ? <Chip tone="green" dot>{inert(name)} is back</Chip> : (
    <button type="button" class="undo-chip" disabled={busy !== null} onClick={undo}><Icon name="undo" /> Undo <span class="cut">{inert(name)}</span></button>
  );
}

function DataView({ part, decided, undone }: { readonly part: DataPart; readonly decided: () => void; readonly undone: () => void }) {
  const { data } = part;
  switch (part.type) {
    case 'data-notice':
      return <div class="notice"><Icon name="plus" /> <span class="grow"><Inert text={text(data['text'])} /></span>{text(data['fileId']) && <a href={pathOf('desk', text(data['fileId']))}>Open</a>}</div>;
    case 'data-confirmation':
      return <Confirmation data={data} decided={decided} />;
    case 'data-plan':
      return <Plan data={data} decided={decided} />;
    case 'data-undo':
      return <Undo fileId={text(data['fileId'])} name={text(data['name']) || text(data['fileId'])} version={typeof data['version'] === 'number' ? data['version'] : undefined} done={data['state'] === 'undone'} undone={undone} />;
    case 'data-policy':
      return <div class="banner amber"><Icon name="policy" /><div class="grow"><Inert text={text(data['humanMessage']) || text(data['hint'])} /> <span class="row wrap small"><Chip mono>{inert(text(data['policyName']))}</Chip><Chip mono>{inert(text(data['code']))}</Chip></span></div></div>;
    case 'data-retrieval':
      return <Chip>{inert(text(data['stage']))}: {inert(text(data['status']))}</Chip>;
    case 'data-citations': {
      const items = Array.isArray(data) ? (data as unknown as Data[]) : Array.isArray(data['items']) ? (data['items'] as Data[]) : [];
      return <div class="row wrap">{items.map((it, at) => <Chip key={at} title={text(it['text']) || text(it['quote'])} tone={it['kind'] === 'drifted' || it['kind'] === 'uncited' ? 'amber' : ''}>{inert(text(it['name']) || text(it['mark']) || text(it['fileId']))} {inert(text(it['kind']))}</Chip>)}</div>;
    }
    case 'data-turn':
      return data['verdict'] === 'refused' ? (
        <div class="banner red"><Icon name="warn" /><div class="grow">This turn was refused: nothing changed. <span class="row wrap small">{(Array.isArray(data['reasons']) ? data['reasons'] : []).map((it, at) => <code key={at}>{inert(text(it) || text((it as Data)['class']))}</code>)}</span></div>{text(data['runId']) && <a href={pathOf('runs', text(data['runId']), 'turns', text(data['callId']))}>Look</a>}</div>
      ) : text(data['runId']) ? <a class="turn-link" href={pathOf('runs', text(data['runId']), 'turns', text(data['callId']))} title={text(data['turnDigest'])}><Icon name="check" /> turn closed and witnessed</a> : null;
    default:
      return null;
  }
}

function PartView({ part, user, live, decided, undone }: { readonly part: Part; readonly user: boolean; readonly live: boolean; readonly decided: () => void; readonly undone: () => void }) {
  if (part.type === 'text') return user ? <p class="plain"><Inert text={(part as TextPart).text} /></p> : <Prose text={(part as TextPart).text} />;
  if (part.type === 'reasoning') return (part as TextPart).text ? <details class="quiet"><summary>Reasoning</summary><LongText text={(part as TextPart).text} label="Reasoning" /></details> : null;
  if (part.type === 'dynamic-tool') return <Tool part={part as ToolPart} live={live} />;
  if (part.type.startsWith('data-')) return <DataView part={part as DataPart} decided={decided} undone={undone} />;
  return null;
}

const ENDS = { stopped: 'Stopped', 'broke-off': 'Broke off' } as const;
const ENDS_MORE = { stopped: 'by a person, before the answer was whole', 'broke-off': 'the server ended before the answer was whole' } as const;

/** The end of an answer that did not end by itself, and the way on from it. */
function BrokenEnd({ end, goOn }: { readonly end: Exclude<Broken, null>; readonly goOn: (() => void) | null }) {
  return <div class="broken-end" role="status"><Icon name={end === 'stopped' ? 'stop' : 'warn'} /><span class="grow"><b class="strong">{ENDS[end]}</b> <span class="ink3">{ENDS_MORE[end]}</span></span>{goOn && <button type="button" class="button small" onClick={goOn}><Icon name="play" /> Go on</button>}</div>;
}

export function MessageView({ message, live, end, goOn, decided, undone }: { readonly message: Message; readonly live: boolean; readonly end: Broken; readonly goOn: (() => void) | null; readonly decided: () => void; readonly undone: () => void }) {
  const user = message.role === 'user';
  return (
    <article class={`message ${user ? 'user' : 'assistant'}`} aria-label={user ? 'You' : 'The assistant'}>
      {message.parts.map((part, at) => <PartView key={'id' in part && part.id ? `${part.type}-${part.id}-${at}` : at} part={part} user={user} live={live} decided={decided} undone={undone} />)}
      {end !== null && <BrokenEnd end={end} goOn={goOn} />}
    </article>
  );
}
