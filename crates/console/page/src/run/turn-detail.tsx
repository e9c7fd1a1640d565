// One turn, whole: the chain, the reasons, what was called with what came of it, what the model saw, the digests.
import { useState } from 'preact/hooks';
import type { TurnCard } from '../api/types';
import { bytes, cost, count, duration, model } from '../text/format';
import { isDiff } from '../text/diff';
import { inert } from '../text/inert';
import { Icon } from '../ui/icons';
import { Arguments } from '../ui/json';
import { Chip, Command, Copy, Digest, Failure, Inert, Loading, StateChip } from '../ui/kit';
import { Diff, LongText } from '../ui/long';
import { Prose } from '../ui/prose';
import { pathOf } from '../ui/route';
import { useAnswer } from '../ui/use';
import { stageOf } from './chain';
import type { Call, Turn } from './model';
import { Chain, lightsOfTurn } from './parts';

function patchOf(args: string): string | null {
  try {
    const parsed = JSON.parse(args) as Record<string, unknown>;
    const patch = Object.values(parsed).find((value) => typeof value === 'string' && isDiff(value));
    return typeof patch === 'string' ? patch : null;
  } catch {
    return null;
  }
}

function payloadOf(call: Call): string {
  if (call.stored) return `${call.stored.head}\n… ${bytes(call.stored.bytes)} in all, kept as ${call.stored.ref} …\n${call.stored.tail}`;
  return call.content ?? call.message ?? '';
}

function CallView({ call, card, at, resting }: { readonly call: Call; readonly card: TurnCard | null; readonly at: number; readonly resting: boolean }) {
  const shown = card?.calls.find((it) => it.toolCallId === call.id);
  const patch = patchOf(call.args);
  const payload = payloadOf(call);
  const rendered = shown?.rendered ?? '';
  return (
    <article class={`call ${call.status}`} id={`call-${at}`} aria-label={`Call of ${inert(call.tool)}`}>
      <header class="row wrap">
        <Icon name="tool" />
        <code class="strong">{inert(call.tool)}</code>
        <StateChip state={call.status === 'asked' ? (resting ? 'waits' : 'running') : call.status} />
        {call.code && <Chip tone="red" mono>{inert(call.code)}</Chip>}
        {call.effect && call.effect !== 'allow' && <StateChip state={call.effect} />}
        {call.policy && <Chip mono title="the rule that decided">{inert(call.policy)}</Chip>}
        {call.repeats > 0 && <Chip tone="amber" title="the same tool with the same arguments">called before, {call.repeats}×</Chip>}
        {call.program && <Chip title={call.program}>by a program</Chip>}
        {call.exitCode !== null && <Chip mono>exit {call.exitCode}</Chip>}
        <span class="grow" />
        {call.millis !== null && <span class="small ink3 num">{duration(call.millis)}</span>}
      </header>
      {patch ? <><Diff text={patch} /><details class="quiet"><summary>All arguments</summary><Arguments value={call.args} /></details></> : <Arguments value={call.args} />}
      {(payload !== '' || rendered !== '') && (
        <div class="beside">
          <div>
            <h4>The model saw</h4>
            <LongText text={rendered} label="What the model saw" />
          </div>
          <div>
            <h4>The tool gave{shown?.truncation ? ` (${bytes(shown.truncation.originalBytes)}, ${bytes(shown.truncation.keptBytes)} shown)` : ''}</h4>
            <LongText text={payload} label="What the tool gave" />
          </div>
        </div>
      )}
      {shown && shown.artifacts.length > 0 && (
        <div class="row wrap small ink2">
          {shown.artifacts.map((it) => <Chip key={it.path + it.access} mono title={it.digest ?? ''}>{inert(it.access)} {inert(it.path)}</Chip>)}
        </div>
      )}
    </article>
  );
}

function Saw({ card }: { readonly card: TurnCard }) {
  return (
    <div class="col">
      {card.saw.map((it, at) => (
        <div key={at} class="said">
          <div class="row small"><Chip>{inert(it.role)}</Chip>{it.toolCallId && <code class="ink3">{inert(it.toolCallId)}</code>}</div>
          <LongText text={it.text} label={`${it.role}, message ${at + 1}`} />
        </div>
      ))}
    </div>
  );
}

