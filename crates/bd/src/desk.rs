//! The desk: the files of a workspace, what people are asked about them, and what became of it, in one database.
//!
//! A file changes only through [`Desk::apply`], which takes a permit by value (I2); a yes counts only with the signature
//! of a person's credential. Every change of state leaves a row in the outbox, in the same transaction. It must not
//! decide who may ask for what, and it reads no clock of its own.

mod answer;
mod apply;
mod approvals;
mod cells;
mod conversations;
mod credential;
mod database;
mod file;
mod forget;
mod operation;
mod outbox;
mod panels;
mod pattern;
mod proposals;
mod read;
mod schema;
mod search;
mod texts;
mod usage;

pub use self::answer::{DeskAnswer, DeskRefusal, DeskRefusalClass};
pub use self::apply::{Applied, Rehearsal, Written};
pub use self::approvals::{
    Approval, ApprovalKind, ApprovalRequest, ApprovalScope, ApprovalState, AskedCall, Decision,
    FOREIGN_ARGUMENT, FOREIGN_TOOL, Requested, SECRET_USE, Target, Use, Verdict,
};
pub use self::cells::{CellUpdate, Cells, MOST_CELL_UPDATES};
pub use self::conversations::{
    Conversation, LONGEST_MESSAGE, LONGEST_TITLE, MOST_CONVERSATIONS, NewMessage, SaidMessage,
    is_conversation_name,
};
pub use self::credential::PersonCredential;
pub use self::database::Desk;
pub use self::file::{
    DeskFile, FileType, Folder, Item, LONGEST_CONTENT, LONGEST_NAME, Origin, Version, is_name,
};
pub use self::operation::{Edit, Operation, TextChange};
pub use self::panels::{MOST_PANELS, Panel};
pub use self::pattern::{Pattern, PatternExample, PatternExamples};
pub use self::proposals::{
    Execution, PROPOSAL_SECONDS, PlanStep, Proposal, ProposalDraft, ProposalState, StepResult, StepState,
};
pub use self::read::{Page, ReadFile, TreeEntry};
pub use self::search::Found;
pub use self::usage::{Spending, Usage};
