//! What a run begins with, put together in a fixed order: first what is the same in every run, then what is not.
//!
//! Constant: role, instructions, completion, tools. Then what was said earlier, the task, the issue, scopes, workspace,
//! panels, the desk, state views, reminders. Equal parts give equal bytes. It must not let other people's words stand outside a fence.

#[cfg(test)]
mod tests;

use super::excerpt::{Voice, Whole, bounded, items};
use super::fence::plain_line;
use super::texts;
use crate::model::{CacheMarker, SystemBlock};

/// The most bytes of an opening.
pub const OPENING_BYTES: usize = 256 * 1024;

const TASK_BYTES: usize = 32 * 1024;
const ISSUE_BYTES: usize = 32 * 1024;
const WORKSPACE_BYTES: usize = 16 * 1024;
const PANEL_BYTES: usize = 8 * 1024;
const OWN_BYTES: usize = 24 * 1024;
const NAME_BYTES: usize = 128;
const MOST_SCOPES: usize = 64;
const MOST_PANELS: usize = 8;

/// The issue that is worked on: other people's words, but for its id.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct IssueBrief {
    /// Its id.
    pub id: String,
    /// Its title, description, notes, as one text.
    pub text: String,
}

/// Something a person has open: other people's words, but for its name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Panel {
    /// What it is.
    pub name: String,
    /// What it shows.
    pub text: String,
}

/// The parts of what a run begins with.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Blocks {
    /// Who the model is.
    pub role: String,
    /// How it works.
    pub instructions: String,
    /// When it is done.
    pub completion: String,
    /// How to read what tools give.
    pub tools: String,
    /// What is asked for.
    pub task: String,
    /// The issue that is worked on.
    pub issue: Option<IssueBrief>,
    /// What was granted, as `<resource>:<verb>`.
    pub scopes: Vec<String>,
    /// What the workspace looks like: names out of it. Empty when nothing is said.
    pub workspace: String,
    /// What a person has open.
    pub panels: Vec<Panel>,
    /// What was said earlier in the conversation, as it is shown.
    pub earlier: Option<String>,
    /// What a person has open on the desk, as it is shown.
    pub desk: Option<String>,
    /// What the state views tell.
    pub views: Option<String>,
    /// What the reminders tell.
    pub reminders: Option<String>,
}

/// What a run begins with.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Assembled {
    /// The constant part. The prefix up to its last block is worth caching.
    pub system: Vec<SystemBlock>,
    /// The first message: the task, and what differs from run to run.
    pub opening: String,
    /// What is shown in part only, and has to be stored before the opening is shown.
    pub to_store: Vec<Whole>,
}

impl Blocks {
    /// The default texts around a task.
    #[must_use]
    pub fn new(task: impl Into<String>) -> Self {
        Self {
            role: texts::ROLE.to_owned(),
            instructions: texts::INSTRUCTIONS.to_owned(),
            completion: texts::COMPLETION.to_owned(),
            tools: texts::TOOLS.to_owned(),
            task: task.into(),
            issue: None,
            scopes: Vec::new(),
            workspace: String::new(),
            panels: Vec::new(),
            earlier: None,
            desk: None,
            views: None,
            reminders: None,
        }
    }

    /// The same for the work on an issue.
    #[must_use]
    pub fn with_issue(mut self, id: impl Into<String>, text: impl Into<String>) -> Self {
        self.issue = Some(IssueBrief { id: id.into(), text: text.into() });
        self
    }

    /// The same with another role.
    #[must_use]
    pub fn with_role(mut self, role: impl Into<String>) -> Self {
        self.role = role.into();
        self
    }

    /// The same with what was granted.
    #[must_use]
    pub fn with_scopes(mut self, scopes: Vec<String>) -> Self {
        self.scopes = scopes;
        self
    }

    /// The same with what the workspace looks like.
    #[must_use]
    pub fn with_workspace(mut self, workspace: impl Into<String>) -> Self {
        self.workspace = workspace.into();
        self
    }

    /// The same with one more thing that a person has open.
    #[must_use]
    pub fn with_panel(mut self, name: impl Into<String>, text: impl Into<String>) -> Self {
        self.panels.push(Panel { name: name.into(), text: text.into() });
        self
    }

    /// The same as the next message of a conversation: with what was said before, and what is open.
    #[must_use]
    pub fn with_conversation(mut self, earlier: Option<String>, desk: Option<String>) -> Self {
        self.earlier = earlier;
        self.desk = desk;
        self
    }

    /// The same with what the state views and the reminders tell.
    #[must_use]
    pub fn with_state(mut self, views: Option<String>, reminders: Option<String>) -> Self {
        self.views = views;
        self.reminders = reminders;
        self
    }

    /// Puts them together.
    #[must_use]
    pub fn assemble(&self) -> Assembled {
        let mut to_store = Vec::new();
        let task = bounded(&self.task, TASK_BYTES, Voice::Asked, &mut to_store);
        let mut parts: Vec<String> = self.earlier.iter().cloned().collect();
        parts.push(format!("Task:\n{task}"));
        if let Some(issue) = &self.issue {
            let source = format!("issue:{}", issue.id);
            let text = bounded(&issue.text, ISSUE_BYTES, Voice::Other(&source), &mut to_store);
            parts.push(format!("The issue to work on is {}:\n{text}", plain_line(&issue.id, NAME_BYTES)));
        }
        if !self.scopes.is_empty() {
            let scopes = items(&self.scopes, MOST_SCOPES, NAME_BYTES).text;
            parts.push(format!("Granted scopes:\n{scopes}"));
        }
        if !self.workspace.is_empty() {
            let text = bounded(&self.workspace, WORKSPACE_BYTES, Voice::Other("workspace"), &mut to_store);
            parts.push(format!("The workspace:\n{text}"));
        }
        for panel in self.panels.iter().take(MOST_PANELS) {
            let source = format!("panel:{}", panel.name);
            let text = bounded(&panel.text, PANEL_BYTES, Voice::Other(&source), &mut to_store);
            parts.push(format!("Open panel {}:\n{text}", plain_line(&panel.name, NAME_BYTES)));
        }
        parts.extend(self.desk.clone());
        for own in [&self.views, &self.reminders].into_iter().flatten() {
            parts.push(bounded(own, OWN_BYTES, Voice::Asked, &mut to_store));
        }
        Assembled { system: self.system(), opening: parts.join("\n\n"), to_store }
    }

    fn system(&self) -> Vec<SystemBlock> {
        let texts = [&self.role, &self.instructions, &self.completion, &self.tools];
        let mut blocks: Vec<SystemBlock> = texts
            .into_iter()
            .filter(|text| !text.is_empty())
            .map(|text| SystemBlock { text: text.clone(), cache: CacheMarker::None })
            .collect();
        if let Some(last) = blocks.last_mut() {
            last.cache = CacheMarker::Here;
        }
        blocks
    }
}
