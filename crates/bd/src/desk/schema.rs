//! The tables of the desk, version by version. A version that was released is never edited; the next one is added behind it.

/// What brings a database from version `n` to `n + 1`, by `n`.
pub(super) const MIGRATIONS: [&str; 4] = [FIRST, CONVERSATIONS, UNFINISHED, REVOCATIONS];

/// The newest version.
pub(super) const KNOWN: i64 = MIGRATIONS.len() as i64;

/// What marks a database as a desk: `pmdk`.
pub(super) const APPLICATION_ID: i32 = 0x706d_646b;

const FIRST: &str = "
CREATE TABLE contents(
  digest TEXT PRIMARY KEY,
  text TEXT NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE changes(
  number INTEGER PRIMARY KEY,
  action TEXT NOT NULL,
  arguments TEXT NOT NULL,
  arguments_digest TEXT NOT NULL,
  item TEXT NOT NULL,
  version INTEGER,
  actor TEXT NOT NULL,
  authority TEXT NOT NULL,
  turn_digest TEXT,
  intent_digest TEXT,
  at INTEGER NOT NULL
) STRICT;
CREATE UNIQUE INDEX changes_by_intent ON changes(turn_digest, intent_digest) WHERE turn_digest IS NOT NULL;
CREATE INDEX changes_by_item ON changes(item);

CREATE TABLE folders(
  number INTEGER PRIMARY KEY,
  id TEXT NOT NULL UNIQUE,
  name TEXT NOT NULL,
  parent TEXT REFERENCES folders(id),
  origin TEXT NOT NULL CHECK(origin IN ('person', 'bot')),
  created_by TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  deleted_at INTEGER,
  deleted_by_change INTEGER REFERENCES changes(number)
) STRICT;

CREATE TABLE files(
  number INTEGER PRIMARY KEY,
  id TEXT NOT NULL UNIQUE,
  name TEXT NOT NULL,
  type TEXT NOT NULL CHECK(type IN ('spreadsheet', 'markdown')),
  folder TEXT REFERENCES folders(id),
  origin TEXT NOT NULL CHECK(origin IN ('person', 'bot')),
  created_by TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL,
  version INTEGER NOT NULL,
  digest TEXT NOT NULL REFERENCES contents(digest),
  bytes INTEGER NOT NULL,
  deleted_at INTEGER,
  deleted_by_change INTEGER REFERENCES changes(number)
) STRICT;
CREATE INDEX files_by_folder ON files(folder);

CREATE TABLE versions(
  file TEXT NOT NULL REFERENCES files(id),
  version INTEGER NOT NULL,
  name TEXT NOT NULL,
  folder TEXT,
  digest TEXT NOT NULL REFERENCES contents(digest),
  bytes INTEGER NOT NULL,
  is_deleted INTEGER NOT NULL,
  change INTEGER NOT NULL REFERENCES changes(number),
  at INTEGER NOT NULL,
  PRIMARY KEY(file, version)
) STRICT, WITHOUT ROWID;

CREATE VIRTUAL TABLE words USING fts5(name, body, tokenize = 'unicode61 remove_diacritics 2');

CREATE TABLE panels(
  position INTEGER PRIMARY KEY,
  panel_id TEXT NOT NULL UNIQUE,
  file TEXT NOT NULL REFERENCES files(id),
  label TEXT NOT NULL,
  is_focused INTEGER NOT NULL,
  is_pinned INTEGER NOT NULL
) STRICT;

CREATE TABLE approvals(
  number INTEGER PRIMARY KEY,
  id TEXT NOT NULL UNIQUE,
  run_id TEXT NOT NULL,
  call_id TEXT NOT NULL,
  tool_call_id TEXT NOT NULL,
  kind TEXT NOT NULL CHECK(kind IN ('confirmation', 'plan', 'checkpoint')),
  tool TEXT NOT NULL,
  arguments TEXT NOT NULL,
  arguments_digest TEXT NOT NULL,
  targets TEXT NOT NULL,
  diff TEXT,
  reason TEXT NOT NULL,
  rule TEXT NOT NULL,
  tier TEXT NOT NULL,
  requested_at INTEGER NOT NULL,
  expires_at INTEGER NOT NULL,
  state TEXT NOT NULL CHECK(state IN ('pending', 'approved', 'denied', 'expired', 'consumed')),
  scope TEXT NOT NULL CHECK(scope IN ('once', 'run', 'pattern')),
  pattern TEXT,
  decided_by TEXT,
  decided_at INTEGER,
  message TEXT,
  signature TEXT,
  UNIQUE(run_id, call_id, tool_call_id, arguments_digest)
) STRICT;
CREATE INDEX approvals_by_state ON approvals(state, tool);

CREATE TABLE approval_uses(
  approval TEXT NOT NULL REFERENCES approvals(id),
  run_id TEXT NOT NULL,
  call_id TEXT NOT NULL,
  tool_call_id TEXT NOT NULL,
  arguments_digest TEXT NOT NULL,
  at INTEGER NOT NULL,
  PRIMARY KEY(approval, run_id, call_id, tool_call_id)
) STRICT, WITHOUT ROWID;

CREATE TABLE proposals(
  number INTEGER PRIMARY KEY,
  id TEXT NOT NULL UNIQUE,
  run_id TEXT NOT NULL,
  goal TEXT NOT NULL,
  rollback TEXT NOT NULL,
  steps TEXT NOT NULL,
  plan_digest TEXT NOT NULL,
  state TEXT NOT NULL
    CHECK(state IN ('pending', 'approved', 'executing', 'executed', 'failed', 'rejected', 'expired')),
  created_at INTEGER NOT NULL,
  expires_at INTEGER NOT NULL,
  decided_by TEXT,
  decided_at INTEGER,
  message TEXT,
  signature TEXT,
  lease_owner TEXT,
  lease_expires_at INTEGER,
  fence INTEGER NOT NULL DEFAULT 0,
  results TEXT NOT NULL DEFAULT '[]'
) STRICT;
CREATE INDEX proposals_by_state ON proposals(state);

CREATE TABLE usage(
  day TEXT NOT NULL,
  principal TEXT NOT NULL,
  tool_calls INTEGER NOT NULL,
  cost_micros INTEGER NOT NULL,
  PRIMARY KEY(day, principal)
) STRICT, WITHOUT ROWID;

CREATE TABLE outbox(
  number INTEGER PRIMARY KEY AUTOINCREMENT,
  id TEXT NOT NULL UNIQUE,
  row TEXT NOT NULL
) STRICT;
";

const CONVERSATIONS: &str = "
CREATE TABLE conversations(
  number INTEGER PRIMARY KEY,
  id TEXT NOT NULL UNIQUE,
  title TEXT NOT NULL,
  created_by TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL
) STRICT;

CREATE TABLE messages(
  number INTEGER PRIMARY KEY,
  conversation TEXT NOT NULL REFERENCES conversations(id),
  position INTEGER NOT NULL,
  id TEXT NOT NULL,
  run_id TEXT NOT NULL UNIQUE,
  text TEXT NOT NULL,
  at INTEGER NOT NULL,
  UNIQUE(conversation, position),
  UNIQUE(conversation, id)
) STRICT;
";

const UNFINISHED: &str = "
ALTER TABLE messages ADD COLUMN unfinished TEXT NOT NULL DEFAULT '';
";

const REVOCATIONS: &str = "
ALTER TABLE approvals ADD COLUMN revoked_by TEXT;
ALTER TABLE approvals ADD COLUMN revoked_at INTEGER;
";
