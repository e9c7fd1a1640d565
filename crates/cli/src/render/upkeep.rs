//! What a verification and the doctor found: kind by kind, where, what it means, what to do.

use premath_bd::GarbageProgress;
use premath_wire::v1::{
    CheckedCounts, DoctorAnswer, DoctorRepair, GcAnswer, Severity, StoreProblem, StoreState, TrustAnswer,
    VerifyAnswer,
};

use super::plain;
use crate::output::{BAD, DIM, GOOD, STRONG, TIP, WARN};

/// More places of one kind than this are counted, not listed; `--json` has them all.
const LISTED: usize = 10;

/// The answer of `verify`.
pub(crate) fn verified(answer: &VerifyAnswer) -> String {
    let mut text = String::new();
    let problems: Vec<(&StoreProblem, Option<&str>)> =
        answer.problems.iter().map(|problem| (problem, None)).collect();
    kinds(&mut text, &problems);
    omitted(&mut text, answer.omitted_count);
    let amounts = amounts(&answer.checked);
    if answer.state == StoreState::NotHere {
        let cited = counted(answer.not_here_count, "citation");
        text.push_str(&format!(
            "{WARN}– not_here{WARN:#}: what is here verifies; {cited} lead to evidence that this clone never had: {amounts}\n"
        ));
    } else if answer.ok && answer.warning_count == 0 {
        text.push_str(&format!("{GOOD}✓ everything verifies:{GOOD:#} {amounts}\n"));
    } else if answer.ok {
        let warnings = counted(answer.warning_count, "warning");
        text.push_str(&format!("{GOOD}✓ verifies{GOOD:#} {WARN}with {warnings}{WARN:#}: {amounts}\n"));
    } else if answer.state == StoreState::NotVerifiableHere {
        text.push_str(&format!(
            "{WARN}? not verifiable here:{WARN:#} nothing is damaged, and the key of this clone is not here: {amounts}\n"
        ));
    } else {
        let (problems, warnings) =
            (counted(answer.error_count, "problem"), counted(answer.warning_count, "warning"));
        text.push_str(&format!("{BAD}✗ {problems}{BAD:#}, {warnings}: {amounts}\n"));
        text.push_str(&format!("{TIP}hint:{TIP:#} `premath doctor` says what can be mended\n"));
    }
    accepted(&mut text, answer.accepted_count);
    for record in &answer.taken_over {
        let reason =
            record.reason.as_deref().map(|reason| format!(": {}", plain(reason))).unwrap_or_default();
        let (at, actor, by) = (plain(&record.at), plain(&record.actor), plain(&record.by));
        text.push_str(&format!("{DIM}taken over{DIM:#} {at} by {actor} ({by}){reason}\n"));
        for path in &record.paths {
            text.push_str(&format!("    {}\n", plain(path)));
        }
    }
    text
}

/// The answer of `trust`.
pub(crate) fn trusted(answer: &TrustAnswer) -> String {
    let mut text = String::new();
    for log in &answer.logs {
        let (path, was) = (plain(&log.path), plain(&log.was));
        text.push_str(&format!("{GOOD}✓{GOOD:#} {STRONG}{path}{STRONG:#}: {} rows, was {was}\n", log.rows));
    }
    for problem in &answer.refused {
        let (path, detail) = (plain(&problem.path), plain(&problem.detail));
        text.push_str(&format!("{BAD}✗{BAD:#} {STRONG}{path}{STRONG:#} was not taken over: {detail}\n"));
    }
    for log in &answer.left {
        text.push_str(&format!("{DIM}left{DIM:#} {} ({})\n", plain(&log.path), plain(&log.why)));
    }
    match &answer.audit_id {
        Some(id) => text.push_str(&format!("{DIM}record{DIM:#} {}\n", plain(id))),
        None => text.push_str("nothing was taken over\n"),
    }
    text
}

