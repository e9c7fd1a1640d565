//! The audit log: rows are there once, in one chain, without secrets; what has no sync yet is lost in no other way than
//! from its end; and whatever is done to it behind its back is found.

#![expect(clippy::unwrap_used, clippy::unreachable, reason = "what cannot be done fails the test")]

mod repository;
mod room;

use std::borrow::Cow;

use premath_bd::issues::{Applied, FileIssues, IssueDraft, Operation as Change, apply};
use premath_bd::{
    AuditFilter, AuditLog, Cursor, Doctor, Maintenance, MaintenanceGrant, OperatorBasis, OperatorGrant,
    Permit, ProblemClass, Redactor, StoreError, audit_id, change_row, unrecorded, verify,
};
use premath_kernel::{Object, Value};
use premath_testkit::faulty_disk::{Operation, Seeded};
use premath_wire::Json;
use premath_wire::v1::{AuditKind, AuditRow};
use repository::ISSUES;
use room::{Room, amount, at};

const PATH: &str = ".premath/audit.jsonl";

fn log(room: &Room) -> AuditLog {
    AuditLog::new(room.dyn_disk(), PATH.into(), Redactor::default())
}

fn row(number: usize) -> AuditRow {
    let id = audit_id(&format!("row {number}"));
    let minute = format!("{:02}:{:02}:{:02}", number / 3600 % 24, number / 60 % 60, number % 60);
    let effect = if number.is_multiple_of(10) { "deny" } else { "allow" };
    let mut row =
        AuditRow::new(id, format!("2026-11-15T{minute}Z"), AuditKind::Decision, "model".to_owned(), effect);
    row.tool = Some(format!("tool_{}", number % 3));
    row.targets = vec![format!("notes/{number}.md")];
    row
}

fn ids(rows: &[Value<'static>]) -> Vec<String> {
    let id = |row: &Value<'_>| row.as_object().unwrap().get("id").unwrap().as_text().unwrap().to_owned();
    rows.iter().map(id).collect()
}

fn all(room: &Room) -> Vec<Value<'static>> {
    log(room).query(&AuditFilter::default(), usize::MAX).unwrap().rows
}

fn is_sound(room: &Room) -> bool {
    verify(&room.repository(), &mut |_| ()).unwrap().problems.is_sound()
        && log(room).verify(&room.witnesses(), Room::root()).unwrap().problems.is_sound()
}

#[test]
fn rows_are_chained_and_come_back_newest_first_without_a_trace_of_what_is_absent() {
    let room = Room::new();
    assert_eq!(log(&room).append(&[row(1), row(2)]).unwrap(), 2);
    assert_eq!(log(&room).append(&[row(3)]).unwrap(), 1);
    let rows = all(&room);
    assert_eq!(ids(&rows), [row(3).id, row(2).id, row(1).id]);
    let newest = rows[0].as_object().unwrap();
    assert_eq!(newest.get("prev"), rows[1].as_object().unwrap().get("rowDigest"));
    assert!(newest.get("issueId").is_none() && newest.get("data").is_none());
    assert!(is_sound(&room));
    assert_eq!(verify(&room.repository(), &mut |_| ()).unwrap().checked.chained_rows, 3);
}

#[test]
fn a_row_that_is_handed_in_again_is_not_written_again() {
    let room = Room::new();
    log(&room).append(&[row(1), row(1), row(2)]).unwrap();
    assert_eq!(log(&room).append(&[row(2), row(3), row(1)]).unwrap(), 1);
    assert_eq!(log(&room).append_lazily(&[row(3)]).unwrap(), 0);
    assert_eq!(all(&room).len(), 3);
    // A row that only mentions another is not taken for it.
    let mut mention = row(4);
    mention.data = Some(Json(Object::fields().field("id", row(5).id).finish()));
    assert_eq!(log(&room).append(&[mention]).unwrap(), 1);
    assert_eq!(log(&room).append(&[row(5)]).unwrap(), 1);
}

