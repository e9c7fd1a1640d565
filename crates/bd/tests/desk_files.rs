//! The files of the desk: one suite for a desk in a file and one in memory.

mod desk_room;

use desk_room::{Room, at, cells, file, markdown, member, memory, person, rooms, turn};
use premath_bd::desk::{
    Applied, CellUpdate, DeskRefusalClass, Edit, FileType, Item, Operation, Origin, Panel, TextChange,
};
use premath_bd::{LeaseGrant, Maintenance, MaintenanceGrant, Permit};
use premath_kernel::{Digest, Number, Value};

fn made(room: &Room, name: &str, content: &str) -> String {
    room.done(&markdown(name, content)).item.id().to_owned()
}

fn update(id: &str, version: u64, content: &str) -> Operation {
    Operation::UpdateMarkdown {
        file: id.to_owned(),
        version,
        change: TextChange::Content(content.to_owned()),
    }
}

#[test]
fn every_version_stays_and_every_change_can_be_taken_back() {
    for room in rooms() {
        let id = made(&room, "notes.md", "one");
        assert!(id.starts_with("fil_") && id.len() == 16, "{id}");
        let undo_update = room.done(&update(&id, 1, "two")).undo;
        let rename =
            Operation::RenameFile { file: id.clone(), name: "minutes.md".to_owned(), version: Some(2) };
        let undo_rename = room.done(&rename).undo;
        let undo_delete = room.done(&Operation::DeleteFile { file: id.clone(), version: Some(3) }).undo;
        let class = room.desk.read_file(&id, None).unwrap().unwrap_err().class;
        assert_eq!(class, DeskRefusalClass::Deleted);
        assert_eq!(room.desk.deleted(10).unwrap()[0].id, id);

        room.clock.advance(10 * 365 * 24 * 3600);
        room.done(&undo_delete);
        assert_eq!(room.content(&id), "two");
        room.done(&undo_rename);
        assert_eq!(room.desk.item(&id).unwrap().unwrap().name(), "notes.md");
        let redo = room.done(&undo_update);
        assert_eq!(room.content(&id), "one");
        assert_eq!(redo.version, Some(7));
        room.done(&redo.undo);
        assert_eq!(room.content(&id), "two");

        let history = room.desk.history(&id).unwrap().unwrap();
        assert!(history.iter().map(|version| version.version).eq(1..=8));
        assert!(history[3].is_deleted && !history[4].is_deleted);
        assert_eq!(room.desk.read_file(&id, Some(1)).unwrap().unwrap().content, "one");
        assert!(history.iter().all(|version| version.actor == "ada"));
        assert_eq!(member(&history[0].authority, "authority"), "operator");
        room.desk.check().unwrap();
    }
}

#[test]
fn a_stale_version_is_refused_and_both_versions_are_named() {
    for room in rooms() {
        let id = made(&room, "notes.md", "one");
        room.done(&update(&id, 1, "two"));
        let refusal = room.refused(&update(&id, 1, "three"));
        assert_eq!(refusal.class.code(), "desk_version_stale");
        assert_eq!(refusal.detail, format!("`notes.md` ({id}) is at version 2, not 1"));
        let delete = Operation::DeleteFile { file: id.clone(), version: Some(1) };
        assert_eq!(room.refused(&delete).class, DeskRefusalClass::VersionStale);
        assert_eq!(room.content(&id), "two");
        assert_eq!(room.desk.history(&id).unwrap().unwrap().len(), 2, "a refused change left something");
    }
}

