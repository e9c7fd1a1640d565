//! The repositories that are measured: few issues, many, and many in one chain; short and long trajectories.

use std::io;
use std::path::{Path, PathBuf};

use crate::system::{Scratch, write_lines};

/// Folders that go away with it.
#[derive(Debug)]
pub(super) struct Fixture {
    small: PathBuf,
    large: PathBuf,
    chain: PathBuf,
    _scratch: Scratch,
}

impl Fixture {
    pub(super) fn new() -> io::Result<Self> {
        let scratch = Scratch::new()?;
        let (small, large, chain) =
            (scratch.repository("small")?, scratch.repository("large")?, scratch.repository("chain")?);
        issues(&small, 1_000, false)?;
        issues(&large, 100_000, false)?;
        issues(&chain, 100_000, true)?;
        steps(&small, 1_000)?;
        steps(&large, 1_000_000)?;
        Ok(Self { small, large, chain, _scratch: scratch })
    }

    /// 1,000 issues, 1,000 steps.
    pub(super) fn small(&self) -> &Path {
        &self.small
    }

    /// 100,000 issues, 1,000,000 steps.
    pub(super) fn large(&self) -> &Path {
        &self.large
    }

    /// 100,000 issues, each of which waits for the one before.
    pub(super) fn chain(&self) -> &Path {
        &self.chain
    }
}

pub(in crate::commands) fn issues(folder: &Path, count: u32, is_chain: bool) -> io::Result<()> {
    let lines = (1..=count).map(|number| {
        let blocker = if is_chain && number > 1 {
            format!(r#""dependencies":[{{"depends_on_id":"bd-{}","issue_id":"bd-{number}","type":"blocks"}}],"#, number - 1)
        } else {
            String::new()
        };
        format!(
            r#"{{"acceptance_criteria":"it does what the title says","created_at":"2026-01-01T00:{:02}:{:02}Z",{blocker}"description":"one or two sentences, as people write them, about what should be done and why","id":"bd-{number}","issue_type":"task","labels":["measured"],"priority":{},"rev":1,"status":"open","title":"work item number {number}","updated_at":"2026-01-01T00:00:00Z"}}"#,
            number / 60 % 60,
            number % 60,
            number % 5,
        )
    });
    write_lines(&folder.join(".premath/issues.jsonl"), lines)
}

fn steps(folder: &Path, count: u32) -> io::Result<()> {
    let lines = (1..=count).map(|number| {
        let class = if number.is_multiple_of(50) { "check_failed" } else { "accepted" };
        format!(
            r#"{{"action":"run","finishedAt":"2026-{:02}-{:02}T{:02}:{:02}:{:02}Z","issueId":"bd-{}","resultClass":"{class}","schema":1,"stepId":"worker-{}.bd-{}.{number}","stepKind":"premath.harness.step.v1"}}"#,
            1 + number / 250_000 % 12,
            1 + number / 10_000 % 28,
            number / 3600 % 24,
            number / 60 % 60,
            number % 60,
            number % 1000,
            number % 8,
            number % 1000,
        )
    });
    write_lines(&folder.join(".premath/harness_trajectory.jsonl"), lines)
}