#[test]
fn a_row_that_waited_elsewhere_is_known_however_long_ago_it_came() {
    let room = Room::new();
    let rows: Vec<AuditRow> = (0..600).map(row).collect();
    log(&room).append(&rows).unwrap();
    assert_eq!(log(&room).append_once(&[row(0), row(600), row(600), row(300)]).unwrap(), 1);
    assert_eq!(all(&room).len(), 601);
    assert!(is_sound(&room));
}

#[test]
fn a_row_that_is_there_twice_is_found_though_the_chain_holds() {
    let room = Room::new();
    log(&room).append(&(0..300).map(row).collect::<Vec<_>>()).unwrap();
    // The same id at another time is another row, however unlikely.
    let mut other = row(1);
    other.at = row(2).at;
    assert_eq!(log(&room).append(&[other]).unwrap(), 1);
    assert!(is_sound(&room));
    assert_eq!(log(&room).append(&[row(0)]).unwrap(), 1, "it is not among the last ones");
    let report = log(&room).verify(&room.witnesses(), Room::root()).unwrap();
    let [twin] = report.problems.kept() else { unreachable!("{:?}", report.problems) };
    assert_eq!((twin.class, twin.line), (ProblemClass::ChainBroken, Some(302)));
    assert!(twin.detail.contains(&row(0).id) && twin.detail.contains("line 1 "), "{}", twin.detail);
    assert!(!verify(&room.repository(), &mut |_| ()).unwrap().problems.is_sound());
}

#[test]
fn what_is_no_row_is_refused_and_nothing_is_written() {
    let room = Room::new();
    for spoil in [
        |row: &mut AuditRow| row.id = "aud_XYZ".to_owned(),
        |row: &mut AuditRow| row.at = "yesterday".to_owned(),
        |row: &mut AuditRow| row.actor = " ".to_owned(),
        |row: &mut AuditRow| row.effect = String::new(),
    ] {
        let mut bad = row(1);
        spoil(&mut bad);
        assert!(matches!(log(&room).append(&[row(2), bad]), Err(StoreError::Input(_))));
    }
    assert_eq!(all(&room).len(), 0);
}

#[test]
fn a_durable_append_costs_one_sync_and_a_lazy_one_none() {
    let room = Room::new();
    log(&room).append(&[row(0)]).unwrap();
    let syncs = || room.disk.count(Some(Operation::Sync));
    let before = syncs();
    for number in 1..100 {
        log(&room).append_lazily(&[row(number)]).unwrap();
    }
    assert_eq!(syncs() - before, 0);
    let before = syncs();
    log(&room).append(&[row(100)]).unwrap();
    assert_eq!(syncs() - before, 1);
    let after = room.disk.crash(&mut |_| 0);
    assert_eq!(all(&Room::on(after)).len(), 101, "with it everything before it is on the disk");
}

#[test]
fn a_power_loss_takes_lazy_rows_from_the_end_only_and_accuses_nobody() {
    for seed in 0..u64::try_from(amount(150, 3_000)).unwrap() {
        let mut seeded = Seeded::new(seed);
        let room = Room::new();
        let (mut durable, mut written) = (0, 0);
        for _ in 0..2 + seeded.below(12) {
            let rows: Vec<AuditRow> = (0..1 + seeded.below(4)).map(|more| row(written + more)).collect();
            written += rows.len();
            if seeded.below(3) == 0 {
                log(&room).append(&rows).unwrap();
                durable = written;
            } else {
                log(&room).append_lazily(&rows).unwrap();
            }
        }
        if seeded.below(4) == 0 {
            log(&room).seal().unwrap();
            durable = written;
        }
        let after = Room::on(room.disk.crash(&mut |limit| seeded.below(limit)));
        let mut left = ids(&all(&after));
        left.reverse();
        let expected: Vec<String> = (0..written).map(|number| row(number).id).collect();
        assert!(left.len() >= durable, "seed {seed}: {} of {durable} durable rows left", left.len());
        assert_eq!(left[..], expected[..left.len()], "seed {seed}");
        // It is written on, and everything is sound.
        log(&after).append(&[row(5_000)]).unwrap();
        assert_eq!(all(&after).len(), left.len() + 1, "seed {seed}");
        assert!(is_sound(&after), "seed {seed}");
    }
}