#[test]
fn cells_keep_formula_and_format_when_their_value_changes() {
    for room in rooms() {
        let before = r#"{"A1":{"value":1,"formula":"=1","format":"0.00"},"B2":{"value":"x"}}"#;
        let create =
            Operation::CreateSpreadsheet { name: "sheet".to_owned(), folder: None, cells: cells(before) };
        let id = room.done(&create).item.id().to_owned();
        let set = |cell: &str, value| CellUpdate { cell: cell.to_owned(), value };
        let updates = vec![
            set("A1", Value::Number(Number::from(5))),
            set("B2", Value::Null),
            set("AA10", Value::from("new")),
        ];
        let change = |updates| Operation::UpdateCells { file: id.clone(), version: 1, updates };
        room.done(&change(updates));
        let expected =
            r#"{"A1":{"format":"0.00","formula":"=1","value":5},"AA10":{"value":"new"},"B2":{"value":null}}"#;
        assert_eq!(room.content(&id), expected);

        for wrong in ["", "a1", "A0", "A01", "1A", "ABCD1", "A12345678", "A1 "] {
            let refusal = room.refused(&Operation::UpdateCells {
                file: id.clone(),
                version: 2,
                updates: vec![set(wrong, Value::Null)],
            });
            assert_eq!(refusal.class, DeskRefusalClass::Invalid, "{wrong}");
        }
        let twice = vec![set("A1", Value::Null), set("A1", Value::Bool(true))];
        let again = Operation::UpdateCells { file: id.clone(), version: 2, updates: twice };
        assert_eq!(room.refused(&again).class, DeskRefusalClass::Invalid);
        let text = Operation::UpdateMarkdown {
            file: id.clone(),
            version: 2,
            change: TextChange::Content("text".to_owned()),
        };
        assert_eq!(room.refused(&text).class, DeskRefusalClass::Invalid);
        assert_eq!(room.content(&id), expected);
    }
}

#[test]
fn a_patch_changes_the_passages_it_names_or_nothing() {
    for room in rooms() {
        let id = made(&room, "poem.md", "roses are red\nviolets are blue\n");
        let patch = |version, edits: &[(&str, &str)]| Operation::UpdateMarkdown {
            file: id.clone(),
            version,
            change: TextChange::Patch(
                edits
                    .iter()
                    .map(|(old, new)| Edit { old: (*old).to_owned(), new: (*new).to_owned() })
                    .collect(),
            ),
        };
        room.done(&patch(1, &[("red", "white"), ("violets are blue\n", "")]));
        assert_eq!(room.content(&id), "roses are white\n");
        for edits in
            [&[("e", "x")][..], &[("", "x")], &[("red", "x")], &[("roses", "tulips"), ("roses", "x")]]
        {
            assert_eq!(room.refused(&patch(2, edits)).class, DeskRefusalClass::PatchMismatch, "{edits:?}");
        }
        assert_eq!(room.refused(&patch(2, &[])).class, DeskRefusalClass::Invalid);
        assert_eq!(room.content(&id), "roses are white\n");
    }
}

#[test]
fn a_folder_takes_along_what_is_in_it_both_ways() {
    for room in rooms() {
        let folder = |name: &str, parent: Option<&str>| {
            let create = Operation::CreateFolder { name: name.to_owned(), parent: parent.map(str::to_owned) };
            room.done(&create).item.id().to_owned()
        };
        let outer = folder("outer", None);
        let inner = folder("inner", Some(&outer));
        let within = |name: &str, folder: &str| {
            let create = Operation::CreateMarkdown {
                name: name.to_owned(),
                folder: Some(folder.to_owned()),
                content: name.to_owned(),
            };
            room.done(&create).item.id().to_owned()
        };
        let (a, b, gone) = (within("a", &outer), within("b", &inner), within("gone", &inner));
        let top = made(&room, "top", "top");
        room.done(&Operation::DeleteFile { file: gone.clone(), version: None });
        let names = || {
            let tree = room.desk.tree().unwrap();
            tree.iter()
                .map(|entry| format!("{}{}", "  ".repeat(entry.depth), entry.item.name()))
                .collect::<Vec<_>>()
        };
        assert_eq!(names(), ["outer", "  inner", "    b", "  a", "top"]);

        let deleted = room.done(&Operation::DeleteFolder { folder: outer.clone() });
        assert_eq!(names(), ["top"]);
        assert!(room.desk.search("a", 9).unwrap().iter().all(|found| found.file.id == top));
        let into = Operation::CreateFolder { name: "x".to_owned(), parent: Some(inner.clone()) };
        assert_eq!(room.refused(&into).class, DeskRefusalClass::Deleted);
        room.done(&deleted.undo);
        assert_eq!(
            names(),
            ["outer", "  inner", "    b", "  a", "top"],
            "what was deleted before stays deleted"
        );

        // A file out of a folder that is gone comes back where there is a place for it.
        room.done(&Operation::DeleteFolder { folder: inner.clone() });
        room.done(&Operation::RestoreFile { file: b.clone(), version: None });
        assert_eq!(names(), ["outer", "  a", "  b", "top"]);
        room.done(&Operation::DeleteFolder { folder: outer });
        room.done(&Operation::RestoreFolder { folder: inner });
        assert_eq!(names(), ["inner", "top"]);
        room.done(&Operation::RestoreFile { file: a, version: Some(1) });
        assert_eq!(names(), ["inner", "a", "top"]);
        room.desk.check().unwrap();
    }
}

