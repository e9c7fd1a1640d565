// What a person is shown before they say yes: cards of a call and of a plan. The same card in the inbox and beside the chat.
import { useLayoutEffect, useMemo, useState } from 'preact/hooks';
import { ApiError, post, send } from '../api/client';
import type { Approval, ApprovalShown, Proposal, Target } from '../api/types';
import { ago, digest, plural } from '../text/format';
import { inert } from '../text/inert';
import { Icon } from './icons';
import { Arguments } from './json';
import { Chip, Failure, Inert, Segments, StateChip, tell } from './kit';
import { Diff } from './long';
import { pathOf } from './route';
import { useSeen } from './seen';
import { useAnswer, useDoing, useNow } from './use';

export function Targets({ targets }: { readonly targets: readonly Target[] }) {
  return (
    <>
      {targets.map((target) => (
        <a key={target.id} class="chip" href={target.kind === 'file' || target.id.startsWith('fil_') ? pathOf('desk', target.id) : `/audit?why=${encodeURIComponent(target.id)}`} title={`${target.kind} ${target.id}`}>
          <Icon name={target.kind === 'folder' ? 'folder' : 'file'} />
          <span class="cut">{inert(target.name || target.id)}</span>
        </a>
      ))}
    </>
  );
}

/** How long is left; expiry is a no. */
export function Expiry({ at, state }: { readonly at: string; readonly state: string }) {
  const now = useNow();
  if (state !== 'pending') return null;
  const left = Date.parse(at) - now;
  if (left <= 0) return <Chip tone="red">expired: a no</Chip>;
  return <Chip tone={left < 60_000 ? 'amber' : ''} title={at}>expires {ago(at, now)}</Chip>;
}

/** Told when the server has an answer; `stay` where there is something on the card that must be read. */
export type Decided = (stay: boolean) => void;

export interface Answering {
  readonly approve: () => void;
  readonly deny: () => void;
}

function useSettled(): { readonly error: ApiError | null; readonly busy: string | null; readonly settle: (name: string, work: () => Promise<void>) => Promise<void> } {
  const [error, setError] = useState<ApiError | null>(null);
  const { busy, run } = useDoing();
  const settle = (name: string, work: () => Promise<void>) => run(name, async () => {
    setError(null);
    try {
      await work();
    } catch (cause) {
      setError(cause instanceof ApiError ? cause : new ApiError(0, 'page', String(cause)));
    }
  });
  return { error, busy, settle };
}

/** What a decision did to the run that waited for it. The decision stands also where the run could not go on. */
interface Resumed {
  readonly resumed?: boolean;
  readonly resumeError?: { readonly code: string; readonly message: string; readonly hint?: string | null } | null;
}

export function resumeErrorOf(answer: Resumed | null | undefined): ApiError | null {
  const error = answer?.resumeError;
  return error ? new ApiError(200, error.code, `It is decided, but the run did not go on: ${error.message}`, { hint: error.hint ?? null }) : null;
}

/** The same, where a plan failed: then it stands beside the error or in what is answered with it. */
function resumedIn(body: unknown): Resumed | null {
  const it = body as (Resumed & { readonly data?: Resumed; readonly error?: Resumed }) | null;
  return [it, it?.data, it?.error].find((one) => one?.resumeError) ?? null;
}

interface AskedCall {
  readonly tool: string;
  readonly arguments: unknown;
  readonly diff?: string | null;
}

/** The calls that a checkpoint is about, each with all of its arguments. */
function callsOf(value: unknown): readonly AskedCall[] {
  const calls = (value as { calls?: unknown } | null)?.calls;
  return Array.isArray(calls) ? (calls as AskedCall[]).filter((call) => typeof call.tool === 'string') : [];
}

function AskedAbout({ value }: { readonly value: unknown }) {
  const calls = callsOf(value);
  if (calls.length === 0) return <Arguments value={value} />;
  return (
    <div class="col">
      {calls.map((call, at) => (
        <div key={at} class="call">
          <div class="row"><Icon name="tool" /><code class="strong">{inert(call.tool)}</code></div>
          <Arguments value={call.arguments} />
          {call.diff && <Diff text={call.diff} />}
        </div>
      ))}
    </div>
  );
}

type Scope = 'once' | 'run' | 'pattern';

const NAMED_SCOPES: readonly (readonly [Scope, string])[] = [['once', 'Once'], ['run', 'This run'], ['pattern', 'Pattern']];