#[test]
fn r15_whatever_is_done_to_rows_behind_the_logs_back_is_found() {
    type Tampering = fn(&mut Vec<Vec<u8>>);
    let ways: [(&str, Tampering); 6] = [
        ("edited", |lines| {
            let text = String::from_utf8(lines[2].clone()).unwrap().replace("\"allow\"", "\"deny!\"");
            lines[2] = text.into_bytes();
        }),
        ("deleted", |lines| drop(lines.remove(2))),
        ("swapped", |lines| lines.swap(1, 2)),
        ("duplicated", |lines| lines.insert(3, lines[2].clone())),
        ("cut off", |lines| lines.truncate(3)),
        ("emptied", |lines| lines.clear()),
    ];
    for (way, tamper) in ways {
        let room = Room::new();
        log(&room).append(&[row(1), row(2), row(3), row(4), row(5)]).unwrap();
        assert!(is_sound(&room));
        let bytes = room.disk.bytes(PATH).unwrap();
        let mut lines: Vec<Vec<u8>> =
            bytes.split_inclusive(|byte| *byte == b'\n').map(<[u8]>::to_vec).collect();
        tamper(&mut lines);
        room.disk.put(PATH, &lines.concat()).unwrap();
        let report = log(&room).verify(&room.witnesses(), Room::root()).unwrap();
        assert!(!report.problems.is_sound(), "{way}");
        assert!(!verify(&room.repository(), &mut |_| ()).unwrap().problems.is_sound(), "{way}");
        // Writing on does not make it unseen.
        log(&room).append(&[row(6)]).unwrap();
        assert!(!is_sound(&room), "{way}, written on");
        let permit = Permit::Maintenance(MaintenanceGrant::new(Maintenance::Repair));
        let treatment = Doctor::new(room.repository()).repair(permit, &mut |_| ()).unwrap();
        assert!(treatment.failures.is_empty() && !treatment.repairs.is_empty(), "{way}: {treatment:?}");
        assert!(is_sound(&room), "{way}: accepted, on record");
        log(&room).append(&[row(7)]).unwrap();
        assert!(is_sound(&room), "{way}: accepted and written on");
    }
}

#[test]
fn a_row_that_was_written_lazily_and_edited_is_found_by_the_chain() {
    let room = Room::new();
    log(&room).append(&[row(1)]).unwrap();
    log(&room).append_lazily(&[row(2), row(3)]).unwrap();
    let text = String::from_utf8(room.disk.bytes(PATH).unwrap()).unwrap();
    room.disk.put(PATH, text.replace("tool_2", "tool_9").as_bytes()).unwrap();
    let report = log(&room).verify(&room.witnesses(), Room::root()).unwrap();
    let classes: Vec<_> = report.problems.kept().iter().map(|problem| problem.class).collect();
    assert!(classes.contains(&ProblemClass::RowDigestMismatch), "{classes:?}");
}

