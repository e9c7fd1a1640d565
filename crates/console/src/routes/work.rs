//! Who works on what: sessions, leases and steps, what needs a person, and the throughput figure.

use crate::route::Route;

pub(crate) const ROUTES: &[Route] = &[
    Route::get("/api/work", "observe.now", "sessions, workers, leases, steps and what needs a person, as they are now"),
    Route::get("/api/attention", "observe.needs_attention", "what a person should look at, and why"),
    Route::get("/api/kpi", "harness.kpi.report", "the throughput figure of the workers")
        .query(&["windowHours", "target", "rollback", "minRows"]),
    Route::post("/api/verify", "workspace.verify", "check logs, chains, objects, witnesses and references").findings(),
];
