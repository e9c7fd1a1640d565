// The six stages of a turn, and which of them a failure class belongs to. The class itself is always shown as it is.

export const STAGES = ['CallSpec', 'ToolRequests', 'ToolResults', 'ToolUse', 'JoinClosed', 'MutationReady'] as const;
export type Stage = (typeof STAGES)[number];

/** `idle`: nothing was asked of it. `dark`: not reached. */
export type Light = 'green' | 'red' | 'wait' | 'idle' | 'dark';

export interface Reason {
  readonly class: string;
  readonly subject: string;
  readonly detail: string;
}

export interface StageLight {
  readonly stage: Stage;
  readonly light: Light;
  readonly classes: readonly string[];
}

const REQUESTS = new Set([
  'tool.schema_invalid',
  'tool.unknown_or_disallowed',
  'tool.discovery_mismatch',
  'tool.discovery_unresolved',
  'tool.caller_not_allowed',
  'tool.programmatic_caller_edge_invalid',
  'tool.parallel_policy_violation',
]);
const RESULTS = new Set([
  'tool.result_missing',
  'tool.result_orphan',
  'tool.response_truncation_policy_violation',
  'protocol.parallel_transport_order_invalid',
  'runtime.shell_boundary_violation',
]);

export function stageOf(failure: string): Stage {
  if (REQUESTS.has(failure)) return 'ToolRequests';
  if (RESULTS.has(failure)) return 'ToolResults';
  if (failure.startsWith('tool.use_')) return 'ToolUse';
  if (failure.startsWith('mutation.') || failure.startsWith('permit')) return 'MutationReady';
  if (failure.startsWith('governance.') || failure === 'tool.example_digest_mismatch' || failure.startsWith('coordination.')) return 'CallSpec';
  return 'JoinClosed';
}

export interface TurnFacts {
  readonly verdict: 'closed' | 'refused' | 'open';
  readonly reasons: readonly Reason[];
  readonly answered: boolean;
  readonly requests: number;
  readonly results: number;
  /** Changes that were asked for, and the classes of those that were refused. */
  readonly intents: number;
  readonly refusals: readonly string[];
}

/** What lights up. A refused turn is green up to its first red stage and dark behind its last. */
export function lightsOf(turn: TurnFacts): StageLight[] {
  const classes = new Map<Stage, string[]>(STAGES.map((stage) => [stage, []]));
  for (const reason of turn.reasons) {
    const list = classes.get(stageOf(reason.class));
    if (list && !list.includes(reason.class)) list.push(reason.class);
  }
  for (const refusal of turn.refusals) {
    const list = classes.get('MutationReady');
    if (list && !list.includes(refusal)) list.push(refusal);
  }
  const reds = STAGES.map((stage) => (classes.get(stage) ?? []).length > 0);
  const lastRed = reds.lastIndexOf(true);
  return STAGES.map((stage, at) => ({ stage, light: light(stage, at), classes: classes.get(stage) ?? [] }));

  function light(stage: Stage, at: number): Light {
    if (reds[at]) return 'red';
    if (turn.verdict === 'refused') {
      if (stage === 'JoinClosed') return 'red';
      return lastRed >= 0 && at > lastRed ? 'dark' : stage === 'MutationReady' ? 'dark' : 'green';
    }
    if (stage === 'MutationReady') return turn.verdict === 'open' ? 'dark' : turn.intents > 0 ? 'green' : 'idle';
    if (turn.verdict === 'closed') return turn.requests === 0 && at > 0 && stage !== 'JoinClosed' ? 'idle' : 'green';
    if (!turn.answered) return at === 0 ? 'wait' : 'dark';
    if (at <= 1) return 'green';
    if (stage === 'ToolResults') return turn.results >= turn.requests ? 'green' : 'wait';
    return 'dark';
  }
}

/** The chain in words, for those who do not see it. */
export function chainLabel(lights: readonly StageLight[]): string {
  const words: Record<Light, string> = { green: 'holds', red: 'refused', wait: 'under way', idle: 'nothing asked', dark: 'not reached' };
  return lights.map((it) => `${it.stage} ${words[it.light]}${it.classes.length > 0 ? ` (${it.classes.join(', ')})` : ''}`).join('; ');
}
