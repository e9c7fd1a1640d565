//! Rules about results of earlier turns, and about the verification result that some mutations need.

use serde_json::Value;

use super::calls::{is_terminal, lists, status};
use super::reading::{count, message_digest, present, text, texts, token};
use super::{Pairs, add, flag, rows};

/// Every use of an earlier result names one that was looked up and has the digest that is named.
pub(super) fn uses(document: &Value, pairs: &mut Pairs) {
    let evidence = &document["evidence"];
    for used in rows(evidence, "priorUse") {
        if found(evidence, used).is_none() {
            let id = text(used, "toolCallId").unwrap_or_default();
            add(pairs, "tool.use_unknown_result", id);
            add(pairs, "tool.join_incomplete", id);
        }
    }
}

/// The one observation of the result that a use names, when it has the digest that is named.
fn found<'v>(evidence: &'v Value, used: &Value) -> Option<&'v Value> {
    let observations = evidence.get("observations")?;
    let key = |row: &Value| {
        (text(row, "turnDigest").map(str::to_owned), text(row, "toolCallId").map(str::to_owned))
    };
    let mut named = rows(observations, "priorResults").iter().filter(|row| key(row) == key(used));
    let first = named.next()?;
    let is_alone = named.all(|other| other == first);
    let fits = text(first, "resultDigest") == text(used, "resultDigest");
    (is_alone && fits).then_some(first)
}

/// Whether the mutation needs a verification result and rests on none.
pub(super) fn is_unverified(document: &Value, intent: &Value, intent_digest: &str) -> bool {
    let Some(rule) =
        document.pointer("/policies/mutationPolicy").and_then(|policy| present(policy, "verification"))
    else {
        return false;
    };
    let covers = |action: &Value| {
        let (wanted, said) = (token(action, "targetStatus"), token(intent, "targetStatus"));
        text(action, "action") == text(intent, "action")
            && (wanted.is_none() || said.is_none() || wanted == said)
    };
    if !rows(rule, "actions").iter().any(covers) {
        return false;
    }
    let evidence = &document["evidence"];
    let own = rows(evidence, "toolUse").iter().any(|used| {
        let rests = token(used, "disposition").as_deref() == Some("consumed")
            && text(used, "mutationInputRef") == Some(intent_digest);
        rests && verifies_here(evidence, text(used, "toolCallId"), rule)
    });
    let earlier = rows(evidence, "priorUse").iter().any(|used| {
        let rests = text(used, "ref") == Some(intent_digest);
        rests
            && found(evidence, used)
                .is_some_and(|row| verifies(row, text(row, "toolName"), text(row, "status"), rule))
    });
    !own && !earlier
}

fn verifies_here(evidence: &Value, id: Option<&str>, rule: &Value) -> bool {
    let of = |list: &str| rows(evidence, list).iter().find(|row| text(row, "toolCallId") == id);
    let request = of("toolRequests");
    let Some(result) = of("toolResults").filter(|result| is_terminal(result)) else { return false };
    let is_approved = request.is_some_and(|request| text(request, "approvalRef").is_some());
    if is_approved && flag(Some(rule), "approvals") == Some(true) {
        return true;
    }
    verifies(
        result,
        request.and_then(|request| text(request, "toolName")),
        Some(status(result).as_str()),
        rule,
    )
}

fn verifies(row: &Value, tool: Option<&str>, status: Option<&str>, rule: &Value) -> bool {
    if !status.is_some_and(|status| status.eq_ignore_ascii_case("ok")) {
        return false;
    }
    let by_tool = tool.is_some_and(|tool| lists(rule, "tools", tool));
    let by_verdict =
        flag(Some(rule), "verdicts") == Some(true) && token(row, "verdict").as_deref() == Some("pass");
    let by_command = row.get("shell").is_some_and(|shell| {
        let scripts: Vec<String> = texts(rule, "commands").into_iter().map(message_digest).collect();
        text(shell, "workdir") == Some(".")
            && count(Some(shell), "exitCode") == Some(0)
            && text(shell, "scriptDigest").is_some_and(|script| scripts.iter().any(|one| one == script))
    });
    by_tool || by_verdict || by_command
}
