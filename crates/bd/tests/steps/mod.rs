//! A trajectory lane in a folder of its own, many rows at once, and a slow and obvious way to answer a query.

#![expect(dead_code, reason = "not every test file needs everything")]

use std::cmp::Reverse;
use std::fmt::Write as _;
use std::fs;
use std::path::PathBuf;
use std::sync::Arc;

use premath_bd::{OsDisk, Trajectory};
use tempfile::TempDir;

/// One trajectory.
pub(crate) struct Lane {
    pub(crate) folder: TempDir,
    pub(crate) path: PathBuf,
}

impl Lane {
    pub(crate) fn new() -> Self {
        let folder = TempDir::new().unwrap();
        let path = folder.path().join("harness_trajectory.jsonl");
        Self { folder, path }
    }

    pub(crate) fn trajectory(&self) -> Trajectory {
        Trajectory::new(Arc::new(OsDisk), self.path.clone())
    }

    pub(crate) fn index_path(&self) -> PathBuf {
        self.folder.path().join("harness_trajectory.jsonl.index")
    }

    pub(crate) fn index(&self) -> Vec<u8> {
        fs::read(self.index_path()).unwrap()
    }

    pub(crate) fn write(&self, text: &str) {
        fs::write(&self.path, text).unwrap();
    }

    pub(crate) fn append(&self, text: &str) {
        let mut bytes = fs::read(&self.path).unwrap();
        bytes.extend_from_slice(text.as_bytes());
        fs::write(&self.path, bytes).unwrap();
    }

    /// Changes the lines behind the writer's back.
    pub(crate) fn edit(&self, change: impl FnOnce(&mut Vec<String>)) {
        let text = fs::read_to_string(&self.path).unwrap();
        let mut lines: Vec<String> = text.lines().map(str::to_owned).collect();
        change(&mut lines);
        fs::write(&self.path, lines.join("\n") + "\n").unwrap();
    }
}

/// A row as a test knows it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Known {
    pub(crate) second: u64,
    pub(crate) step_id: String,
    pub(crate) action: &'static str,
    pub(crate) class: &'static str,
    pub(crate) mark: usize,
}

const ACTIONS: [&str; 3] = ["apply", "stop", "verify"];
const CLASSES: [&str; 6] = ["ok", "passed", "failed", "network_error", "check_failed", "completed"];

impl Known {
    pub(crate) fn is_failed(&self) -> bool {
        matches!(self.class, "failed" | "network_error" | "check_failed")
    }

    pub(crate) fn is_worth_a_retry(&self) -> bool {
        self.class == "network_error"
    }

    /// The line, with a mark by which it is known again.
    pub(crate) fn line(&self) -> String {
        let (hours, minutes, seconds) = (self.second / 3600, self.second / 60 % 60, self.second % 60);
        format!(
            r#"{{"action":"{}","finishedAt":"2026-01-{:02}T{:02}:{minutes:02}:{seconds:02}Z","mark":{},"resultClass":"{}","schema":1,"stepId":"{}","stepKind":"premath.harness.step.v1"}}"#,
            self.action,
            hours / 24 + 1,
            hours % 24,
            self.mark,
            self.class,
            self.step_id,
        )
    }
}

/// Many rows whose times are drawn from `seconds` different ones.
pub(crate) fn many(count: usize, seconds: u64, seed: u64) -> Vec<Known> {
    let mut state = seed.wrapping_mul(2).wrapping_add(1);
    let mut draw = |below: u64| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) % below
    };
    let mut row = |mark| Known {
        second: draw(seconds),
        step_id: format!("w{}.bd-{}.{}", draw(4), draw(30), draw(50)),
        action: picked(&ACTIONS, draw(3)),
        class: picked(&CLASSES, draw(6)),
        mark,
    };
    (0..count).map(&mut row).collect()
}

fn picked(from: &[&'static str], at: u64) -> &'static str {
    from.iter().zip(0..).find(|(_, place)| *place == at).map(|(one, _)| *one).unwrap()
}

/// The file of these rows; every so many lines one that is none.
pub(crate) fn file_of(rows: &[Known], bad_every: usize) -> String {
    let mut text = String::new();
    for row in rows {
        writeln!(text, "{}", row.line()).unwrap();
        if row.mark % bad_every == bad_every - 1 {
            text.push_str("{\"no\":\"step\"}\n");
        }
    }
    text
}

/// The marks of a projection, the slow way.
pub(crate) fn expected(rows: &[Known], holds: impl Fn(&Known) -> bool, limit: usize) -> Vec<usize> {
    let mut found: Vec<&Known> = rows.iter().filter(|row| holds(row)).collect();
    found.sort_by_key(|row| (Reverse((row.second, row.step_id.as_str(), row.action)), row.mark));
    found.into_iter().take(limit).map(|row| row.mark).collect()
}
