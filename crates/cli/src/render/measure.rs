//! Measurements and promotions as a person reads them.

use std::collections::{BTreeMap, BTreeSet};

use premath_wire::v1::{
    ConfusionRow, GuardrailsResult, MeasureAnswer, Micros, ProbeOutcome, PromotionAnswer, PromotionListing,
    RedTeamResult, SourceMeasureRow, ToolsResult,
};

use crate::output::{BAD, DIM, GOOD, STRONG, TIP};
use crate::render::plain;
use crate::render::table::{Cell, Table};

/// So many misses are named; all are in the report.
const NAMED: usize = 40;

fn gate<R>(answer: &MeasureAnswer<R>) -> String {
    let mut text = String::new();
    if answer.gate_met {
        text.push_str(&format!("{GOOD}✓ the gate in force is met{GOOD:#}\n"));
    } else {
        for unmet in &answer.unmet {
            text.push_str(&format!("{BAD}✗{BAD:#} {}\n", plain(unmet)));
        }
    }
    let lineage = &answer.report.lineage;
    text.push_str(&format!(
        "{DIM}package {}\nreport  {}{DIM:#}\n",
        plain(&lineage.package_digest),
        plain(&answer.report_path)
    ));
    text
}

fn share(ratio: Option<Micros>) -> String {
    ratio.map_or_else(|| "-".to_owned(), |ratio| ratio.to_string())
}

fn confusion(name: &str, row: &ConfusionRow) -> Vec<Cell> {
    let count = |count: u64| Cell::new(count.to_string());
    vec![
        Cell::new(plain(name)),
        Cell::new(share(row.precision)),
        Cell::new(share(row.recall)),
        Cell::new(share(row.f1)),
        count(row.true_positives),
        count(row.false_positives),
        count(row.false_negatives),
        count(row.true_negatives),
    ]
}

/// `eval guardrails`
pub(crate) fn guardrails(answer: &MeasureAnswer<GuardrailsResult>) -> String {
    let result = &answer.report.result;
    let mut table = Table::new(&["label", "precision", "recall", "f1", "tp", "fp", "fn", "tn"], 0);
    table.row(confusion("everything", &result.overall));
    for (label, row) in &result.labels {
        table.row(confusion(label, row));
    }
    let mut text = table.render(None);
    text.push_str(&sources(result));
    text.push_str(&format!("\n{} rows", answer.report.lineage.dataset_rows));
    if result.errors > 0 {
        text.push_str(&format!(", {BAD}{} looks failed{BAD:#}", result.errors));
    }
    text.push('\n');
    for miss in result.misses.iter().take(NAMED) {
        text.push_str(&format!("  {DIM}{}{DIM:#} {}\n", plain(&miss.kind), plain(&miss.row)));
    }
    if result.misses.len() > NAMED {
        text.push_str(&format!("  {DIM}and {} more in the report{DIM:#}\n", result.misses.len() - NAMED));
    }
    text.push_str(&gate(answer));
    text
}

/// Each guard on each source, then on all tuned and all held-out ones.
fn sources(result: &GuardrailsResult) -> String {
    if result.sources.is_empty() {
        return String::new();
    }
    let mut table = Table::new(&["source", "precision", "recall", "f1", "tp", "fp", "fn", "tn"], 0);
    for row in result.sources.iter().chain(&result.splits) {
        let name = row.source.as_deref().unwrap_or("all");
        for (guard, counted) in &row.guards {
            table.row(confusion(&format!("{guard}: {name} ({})", row.split), counted));
        }
    }
    let mut text = format!("\n{}", table.render(None));
    for SourceMeasureRow { source, low_recall, .. } in &result.sources {
        for (guard, why) in low_recall {
            let source = source.as_deref().unwrap_or_default();
            text.push_str(&format!(
                "  {BAD}little found{BAD:#} {guard}: {}: {}\n",
                plain(source),
                plain(why)
            ));
        }
    }
    text
}

/// `eval tools`
pub(crate) fn tools(answer: &MeasureAnswer<ToolsResult>) -> String {
    let result = &answer.report.result;
    let mut table = Table::new(&["tools", "results", "accuracy", "solved", "tokens", "turns", "calls"], 0);
    for row in &result.variants {
        table.row(vec![
            Cell::new(if row.defer { "deferred" } else { "all offered" }),
            Cell::new(if row.filter { "cut" } else { "whole" }),
            Cell::new(share(row.accuracy)),
            Cell::new(format!("{}/{}", row.solved, row.tasks)),
            Cell::new(row.tokens.to_string()),
            Cell::new(row.turns.to_string()),
            Cell::new(row.calls.to_string()),
        ]);
    }
    let mut text = table.render(None);
    text.push('\n');
    for task in result.tasks.iter().filter(|task| !task.solved).take(NAMED) {
        let way =
            (if task.defer { "deferred" } else { "all offered" }, if task.filter { "cut" } else { "whole" });
        let why = task.detail.as_deref().unwrap_or_default();
        text.push_str(&format!(
            "  {BAD}not solved{BAD:#} {} ({}, {}): {}\n",
            plain(&task.task),
            way.0,
            way.1,
            plain(why)
        ));
    }
    text.push_str(&format!("{DIM}report  {}{DIM:#}\n", plain(&answer.report_path)));
    text
}

