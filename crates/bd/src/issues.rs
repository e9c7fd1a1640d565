//! Issue memory: one row per change, the last row of an id wins, and a graph of dependencies over the rows.
//!
//! Reading and writing are two traits with two implementations, files and memory, that one suite of tests holds to the
//! same answers. Meaning is in the kernel and in `plan`; stores only find rows and append them.

mod camel;
mod exchange;
mod facts;
mod file;
mod graph;
mod index;
mod lineage;
mod memory;
mod merge;
mod naming;
mod operation;
mod plan;
mod refusal;
mod row;
mod short_id;
mod signature;
mod store;
mod verify;

pub use self::camel::{CamelLine, CamelRow};
pub use self::exchange::{Exchange, Imported, read_exchange};
pub use self::facts::{Dependency, Facts};
pub use self::file::{FileIssues, KeptIssues};
pub use self::graph::GraphView;
pub use self::memory::MemoryIssues;
pub use self::merge::{FieldConflict, MergedIssues, merge_histories, merge_issues};
pub use self::naming::IdNaming;
pub use self::operation::{Change, ClaimTerms, Holder, IssueChanges, IssueDraft, Operation};
pub use self::refusal::{IssueRefusal, RefusalClass};
pub(crate) use self::row::counted;
pub use self::row::{IssueRow, LineProblem, LineProblemClass, row_object};
pub(crate) use self::signature::is_authentic_row;
pub use self::store::{
    Applied, Compacted, IssueStore, IssueView, Limit, RowRef, Transaction, Written, apply, snapshot_ref,
};
pub use self::verify::{RowProblem, verify_rows};
