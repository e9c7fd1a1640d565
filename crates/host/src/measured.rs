//! Measured governance: what a policy package is measured with, reports that say what they were made of, and the turn on
//! whose strength a package comes into force.
//!
//! A report counts when this repository made it: its bytes are an object, and the audit log has a row about them. Figures
//! that can be counted again are. It must not know a guard or a rule: those are behind [`Measure`].

mod gates;
mod harness_turn;
mod measure;
mod promotion;
mod promotions;
mod reports;
mod tools;

pub(crate) use self::gates::{Gates, shipped_gates};
pub use self::measure::{
    Dataset, GuardrailsMeasured, Measure, NoMeasure, RedTeamMeasured, RedTeamWanted, RedTeamWhole,
    ToolsMeasured, ToolsWanted,
};
pub(crate) use self::promotion::{
    Promoted, Promotion, Reports, back_to_ours, evaluation_evidence, promote, red_team_evidence,
};
pub(crate) use self::promotions::{
    Recording, promotion_problems, promotion_recording, recorded_promotions, report_problems, settle,
};
pub(crate) use self::reports::{
    Recorded, ReportAt, ReportDraft, kept as kept_report, read as read_file, record,
};
pub(crate) use self::tools::{ACTION as EVAL_TOOLS, PREFIX as TOOLS_PREFIX, tools_digest, unmeasured_tools};
