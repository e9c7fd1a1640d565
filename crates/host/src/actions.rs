//! The actions, one file per family.

pub(crate) mod audit;
pub(crate) mod audit_why;
pub(crate) mod config;
pub(crate) mod conformance;
pub(crate) mod dep;
pub(crate) mod dep_graph;
pub(crate) mod doctor;
pub(crate) mod explain;
pub(crate) mod governance_check;
pub(crate) mod harness_feature;
pub(crate) mod harness_kpi;
pub(crate) mod harness_session;
pub(crate) mod harness_trajectory;
pub(crate) mod init;
pub(crate) mod issue;
pub(crate) mod issue_blocked;
pub(crate) mod issue_check;
pub(crate) mod issue_history;
pub(crate) mod issue_read;
pub(crate) mod issue_snapshot;
pub(crate) mod issue_upkeep;
pub(crate) mod issue_write;
pub(crate) mod join_check;
pub(crate) mod lease;
pub(crate) mod measuring;
pub(crate) mod model;
pub(crate) mod promotion;
pub(crate) mod run;
pub(crate) mod sandbox;
pub(crate) mod schema;
pub(crate) mod verify;

pub(crate) use issue_snapshot::issue_snapshot;
