//! Everything a model is shown, as pure functions over plain data.
//!
//! Other people's words stand inside fences they cannot leave, everything is bounded, and what was cut can be fetched
//! (I8). Nothing here does I/O or reads a clock, and nothing here decides: the loop does, reading the views.

mod blocks;
mod compaction;
mod document;
mod earlier;
mod excerpt;
mod fence;
#[cfg(test)]
mod fixture;
mod handoff;
mod open_panels;
mod reminders;
mod render;
pub mod texts;
mod tokens;
pub mod views;
mod window;

pub use blocks::{Assembled, Blocks, IssueBrief, OPENING_BYTES, Panel};
pub use compaction::{
    COMPACTION_BYTES, COMPACTION_KIND, Carried, CompactionArtifact, CompactionInput, DroppedTurn, Lost,
    compact, continuity,
};
pub use document::DocumentError;
pub use earlier::{Earlier, EarlierLimits, Exchange, earlier};
pub use excerpt::Whole;
pub use fence::{fenced, plain_line};
pub use handoff::{HANDOFF_BYTES, HANDOFF_KIND, HandoffOpening, HandoffPacket, PacketArtifact};
pub use open_panels::{OpenPanel, PanelContext, panel_context};
pub use reminders::{InjectionPoint, QUEUE_ID, Reduced, Reminder, ReminderQueue};
pub(crate) use render::given;
pub use render::{RENDER_OVERHEAD, RenderPolicy, Rendered, render};
pub use tokens::{Meter, estimate};
pub use views::{RunState, View, Views, exceeded};
pub use window::{Span, Windowed, message_tokens, spans, window};