#[test]
fn a_turn_changes_what_it_was_admitted_for_once_and_nothing_else() {
    for room in rooms() {
        let create = markdown("draft.md", "by a bot");
        let (permit, turn_digest, intent_digest) = turn::permit("turn-1", &create);
        assert_eq!(room.desk.applied_by(&turn_digest, &intent_digest).unwrap(), None);
        let Applied::Written(first) = room.desk.apply(permit, &create, "run-9").unwrap() else {
            panic!("refused")
        };
        let Item::File(made) = &first.item else { panic!("a folder") };
        assert_eq!((made.origin, made.created_by.as_str()), (Origin::Bot, "run-9"));
        let known = room.desk.applied_by(&turn_digest, &intent_digest).unwrap().unwrap();
        assert_eq!(known, *first);

        // The same turn again, as after a crash: nothing happens twice.
        let (again, ..) = turn::permit("turn-1", &create);
        let repeated = room.desk.apply(again, &create, "run-9").unwrap();
        assert_eq!(repeated, Applied::Repeated(first.clone()));
        assert_eq!(room.desk.list(None, None, 9).unwrap().unwrap().total, 1);
        let (other, ..) = turn::permit("turn-2", &create);
        assert!(matches!(room.desk.apply(other, &create, "run-9").unwrap(), Applied::Written(_)));

        // A permit for one change fits no other.
        let (permit, ..) = turn::permit("turn-3", &create);
        let Applied::Refused(refusal) =
            room.desk.apply(permit, &markdown("draft.md", "something else"), "run-9").unwrap()
        else {
            panic!("a permit was used for something else")
        };
        assert_eq!(refusal.class.code(), "permit_mismatch");
        let lease = Permit::Lease(LeaseGrant::new("i".to_owned(), Digest::claimed("pol1_x").unwrap()));
        let maintenance = Permit::Maintenance(MaintenanceGrant::new(Maintenance::Repair));
        for permit in [lease, maintenance] {
            assert!(matches!(room.desk.apply(permit, &create, "x").unwrap(), Applied::Refused(_)));
        }
        assert_eq!(room.desk.list(None, None, 9).unwrap().unwrap().total, 2);
        let rows = room.told();
        assert_eq!(rows.len(), 2);
        assert_eq!(member(&rows[0], "turnDigest"), turn_digest);
        assert_eq!(member(&rows[0], "intentDigest"), intent_digest);
    }
}

#[test]
fn a_rehearsal_says_what_would_come_and_changes_nothing() {
    for room in rooms() {
        let id = made(&room, "notes.md", "one");
        room.told();
        let rehearsal = room.desk.rehearse(&update(&id, 1, "two")).unwrap().unwrap();
        assert_eq!((rehearsal.before.as_deref(), rehearsal.after.as_deref()), (Some("one"), Some("two")));
        let delete = Operation::DeleteFile { file: id.clone(), version: None };
        let rehearsal = room.desk.rehearse(&delete).unwrap().unwrap();
        assert_eq!((rehearsal.before.as_deref(), rehearsal.after), (Some("one"), None));
        assert_eq!(
            room.desk.rehearse(&markdown("new", "text")).unwrap().unwrap().after.as_deref(),
            Some("text")
        );
        let refusal = room.desk.rehearse(&update(&id, 9, "two")).unwrap().unwrap_err();
        assert_eq!(refusal.class, DeskRefusalClass::VersionStale);
        assert_eq!(room.content(&id), "one");
        assert_eq!(room.desk.history(&id).unwrap().unwrap().len(), 1);
        assert_eq!(room.desk.list(None, None, 9).unwrap().unwrap().total, 1);
        assert!(room.told().is_empty());
    }
}

