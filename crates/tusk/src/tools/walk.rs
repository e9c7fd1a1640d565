//! Walking a tree of files in order, without what `.gitignore` names, within limits.
//!
//! Links are seen and not followed. It must not stop in silence: what was left out is counted.

mod ignored;

pub(super) use self::ignored::matcher as glob;

use self::ignored::{Has, IgnoreRules};
use super::context::ToolContext;
use super::files::{EntryKind, FileEntry};
use super::outcome::ToolFailure;
use super::work_path::WorkPath;

/// The most names that one walk looks at.
const MOST_ENTRIES: u64 = 200_000;
/// The deepest folder.
const DEEPEST: usize = 64;

/// One thing that was met.
#[derive(Debug)]
pub(super) struct Met {
    pub(super) path: WorkPath,
    pub(super) entry: FileEntry,
}

/// What a walk did not show.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
pub(super) struct Unseen {
    /// Named by `.gitignore`, or the repository itself.
    pub(super) ignored: u64,
    /// In folders that could not be listed.
    pub(super) unreadable: u64,
    /// Whether the walk ended at a limit.
    pub(super) is_cut: bool,
}

/// Which names are left out.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Selection {
    /// `.git` and what `.gitignore` names.
    Tracked,
    /// Nothing.
    Everything,
}

/// Whether a walk goes on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Step {
    /// It does.
    GoOn,
    /// It does not.
    Stop,
}

/// Meets everything below a folder, at most `depth` folders deep, folders before what is in them.
pub(super) fn walk(
    context: &ToolContext<'_>,
    start: &WorkPath,
    depth: usize,
    selection: Selection,
    meet: &mut dyn FnMut(&Met) -> Result<Step, ToolFailure>,
) -> Result<Unseen, ToolFailure> {
    let mut unseen = Unseen::default();
    let mut rules = IgnoreRules::default();
    if selection == Selection::Tracked {
        rules.enter_above(context, start);
    }
    let mut entries = 0_u64;
    let mut open: Vec<(Met, usize)> = Vec::new();
    let mut here = Some((start.clone(), 0));
    loop {
        if let Some((folder, level)) = here.take() {
            context.go_on()?;
            match context.files.list(folder.as_str()) {
                Ok(listed) => {
                    if selection == Selection::Tracked {
                        rules.enter(context, &folder, has_rules(&listed));
                    }
                    let met = |entry: FileEntry| (Met { path: folder.join(&entry.name), entry }, level + 1);
                    open.extend(listed.into_iter().rev().map(met));
                }
                Err(error) if level == 0 => return Err(error.into()),
                Err(_) => unseen.unreadable += 1,
            }
        }
        let Some((met, level)) = open.pop() else {
            return Ok(unseen);
        };
        entries += 1;
        if entries > MOST_ENTRIES {
            unseen.is_cut = true;
            return Ok(unseen);
        }
        let is_folder = met.entry.kind == EntryKind::Folder;
        if selection == Selection::Tracked && (met.entry.name == ".git" || rules.ignore(&met.path, is_folder))
        {
            unseen.ignored += 1;
            continue;
        }
        if meet(&met)? == Step::Stop {
            unseen.is_cut = true;
            return Ok(unseen);
        }
        if is_folder && level < depth.min(DEEPEST) {
            here = Some((met.path, level));
        }
    }
}

fn has_rules(listed: &[FileEntry]) -> Has {
    let is_rules = |entry: &FileEntry| entry.kind == EntryKind::File && entry.name == ".gitignore";
    if listed.iter().any(is_rules) { Has::Rules } else { Has::None }
}
