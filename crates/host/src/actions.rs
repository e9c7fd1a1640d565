//! The actions, one file per family.

pub(crate) mod conformance;
pub(crate) mod explain;
pub(crate) mod governance_check;
pub(crate) mod join_check;
pub(crate) mod schema;