#[test]
fn secrets_do_not_reach_the_disk_and_digests_stay() {
    let room = Room::new();
    let redactor = Redactor::new(|text| {
        if text.contains("hunter2") {
            Cow::Owned(text.replace("hunter2", "[secret]"))
        } else {
            Cow::Borrowed(text)
        }
    });
    let eager =
        Redactor::new(
            |text| {
                if text.len() > 30 { Cow::Owned("[long]".to_owned()) } else { Cow::Borrowed(text) }
            },
        );
    let mut said = row(1);
    said.actor = "hunter2".to_owned();
    said.reason = Some("the password is hunter2".to_owned());
    said.targets = vec!["hunter2/x".to_owned()];
    said.args_digest = Some("hunter2".to_owned());
    let inner = Object::fields().field("list", Value::Array(vec![Value::from("a hunter2")])).finish();
    said.data = Some(Json(Object::fields().field("inner", inner).finish()));
    AuditLog::new(room.dyn_disk(), PATH.into(), redactor).append(&[said]).unwrap();
    let mut digested = row(2);
    digested.turn_digest = Some(format!("sha256:{}", "a".repeat(64)));
    digested.policy_digest = Some(format!("pol1_{}", "z".repeat(64)));
    AuditLog::new(room.dyn_disk(), PATH.into(), eager).append(&[digested.clone()]).unwrap();
    for (path, bytes) in room.files() {
        assert!(!String::from_utf8_lossy(&bytes).contains("hunter2"), "{}", path.display());
    }
    let rows = all(&room);
    let newest = rows[0].as_object().unwrap();
    assert_eq!(newest.get("turnDigest").and_then(Value::as_text), digested.turn_digest.as_deref());
    assert_eq!(newest.get("policyDigest").and_then(Value::as_text), Some("[long]"), "no digest of ours");
    assert!(is_sound(&room));
}

#[test]
fn pages_join_to_the_whole_and_rows_that_come_meanwhile_do_not_shift_them() {
    let room = Room::new();
    for chunk in (0..500).collect::<Vec<_>>().chunks(50) {
        let rows: Vec<AuditRow> = chunk.iter().map(|number| row(*number)).collect();
        log(&room).append(&rows).unwrap();
    }
    let denied = AuditFilter { effect: Some("deny".to_owned()), ..AuditFilter::default() };
    let whole = ids(&log(&room).query(&denied, usize::MAX).unwrap().rows);
    assert_eq!(whole.len(), 50);
    let (mut joined, mut before) = (Vec::new(), None);
    loop {
        let page = log(&room).query(&AuditFilter { before, ..denied.clone() }, 7).unwrap();
        joined.extend(ids(&page.rows));
        log(&room).append(&[row(1_000 + joined.len() * 10)]).unwrap();
        let Some(next) = page.next else { break };
        // What a caller passes on is text.
        before = Some(next.to_string().parse::<Cursor>().unwrap());
    }
    assert_eq!(joined, whole);
    // A cursor whose place is wrong is found by its number.
    let page = log(&room).query(&denied, 3).unwrap();
    let seq = page.next.unwrap().seq();
    let moved = AuditFilter { before: Some(format!("{seq}@17").parse().unwrap()), ..denied.clone() };
    let right = AuditFilter { before: page.next, ..denied };
    assert_eq!(
        ids(&log(&room).query(&moved, 3).unwrap().rows),
        ids(&log(&room).query(&right, 3).unwrap().rows)
    );
}

#[test]
fn every_filter_keeps_what_fits_and_nothing_else() {
    let room = Room::new();
    log(&room).append(&(0..60).map(row).collect::<Vec<_>>()).unwrap();
    let mut other = row(100);
    (other.issue_id, other.run_id) = (Some("bd-1".to_owned()), Some("run-1".to_owned()));
    (other.code, other.actor) = (Some("policy_denied".to_owned()), "jo".to_owned());
    (other.kind, other.path) = (AuditKind::Guard, Some("a \"quoted\".md".to_owned()));
    log(&room).append(&[other]).unwrap();
    let some = |text: &str| Some(text.to_owned());
    let none = AuditFilter::default;
    let time = |minute: &str| premath_wire::time::parse_time(&format!("2026-11-15T00:{minute}Z"));
    for (filter, count) in [
        (AuditFilter { kind: Some(AuditKind::Guard), ..none() }, 1),
        (AuditFilter { kind: Some(AuditKind::Run), ..none() }, 0),
        (AuditFilter { effect: some("deny"), ..none() }, 7),
        (AuditFilter { run: some("run-1"), ..none() }, 1),
        (AuditFilter { issue: some("bd-1"), ..none() }, 1),
        (AuditFilter { issue: some("bd-"), ..none() }, 0),
        (AuditFilter { tool: some("tool_0"), effect: some("deny"), ..none() }, 2),
        (AuditFilter { path: some("notes/7.md"), ..none() }, 1),
        (AuditFilter { path: some("a \"quoted\".md"), ..none() }, 1),
        (AuditFilter { actor: some("jo"), code: some("policy_denied"), ..none() }, 1),
        (AuditFilter { since: time("00:50"), ..none() }, 11),
        (AuditFilter { until: time("00:09"), ..none() }, 10),
        (AuditFilter { since: time("00:10"), until: time("00:19"), ..none() }, 10),
    ] {
        let found = log(&room).query(&filter, usize::MAX).unwrap();
        assert_eq!(found.rows.len(), count, "{filter:?}");
    }
}

