//! What a run may do, what would become of a call, and what decides about it.

use crate::route::Route;

pub(crate) const ROUTES: &[Route] = &[
    Route::get("/api/policy", "policy.show", "what a run may do at most, layer by layer").query(&["scopes"]),
    Route::get(
        "/api/policy/explain",
        "policy.explain",
        "what would become of a call, which rule decides and why",
    )
    .query(&["tool", "args", "role", "scopes"]),
    Route::get(
        "/api/governance",
        "policy.history",
        "the policy packages that were put into force, with what was measured",
    ),
    Route::get("/api/models", "model.list", "the providers of models and how they are").query(&["check"]),
    Route::get("/api/tools", "tool.catalogue", "the tools of runs: risk, scope, where they come from"),
    Route::get("/api/audit", "audit.query", "what was decided and done, the newest first").query(&[
        "kind", "effect", "run", "issue", "tool", "path", "actor", "code", "digest", "since", "until", "q",
        "limit", "cursor",
    ]),
    Route::get(
        "/api/audit/verify",
        "audit.verify",
        "check the chain of the audit log, and find changes without a row",
    )
    .findings(),
    Route::get(
        "/api/audit/why",
        "audit.why",
        "follow an issue, a file, a run or a digest back to whoever decided it",
    )
    .query(&["of:subject", "kind", "limit"]),
];
