//! Every row of the API, one file per family.

mod actions;
mod desk;
mod issues;
pub(crate) mod people;
mod policy;
mod public;
mod runs;
mod work;

use crate::route::Route;

/// Every family.
const FAMILIES: &[&[Route]] = &[
    public::ROUTES,
    runs::ROUTES,
    people::ROUTES,
    issues::ROUTES,
    work::ROUTES,
    policy::ROUTES,
    desk::ROUTES,
    crate::chat::ROUTES,
    actions::ROUTES,
];

/// Every row.
pub(crate) fn all() -> impl Iterator<Item = &'static Route> {
    FAMILIES.iter().flat_map(|family| family.iter())
}