/** The card of one call. Everything it would do is on it; a yes is for its digest and for nothing else. */
export function ApprovalCard({ approval, decided, bind, compact = false }: {
  readonly approval: Approval; readonly decided: Decided; readonly bind?: (answering: Answering) => void; readonly compact?: boolean;
}) {
  const [scope, setScope] = useState<Scope>('once');
  const [glob, setGlob] = useState('');
  const [argument, setArgument] = useState('');
  const [message, setMessage] = useState('');
  const [edited, setEdited] = useState<string | null>(null);
  const [unresumed, setUnresumed] = useState<ApiError | null>(null);
  const { error, busy, settle } = useSettled();
  const pending = approval.state === 'pending';
  const wantsPattern = scope === 'pattern' && (glob !== '' || argument !== '');
  const shown = useAnswer<ApprovalShown>(pending ? `/api/confirmations/${encodeURIComponent(approval.id)}` : null, wantsPattern ? { patternName: glob, patternArgument: argument } : {});
  const card = shown.data?.approval ?? approval;
  const shownDigest = shown.data?.shownDigest ?? null;
  const seen = useSeen(shownDigest);
  const canApprove = pending && busy === null && seen && edited === null && (scope !== 'pattern' || (wantsPattern && !shown.error));
  const over = (answer: Resumed | null) => {
    const failed = resumeErrorOf(answer);
    setUnresumed(failed);
    decided(failed !== null);
  };
  const approve = () => canApprove && settle('approve', async () => {
    const pattern = wantsPattern ? { ...(glob ? { patternName: glob } : {}), ...(argument ? { patternArgument: argument } : {}) } : {};
    const answer = await post<Resumed>(`/api/confirmations/${encodeURIComponent(approval.id)}/approve`, { digest: shownDigest, scope, ...pattern, ...(message ? { message } : {}) });
    tell('green', `Approved ${approval.tool}${answer?.resumed ? '; the run goes on' : ''}`);
    over(answer);
  });
  const deny = (words = message) => pending && busy === null && settle('deny', async () => {
    const answer = await post<Resumed>(`/api/confirmations/${encodeURIComponent(approval.id)}/deny`, words ? { message: words } : {});
    tell('green', `Denied ${approval.tool}${answer?.resumed ? '; the run goes on without it' : ''}`);
    over(answer);
  });
  useLayoutEffect(() => bind?.({ approve: () => void approve(), deny: () => void (seen && deny()) }));
  const canName = card.targets.length > 0;
  const offers = card.offers ?? [];
  // Only what the server offers can be chosen: a scope without a subject would cover calls that were never shown.
  const scopes = useMemo((): (readonly [Scope, string])[] => NAMED_SCOPES.filter(([name]) => name === 'once' || offers.some((offer) => offer.scope === name)), [offers]);
  const covers = offers.find((offer) => offer.scope === scope)?.covers ?? 'this call, once';
  const revoke = () => busy === null && settle('revoke', async () => {
    await post(`/api/confirmations/${encodeURIComponent(approval.id)}/revoke`, message ? { message } : {});
    tell('green', `Revoked the approval of ${approval.tool}`);
    decided(true);
  });
  return (
    <article class={`card decide ${pending ? 'amber' : ''}`} aria-label={`Question about ${inert(approval.tool)}`} data-approval={approval.id}>
      <header>
        <h2 class="row wrap"><Icon name={approval.tool.includes('delete') ? 'trash' : 'tool'} /> <code>{inert(approval.tool)}</code> <Targets targets={card.targets} /></h2>
        <StateChip state={approval.state} />
        <Expiry at={approval.expiresAt} state={approval.state} />
      </header>
      <div class="body col loose">
        <div class="why"><Icon name="policy" /><div><Inert text={card.reason} /> <span class="row wrap small"><Chip mono title="the rule">{inert(card.rule)}</Chip><Chip>tier {inert(card.tier)}</Chip></span></div></div>
        {card.diff && <Diff text={card.diff} />}
        {edited === null && compact && card.diff ? (
          <details class="quiet"><summary>All arguments</summary><Arguments value={card.arguments} /></details>
        ) : edited === null ? (
          <div class="col"><div class="row"><h3 class="grow">{callsOf(card.arguments).length > 0 ? 'What is about to run' : 'Arguments'}</h3>{pending && !compact && <button type="button" class="button quiet small" onClick={() => setEdited(JSON.stringify(card.arguments, null, 2))}>Suggest others</button>}</div><AskedAbout value={card.arguments} /></div>
        ) : (
          <div class="col">
            <label class="label" for={`edit-${approval.id}`}>Other arguments: this call is denied, and the model is told to ask with these</label>
            <textarea id={`edit-${approval.id}`} class="field mono" rows={8} value={edited} onInput={(event) => setEdited(event.currentTarget.value)} />
            <div class="row">
              <button type="button" class="button danger" disabled={busy !== null} onClick={() => deny(`Not with these arguments. Ask again with: ${edited}${message ? ` — ${message}` : ''}`)}>Deny and suggest these</button>
              <button type="button" class="button quiet" onClick={() => setEdited(null)}>Leave them as they are</button>
            </div>
          </div>
        )}
        <dl class="facts">
          <dt>asked by</dt><dd><a href={pathOf('runs', card.runId)}>{inert(card.runId)}</a> <span class="ink3">call {inert(card.toolCallId)}</span></dd>
          <dt>card</dt><dd title={shownDigest ?? card.cardDigest}><code>{inert(digest(shownDigest ?? card.cardDigest))}</code> <span class="ink3">what a yes is for</span></dd>
          {card.folder && <><dt>folder</dt><dd><code>{inert(card.folder)}</code></dd></>}
          {card.reach && <><dt>covers</dt><dd><Inert text={card.reach} /></dd></>}
          {card.revokedBy && <><dt>revoked</dt><dd>by {inert(card.revokedBy)}</dd></>}
          {card.decidedBy && <><dt>decided</dt><dd>{inert(card.state)} by {inert(card.decidedBy)} {card.message && <>: <Inert text={card.message} /></>}</dd></>}
        </dl>
        {pending && edited === null && (
          <div class="col answer">
            <div class="row wrap">
              <Segments label="How far a yes goes" options={scopes} chosen={scope} choose={setScope} />
              <span class="small ink3">covers {inert(covers)}{scope !== 'once' && ', until it expires'}{offers.length === 1 && canName && '; no argument is declared as what this tool acts on'}</span>
            </div>
            {scope === 'pattern' && (
              <div class="col pattern">
                <div class="row wrap top">
                  {canName && <div class="grow"><label class="label" for={`glob-${approval.id}`}>Names like</label><input id={`glob-${approval.id}`} class="field mono" placeholder="draft-*.md" value={glob} onInput={(event) => setGlob(event.currentTarget.value)} /></div>}
                  <div class="grow"><label class="label" for={`arg-${approval.id}`}>Or an argument</label><input id={`arg-${approval.id}`} class="field mono" placeholder="FIELD=VALUE" value={argument} onInput={(event) => setArgument(event.currentTarget.value)} /></div>
                </div>
                {wantsPattern && shown.data && (
                  <div class="beside" aria-live="polite">
                    <div><h4 class="ins">Would have covered</h4><ul>{(shown.data.patternMatches ?? []).map((it) => <li key={it}><code>{inert(it)}</code></li>)}{(shown.data.patternMatches ?? []).length === 0 && <li class="ink3">nothing</li>}</ul></div>
                    <div><h4 class="del">Would not have covered</h4><ul>{(shown.data.patternMisses ?? []).map((it) => <li key={it}><code>{inert(it)}</code></li>)}{(shown.data.patternMisses ?? []).length === 0 && <li class="ink3">nothing that was asked so far</li>}</ul></div>
                  </div>
                )}
              </div>
            )}
            {(error ?? shown.error) && <Failure error={(error ?? shown.error) as ApiError} command={`premath approvals show ${approval.id}`} again={shown.again} />}
            <div class="row wrap">
              <button type="button" class="button good" disabled={!canApprove} onClick={approve}><Icon name="check" /> Approve {!compact && <kbd>a</kbd>}</button>
              <button type="button" class="button danger" disabled={busy !== null || !seen} onClick={() => deny()}><Icon name="cross" /> Deny {!compact && <kbd>d</kbd>}</button>
              <input class="field grow message" aria-label="Say something with the answer" placeholder="A word to the model, with either answer" value={message} onInput={(event) => setMessage(event.currentTarget.value)} />
            </div>
          </div>
        )}
        {approval.state === 'approved' && (
          <div class="row wrap">
            <button type="button" class="button danger" disabled={busy !== null} onClick={() => void revoke()}><Icon name="cross" /> Revoke</button>
            <span class="small ink3">calls that used it already are not undone</span>
          </div>
        )}
        {!pending && error && <Failure error={error} />}
        {unresumed && <Failure error={unresumed} command={`premath resume ${approval.runId}`} />}
      </div>
    </article>
  );
}