/// The answer of `doctor`.
pub(crate) fn examined(answer: &DoctorAnswer) -> String {
    let mut text = String::new();
    for repair in &answer.repairs {
        repaired(&mut text, repair);
    }
    for failure in &answer.failures {
        let (path, detail) = (plain(&failure.path), plain(&failure.detail));
        text.push_str(&format!("{BAD}✗{BAD:#} {STRONG}{path}{STRONG:#} was not mended: {detail}\n"));
    }
    if !answer.repairs.is_empty() || !answer.failures.is_empty() {
        text.push('\n');
    }
    let problems: Vec<(&StoreProblem, Option<&str>)> = answer
        .findings
        .iter()
        .map(|finding| (&finding.problem, Some(finding.remedy.as_deref().unwrap_or_default())))
        .collect();
    kinds(&mut text, &problems);
    omitted(&mut text, answer.omitted_count);
    text.push_str(&conclusion(answer));
    accepted(&mut text, answer.accepted_count);
    text
}

fn conclusion(answer: &DoctorAnswer) -> String {
    let amounts = amounts(&answer.checked);
    if answer.state == StoreState::NotHere && answer.findings.iter().all(|finding| finding.remedy.is_none()) {
        return format!(
            "{WARN}– not_here{WARN:#}: nothing is damaged; this clone lacks evidence of other machines: {amounts}\n"
        );
    }
    let mendable = answer.findings.iter().filter(|finding| finding.remedy.is_some()).count();
    match (answer.findings.len(), mendable) {
        (0, _) if answer.failures.is_empty() => format!("{GOOD}✓ nothing is wrong:{GOOD:#} {amounts}\n"),
        (0, _) => format!("nothing else is wrong: {amounts}\n"),
        (_, 0) => format!("{WARN}what is left only a person can mend{WARN:#}: {amounts}\n"),
        (_, _) if answer.fix => {
            format!("{WARN}run it again{WARN:#}: something changed meanwhile: {amounts}\n")
        }
        (all, mendable) => format!(
            "{mendable} of {all} can be mended: {amounts}\n{TIP}hint:{TIP:#} `premath doctor --fix` mends them; a copy of everything it changes stays under .premath/backup\n"
        ),
    }
}

fn repaired(text: &mut String, repair: &DoctorRepair) {
    let (path, what) = (plain(&repair.path), plain(&repair.what));
    text.push_str(&format!("{GOOD}✓{GOOD:#} {STRONG}{path}{STRONG:#}: {what}\n"));
    for backup in &repair.backups {
        text.push_str(&format!("    {DIM}copy{DIM:#}   {}\n", plain(backup)));
    }
    for witness in &repair.witness_refs {
        text.push_str(&format!("    {DIM}record{DIM:#} {}\n", plain(witness)));
    }
}

/// Problems of one class stand together, in the order in which the classes come up. With a remedy, the doctor speaks.
fn kinds(text: &mut String, problems: &[(&StoreProblem, Option<&str>)]) {
    let mut classes: Vec<&str> = Vec::new();
    for (problem, _) in problems {
        if !classes.contains(&problem.class.as_str()) {
            classes.push(&problem.class);
        }
    }
    for class in classes {
        let found: Vec<_> = problems.iter().filter(|(problem, _)| problem.class == class).collect();
        let Some((first, remedy)) = found.first() else { continue };
        let style = if first.severity == Severity::Error { BAD } else { WARN };
        let mark = if first.severity == Severity::Error { '✗' } else { '!' };
        text.push_str(&format!("{style}{mark} {}{style:#}: {}\n", plain(class), plain(&first.meaning)));
        for (problem, _) in found.iter().take(LISTED) {
            let line = problem.line.map(|line| format!(":{line}")).unwrap_or_default();
            let (path, detail) = (plain(&problem.path), plain(&problem.detail));
            text.push_str(&format!("    {STRONG}{path}{line}{STRONG:#}  {detail}\n"));
        }
        if let Some(more) = found.len().checked_sub(LISTED).filter(|more| *more > 0) {
            text.push_str(&format!("    {DIM}and {more} more; --json lists them all{DIM:#}\n"));
        }
        match remedy {
            Some("") | None => text.push_str(&format!("    {TIP}hint:{TIP:#} {}\n", plain(&first.hint))),
            Some(remedy) => text.push_str(&format!("    {TIP}--fix would{TIP:#} {}\n", plain(remedy))),
        }
    }
    if !problems.is_empty() {
        text.push('\n');
    }
}

