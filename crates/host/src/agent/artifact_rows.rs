//! The files of a call as turns and events show them.

use premath_kernel::{Access, ChangeKind, Digest, FileBefore, ObservedChanges, Text};
use premath_tusk::evidence::CallOutcome;
use premath_tusk::tools::ToolArtifact;
use premath_wire::v1::{CallArtifact, ChangedFile, EarlierFile, ObservedCommand};

/// How the files that a command changed were found.
pub(super) fn observed(changes: &ObservedChanges) -> ObservedCommand {
    ObservedCommand {
        source: changes.source.token().to_owned(),
        ignored: changes.ignored.token().to_owned(),
        overlaps: changes.overlaps.iter().map(|id| id.as_str().to_owned()).collect(),
        incomplete: changes.incomplete.as_ref().map(|why| why.as_str().to_owned()),
    }
}

/// A file that a call read or wrote.
pub(super) fn artifact(artifact: &ToolArtifact) -> CallArtifact {
    let text = |text: &Option<Text>| text.as_ref().map(|text| text.as_str().to_owned());
    let digest = |digest: &Option<Digest>| digest.as_ref().map(|digest| digest.as_str().to_owned());
    let before = |before: &FileBefore| EarlierFile {
        digest: digest(&before.digest),
        mode: text(&before.mode),
        git_blob: text(&before.git_blob),
        object_ref: text(&before.object_ref),
        not_restorable: text(&before.not_restorable),
    };
    CallArtifact {
        path: artifact.path.clone(),
        access: artifact.access.token().to_owned(),
        digest: digest(&artifact.digest),
        change: artifact.change.map(|change| change.token().to_owned()),
        mode: artifact.mode.clone(),
        before: artifact.before.as_ref().map(before),
    }
}

/// The files that a call changed.
pub(super) fn changed_files(outcome: &CallOutcome) -> impl Iterator<Item = ChangedFile> + '_ {
    let written = outcome.artifacts.iter().filter(|artifact| artifact.access == Access::Write);
    written.map(|artifact| ChangedFile {
        tool_call_id: outcome.tool_call_id.clone(),
        path: artifact.path.clone(),
        change: artifact.change.map_or("written", ChangeKind::token).to_owned(),
    })
}