#[test]
fn two_hundred_thousand_rows_are_not_parsed_for_ten() {
    let room = Room::new();
    let mut writer = log(&room).write().unwrap();
    let count = amount(20_000, 200_000);
    for chunk in (0..count).collect::<Vec<_>>().chunks(2_000) {
        let rows: Vec<AuditRow> = chunk.iter().map(|number| row(*number)).collect();
        writer.append_lazily(&rows).unwrap();
    }
    writer.seal().unwrap();
    drop(writer);
    let newest = log(&room).query(&AuditFilter::default(), 10).unwrap();
    assert_eq!((newest.rows.len(), newest.parsed), (10, 10));
    assert!(newest.looked_at <= 10, "{}", newest.looked_at);
    let target = format!("notes/{}.md", count / 2);
    let one = log(&room).query(&AuditFilter { path: Some(target), ..AuditFilter::default() }, 10).unwrap();
    assert_eq!((one.rows.len(), one.parsed), (1, 1), "only lines that name it are parsed");
    assert_eq!(one.looked_at, u64::try_from(count).unwrap());
}

fn add(room: &Room, title: &str) -> AuditRow {
    let draft = IssueDraft { title: title.to_owned(), ..IssueDraft::default() };
    let operation = Change::Add { draft: Box::new(draft), prefix: "bd".to_owned() };
    let permit = Permit::Operator(OperatorGrant::new(Some("jo".to_owned()), OperatorBasis::Configured));
    let store = FileIssues::new(room.dyn_disk(), ISSUES.into());
    let Applied::Written(written) = apply(&store, permit, &operation, &at(1_000_000)).unwrap() else {
        unreachable!("a new issue is written")
    };
    change_row(&written.row, Some(&operation.args_digest())).unwrap()
}

#[test]
fn a_change_without_a_row_is_found_and_recorded_once() {
    let room = Room::new();
    let store = FileIssues::new(room.dyn_disk(), ISSUES.into());
    add(&room, "from before there was a log");
    assert_eq!(unrecorded(&log(&room), &store).unwrap(), []);
    let mut first = add(&room, "recorded");
    // The clock of the room stands still: the log began a moment later.
    first.at = "1970-01-12T13:46:40.500Z".to_owned();
    log(&room).append(&[first]).unwrap();
    assert_eq!(unrecorded(&log(&room), &store).unwrap(), [], "what is older than the log is not asked for");
    let begun = Room::new();
    let store = FileIssues::new(begun.dyn_disk(), ISSUES.into());
    log(&begun).append(&[add(&begun, "recorded")]).unwrap();
    let lost = add(&begun, "its writer was killed");
    let found = unrecorded(&log(&begun), &store).unwrap();
    assert_eq!(found.len(), 1);
    assert_eq!((&found[0].row.id, found[0].rev, found[0].authority.as_str()), (&lost.id, 1, "operator"));
    let data = found[0].row.data.clone().unwrap();
    assert_eq!(data.0.as_object().unwrap().get("recovered").and_then(Value::as_bool), Some(true));
    log(&begun).append(&[found[0].row.clone()]).unwrap();
    assert_eq!(unrecorded(&log(&begun), &store).unwrap(), []);
    // The writer was slow, not dead: its own row is the same row.
    assert_eq!(log(&begun).append(&[lost]).unwrap(), 0);
}