/** Whether a preview says of itself that something is left out of it. */
export function isCut(preview: string | null | undefined): boolean {
  return /\[… \d+ bytes left out …\]/.test(preview ?? '');
}

/** The card of a plan: every step with its diff and all of its arguments, and one yes for all of it. */
export function PlanCard({ proposal, decided, bind, compact = false }: { readonly proposal: Proposal; readonly decided: Decided; readonly bind?: (answering: Answering) => void; readonly compact?: boolean }) {
  const [message, setMessage] = useState('');
  const [unresumed, setUnresumed] = useState<ApiError | null>(null);
  const [opened, setOpened] = useState<ReadonlySet<number>>(new Set());
  const { error, busy, settle } = useSettled();
  const pending = proposal.state === 'pending';
  const seen = useSeen(pending ? proposal.planDigest || null : null);
  const unread = proposal.steps.filter((step) => isCut(step.preview) && !opened.has(step.n));
  const canAnswer = pending && busy === null && seen;
  const over = (answer: Resumed | null, stay = false) => {
    const failed = resumeErrorOf(answer);
    setUnresumed(failed);
    decided(stay || failed !== null);
  };
  const approve = () => canAnswer && unread.length === 0 && settle('approve', async () => {
    try {
      const answer = await post<Resumed>(`/api/proposals/${encodeURIComponent(proposal.id)}/approve`, { digest: proposal.planDigest, ...(message ? { message } : {}) });
      tell('green', `All ${plural(proposal.steps.length, 'step')} done`);
      over(answer);
    } catch (cause) {
      over(cause instanceof ApiError ? resumedIn(cause.body) : null, true);
      throw cause;
    }
  });
  const reject = () => canAnswer && settle('reject', async () => {
    const answer = await send<Resumed>('DELETE', `/api/proposals/${encodeURIComponent(proposal.id)}`, message ? { message } : {});
    tell('green', 'Rejected; nothing was done');
    over(answer);
  });
  const goOn = () => settle('resume', async () => {
    await post(`/api/proposals/${encodeURIComponent(proposal.id)}/resume`);
    decided(false);
  });
  useLayoutEffect(() => bind?.({ approve: () => void approve(), deny: () => void reject() }));
  return (
    <article class={`card decide ${pending ? 'amber' : ''}`} aria-label={`Plan of ${plural(proposal.steps.length, 'step')}`} data-proposal={proposal.id}>
      <header>
        <h2 class="row"><Icon name="plan" /> <Inert text={proposal.goal} /></h2>
        <StateChip state={proposal.state} />
        <Expiry at={proposal.expiresAt} state={proposal.state} />
      </header>
      <div class="body col loose">
        <ol class="steps">
          {proposal.steps.map((step) => (
            <li key={step.id || step.n} class={step.state ?? ''}>
              <div class="row wrap"><span class="num n">{step.n}</span><code class="strong">{inert(step.tool)}</code><Targets targets={step.targets} />{step.state && <StateChip state={step.state} />}</div>
              <p class="small ink2"><Inert text={step.rationale} /></p>
              {step.detail && <p class="small del"><Inert text={step.detail} /></p>}
              {step.preview && <details class="quiet" open={!compact}><summary>What it changes</summary><Diff text={step.preview} /></details>}
              <details class="quiet step-arguments" open={opened.has(step.n) || (!compact && !isCut(step.preview))} onToggle={(event) => event.currentTarget.open && !opened.has(step.n) && setOpened(new Set([...opened, step.n]))}><summary>All arguments{isCut(step.preview) && ': the preview is not whole'}</summary><Arguments value={step.arguments} /></details>
            </li>
          ))}
        </ol>
        <dl class="facts">
          <dt>to take it back</dt><dd><Inert text={proposal.rollback} /></dd>
          <dt>asked by</dt><dd><a href={pathOf('runs', proposal.runId)}>{inert(proposal.runId)}</a></dd>
          <dt>plan</dt><dd title={proposal.planDigest}><code>{inert(digest(proposal.planDigest))}</code> <span class="ink3">what a yes is for</span></dd>
          {proposal.decidedBy && <><dt>decided</dt><dd>by {inert(proposal.decidedBy)} {proposal.message && <>: <Inert text={proposal.message} /></>}</dd></>}
        </dl>
        {error && <Failure error={error} command={`premath proposals show ${proposal.id}`} />}
        {unresumed && <Failure error={unresumed} command={`premath resume ${proposal.runId}`} />}
        {pending && unread.length > 0 && <div class="banner amber" role="status"><Icon name="warn" /><span>The preview of {unread.length === 1 ? 'step' : 'steps'} {unread.map((step) => step.n).join(', ')} is not whole. Open all arguments there; then the plan can be done.</span></div>}
        {pending && (
          <div class="row wrap answer">
            <button type="button" class="button good" disabled={!canAnswer || unread.length > 0} onClick={approve}><Icon name="check" /> Do all {plural(proposal.steps.length, 'step')} {!compact && <kbd>a</kbd>}</button>
            <button type="button" class="button danger" disabled={!canAnswer} onClick={reject}><Icon name="cross" /> Reject {!compact && <kbd>d</kbd>}</button>
            <input class="field grow message" aria-label="Say something with the answer" placeholder="A word to the model" value={message} onInput={(event) => setMessage(event.currentTarget.value)} />
          </div>
        )}
        {proposal.state === 'executing' && <div class="row"><button type="button" class="button" disabled={busy !== null} onClick={goOn}>Go on with it</button></div>}
      </div>
    </article>
  );
}
