//! What people are asked and what policy says, as a person reads it.

use anstyle::Style;
use premath_kernel::encode;
use premath_wire::v1::{
    ApprovalAnswer, ApprovalPage, NamedTarget, PolicyAnswer, PolicyExplained, PolicyExport, ProposalAnswer,
    ProposalPage,
};

use super::table::{Cell, Table};
use super::{card, plain};
use crate::output::{BAD, DIM, GOOD, STRONG, TIP, WARN};

fn state(token: &str) -> Style {
    match token {
        "approved" | "executed" | "allow" | "consumed" => GOOD,
        "denied" | "rejected" | "failed" | "expired" | "revoked" | "deny" => BAD,
        "pending" | "executing" | "ask" => WARN,
        _other => Style::new(),
    }
}

fn names(targets: &[NamedTarget]) -> String {
    targets.iter().map(|target| plain(&target.name)).collect::<Vec<_>>().join(", ")
}

/// The answer of `approvals list`.
pub(crate) fn approvals(page: &ApprovalPage, width: Option<usize>) -> String {
    if page.items.is_empty() {
        return "nobody is asked anything\n".to_owned();
    }
    let mut table = Table::new(&["ID", "STATE", "TOOL", "ABOUT", "WHY", "RUN", "EXPIRES"], 4);
    for row in &page.items {
        table.row(vec![
            Cell::styled(plain(&row.id), STRONG),
            Cell::styled(plain(&row.state), state(&row.state)),
            Cell::new(plain(&row.tool)),
            Cell::new(names(&row.targets)),
            Cell::new(plain(&row.reason)),
            Cell::new(plain(&row.run_id)),
            Cell::new(plain(&row.expires_at)),
        ]);
    }
    table.render(width)
}

/// The answer of `approvals list --active`: what calls can still use, and how far each reaches.
pub(crate) fn active_approvals(page: &ApprovalPage, width: Option<usize>) -> String {
    if page.items.is_empty() {
        return "no approval is active\n".to_owned();
    }
    let mut table = Table::new(&["ID", "SCOPE", "COVERS", "BY", "EXPIRES"], 2);
    for row in &page.items {
        table.row(vec![
            Cell::styled(plain(&row.id), STRONG),
            Cell::styled(plain(&row.scope), GOOD),
            Cell::new(plain(row.reach.as_deref().unwrap_or_default())),
            Cell::new(plain(row.decided_by.as_deref().unwrap_or_default())),
            Cell::new(plain(&row.expires_at)),
        ]);
    }
    format!("{}{TIP}hint:{TIP:#} `premath approvals revoke ID` takes one back\n", table.render(width))
}

/// The answer of `approvals approve`, below the card: who agreed, and how far it goes. A pattern that was not shown before
/// is shown instead.
pub(crate) fn decided(answer: &ApprovalAnswer) -> String {
    let row = &answer.approval;
    if row.state == "pending" {
        return approval(answer);
    }
    let (id, state, scope) = (plain(&row.id), plain(&row.state), plain(&row.scope));
    let by = row.decided_by.as_deref().map(plain).unwrap_or_default();
    let style = self::state(&row.state);
    format!(
        "  {style}{state}{style:#} {id} by {by}, scope {scope}\n{TIP}hint:{TIP:#} `premath resume {}` goes on\n",
        plain(&row.run_id)
    )
}

