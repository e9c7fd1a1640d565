//! What the self-test of a sandbox found.

use super::command::Profile;

/// What is enforced here.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SandboxReport {
    /// Each layer, tried.
    pub layers: Vec<LayerReport>,
    /// The profiles that can run here.
    pub usable: Vec<Profile>,
    /// The profiles in which a command could list the objects of a repository, and so read its history.
    pub reading_history: Vec<Profile>,
}

/// One layer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LayerReport {
    /// Its name.
    pub layer: String,
    /// Whether it holds.
    pub state: LayerState,
    /// The profiles that cannot do without it.
    pub required_by: Vec<Profile>,
    /// What was tried and what came of it, in one line.
    pub detail: String,
}

/// Whether a layer holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LayerState {
    /// What it forbids was tried and refused.
    Enforced,
    /// The system does not have it.
    Unavailable,
    /// The system has it, and what it forbids went through.
    Broken,
}
