//! The rows inside an outcome: files, commands and requested changes, written and read back.
//!
//! What is absent leaves no trace, so that outcomes written before a member existed keep their bytes.

use premath_kernel::{
    Access, ChangeKind, ChangeSource, Digest, FileBefore, IgnoredPaths, IssueTarget, Object, ObservedChanges,
    Text, TextSet, Value,
};

use super::outcome::{IntentRow, ShellRow};
use super::row::{Row, Unreadable, unreadable};
use crate::tools::ToolArtifact;

/// The row of a file.
pub(crate) fn artifact_value(artifact: &ToolArtifact) -> Value<'_> {
    Object::fields()
        .field("access", artifact.access.token())
        .optional("before", artifact.before.as_ref().map(FileBefore::canonical))
        .optional("change", artifact.change.map(ChangeKind::token))
        .optional("digest", artifact.digest.as_ref())
        .optional("mode", artifact.mode.as_deref())
        .field("path", artifact.path.as_str())
        .finish()
}

pub(super) fn read_artifact(row: Row<'_>) -> Result<ToolArtifact, Unreadable> {
    let change = row.optional("change")?;
    Ok(ToolArtifact {
        path: row.owned("path")?,
        digest: digest(row, "digest")?,
        access: find(&Access::ALL, Access::token, row.text("access")?, "access")?,
        change: change.map(|word| find(&ChangeKind::ALL, ChangeKind::token, &word, "change")).transpose()?,
        mode: row.optional("mode")?,
        before: row.optional_row("before")?.map(read_before).transpose()?,
    })
}

fn read_before(row: Row<'_>) -> Result<FileBefore, Unreadable> {
    Ok(FileBefore {
        digest: digest(row, "digest")?,
        mode: text(row, "mode")?,
        git_blob: text(row, "gitBlob")?,
        object_ref: text(row, "objectRef")?,
        not_restorable: text(row, "notRestorable")?,
    })
}

pub(super) fn shell_value(shell: &ShellRow) -> Value<'_> {
    Object::fields()
        .field("commandDigest", shell.command_digest.as_str())
        .optional("observed", shell.observed.as_ref().map(ObservedChanges::canonical))
        .field("profile", shell.profile.as_str())
        .field("workdir", shell.workdir.as_str())
        .finish()
}

pub(super) fn read_shell(row: Row<'_>) -> Result<ShellRow, Unreadable> {
    Ok(ShellRow {
        workdir: row.owned("workdir")?,
        profile: row.owned("profile")?,
        command_digest: row.owned("commandDigest")?,
        observed: row.optional_row("observed")?.map(read_observed).transpose()?,
    })
}

fn read_observed(row: Row<'_>) -> Result<ObservedChanges, Unreadable> {
    Ok(ObservedChanges {
        source: find(&ChangeSource::ALL, ChangeSource::token, row.text("source")?, "source")?,
        ignored: find(&IgnoredPaths::ALL, IgnoredPaths::token, row.text("ignored")?, "ignored")?,
        overlaps: texts(row, "overlaps")?,
        incomplete: text(row, "incomplete")?,
    })
}

pub(super) fn intent_value(intent: &IntentRow) -> Value<'_> {
    Object::fields()
        .field("action", intent.action.as_str())
        .field("argsDigest", intent.args_digest.as_str())
        .optional("targetStatus", intent.target_status.as_deref())
        .non_empty("targets", intent.targets.iter().map(IssueTarget::canonical).collect())
        .finish()
}

pub(super) fn read_intent(row: Row<'_>) -> Result<IntentRow, Unreadable> {
    Ok(IntentRow {
        action: row.owned("action")?,
        args_digest: row.owned("argsDigest")?,
        target_status: row.optional("targetStatus")?,
        targets: row.rows("targets", read_target)?,
    })
}

fn read_target(row: Row<'_>) -> Result<IssueTarget, Unreadable> {
    let issue_id = Text::new(row.text("issueId")?).ok_or_else(|| unreadable("issueId"))?;
    Ok(IssueTarget { issue_id, lineage: texts(row, "lineage")? })
}

fn digest(row: Row<'_>, member: &str) -> Result<Option<Digest>, Unreadable> {
    Ok(row.optional(member)?.and_then(|text| Digest::claimed(&text)))
}

fn text(row: Row<'_>, member: &str) -> Result<Option<Text>, Unreadable> {
    Ok(row.optional(member)?.and_then(|text| Text::new(&text)))
}

fn texts(row: Row<'_>, member: &str) -> Result<TextSet, Unreadable> {
    Ok(row.texts(member)?.iter().filter_map(|text| Text::new(text)).collect())
}

fn find<T: Copy>(
    all: &[T],
    token: impl Fn(T) -> &'static str,
    wanted: &str,
    member: &str,
) -> Result<T, Unreadable> {
    all.iter().copied().find(|one| token(*one) == wanted).ok_or_else(|| unreadable(member))
}
