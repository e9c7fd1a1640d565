//! The commands that are running in this process, so that a change that two of them may have made is not given to one.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// A command or another call that changes files, while it runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct CommandId(u64);

/// The commands that are running. Shared by all runs of a process that work in one folder.
#[derive(Debug, Default)]
pub struct ActiveCommands(Mutex<Running>);

#[derive(Debug, Default)]
struct Running {
    next: u64,
    commands: BTreeMap<CommandId, Command>,
}

#[derive(Debug)]
struct Command {
    label: Label,
    /// Who ran at the same time, at any moment of it.
    overlaps: BTreeSet<Label>,
}

#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
struct Label {
    run_id: String,
    tool_call_id: String,
}

impl ActiveCommands {
    /// A command begins.
    pub(super) fn enter(&self, run_id: &str, tool_call_id: &str) -> CommandId {
        let label = Label { run_id: run_id.to_owned(), tool_call_id: tool_call_id.to_owned() };
        let mut running = self.running();
        let id = CommandId(running.next);
        running.next = running.next.saturating_add(1);
        let mut overlaps = BTreeSet::new();
        for command in running.commands.values_mut() {
            command.overlaps.insert(label.clone());
            overlaps.insert(command.label.clone());
        }
        running.commands.insert(id, Command { label, overlaps });
        id
    }

    /// It is over: the calls that ran at the same time, those of other runs with their run.
    pub(super) fn leave(&self, id: CommandId, run_id: &str) -> Vec<String> {
        let command = self.running().commands.remove(&id);
        let overlaps = command.map(|command| command.overlaps).unwrap_or_default();
        let name = |label: Label| {
            if label.run_id == run_id {
                label.tool_call_id
            } else {
                format!("{}/{}", label.run_id, label.tool_call_id)
            }
        };
        overlaps.into_iter().map(name).collect()
    }

    fn running(&self) -> MutexGuard<'_, Running> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests;