/// Seed: 003 §5/2, 003 §5/3
#[test]
fn what_a_bot_made_becomes_a_persons_when_a_person_changes_it() {
    for room in rooms() {
        let create = markdown("draft.md", "by a bot");
        let (permit, ..) = turn::permit("turn-1", &create);
        let Applied::Written(written) = room.desk.apply(permit, &create, "run-9").unwrap() else {
            panic!("refused")
        };
        let origin = |written: &premath_bd::desk::Written| match &written.item {
            Item::File(file) => file.origin,
            Item::Folder(folder) => folder.origin,
        };
        let id = written.item.id();
        let rename = Operation::RenameFile { file: id.to_owned(), name: "x".to_owned(), version: None };
        assert_eq!(origin(&room.done(&rename)), Origin::Bot);
        let change = update(id, 2, "by a bot, again");
        let (permit, ..) = turn::permit("turn-2", &change);
        let Applied::Written(written) = room.desk.apply(permit, &change, "run-9").unwrap() else {
            panic!("refused")
        };
        assert_eq!(origin(&written), Origin::Bot);
        assert_eq!(origin(&room.done(&update(id, 3, "by a person"))), Origin::Person);
    }
}

#[test]
fn pages_reach_every_file_once_whatever_happens_between_them() {
    for room in rooms() {
        let ids: Vec<_> = (0..25).map(|number| made(&room, &format!("file {number}"), "x")).collect();
        let mut seen = Vec::new();
        let mut cursor: Option<String> = None;
        loop {
            let page = room.desk.list(Some(FileType::Markdown), cursor.as_deref(), 10).unwrap().unwrap();
            seen.extend(page.files.into_iter().map(|file| file.id));
            let Some(next) = page.next_cursor else { break };
            // The file the cursor names is renamed, changed and deleted; a new one appears.
            room.done(&update(&next, 1, "y"));
            room.done(&Operation::DeleteFile { file: next.clone(), version: None });
            cursor = Some(next);
        }
        assert_eq!(seen, ids);
        assert_eq!(room.desk.list(None, None, 100).unwrap().unwrap().total, 23);
        assert_eq!(room.desk.list(Some(FileType::Spreadsheet), None, 9).unwrap().unwrap().files, []);
        assert!(room.desk.list(None, Some("fil_unknown"), 9).unwrap().is_err());
    }
}

