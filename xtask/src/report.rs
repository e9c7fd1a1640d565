//! Everything xtask says: step headers, the closing table, the error that ends a run.
//! The only module that prints.

#![expect(
    clippy::print_stdout,
    clippy::print_stderr,
    reason = "xtask talks to a person on a terminal or to a CI log, and does so here only"
)]

use std::time::Duration;

use anyhow::{Error, Result};

use crate::system::Stopwatch;

#[cfg(test)]
mod tests;

/// The steps of one run and how each ended.
#[derive(Debug, Default)]
pub(crate) struct Board {
    rows: Vec<Row>,
}

#[derive(Debug)]
struct Row {
    name: String,
    verdict: Verdict,
    duration: Duration,
    note: String,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Verdict {
    Passed,
    Failed,
    NotRun,
}

impl Verdict {
    fn word(self) -> &'static str {
        match self {
            Self::Passed => "passed",
            Self::Failed => "FAILED",
            Self::NotRun => "not run",
        }
    }
}

impl Board {
    /// Runs one step between its header and its duration. The work returns a note for the table.
    pub(crate) fn step(&mut self, name: &str, work: impl FnOnce() -> Result<String>) -> Result<()> {
        println!("==> {name}");
        let watch = Stopwatch::start();
        let outcome = work();
        let duration = watch.elapsed();
        let (verdict, note) = match &outcome {
            Ok(note) => (Verdict::Passed, note.clone()),
            Err(error) => (Verdict::Failed, first_line(error)),
        };
        println!("<== {name}: {} in {}", verdict.word(), seconds(duration));
        self.rows.push(Row { name: name.to_owned(), verdict, duration, note });
        outcome.map(drop)
    }

    /// Records a step that an earlier failure kept from running.
    pub(crate) fn not_run(&mut self, name: &str) {
        self.rows.push(Row {
            name: name.to_owned(),
            verdict: Verdict::NotRun,
            duration: Duration::ZERO,
            note: String::new(),
        });
    }

    /// Prints the closing table.
    pub(crate) fn close(&self) {
        println!();
        print!("{}", self.table());
    }

    fn table(&self) -> String {
        let width = self.rows.iter().map(|row| row.name.chars().count()).max().unwrap_or_default();
        let mut total = Duration::ZERO;
        let mut table = String::new();
        for row in &self.rows {
            total += row.duration;
            let line = format!(
                "{:width$}  {:7}  {:>9}  {}",
                row.name,
                row.verdict.word(),
                seconds(row.duration),
                row.note
            );
            table.push_str(line.trim_end());
            table.push('\n');
        }
        table.push_str(&format!("{:width$}  {:7}  {:>9}\n", "total", "", seconds(total)));
        table
    }
}

fn seconds(duration: Duration) -> String {
    format!("{:.1} s", duration.as_secs_f64())
}

fn first_line(error: &Error) -> String {
    error.to_string().lines().next().unwrap_or_default().to_owned()
}

/// One line for the person who watches.
pub(crate) fn say(line: &str) {
    println!("{line}");
}

/// The error that ends the run, with its causes.
pub(crate) fn failure(error: &Error) {
    eprintln!("error: {error:#}");
}
