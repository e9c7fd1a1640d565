// The inbox: every question and every plan of every run, answered with the keyboard. A reload loses nothing; the server has it all.
import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import type { Approval, Page, Proposal } from '../api/types';
import { ago, plural } from '../text/format';
import { inert } from '../text/inert';
import { ApprovalCard, PlanCard, type Answering } from '../ui/decide';
import { Icon } from '../ui/icons';
import { useKeys } from '../ui/keys';
import { Empty, Failure, Inert, Loading, Segments, StateChip } from '../ui/kit';
import { Virtual } from '../ui/long';
import { go, pathOf, type Place } from '../ui/route';
import { useAnswer, useNow } from '../ui/use';

type Show = 'pending' | 'all';

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

export function Approvals({ place }: { readonly place: Place }) {
  const run = place.query.get('run') ?? '';
  const approvals = useAnswer<Page<Approval>>('/api/confirmations', run ? { run } : {}, 2000);
  const proposals = useAnswer<Page<Proposal>>('/api/proposals', {}, 2000);
  const linked = place.parts[1];
  const [show, setShow] = useState<Show>('pending');
  const [kept, setKept] = useState<string | null>(null);
  const now = useNow();
  const answering = useRef<Answering | null>(null);
  const all = useMemo(() => questionsOf(approvals.data?.items ?? [], proposals.data?.items ?? []).filter((it) => run === '' || it.runId === run), [approvals.data, proposals.data, run]);
  // What was just decided stays until the reader moves on, so that nothing jumps under the finger.
  const questions = useMemo(() => {
    const waits = (it: Question) => it.state === 'pending' && Date.parse(it.expiresAt) > now;
    return all
      .filter((it) => show === 'all' || waits(it) || it.id === linked || it.id === kept)
      .sort((a, b) => Number(waits(b)) - Number(waits(a)) || (waits(a) ? a.at.localeCompare(b.at) : b.at.localeCompare(a.at)));
  }, [all, show, linked, kept, Math.floor(now / 5000)]);
  const found = questions.findIndex((it) => it.id === linked);
  const at = found >= 0 ? found : 0;
  const question = questions[at];
  const choose = (next: Question | undefined) => next && (setKept(null), go(`${pathOf('approvals', next.id)}${run ? `?run=${encodeURIComponent(run)}` : ''}`, 'replace'));
  const decided = () => {
    setKept(question?.id ?? null);
    const next = questions.find((it, index) => index !== at && it.state === 'pending');
    approvals.again();
    proposals.again();
    if (next) choose(next);
    else if (question) go(pathOf('approvals', question.id), 'replace');
  };
  useEffect(() => void (answering.current = null), [question?.id]);
  useKeys([
    { keys: 'j', says: 'Next question', group: 'Approvals', run: () => choose(questions[at + 1]) },
    { keys: 'k', says: 'Previous question', group: 'Approvals', run: () => choose(questions[at - 1]) },
    { keys: 'a', says: 'Approve what is shown', group: 'Approvals', run: () => answering.current?.approve() },
    { keys: 'd', says: 'Deny it', group: 'Approvals', run: () => answering.current?.deny() },
    { keys: 'm', says: 'Say something with the answer', group: 'Approvals', run: () => document.querySelector<HTMLElement>('.decide .message')?.focus() },
  ]);
  const waiting = all.filter((it) => it.state === 'pending').length;
  const error = approvals.error ?? proposals.error;
  const bind = (it: Answering) => void (answering.current = it);
  return (
    <>
      <div class="topbar">
        <div class="titles"><h1>Approvals</h1><div class="crumbs" aria-live="polite">{waiting === 0 ? 'Nothing waits' : `${plural(waiting, 'question')} ${waiting === 1 ? 'waits' : 'wait'} for you`}{run && <> of <code>{inert(run)}</code> <a href="/approvals">show all runs</a></>}</div></div>
        <Segments label="Show" chosen={show} choose={setShow} options={[['pending', 'Waiting'], ['all', 'All']]} />
      </div>
      <div class="page fill">
        {error && <div class="pad"><Failure error={error} command="premath approvals list" again={() => (approvals.again(), proposals.again())} /></div>}
        {approvals.loading && proposals.loading ? <Loading what="the questions" /> : questions.length === 0 ? (
          !error && <Empty icon="approvals" title="Nothing waits for you" command="premath approvals list --state pending">What a run may not do on its own is asked here. No answer is a no.</Empty>
        ) : (
          <div class="two">
            <div class="list">
              <Virtual class="wide-rows grow" role="listbox" count={questions.length} rowHeight={64} label="Questions" chosen={at} chosenId={question ? `question-${question.id}` : undefined} draw={(index) => {
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
              {question?.approval && <ApprovalCard key={question.id} approval={question.approval} decided={decided} bind={bind} />}
              {question?.proposal && <PlanCard key={question.id} proposal={question.proposal} decided={decided} bind={bind} />}
            </div>
          </div>
        )}
      </div>
    </>
  );
}