#[test]
fn a_search_ranks_names_before_contents_and_is_no_query_language() {
    for room in rooms() {
        let body = made(&room, "plan.md", "the budget of next year, with a budget table");
        let name = made(&room, "budget.md", "numbers");
        made(&room, "other.md", "nothing of the kind");
        let ids = |query: &str| {
            room.desk.search(query, 9).unwrap().into_iter().map(|found| found.file.id).collect::<Vec<_>>()
        };
        assert_eq!(ids("Budget"), [name.clone(), body.clone()]);
        assert_eq!(ids("budg"), [name.clone(), body.clone()], "the beginning of a word finds it");
        assert_eq!(ids("udget"), [body.clone(), name.clone()].into_iter().rev().collect::<Vec<_>>());
        let snippet = &room.desk.search("table", 9).unwrap()[0].snippet;
        assert!(snippet.contains("budget table"), "{snippet}");
        for hostile in
            ["\"", "name:budget OR (", "a* NEAR/2 b", "'; DROP TABLE files; --", "* ^ ( ) :", "%", "\0"]
        {
            room.desk.search(hostile, 9).unwrap();
        }
        assert_eq!(ids("\" OR \""), Vec::<String>::new());
        let japanese = made(&room, "議事録.md", "来年度の予算について");
        assert_eq!(ids("予算"), [japanese]);
        let sheet = Operation::CreateSpreadsheet {
            name: "s".to_owned(),
            folder: None,
            cells: cells(r#"{"A1":{"value":"Quokka"},"A2":{"value":42.5}}"#),
        };
        let sheet = room.done(&sheet).item.id().to_owned();
        assert_eq!(ids("quokka"), std::slice::from_ref(&sheet));
        room.done(&Operation::DeleteFile { file: sheet, version: None });
        assert_eq!(ids("quokka"), Vec::<String>::new());
    }
}

#[test]
fn names_and_contents_have_limits() {
    let room = memory();
    for wrong in ["", " a", "a ", "a\nb", &"x".repeat(201)] {
        assert_eq!(room.refused(&markdown(wrong, "")).class, DeskRefusalClass::Invalid, "{wrong:?}");
    }
    room.done(&markdown(&"é".repeat(200), ""));
    let huge = "x".repeat(premath_bd::desk::LONGEST_CONTENT + 1);
    assert_eq!(room.refused(&markdown("huge", &huge)).class, DeskRefusalClass::Invalid);
    let nowhere = Operation::CreateFolder { name: "a".to_owned(), parent: Some("fol_none".to_owned()) };
    assert_eq!(room.refused(&nowhere).class, DeskRefusalClass::NotFound);
}

#[test]
fn panels_are_replaced_as_a_whole() {
    for room in rooms() {
        let record = || MaintenanceGrant::new(Maintenance::Record);
        let (a, b) = (made(&room, "a", "a"), made(&room, "b", "b"));
        let panel = |id: &str, file: &str, is_focused| Panel {
            panel_id: id.to_owned(),
            file_id: file.to_owned(),
            label: file.to_owned(),
            is_focused,
            is_pinned: false,
        };
        let two = [panel("p1", &b, false), panel("p2", &a, true)];
        room.desk.set_panels(record(), &two).unwrap().unwrap();
        let open = || room.desk.panels().unwrap().into_iter().map(|(panel, _)| panel).collect::<Vec<_>>();
        assert_eq!(open(), two);
        for wrong in [
            vec![panel("p1", &a, true), panel("p2", &b, true)],
            vec![panel("p1", &a, true), panel("p1", &b, false)],
            vec![panel("p1", "fil_none", false)],
            (0..6).map(|number| panel(&number.to_string(), &a, false)).collect(),
        ] {
            assert!(room.desk.set_panels(record(), &wrong).unwrap().is_err(), "{wrong:?}");
            assert_eq!(open(), two);
        }
        room.done(&Operation::DeleteFile { file: a, version: None });
        assert_eq!(open(), two[..1]);
    }
}

#[test]
fn what_is_used_on_a_day_has_a_limit_that_two_cannot_share() {
    use premath_bd::desk::{Spending, Usage};
    for room in rooms() {
        let one = Usage { tool_calls: 1, cost_micros: 10 };
        let spend = |most| room.desk.spend("ada", one, most).unwrap();
        assert_eq!(spend((Some(0), None)), Spending::Exceeded(Usage::default()));
        assert_eq!(spend((Some(2), Some(100))), Spending::Counted(one));
        let two = Usage { tool_calls: 2, cost_micros: 20 };
        assert_eq!(spend((Some(2), Some(100))), Spending::Counted(two));
        assert_eq!(spend((Some(2), Some(100))), Spending::Exceeded(two));
        assert_eq!(spend((None, Some(29))), Spending::Exceeded(two));
        assert!(matches!(spend((None, None)), Spending::Counted(_)));
        assert_eq!(room.desk.usage("bob").unwrap(), Usage::default());
        room.clock.set(at(24 * 3600));
        assert_eq!(room.desk.usage("ada").unwrap(), Usage::default(), "a day begins anew");
    }
}

#[test]
fn what_nobody_took_stays_in_the_outbox_in_order() {
    #[derive(Debug)]
    struct Full;
    impl From<premath_bd::StoreError> for Full {
        fn from(error: premath_bd::StoreError) -> Self {
            panic!("{error}")
        }
    }
    let room = file();
    for number in 0..150 {
        made(&room, &format!("file {number}"), "x");
    }
    let mut taken: Vec<String> = Vec::new();
    let mut failing = |rows: &[Value<'_>]| {
        if !taken.is_empty() {
            return Err(Full);
        }
        taken.extend(rows.iter().map(|row| member(row, "id").to_owned()));
        Ok(())
    };
    assert!(room.desk.drain(&mut failing).is_err());
    let rest = room.told();
    assert_eq!((taken.len(), rest.len()), (64, 86));
    taken.extend(rest.iter().map(|row| member(row, "id").to_owned()));
    taken.sort();
    taken.dedup();
    assert_eq!(taken.len(), 150);
    assert!(taken.iter().all(|id| id.starts_with("aud_") && id.len() == 16));
    assert_eq!(member(&rest[0], "kind"), "mutation");
    assert_eq!(member(&rest[0], "actor"), "ada");
    assert!(room.told().is_empty());
    drop(room.desk.apply(person(), &markdown("x", ""), ""));
}
