//! Issue memory: what there is to do, what is held back, and by what.

use crate::route::Route;

pub(crate) const ROUTES: &[Route] = &[
    Route::get("/api/issues", "issue.list", "the issues")
        .query(&["limit", "status", "type", "assignee", "label", "priority"]),
    Route::get("/api/issues/ready", "issue.ready", "what can be worked on, in order").query(&["limit"]),
    Route::get("/api/issues/blocked", "issue.blocked", "what cannot be worked on, and why").query(&["limit"]),
    Route::get("/api/issues/graph", "issue.graph", "issues and dependencies with who holds what")
        .query(&["graphScope", "limit"]),
    Route::get("/api/issues/{id}", "issue.show", "one issue").named(&["id"]),
    Route::get("/api/issues/{id}/history", "issue.history", "what became of an issue")
        .named(&["id"])
        .query(&["limit"]),
];