/// The answer of `approvals show` and `deny`.
pub(crate) fn approval(answer: &ApprovalAnswer) -> String {
    let row = &answer.approval;
    let mut text = card::approval(row);
    if answer.pattern.is_some() {
        let listed = |lines: &[String]| match lines {
            [] => "nothing that was asked so far".to_owned(),
            lines => lines.iter().map(|line| plain(line)).collect::<Vec<_>>().join("; "),
        };
        text.push_str(&format!("  {GOOD}would have covered:{GOOD:#} {}\n", listed(&answer.pattern_matches)));
        text.push_str(&format!("  {BAD}would not have covered:{BAD:#} {}\n", listed(&answer.pattern_misses)));
    }
    let id = plain(&row.id);
    text.push_str(&match row.state.as_str() {
        "pending" if answer.pattern.is_some() => format!(
            "{WARN}nothing is decided{WARN:#}\n{TIP}hint:{TIP:#} the same `premath approvals approve` with `--digest {}` agrees to this\n",
            plain(&answer.shown_digest)
        ),
        "pending" => {
            format!("{TIP}hint:{TIP:#} `premath approvals approve {id}` or `premath approvals deny {id}`\n")
        }
        "approved" | "denied" => {
            format!("{TIP}hint:{TIP:#} `premath resume {}` goes on\n", plain(&row.run_id))
        }
        "expired" => {
            format!("{TIP}hint:{TIP:#} `premath resume {}` asks it again\n", plain(&row.run_id))
        }
        _other => String::new(),
    });
    text
}

/// The answer of `proposals list`.
pub(crate) fn proposals(page: &ProposalPage, width: Option<usize>) -> String {
    if page.items.is_empty() {
        return "nobody has proposed anything\n".to_owned();
    }
    let mut table = Table::new(&["ID", "STATE", "STEPS", "GOAL", "RUN", "EXPIRES"], 3);
    for row in &page.items {
        table.row(vec![
            Cell::styled(plain(&row.id), STRONG),
            Cell::styled(plain(&row.state), state(&row.state)),
            Cell::new(row.steps.len().to_string()),
            Cell::new(plain(&row.goal)),
            Cell::new(plain(&row.run_id)),
            Cell::new(plain(&row.expires_at)),
        ]);
    }
    table.render(width)
}

/// The answer of `proposals show`, `approve`, `reject` and `resume`.
pub(crate) fn proposal(answer: &ProposalAnswer) -> String {
    let row = &answer.proposal;
    let (id, run) = (plain(&row.id), plain(&row.run_id));
    let hint = match row.state.as_str() {
        "pending" => {
            format!("{TIP}hint:{TIP:#} `premath proposals approve {id}` or `premath proposals reject {id}`\n")
        }
        "approved" | "executing" => {
            format!("{TIP}hint:{TIP:#} `premath proposals resume {id}` goes on with it\n")
        }
        _other => format!("{TIP}hint:{TIP:#} `premath resume {run}` tells the run\n"),
    };
    format!("{}{hint}", card::proposal(row))
}