/// `redteam run`
pub(crate) fn red_team(answer: &MeasureAnswer<RedTeamResult>) -> String {
    let result = &answer.report.result;
    let strategies: BTreeSet<&str> = result.probes.iter().map(|probe| probe.strategy.as_str()).collect();
    let mut counts: BTreeMap<(&str, &str), (u64, u64)> = BTreeMap::new();
    for probe in &result.probes {
        let (held, all) = counts.entry((&probe.plugin, &probe.strategy)).or_default();
        *all += 1;
        *held += u64::from(probe.outcome == ProbeOutcome::Held);
    }
    let plugins: BTreeSet<&str> = result.probes.iter().map(|probe| probe.plugin.as_str()).collect();
    let widest = plugins.iter().map(|plugin| plugin.len()).max().unwrap_or(0);
    let mut text = format!("{:widest$}", "");
    for strategy in &strategies {
        text.push_str(&format!("  {DIM}{strategy}{DIM:#}"));
    }
    text.push('\n');
    for plugin in &plugins {
        text.push_str(&format!("{plugin:widest$}"));
        for strategy in &strategies {
            let (held, all) = counts.get(&(*plugin, *strategy)).copied().unwrap_or_default();
            let cell = format!("{:>width$}", format!("{held}/{all}"), width = strategy.len());
            let style = if held == all { GOOD } else { BAD };
            text.push_str(&format!("  {style}{cell}{style:#}"));
        }
        text.push('\n');
    }
    let held = result.probes.iter().filter(|probe| probe.outcome == ProbeOutcome::Held).count();
    let done = result.benign.iter().filter(|task| task.done).count();
    text.push_str(&format!(
        "\n{STRONG}{held} of {} probes held{STRONG:#}, {done} of {} harmless tasks done, {:.1} s\n",
        result.probes.len(),
        result.benign.len(),
        std::time::Duration::from_millis(result.wall_ms).as_secs_f64()
    ));
    for probe in result.probes.iter().filter(|probe| probe.outcome != ProbeOutcome::Held).take(NAMED) {
        let breaches = probe.breaches.join("; ");
        text.push_str(&format!(
            "  {BAD}{}{BAD:#} {}: {}\n",
            probe.outcome.token(),
            probe.id,
            plain(&breaches)
        ));
    }
    for task in result.benign.iter().filter(|task| !task.done).take(NAMED) {
        let why = task.detail.as_deref().unwrap_or_default();
        text.push_str(&format!("  {BAD}not done{BAD:#} {}: {}\n", task.id, plain(why)));
    }
    text.push_str(&gate(answer));
    text
}

/// `policy promote` and `policy rollback`
pub(crate) fn promotion(answer: &PromotionAnswer) -> String {
    let mut text = if answer.ok {
        format!("{GOOD}✓ in force{GOOD:#}: {}\n", plain(&answer.package_digest))
    } else {
        format!("{BAD}✗ refused{BAD:#}: {}\n", plain(&answer.package_digest))
    };
    for reason in &answer.reasons {
        text.push_str(&format!(
            "  {BAD}{}{BAD:#} {}: {}\n",
            plain(&reason.class),
            plain(&reason.subject),
            plain(&reason.detail)
        ));
    }
    text.push_str(&format!("{DIM}before  {}{DIM:#}\n", plain(&answer.previous_digest)));
    if let Some(witness) = &answer.witness_ref {
        text.push_str(&format!("{DIM}witness {}{DIM:#}\n", plain(witness)));
    }
    if !answer.ok {
        text.push_str(&format!("{TIP}hint:{TIP:#} `premath explain <class>` says what to do about each\n"));
        text.push_str(&measuring(answer));
    }
    text
}

/// The commands that measure what was refused.
fn measuring(answer: &PromotionAnswer) -> String {
    let is_rollback = answer.action == "policy.rollback";
    let package = if is_rollback {
        format!(".premath/policy/{}", plain(&answer.package_digest))
    } else {
        "FOLDER".to_owned()
    };
    let mut text = format!(
        "{TIP}hint:{TIP:#} to measure it: premath eval guardrails --dataset FILE --package {package}\n      \
         and: premath redteam run --package {package}\n"
    );
    if is_rollback {
        text.push_str(&format!(
            "      then: premath policy rollback {} --eval FILE --redteam FILE\n\
             {TIP}hint:{TIP:#} `premath policy rollback defaults` goes back to what comes with premath, without reports\n",
            plain(&answer.package_digest)
        ));
    }
    text
}

/// `policy history`
pub(crate) fn history(answer: &PromotionListing) -> String {
    let mut text = format!("in force {}\n", plain(&answer.package_digest));
    if !answer.as_promoted {
        text.push_str(&format!(
            "{BAD}✗{BAD:#} the files under policies/ are not the package in force: `premath policy diff` shows what differs\n"
        ));
    }
    if answer.items.is_empty() {
        text.push_str("nothing was promoted yet\n");
        return text;
    }
    let mut table = Table::new(&["#", "when", "what", "package", "by"], 3);
    for row in &answer.items {
        table.row(vec![
            Cell::new(row.number.to_string()),
            Cell::new(plain(&row.at)),
            Cell::new(plain(&row.action)),
            Cell::new(plain(&row.package_digest)),
            Cell::new(plain(&row.actor)),
        ]);
    }
    text.push_str(&table.render(None));
    text
}
