//! What a step of a plan would do to what is there now, as a person is shown it, and the digest by which that is known again.
//!
//! It is looked at when a plan is proposed and again before the step is done; it must not change anything.

use premath_bd::Change;
use premath_kernel::{Digest, Object, Value};

use super::{Arguments, Tool, ToolContext, ToolFailure, ToolKind};
use crate::policy::Target;

/// What a step would do.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Shown {
    /// What it is about, with names.
    pub targets: Vec<Target>,
    /// What it would change, as a person sees it.
    pub preview: Option<String>,
    /// The change that it asks for.
    pub change: Change,
}

impl Shown {
    /// Looks at a step as things are now. A plan is made of changes that wait for the end of their turn: those can be made
    /// one after the other, and none behind one that failed. What acts at once cannot.
    ///
    /// # Errors
    /// A tool that is none of a plan, and whatever the call would be refused with.
    pub fn look(
        tool: &dyn Tool,
        arguments: &Arguments,
        context: &ToolContext<'_>,
    ) -> Result<Self, ToolFailure> {
        let refused = |message: &str| Err(ToolFailure::new("tool.schema_invalid", message));
        match tool.spec().kind {
            ToolKind::Read => {
                return refused(
                    "it only looks; call it before you propose, and propose what changes something",
                );
            }
            ToolKind::Effect => {
                return refused(
                    "it acts at once, and the steps of a plan are changes of the desk and of issues, made one after the \
                     other; ask for it by itself, in a turn of its own",
                );
            }
            ToolKind::Intent => {}
        }
        let targets = tool.targets(arguments, context)?;
        let preview = tool.preview(arguments, context)?;
        // It changes nothing when it is called, and says what would be refused.
        match tool.call(arguments, context)?.intent {
            Some(intent) => Ok(Self { targets, preview, change: intent.change }),
            None => refused("it asks for no change; propose what changes something"),
        }
    }

    /// What it is about, by name.
    #[must_use]
    pub fn about(&self) -> String {
        self.targets.iter().map(|target| target.name.as_str()).collect::<Vec<_>>().join(", ")
    }

    /// The digest of all of it.
    #[must_use]
    pub fn digest(&self) -> Digest {
        let target = |target: &Target| {
            Object::fields()
                .field("id", target.id.clone())
                .field("kind", target.kind.clone())
                .field("name", target.name.clone())
                .finish()
        };
        let change = match &self.change {
            // With the version it is about.
            Change::Desk(operation) => Some(operation.args_digest()),
            // Who holds the lease is in there too, and the run of a plan is another one than the run that proposed it.
            Change::Issues(_) | Change::Propose(_) => None,
        };
        let targets: Vec<Value<'_>> = self.targets.iter().map(target).collect();
        let preview = self.preview.as_ref().map(|preview| Digest::of_bytes(preview.as_bytes()));
        let value = Object::fields()
            .field("action", self.change.action())
            .optional("change", change.as_ref().map(Digest::as_str))
            .optional("preview", preview.as_ref().map(Digest::as_str))
            .field("targets", targets)
            .finish();
        Digest::prefixed("stp1_", &value)
    }
}
