//! What a patch says, before anybody looked at a file.

/// One section of an envelope.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Section<'p> {
    /// The path as it was given.
    pub(super) path: &'p str,
    /// The line of the patch that begins it, from 1.
    pub(super) line: usize,
    pub(super) action: Action<'p>,
}

impl<'p> Section<'p> {
    /// The paths it touches, as they were given.
    pub(super) fn paths(&self) -> impl Iterator<Item = &'p str> + use<'p> {
        let moved = match &self.action {
            Action::Update { target, .. } => *target,
            Action::Add(_) | Action::Delete => None,
        };
        std::iter::once(self.path).chain(moved)
    }
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Action<'p> {
    /// A new file with these lines.
    Add(Vec<&'p str>),
    /// A file goes.
    Delete,
    /// A file changes, or moves, or both.
    Update {
        /// Where it goes, if it moves.
        target: Option<&'p str>,
        hunks: Vec<Hunk<'p>>,
    },
}

/// One change at one place.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) struct Hunk<'p> {
    /// The line of the patch that begins it, from 1.
    pub(super) line: usize,
    /// A line of the file at or above the change.
    pub(super) anchors: Vec<&'p str>,
    pub(super) lines: Vec<HunkLine<'p>>,
    /// Whether it ends where the file ends.
    pub(super) is_at_end: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum HunkLine<'p> {
    Context(&'p str),
    Remove(&'p str),
    Add(&'p str),
}

impl<'p> Hunk<'p> {
    /// The lines that the file must hold.
    pub(super) fn old(&self) -> Vec<&'p str> {
        let old = |line: &HunkLine<'p>| match line {
            HunkLine::Context(text) | HunkLine::Remove(text) => Some(*text),
            HunkLine::Add(_) => None,
        };
        self.lines.iter().filter_map(old).collect()
    }

    pub(super) fn changes_something(&self) -> bool {
        self.lines.iter().any(|line| match line {
            HunkLine::Add(_) | HunkLine::Remove(_) => true,
            HunkLine::Context(_) => false,
        })
    }
}
