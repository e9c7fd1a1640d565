//! Persistence: the durable lanes of a repository that uses premath.
//!
//! Every lane is one file family with one owner. What changes authority data takes a [`Permit`] by value. This crate
//! must not decide admissibility, must not write without a permit, and reads no clock of its own.

mod answering;
mod audit;
mod change;
mod clock;
mod clone_auth;
pub mod desk;
mod disk;
mod doctor;
mod document;
mod error;
mod feature_ledger;
mod garbage;
mod inherited_rows;
pub mod issues;
mod journal;
mod log;
mod model_circuits;
mod objects;
mod permit;
mod permits;
mod policies;
mod private_run;
mod session;
mod tool_pins;
mod trajectory;
mod trust;
mod verify;
mod witnesses;

pub use answering::Answering;
pub use audit::{
    AuditFilter, AuditFound, AuditLog, AuditReceipts, AuditWriter, JournalAnchor, Redactor, Unrecorded,
    audit_id, change_row, fresh_audit_id, import_row, unrecorded,
};
pub use change::Change;
pub use clock::{Clock, IdSource};
pub use clone_auth::{
    CloneAuth, CloneIdentity, CloneKey, CloneLookup, CommittedFile, KeyedDisk, MergeDriver,
};
pub use disk::{
    Access, Disk, DiskFile, FileStat, FolderEntry, LockMode, LockOutcome, OsClock, OsDisk, OsIds,
    read_exactly, read_to_end, write_all_at,
};
pub use doctor::{Diagnosis, Doctor, DoctorError, Finding, GITIGNORE, Repair, RepairFailure, Treatment};
pub use error::{Distrust, StoreError};
pub use feature_ledger::{FeatureChange, FeatureLedgerStore, FeatureWritten, Ledger};
pub use garbage::{
    DEFAULT_AGE_SECONDS, Garbage, GarbageCollector, GarbageError, GarbageProgress, RetentionRules,
    SHORTEST_AGE_SECONDS,
};
pub use journal::{
    Appended, Cursor, JOURNAL_KIND, Journal, JournalEvent, JournalPage, JournalRow, JournalWriter,
    VerifiedJournal, runs_folder, sessions,
};
pub use log::{Authenticity, Extent, Log, LogReader, LogWriter, Place, Replacement, Standing};
pub use model_circuits::ModelCircuitStore;
pub use objects::{
    Collection, DEFAULT_OBJECT_LIMIT, GarbageReport, GarbageRules, ObjectId, ObjectIds, ObjectReader,
    ObjectRef, Objects, objects_folder,
};
pub use permit::{
    LeaseGrant, Maintenance, MaintenanceGrant, OperatorBasis, OperatorGrant, Permit, PermitRefusal,
    SpentGrant, TurnGrant,
};
pub use permits::{Issued, PermitLedger, Spend, SpendRefusal, doors_folder, ledgers};
pub use policies::{
    PolicyAction, PolicyApplied, PolicyChange, PolicyFiles, PolicyStanding, PolicyStore,
    promotion_args_digest,
};
pub use private_run::PrivateRun;
pub use session::{Session, SessionChange, SessionStore};
pub use tool_pins::{NewToolPin, ToolPin, ToolPinStore};
pub use trajectory::{
    FailureCluster, Grouping, NewStep, Projection, Query, Remediation, RemediationLog, Trajectory, Warning,
    WindowCounts,
};
pub use trust::{TrustMode, Trusted, TrustedLog, trust};
pub use verify::{
    ACCEPTANCE_KIND, ChainWatch, Chaining, Checked, LANE_PLACES, LanePlace, Link, Locality, LogReport,
    Problem, ProblemClass, ProblemState, Problems, RecordedHere, Reference, Repository, Verification,
    references, seal, verify, verify_log,
};
pub use witnesses::{Witnesses, is_witness_id, witness_of_reference, witnesses_folder};
