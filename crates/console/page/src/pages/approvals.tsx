// The inbox: every question and every plan of every run, answered with the keyboard. A reload loses nothing; the server has it all.
import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import type { Approval, Page, Proposal } from '../api/types';
import { ago, plural } from '../text/format';
import { inert } from '../text/inert';
import { ApprovalCard, PlanCard, type Answering, type Decided } from '../ui/decide';
import { Icon } from '../ui/icons';
import { useKeys } from '../ui/keys';
import { Empty, Failure, Inert, Loading, Segments, StateChip } from '../ui/kit';
import { Virtual } from '../ui/long';
import { go, pathOf, type Place } from '../ui/route';
import { useAnswer, useNow } from '../ui/use';

type Show = 'pending' | 'approved' | 'all';

interface Question {
  readonly id: string;
  readonly state: string;
  readonly at: string;
  readonly title: string;
  readonly about: string;
  readonly runId: string;
  readonly expiresAt: string;
  readonly approval?: Approval;
  readonly proposal?: Proposal;
}

function questionsOf(approvals: readonly Approval[], proposals: readonly Proposal[]): Question[] {
  return [
    ...approvals.map((it): Question => ({ id: it.id, state: it.state, at: it.requestedAt, title: it.tool, about: it.targets.map((target) => target.name).join(', ') || it.reason, runId: it.runId, expiresAt: it.expiresAt, approval: it })),
    ...proposals.map((it): Question => ({ id: it.id, state: it.state, at: it.createdAt, title: `plan of ${plural(it.steps.length, 'step')}`, about: it.goal, runId: it.runId, expiresAt: it.expiresAt, proposal: it })),
  ];
}

/** How many are asked for at once. */
const LISTED = 500;

/** One question by its name, whether it is in the list or not: as the server has it, whole. */
function Shown({ id, known, decided, bind }: { readonly id: string; readonly known: Question | undefined; readonly decided: Decided; readonly bind: (it: Answering) => void }) {
  const isPlan = known ? known.proposal !== undefined : id.startsWith('prp_');
  const waits = known === undefined || known.state === 'pending';
  const answer = useAnswer<{ approval?: Approval; proposal?: Proposal }>(`/api/${isPlan ? 'proposals' : 'confirmations'}/${encodeURIComponent(id)}`, {}, waits ? 2000 : 0);
  const again = (stay: boolean) => (answer.again(), decided(stay));
  const { approval, proposal } = answer.data ?? {};
  if (approval) return <ApprovalCard approval={approval} decided={again} bind={bind} />;
  if (proposal) return <PlanCard proposal={proposal} decided={again} bind={bind} />;
  if (!answer.error) return <Loading what="the question" />;
  const isGone = answer.error.status === 404 || answer.error.status === 400;
  return isGone ? <Empty icon="approvals" title="There is no such question" command="premath approvals list"><code>{inert(id)}</code> is not known here. <a href="/approvals">Show what waits</a></Empty>
    : <Failure error={answer.error} command={`premath approvals show ${id}`} again={answer.again} />;
}

