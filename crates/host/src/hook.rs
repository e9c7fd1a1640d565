//! Other agents' hooks: what they are about to do, decided by the governor that decides about runs.
//!
//! Their events are read strictly, their tools stand for ours where they do the same, and every decision is on record before it
//! is told. Whatever cannot be read, found out or written is denied. It must not run anything, and must not answer for an agent
//! in words that its format does not have.

mod command_risk;
mod decide;
mod event;
mod foreign;
mod format;
mod install;
mod patch;
mod places;
mod record;
mod settings_text;
mod translate;

pub(crate) use decide::{HookGround, decide};
pub use event::MOST_EVENT_BYTES;
pub(crate) use format::HookFormat;
pub(crate) use install::{HookCommand, SettingsFault, settings_file, with_hook, without_hook};