/// The answer of `policy show`.
pub(crate) fn policy(answer: &PolicyAnswer, width: Option<usize>) -> String {
    let mut text = format!(
        "{STRONG}{}{STRONG:#} as {STRONG}{}{STRONG:#}, tier {STRONG}{}{STRONG:#}\n\n",
        plain(&answer.principal),
        plain(&answer.role),
        plain(&answer.tier)
    );
    text.push_str(&format!("package {}", plain(&answer.package_digest)));
    if answer.as_promoted {
        text.push_str("\n\n");
    } else {
        text.push_str(&format!(
            "\n{BAD}✗{BAD:#} the files under policies/ are not the package in force: `premath policy diff` shows what differs\n\n"
        ));
    }
    let mut layers = Table::new(&["LAYER", "SAYS", "FROM"], 1);
    for layer in &answer.layers {
        layers.row(vec![
            Cell::styled(plain(&layer.layer), STRONG),
            Cell::new(plain(&layer.says)),
            Cell::styled(plain(&layer.source), DIM),
        ]);
    }
    text.push_str(&layers.render(width));
    if !answer.refused.is_empty() {
        text.push_str(&format!("{BAD}above the ceiling:{BAD:#} {}\n", plain(&answer.refused.join(", "))));
    }
    let controls = String::from_utf8_lossy(&encode(&answer.controls.0)).into_owned();
    let source = plain(&answer.controls_source);
    text.push_str(&format!("{DIM}controls{DIM:#} {} {DIM}({source}){DIM:#}\n\n", plain(&controls)));
    if !answer.rules_failed.is_empty() {
        text.push_str(&format!(
            "{BAD}the rules in policies/governor did not load, so nothing runs:{BAD:#}\n"
        ));
        let lines = answer.rules_failed.iter().map(|failed| format!("  {}\n", plain(failed)));
        text.push_str(&lines.collect::<String>());
        text.push('\n');
    }
    let mut rules = Table::new(&["RULE", "EFFECT", "WHY", "EXAMPLES", "WRITTEN AT"], 2);
    for rule in &answer.rules {
        rules.row(vec![
            Cell::styled(plain(&rule.id), STRONG),
            Cell::styled(plain(&rule.effect), state(&rule.effect)),
            Cell::new(plain(&rule.reason)),
            Cell::new(rule.examples.to_string()),
            Cell::styled(plain(&rule.source), DIM),
        ]);
    }
    text.push_str(&rules.render(width));
    text.push_str(&format!("{DIM}{}{DIM:#}\n\n", plain(&answer.rules_digest)));
    let mut guards = Table::new(&["GUARD", "LOOKS", "HEALTH"], 1);
    for guard in &answer.guards {
        let health = match &guard.red {
            None => Cell::styled("green", GOOD),
            Some(why) => Cell::styled(format!("red: {}", plain(why)), BAD),
        };
        guards.row(vec![
            Cell::styled(plain(&guard.id), STRONG),
            Cell::new(plain(&guard.stages.join(", "))),
            health,
        ]);
    }
    text.push_str(&guards.render(width));
    text.push_str(&format!("{DIM}{}{DIM:#}\n", plain(&answer.guards_digest)));
    text
}

/// The answer of `policy export`.
pub(crate) fn exported(answer: &PolicyExport, folder: &str) -> String {
    let folder = plain(folder);
    let lines = answer.files.iter().map(|file| format!("{DIM}{folder}/{DIM:#}{}\n", plain(&file.path)));
    format!(
        "{}{DIM}{}{DIM:#}\n{TIP}hint:{TIP:#} what is in `policies` of the repository holds; `premath policy show` checks it\n",
        lines.collect::<String>(),
        plain(&answer.rules_digest)
    )
}

/// The answer of `policy explain`.
pub(crate) fn explained(answer: &PolicyExplained) -> String {
    let style = state(&answer.effect);
    let about = names(&answer.targets);
    let mut text = format!(
        "{style}{}{style:#} {STRONG}{}{STRONG:#} {about}\n",
        plain(&answer.effect),
        plain(&answer.tool)
    );
    if let (Some(policy), Some(reason)) = (&answer.policy_name, &answer.reason) {
        text.push_str(&format!("  {STRONG}{}{STRONG:#}: {}\n", plain(policy), plain(reason)));
    }
    text.push_str(&format!(
        "  {DIM}as {}, tier {}, controls from {}{DIM:#}\n",
        plain(&answer.role),
        plain(&answer.tier),
        plain(&answer.controls_source)
    ));
    for guard in &answer.guards {
        text.push_str(&format!("  {WARN}guard{WARN:#} {}\n", plain(guard)));
    }
    text.push('\n');
    for rule in &answer.rules {
        let (mark, style) = if rule.matched { ("●", state(&rule.effect)) } else { ("○", DIM) };
        let (id, effect, reason) = (plain(&rule.id), plain(&rule.effect), plain(&rule.reason));
        text.push_str(&format!("  {style}{mark} {id}{style:#} {DIM}{effect}: {reason}{DIM:#}\n"));
    }
    for (who, view) in
        [("model", &answer.model_view), ("person", &answer.client_view), ("audit", &answer.audit_view)]
    {
        if let Some(view) = view {
            let json = String::from_utf8_lossy(&encode(&view.0)).into_owned();
            text.push_str(&format!("\n{TIP}the {who} is told{TIP:#} {}\n", plain(&json)));
        }
    }
    text
}