export function TurnDetail({ runId, turn, resting }: { readonly runId: string; readonly turn: Turn; readonly resting: boolean }) {
  const settled = turn.verdict !== 'open';
  const answer = useAnswer<TurnCard>(settled ? `/api/runs/${encodeURIComponent(runId)}/turns/${encodeURIComponent(turn.callId)}` : null);
  const [saw, setSaw] = useState(false);
  const card = answer.data;
  const digests = Object.entries(card?.digests ?? {});
  const link = pathOf('runs', runId, 'turns', turn.callId);
  return (
    <div class="col loose turn-detail">
      <div class="row wrap">
        <h2 class="turn-title">Turn {turn.number}</h2>
        <StateChip state={turn.verdict === 'open' && resting ? 'waits' : turn.verdict} />
        {turn.purpose && <Chip>{inert(turn.purpose)}</Chip>}
        <span class="small ink2 num">{inert(model(turn.model))}{turn.stop ? ` · ${inert(turn.stop)}` : ''}</span>
        <span class="grow" />
        <span class="small ink3 num">{count(turn.input)} in · {count(turn.output)} out · {cost(turn.costMicros)} · {duration(turn.endedAt - turn.startedAt)}</span>
        <Copy text={location.origin + link} label="Copy the link to this turn" />
      </div>
      <Chain lights={lightsOfTurn(turn)} resting={resting} />
      {turn.reasons.length > 0 && (
        <section class="card red" aria-label="Why it is refused">
          <header><h2>Refused: nothing of this turn changed anything</h2></header>
          <table class="table">
            <thead><tr><th scope="col">Class</th><th scope="col">Stage</th><th scope="col">About</th><th scope="col">Missing or wrong</th></tr></thead>
            <tbody>
              {turn.reasons.map((reason, at) => (
                <tr key={at}>
                  <td><code class="del">{inert(reason.class)}</code></td>
                  <td>{stageOf(reason.class)}</td>
                  <td><code>{inert(reason.subject)}</code></td>
                  <td><Inert text={reason.detail} /></td>
                </tr>
              ))}
            </tbody>
          </table>
          <div class="body small ink2">What a class means: <Command text={`premath explain ${turn.reasons[0]?.class ?? ''}`} /></div>
        </section>
      )}
      {turn.reasoning && <details class="quiet"><summary>Reasoning</summary><LongText text={turn.reasoning} label="Reasoning" /></details>}
      {turn.text && <section class="said-block" aria-label="What the model said"><Prose text={turn.text} /></section>}
      {turn.calls.length > 0 && (
        <section class="col" aria-label="Calls">
          <h3>{turn.calls.length === 1 ? 'One call' : `${turn.calls.length} calls`}</h3>
          {turn.calls.map((call, at) => <CallView key={call.id + at} call={call} card={card} at={at} resting={resting} />)}
        </section>
      )}
      {turn.applied.length > 0 && (
        <section class="card flush" aria-label="Changes">
          <header><h2>Changes</h2></header>
          <table class="table">
            <tbody>
              {turn.applied.map((it, at) => (
                <tr key={at}>
                  <td><code>{inert(it.action)}</code></td>
                  <td><StateChip state={it.outcome === 'refused' ? 'refused' : 'ok'} /></td>
                  <td>{it.subject && <code>{inert(it.subject)}</code>} {it.class && <code class="del">{inert(it.class)}</code>} {it.detail && <Inert text={it.detail} />}</td>
                  <td class="right"><a href={`/audit?why=${encodeURIComponent(it.subject ?? runId)}`}>Why</a></td>
                </tr>
              ))}
            </tbody>
          </table>
        </section>
      )}
      {turn.notes.map((note) => <div key={note.seq} class="banner blue"><Icon name="info" /><span><Inert text={note.text} /></span></div>)}
      {answer.error && settled && <Failure error={answer.error} command={`premath turn show ${turn.callId} --full`} again={answer.again} />}
      {answer.loading && settled && <Loading what="the turn" />}
      {card && (
        <details class="quiet" open={saw} onToggle={(event) => setSaw(event.currentTarget.open)}>
          <summary>What the model saw before it answered <span class="ink3">({card.saw.length} messages)</span></summary>
          {saw && <Saw card={card} />}
        </details>
      )}
      <details class="quiet">
        <summary>Digests and witness</summary>
        <dl class="facts">
          <dt>call</dt><dd><Digest value={turn.callId} label="the call" /></dd>
          {turn.witnessId && <><dt>witness</dt><dd><Digest value={turn.witnessId} label="the witness" /></dd></>}
          {digests.length === 0 && turn.turnDigest && <><dt>turnDigest</dt><dd><Digest value={turn.turnDigest} label="the digest" /></dd></>}
          {digests.map(([name, value]) => <><dt>{inert(name)}</dt><dd><Digest value={value} label={name} /></dd></>)}
        </dl>
      </details>
    </div>
  );
}
