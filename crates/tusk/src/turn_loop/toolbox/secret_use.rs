//! Calls that use secrets a person agreed to: what they run with, and what may be seen of them.
//!
//! A call runs with the secrets that its question named, or not at all. Nothing that comes out of here has a value in it but
//! the arguments that a tool is given.

use std::borrow::Cow;

use super::{Payload, Toolbox, contain_panic};
use crate::evidence::{CallOutcome, CallStatus};
use crate::policy::SecretPlace;
use crate::tools::{Arguments, ToolKind, UndoRecord};
use crate::turn_loop::code::CODE_EXECUTION;
use crate::turn_loop::step::PlannedCall;

/// Nobody holds the secrets that a call was asked about.
#[derive(Debug)]
pub(super) struct SecretsGone;

impl Toolbox {
    /// Where the secrets are that a call would use, where a person can be asked about them: the call acts at once, nothing of
    /// it is kept by premath, and it is about the same with the secrets as it is without. Empty otherwise.
    #[must_use]
    pub(crate) fn secret_places(&self, call: &PlannedCall) -> Vec<SecretPlace> {
        self.restored(call).map(|(_, places)| places).unwrap_or_default()
    }

    fn restored(&self, call: &PlannedCall) -> Option<(Arguments, Vec<SecretPlace>)> {
        let is_effect = call.kind == ToolKind::Effect && call.call.name != CODE_EXECUTION;
        if !is_effect || call.caller.is_some() {
            return None;
        }
        let restored = self.secrets.restore(&call.call)?;
        let (tool, arguments) = self.catalogue.resolve(&call.call.name, &restored.arguments).ok()?;
        let shown = call.arguments.as_ref()?;
        let context = self.context();
        let targets =
            |arguments: &Arguments| contain_panic(&call.call.name, || tool.targets(arguments, &context)).ok();
        let is_same =
            targets(shown)? == targets(&arguments)? && shown.text("workdir") == arguments.text("workdir");
        is_same.then_some((arguments, restored.places))
    }

    /// The arguments that a call runs with.
    pub(super) fn used_arguments<'c>(
        &self,
        call: &PlannedCall,
        shown: &'c Arguments,
    ) -> Result<Cow<'c, Arguments>, SecretsGone> {
        if !call.uses_secrets() {
            return Ok(Cow::Borrowed(shown));
        }
        self.restored(call).map(|(arguments, _)| Cow::Owned(arguments)).ok_or(SecretsGone)
    }

    /// What a person is shown of a call, without its secrets.
    pub(super) fn scrubbed_preview(
        &self,
        call: &PlannedCall,
        undo: Option<&UndoRecord>,
        preview: Option<String>,
    ) -> Option<String> {
        if !call.uses_secrets() {
            return preview;
        }
        let shown = preview.or_else(|| undo.map(UndoRecord::diff))?;
        Some(self.secrets.scrub(&shown).into_owned())
    }

    /// Takes the secrets of the run out of what came of a call, wherever it found them.
    pub(crate) fn scrub(&self, outcome: &mut CallOutcome) {
        let clean = |text: &mut String| {
            if let Cow::Owned(left) = self.secrets.scrub(text) {
                *text = left;
            }
        };
        if let Payload::Inline(text) = &mut outcome.payload {
            clean(text);
        }
        clean(&mut outcome.note);
        outcome.artifacts.iter_mut().for_each(|artifact| clean(&mut artifact.path));
        if let Some((query, names)) = &mut outcome.found {
            clean(query);
            names.iter_mut().for_each(clean);
        }
        if let CallStatus::Failed(failure) = &mut outcome.status {
            clean(&mut failure.message);
            failure.pointers.iter_mut().for_each(clean);
            failure.closest_matches.iter_mut().for_each(clean);
        }
    }
}
