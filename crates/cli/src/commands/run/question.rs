//! A question at the terminal: the card, the prompt below it, the answers it takes.
//!
//! What was typed before the card was on the screen is discarded. An answer that is not understood decides nothing. It must
//! not keep or sign anything.

use std::time::{Duration, Instant};

use premath_bd::desk::{Approval, ApprovalScope, Proposal};
use premath_bd::{Clock as _, OsClock};
use premath_host::{Said, approval_row, proposal_row};
use premath_kernel::Moment;
use premath_tusk::sandbox::Interrupt;
use premath_wire::time::format_time;
use premath_wire::v1::{ApprovalRow, ScopeOffer};

use crate::output::{BAD, DIM, TIP, WARN};
use crate::render::{card, plain};
use crate::system::TerminalLine;
use crate::{output, system};

/// Waited for beyond the expiry, so that the clock of the store has passed it too.
const SLACK: Duration = Duration::from_millis(50);

/// A question as a terminal asks it.
#[derive(Debug)]
pub(super) struct TerminalQuestion {
    /// Everything that is decided about; empty where the run has shown it already.
    pub(super) card: String,
    prompt: &'static str,
    offers: Vec<ScopeOffer>,
    run_id: String,
    expires_at: Moment,
}

/// What a person typed, understood.
#[derive(Debug, PartialEq, Eq)]
enum Reply {
    Yes(ApprovalScope),
    No { reason: Option<String>, ask_reason: bool },
    Help,
    Unknown,
}

impl TerminalQuestion {
    /// The question about one call.
    pub(super) fn of_call(approval: &Approval, folder: Option<String>) -> Self {
        let row = ApprovalRow { folder, ..approval_row(approval) };
        // A pattern is looked at with its examples before it is agreed to, which `premath approvals` does.
        let offers: Vec<_> = row.offers.iter().filter(|offer| offer.scope != "pattern").cloned().collect();
        let has_run = offers.iter().any(|offer| offer.scope == "run");
        Self {
            card: card::approval(&row),
            prompt: if has_run {
                "  allow it? [y]es once, [r]un, [n]o, [?] help: "
            } else {
                "  allow it? [y]es once, [n]o, [?] help: "
            },
            offers,
            run_id: approval.request.run_id.clone(),
            expires_at: approval.request.expires_at,
        }
    }

    /// The question whether to go on, below what the run has shown of it.
    pub(super) fn of_checkpoint(approval: &Approval) -> Self {
        let once =
            ScopeOffer { scope: "once".to_owned(), covers: "going on from this checkpoint".to_owned() };
        Self {
            card: String::new(),
            prompt: "  go on? [y]es, [n]o, [?] help: ",
            offers: vec![once],
            run_id: approval.request.run_id.clone(),
            expires_at: approval.request.expires_at,
        }
    }

    /// The question about a plan.
    pub(super) fn of_plan(proposal: &Proposal) -> Self {
        let steps = proposal.draft.steps.len();
        let once = ScopeOffer { scope: "once".to_owned(), covers: format!("all {steps} steps, as shown") };
        Self {
            card: card::proposal(&proposal_row(proposal)),
            prompt: "  carry it out? [y]es, [n]o, [?] help: ",
            offers: vec![once],
            run_id: proposal.draft.run_id.clone(),
            expires_at: proposal.expires_at,
        }
    }

    /// Reads the answer to a card that was written. None: no answer came, and nothing is decided.
    pub(super) fn read_answer(&self, interrupt: &Interrupt) -> Option<Said> {
        let deadline = self.deadline();
        loop {
            if !system::discard_typed_ahead() {
                return None;
            }
            output::note(self.prompt);
            match system::read_terminal_line(interrupt, deadline) {
                TerminalLine::Text(line) => match self.understand(&line) {
                    Reply::Yes(scope) => return Some(Said { scope, ..Said::yes() }),
                    Reply::No { reason, ask_reason } => {
                        let reason = if ask_reason { read_reason(interrupt, deadline) } else { reason };
                        return Some(Said { message: reason, ..Said::no() });
                    }
                    Reply::Help => output::note(&self.help()),
                    Reply::Unknown => output::note(&format!(
                        "  {BAD}`{}` is no answer{BAD:#}; nothing is decided\n",
                        plain(&line)
                    )),
                },
                TerminalLine::TimedOut => {
                    output::note(&format!(
                        "\n  {WARN}the question expired; nothing ran{WARN:#} {DIM}({TIP}premath resume {}{TIP:#}{DIM} asks it \
                         again){DIM:#}\n",
                        plain(&self.run_id)
                    ));
                    return None;
                }
                TerminalLine::Closed => {
                    output::note("\n");
                    return None;
                }
            }
        }
    }

    fn understand(&self, line: &str) -> Reply {
        let (word, rest) = line.split_once(char::is_whitespace).unwrap_or((line, ""));
        let reason = Some(rest.trim().to_owned()).filter(|reason| !reason.is_empty());
        match (word.to_ascii_lowercase().as_str(), reason) {
            ("y" | "yes", None) => Reply::Yes(ApprovalScope::Once),
            ("r" | "run", None) if self.offers.iter().any(|offer| offer.scope == "run") => {
                Reply::Yes(ApprovalScope::Run)
            }
            ("n" | "no", reason) => Reply::No { ask_reason: reason.is_none(), reason },
            ("", None) => Reply::No { reason: None, ask_reason: false },
            ("?" | "h" | "help", _) => Reply::Help,
            _other => Reply::Unknown,
        }
    }

    fn help(&self) -> String {
        let mut text = String::new();
        for offer in &self.offers {
            let key = if offer.scope == "run" { "r" } else { "y" };
            text.push_str(&format!("    {TIP}{key}{TIP:#}          yes: {}\n", plain(&offer.covers)));
        }
        text.push_str(&format!(
            "    {TIP}n{TIP:#}          no; you are asked for a reason, which the model reads\n    \
             {TIP}n REASON{TIP:#}   no, for this reason\n    {TIP}Enter{TIP:#}      no, without a reason\n    \
             {TIP}Ctrl-D{TIP:#}     no answer: the run stops, and the question waits until {}\n",
            format_time(self.expires_at)
        ));
        text
    }

    /// When the question has expired, by the clock of this process.
    fn deadline(&self) -> Option<Instant> {
        let now = OsClock.now();
        let nanos = i128::from(self.expires_at.seconds() - now.seconds()) * 1_000_000_000
            + i128::from(self.expires_at.nanos())
            - i128::from(now.nanos());
        let left = Duration::from_nanos(u64::try_from(nanos.max(0)).unwrap_or(u64::MAX));
        system::stopwatch().checked_add(left.saturating_add(SLACK))
    }
}

/// The reason of a no. The no stands, with a reason or without.
fn read_reason(interrupt: &Interrupt, deadline: Option<Instant>) -> Option<String> {
    output::note("  why not? The model reads it (Enter for no reason): ");
    match system::read_terminal_line(interrupt, deadline) {
        TerminalLine::Text(reason) => Some(reason).filter(|reason| !reason.is_empty()),
        TerminalLine::TimedOut | TerminalLine::Closed => {
            output::note("\n");
            None
        }
    }
}
