//! Rules about the mutation that is asked for.

use serde_json::{Map, Value};

use super::calls::{is_terminal, lists};
use super::prior::is_unverified;
use super::reading::{digest, hashes_to, present, text, texts, token};
use super::{Pairs, add, flag, rows};

/// Everything that speaks against the intent, if there is one.
pub(super) fn check(document: &Value, open: bool, pairs: &mut Pairs) {
    let Some(intent) = present(document, "intent") else {
        return;
    };
    let evidence = &document["evidence"];
    let bound = text(&evidence["callSpec"], "mutationPolicyDigest").unwrap_or_default();
    let supplied = document.get("policies").and_then(|policies| present(policies, "mutationPolicy"));
    if text(intent, "policyDigest") != Some(bound) {
        add(pairs, "mutation.policy_digest_mismatch", "intent.policyDigest");
    }
    if supplied.is_some_and(|policy| !hashes_to(policy, bound)) {
        add(pairs, "mutation.policy_digest_mismatch", "policies.mutationPolicy");
    }
    let action = text(intent, "action").unwrap_or_default().replace('.', "_");
    let covered = |holder: &Value, list: &str| {
        lists(holder, list, &format!("capabilities.change_morphisms.{action}"))
            || lists(holder, list, "capabilities.change_morphisms.all")
    };
    if !covered(document, "capabilityClaims")
        || supplied.is_some_and(|policy| !covered(policy, "capabilities"))
    {
        add(pairs, "mutation.capability_claim_missing", "intent.action");
    }
    let wanted = intent_digest(intent);
    let named = rows(evidence, "toolUse").iter().any(|used| {
        token(used, "disposition").as_deref() == Some("consumed")
            && text(used, "mutationInputRef") == Some(wanted.as_str())
    });
    let class = "mutation.use_evidence_missing";
    if open || !named {
        add(pairs, class, "intent");
    }
    if is_unverified(document, intent, &wanted) {
        add(pairs, class, "policies.mutationPolicy.verification");
    }
    if texts(evidence, "sessionRefs").is_empty() && texts(evidence, "trajectoryRefs").is_empty() {
        add(pairs, class, "evidence.sessionRefs");
    }
    let goes_on = flag(evidence.get("protocolState"), "continuationAllowed") == Some(true);
    if goes_on && !is_context_ready(evidence) {
        add(pairs, class, "protocolState");
    }
}

/// The digest that a use row must name.
fn intent_digest(intent: &Value) -> String {
    let mut normal = Map::new();
    for key in ["action", "argsDigest", "policyDigest", "instructionRef", "targetStatus"] {
        // A status is a token: its case means nothing.
        let said =
            if key == "targetStatus" { token(intent, key) } else { text(intent, key).map(str::to_owned) };
        if let Some(text) = said {
            normal.insert(key.to_owned(), Value::from(text));
        }
    }
    digest(&Value::Object(normal))
}

/// Every terminal result rendered, a queue, a view, and all of them under the policies of the call spec.
fn is_context_ready(evidence: &Value) -> bool {
    let rendered = rows(evidence, "toolResults").iter().filter(|result| is_terminal(result)).all(|result| {
        let id = text(result, "toolCallId");
        rows(evidence, "toolRender").iter().any(|row| text(row, "toolCallId") == id)
    });
    let under = |list: &str, field: &str| {
        let policy = text(&evidence["callSpec"], field);
        rows(evidence, list).iter().all(|row| text(row, "policyDigest") == policy)
    };
    rendered
        && !rows(evidence, "reminderQueue").is_empty()
        && !rows(evidence, "stateViews").is_empty()
        && under("toolRender", "toolRenderProtocolDigest")
        && under("reminderQueue", "reminderQueuePolicyDigest")
        && under("stateViews", "stateViewPolicyDigest")
}
