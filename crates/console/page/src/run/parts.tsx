// The chain of a turn and the waterfall of a run, as pictures with words behind them.
import { duration } from '../text/format';
import { inert } from '../text/inert';
import { chainLabel, lightsOf, type StageLight } from './chain';
import type { Stretch, Turn } from './model';

export function lightsOfTurn(turn: Turn): StageLight[] {
  const own = turn.calls.filter((call) => call.program === null);
  const refusals = turn.applied.filter((it) => it.outcome === 'refused').map((it) => it.class ?? 'refused');
  return lightsOf({
    verdict: turn.verdict, reasons: turn.reasons, answered: turn.stop !== null, requests: own.length, results: own.filter((call) => call.status === 'ok' || call.status === 'error').length,
    intents: turn.applied.length, refusals,
  });
}

/** Six small lights. */
export function MiniChain({ turn }: { readonly turn: Turn }) {
  const lights = lightsOfTurn(turn);
  return (
    <span class="mini-chain" role="img" aria-label={chainLabel(lights)} title={chainLabel(lights)}>
      {lights.map((it) => <i key={it.stage} class={it.light} />)}
    </span>
  );
}

const WORDS = { green: 'holds', red: 'refused', wait: 'under way', idle: 'nothing asked', dark: 'not reached' } as const;

/** The chain with names, and the exact classes below the stages that are red. */
export function Chain({ lights, resting = false }: { readonly lights: readonly StageLight[]; readonly resting?: boolean }) {
  return (
    <ol class="chain" aria-label="The six stages of the turn">
      {lights.map((it) => (
        <li key={it.stage} class={it.light}>
          <span class="lamp" aria-hidden="true" />
          <span class="stage">{it.stage}</span>
          <span class="word">{it.light === 'red' && it.classes.length > 0 ? it.classes.map((name) => <code key={name}>{inert(name)}</code>) : resting && it.light === 'wait' ? 'waits' : WORDS[it.light]}</span>
        </li>
      ))}
    </ol>
  );
}

/** The stretches of a turn on the time of the whole run. */
export function Bars({ stretches, total }: { readonly stretches: readonly Stretch[]; readonly total: number }) {
  const scale = 100 / Math.max(1, total);
  return (
    <span class="bars" role="img" aria-label={stretches.map((it) => `${it.lane} ${duration(it.to - it.from)}`).join(', ')}>
      {stretches.map((it, at) => (
        <i key={at} class={it.lane} title={`${it.lane}: ${inert(it.label)}, ${duration(it.to - it.from)}`} style={{ left: `${it.from * scale}%`, width: `max(3px, ${(it.to - it.from) * scale}%)` }} />
      ))}
    </span>
  );
}
