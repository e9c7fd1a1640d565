// The answers of the server as the page reads them. They are those of the commands with `--json`; what is optional here may be missing.

export interface Me {
  readonly person?: string;
  readonly version?: string;
  readonly workspace?: string;
  readonly demo?: boolean;
  readonly policyDigest?: string;
  readonly limits?: Record<string, unknown>;
}

export interface RunItem {
  readonly runId: string;
  readonly task: string;
  readonly issueId?: string | null;
  readonly model?: string | null;
  readonly outcome?: string | null;
  readonly state?: string | null;
  readonly currentTool?: string | null;
  readonly parentRunId?: string | null;
  readonly startedAt: string;
  readonly stoppedAt?: string | null;
  readonly updatedAt?: string | null;
  readonly turns: number;
  readonly tokens?: number | null;
  readonly costMicroUsd?: number | null;
  readonly costMicros?: number | null;
  readonly openQuestions?: number | null;
  readonly conversationId?: string | null;
  readonly conversation?: string | null;
  readonly attention?: boolean;
}

export interface Page<T> {
  readonly items: readonly T[];
  readonly count?: number;
  readonly total?: number | null;
  readonly nextCursor?: string | null;
}

export interface TurnItem {
  readonly callId: string;
  readonly turn: number;
  readonly verdict: 'closed' | 'refused' | 'open';
  readonly failureClasses: readonly string[];
  readonly tools: readonly string[];
  readonly tokens: number;
  readonly costMicroUsd?: number | null;
}

export interface RunCard {
  readonly run: RunItem;
  readonly turns: readonly TurnItem[];
  readonly workers: readonly { issueId: string; title: string; runId: string; outcome?: string | null }[];
  readonly detail?: string | null;
  readonly journal?: string;
  readonly pattern?: string;
  readonly resumable?: boolean;
}

export interface Said {
  readonly role: string;
  readonly text: string;
  readonly toolCallId?: string | null;
}

export interface TurnCard {
  readonly callId: string;
  readonly turn: number;
  readonly model: string;
  readonly stop: string;
  readonly verdict: 'closed' | 'refused' | 'open';
  readonly reasons: readonly { class: string; subject: string; detail: string }[];
  readonly saw: readonly Said[];
  readonly answered: readonly Said[];
  readonly calls: readonly {
    tool: string; toolCallId: string; arguments: unknown; rendered: string; status: string; errorCode?: string | null; exitCode?: number | null; program?: string | null;
    artifacts: readonly { access: string; digest?: string | null; path: string }[]; truncation?: { keptBytes: number; originalBytes: number; ref?: string | null } | null;
  }[];
  readonly digests?: Record<string, string> | null;
  readonly witnessId?: string | null;
}

export interface Target {
  readonly id: string;
  readonly kind: string;
  readonly name: string;
}

export interface Approval {
  readonly id: string;
  readonly runId: string;
  readonly tool: string;
  readonly toolCallId: string;
  readonly kind: string;
  readonly state: string;
  readonly arguments: unknown;
  readonly argumentsDigest: string;
  readonly cardDigest: string;
  readonly targets: readonly Target[];
  readonly diff?: string | null;
  readonly reason: string;
  readonly rule: string;
  readonly tier: string;
  readonly scope: string;
  readonly requestedAt: string;
  readonly expiresAt: string;
  readonly decidedAt?: string | null;
  readonly decidedBy?: string | null;
  readonly message?: string | null;
  readonly folder?: string | null;
  /** The scopes that a yes may have, while the question waits. */
  readonly offers?: readonly { readonly scope: string; readonly covers: string }[] | null;
  /** What the yes covers, while calls can use it. */
  readonly reach?: string | null;
  readonly revokedBy?: string | null;
  readonly revokedAt?: string | null;
}

export interface ApprovalShown {
  readonly approval: Approval;
  readonly shownDigest: string;
  readonly pattern?: unknown;
  readonly patternMatches?: readonly string[] | null;
  readonly patternMisses?: readonly string[] | null;
}

export interface ProposalStep {
  readonly id: string;
  readonly n: number;
  readonly tool: string;
  readonly arguments: unknown;
  readonly targets: readonly Target[];
  readonly preview?: string | null;
  readonly rationale: string;
  readonly state?: string | null;
  readonly detail?: string | null;
}

export interface Proposal {
  readonly id: string;
  readonly runId: string;
  readonly goal: string;
  readonly rollback: string;
  readonly state: string;
  readonly planDigest: string;
  readonly createdAt: string;
  readonly expiresAt: string;
  readonly decidedBy?: string | null;
  readonly decidedAt?: string | null;
  readonly message?: string | null;
  readonly steps: readonly ProposalStep[];
}

export interface DeskFile {
  readonly id: string;
  readonly name: string;
  readonly type: string;
  readonly folder?: string | null;
  readonly version: number;
  readonly bytes: number;
  readonly origin: string;
  readonly createdBy: string;
  readonly createdAt: string;
  readonly updatedAt: string;
  readonly deletedAt?: string | null;
  readonly digest: string;
}

export interface DeskDocument {
  readonly file: DeskFile;
  readonly content: string;
  readonly shownVersion: number;
}

export interface TreeItem {
  readonly id: string;
  readonly name: string;
  readonly type: string;
  readonly depth: number;
}

export interface DeskVersion {
  readonly version: number;
  readonly at: string;
  readonly changedBy: string;
  readonly actor: string;
  readonly authority: string;
  readonly isDeleted: boolean;
  readonly name: string;
  readonly bytes: number;
  readonly digest: string;
  readonly turnDigest?: string | null;
}

export interface LogEntry {
  readonly callId?: string;
  readonly applied?: string | null;
  readonly errorCode?: string | null;
  readonly toolCallId?: string;
  readonly runId?: string;
  readonly tool: string;
  readonly risk?: string | null;
  readonly decision?: string | null;
  readonly arguments?: unknown;
  readonly argsDigest?: string | null;
  readonly status?: string | null;
  readonly durationMs?: number | null;
  readonly result?: unknown;
  readonly ref?: string | null;
  readonly at?: string | null;
  readonly undo?: { fileId: string; version?: number; name?: string; state?: string } | null;
}

export interface ConversationItem {
  readonly id: string;
  readonly title: string;
  readonly createdAt: string;
  readonly updatedAt: string;
  readonly active?: boolean | string | null;
}

export interface Issue {
  readonly id: string;
  readonly title?: string;
  readonly status?: string;
  readonly state?: string;
  readonly priority?: number;
  readonly issueType?: string;
  readonly labels?: readonly string[];
  readonly description?: string;
  readonly notes?: string;
  readonly acceptanceCriteria?: string;
  readonly assignee?: string;
  readonly holder?: string | null;
  readonly expiresAt?: string | null;
  readonly fence?: number | null;
  readonly updatedAt?: string;
}

export interface Edge {
  readonly from: string;
  readonly to: string;
  readonly type: string;
}

export interface AuditRow {
  readonly id: string;
  readonly seq?: number | null;
  readonly at: string;
  readonly kind: string;
  readonly effect: string;
  readonly actor: string;
  readonly tool?: string | null;
  readonly targets?: readonly string[];
  readonly reason?: string | null;
  readonly runId?: string | null;
  readonly callId?: string | null;
  readonly issueId?: string | null;
  readonly path?: string | null;
  readonly approvalId?: string | null;
  readonly proposalId?: string | null;
  readonly policyName?: string | null;
  readonly code?: string | null;
  readonly rowDigest?: string | null;
  readonly [name: string]: unknown;
}

export interface Attention {
  readonly reason: string;
  readonly subject: string;
  readonly detail: string;
}