fn omitted(text: &mut String, count: u64) {
    if count > 0 {
        text.push_str(&format!("{DIM}and {count} more that are not listed{DIM:#}\n"));
    }
}

fn accepted(text: &mut String, count: u64) {
    if count > 0 {
        let problems = counted(count, "problem");
        text.push_str(&format!("{DIM}{problems} accepted earlier, on record in .premath/witnesses{DIM:#}\n"));
    }
}

/// How much was looked at, in a line.
pub(crate) fn amounts(checked: &CheckedCounts) -> String {
    let mut parts = vec![counted(checked.logs, "log")];
    if checked.rows > 0 {
        parts.push(counted(checked.rows, "row"));
    }
    if checked.documents > 0 {
        parts.push(counted(checked.documents, "document"));
    }
    parts.push(format!("{}{}", counted(checked.objects, "object"), size(checked.object_bytes)));
    parts.push(counted(checked.witnesses, "witness"));
    if checked.references > 0 {
        parts.push(counted(checked.references, "reference"));
    }
    if checked.unverified_rows > 0 {
        parts.push(format!("{} before the start of a chain", counted(checked.unverified_rows, "row")));
    }
    parts.join(", ")
}

/// The answer of `gc`.
pub(crate) fn collected(answer: &GcAnswer) -> String {
    let mut text = String::new();
    if answer.dry_run {
        for item in answer.items.iter().take(LISTED) {
            text.push_str(&format!("    {STRONG}{}{STRONG:#}\n", plain(item)));
        }
        if let Some(more) = answer.items.len().checked_sub(LISTED).filter(|more| *more > 0) {
            text.push_str(&format!("    {DIM}and {more} more; --json lists them{DIM:#}\n"));
        }
    }
    let done = if answer.dry_run { "would remove" } else { "removed" };
    let garbage = format!("{}{}", counted(answer.removed, "object"), size(answer.removed_bytes));
    text.push_str(&format!("{GOOD}✓ {done} {garbage}{GOOD:#}"));
    if answer.leftovers > 0 {
        text.push_str(&format!(" and {}", counted(answer.leftovers, "file") + " of killed writers"));
    }
    let all = format!("{}{}", counted(answer.objects, "object"), size(answer.object_bytes));
    text.push_str(&format!(
        " of {all}: {} cited, {} too young, {} within the size\n",
        answer.reachable, answer.young, answer.spared
    ));
    if !answer.live_runs.is_empty() {
        let runs = counted(u64::try_from(answer.live_runs.len()).unwrap_or(u64::MAX), "run");
        text.push_str(&format!(
            "    {DIM}{runs} under way: nothing that was written since {} was looked at{DIM:#}\n",
            plain(&answer.before)
        ));
    }
    text
}

/// How far a collection is, in a line.
pub(crate) fn searching(far: &GarbageProgress) -> String {
    let searched = format!("{}{}", counted(far.searched, "file"), size(far.searched_bytes));
    match far.removed {
        0 => format!("searching for citations: {searched}"),
        removed => format!("removing garbage: {}", counted(removed, "object")),
    }
}

fn counted(count: u64, what: &str) -> String {
    let plural = match what {
        _ if count == 1 => "",
        "witness" => "es",
        _ => "s",
    };
    format!("{count} {what}{plural}")
}

fn size(bytes: u64) -> String {
    const UNITS: [(u64, &str); 3] = [(1 << 30, "GiB"), (1 << 20, "MiB"), (1 << 10, "KiB")];
    match UNITS.into_iter().find(|(unit, _)| bytes >= *unit) {
        _ if bytes == 0 => String::new(),
        None => format!(" ({bytes} bytes)"),
        Some((unit, name)) => format!(" ({}.{} {name})", bytes / unit, bytes % unit * 10 / unit),
    }
}