export function Approvals({ place }: { readonly place: Place }) {
  const run = place.query.get('run') ?? '';
  const [show, setShow] = useState<Show>('pending');
  // What waits is asked for as such: however much was decided since, an old question is never pushed out of the list.
  const asked = { ...(show === 'all' ? {} : { state: show }), ...(run ? { run } : {}), limit: LISTED };
  const approvals = useAnswer<Page<Approval>>('/api/confirmations', asked, 2000);
  const proposals = useAnswer<Page<Proposal>>('/api/proposals', asked, 2000);
  const linked = place.parts[1];
  const now = useNow();
  const answering = useRef<Answering | null>(null);
  const all = useMemo(() => questionsOf(approvals.data?.items ?? [], proposals.data?.items ?? []).filter((it) => run === '' || it.runId === run), [approvals.data, proposals.data, run]);
  const questions = useMemo(() => {
    const waits = (it: Question) => it.state === 'pending' && Date.parse(it.expiresAt) > now;
    return all
      .filter((it) => show !== 'pending' || waits(it))
      .sort((a, b) => Number(waits(b)) - Number(waits(a)) || (waits(a) ? a.at.localeCompare(b.at) : b.at.localeCompare(a.at)));
  }, [all, show, Math.floor(now / 5000)]);
  // An address that names a question shows that one or none: never another in its place.
  const at = linked === undefined ? 0 : questions.findIndex((it) => it.id === linked);
  const chosen = linked ?? questions[at]?.id;
  const choose = (next: Question | undefined) => next && go(`${pathOf('approvals', next.id)}${run ? `?run=${encodeURIComponent(run)}` : ''}`, 'replace');
  // The next one is chosen, but it has to be on the screen for a moment before it can be answered (see `useSeen`).
  const decided = (stay: boolean) => {
    const next = stay ? undefined : questions.find((it) => it.id !== chosen && it.state === 'pending');
    approvals.again();
    proposals.again();
    if (next) choose(next);
    else if (chosen) go(pathOf('approvals', chosen), 'replace');
  };
  useEffect(() => () => void (answering.current = null), [chosen]);
  useKeys([
    { keys: 'j', says: 'Next question', group: 'Approvals', repeats: true, run: () => choose(questions[at + 1]) },
    { keys: 'k', says: 'Previous question', group: 'Approvals', repeats: true, run: () => choose(questions[at - 1]) },
    { keys: 'a', says: 'Approve what is shown', group: 'Approvals', run: () => answering.current?.approve() },
    { keys: 'd', says: 'Deny it', group: 'Approvals', run: () => answering.current?.deny() },
    { keys: 'm', says: 'Say something with the answer', group: 'Approvals', run: () => document.querySelector<HTMLElement>('.decide .message')?.focus() },
  ]);
  const waiting = all.filter((it) => it.state === 'pending' && Date.parse(it.expiresAt) > now).length;
  const error = approvals.error ?? proposals.error;
  const bind = (it: Answering) => void (answering.current = it);
  return (
    <>
      <div class="topbar">
        <div class="titles"><h1>Approvals</h1><div class="crumbs" aria-live="polite">{waiting === 0 ? 'Nothing waits' : `${plural(waiting, 'question')} ${waiting === 1 ? 'waits' : 'wait'} for you`}{run && <> of <code>{inert(run)}</code> <a href="/approvals">show all runs</a></>}</div></div>
        <Segments label="Show" chosen={show} choose={setShow} options={[['pending', 'Waiting'], ['approved', 'Active'], ['all', 'All']]} />
      </div>
      <div class="page fill">
        {error && <div class="pad"><Failure error={error} command="premath approvals list" again={() => (approvals.again(), proposals.again())} /></div>}
        {(approvals.loading || proposals.loading) && !linked ? <Loading what="the questions" /> : questions.length === 0 && !linked ? (
          !error && <Empty icon="approvals" title="Nothing waits for you" command="premath approvals list --state pending">What a run may not do on its own is asked here. No answer is a no.</Empty>
        ) : (
          <div class="two">
            <div class="list">
              <Virtual class="wide-rows grow" role="listbox" count={questions.length} rowHeight={64} label="Questions" chosen={at} chosenId={questions[at] ? `question-${questions[at].id}` : undefined} draw={(index) => {
                const it = questions[index];
                return it && (
                  <div key={it.id} id={`question-${it.id}`} class={`question ${index === at ? 'chosen' : ''}`} role="option" aria-selected={index === at} onClick={() => choose(it)}>
                    <div class="row"><Icon name={it.proposal ? 'plan' : it.title.includes('delete') ? 'trash' : 'tool'} /><code class="cut strong grow">{inert(it.title)}</code><span class="small ink3 num nowrap">{ago(it.at, now)}</span></div>
                    <div class="row small"><span class="cut grow ink2"><Inert text={it.about} /></span>{it.state !== 'pending' ? <StateChip state={it.state} /> : <span class="cut ink3 from">{inert(it.runId)}</span>}</div>
                  </div>
                );
              }} />
            </div>
            <div class="detail">
              {chosen !== undefined && <Shown key={chosen} id={chosen} known={questions.find((it) => it.id === chosen)} decided={decided} bind={bind} />}
            </div>
          </div>
        )}
      </div>
    </>
  );
}
