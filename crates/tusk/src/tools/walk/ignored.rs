//! The rules of `.gitignore` files, as far as names are concerned: patterns, negation, anchors, folders.
//!
//! A pattern that cannot be read is passed over, as git does.

use globset::{GlobBuilder, GlobMatcher};

use crate::tools::context::ToolContext;
use crate::tools::work_path::WorkPath;

/// The longest file of rules that is read.
const LONGEST: u64 = 256 * 1024;
/// The most rules of one walk.
const MOST: usize = 20_000;

#[derive(Debug)]
struct Rule {
    /// The folder whose rules these are; empty is the workdir.
    base: String,
    matcher: GlobMatcher,
    is_negated: bool,
    is_for_folders: bool,
}

/// Whether a folder may have rules of its own.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Has {
    /// It may.
    Rules,
    /// It does not.
    None,
}

/// Rules in the order in which they were read: of those that match, the last counts.
#[derive(Debug, Default)]
pub(super) struct IgnoreRules(Vec<Rule>);

impl IgnoreRules {
    /// The rules of the folders that a folder lies in.
    pub(super) fn enter_above(&mut self, context: &ToolContext<'_>, folder: &WorkPath) {
        if folder.is_root() {
            return;
        }
        self.enter(context, &WorkPath::root(), Has::Rules);
        for above in folder.folders() {
            self.enter(context, &WorkPath::root().join(above), Has::Rules);
        }
    }

    /// The rules of a folder. Those of folders that do not hold it are forgotten.
    pub(super) fn enter(&mut self, context: &ToolContext<'_>, folder: &WorkPath, has: Has) {
        let base = if folder.is_root() { String::new() } else { format!("{folder}/") };
        self.0.retain(|rule| base.starts_with(&rule.base) && rule.base != base);
        if has == Has::None {
            return;
        }
        // Without rules nothing is left out: a file that cannot be read has none.
        let Ok(file) = context.files.read(folder.join(".gitignore").as_str(), LONGEST) else {
            return;
        };
        let text = String::from_utf8_lossy(&file.bytes).into_owned();
        let rules = text.lines().filter_map(|line| rule(&base, line));
        let left = MOST.saturating_sub(self.0.len());
        self.0.extend(rules.take(left));
    }

    pub(super) fn ignore(&self, path: &WorkPath, is_folder: bool) -> bool {
        let matching = self.0.iter().rev().find(|rule| {
            let relative = path.as_str().strip_prefix(rule.base.as_str());
            (is_folder || !rule.is_for_folders) && relative.is_some_and(|path| rule.matcher.is_match(path))
        });
        matching.is_some_and(|rule| !rule.is_negated)
    }
}

fn rule(base: &str, line: &str) -> Option<Rule> {
    let line = line.trim_end_matches(['\r', ' ', '\t']);
    if line.is_empty() || line.starts_with('#') {
        return None;
    }
    let (is_negated, pattern) = line.strip_prefix('!').map_or((false, line), |pattern| (true, pattern));
    let (is_for_folders, pattern) =
        pattern.strip_suffix('/').map_or((false, pattern), |pattern| (true, pattern));
    let is_anchored = pattern.contains('/');
    let pattern = pattern.strip_prefix('/').unwrap_or(pattern);
    let pattern = if is_anchored { pattern.to_owned() } else { format!("**/{pattern}") };
    let matcher = matcher(&pattern)?;
    Some(Rule { base: base.to_owned(), matcher, is_negated, is_for_folders })
}

/// A glob whose `*` does not cross a slash.
pub(in crate::tools) fn matcher(pattern: &str) -> Option<GlobMatcher> {
    let glob = GlobBuilder::new(pattern).literal_separator(true).backslash_escape(true).build().ok()?;
    Some(glob.compile_matcher())
}
