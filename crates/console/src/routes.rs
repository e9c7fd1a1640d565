//! Every row of the API, one file per family.

mod issues;
mod public;
mod runs;

use crate::route::Route;

/// Every family.
const FAMILIES: &[&[Route]] = &[public::ROUTES, runs::ROUTES, issues::ROUTES];

/// Every row.
pub(crate) fn all() -> impl Iterator<Item = &'static Route> {
    FAMILIES.iter().flat_map(|family| family.iter())
}
