//! `premath gc`: what nothing cites goes, and nothing else.

use std::fs;
use std::path::PathBuf;
use std::time::{Duration, SystemTime};

use serde_json::json;

use crate::folder::Folder;
use crate::worked::{files_below, worked};

/// Puts an object that nothing cites, as old as asked.
fn put_orphan(folder: &Folder, content: &str, days: u64) -> PathBuf {
    let id = premath_bd::ObjectId::of(content.as_bytes()).to_string().replace("sha256:", "");
    let (shelf, name) = id.split_at(2);
    let path = folder.path().join(".premath/objects").join(shelf).join(name);
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(&path, content).unwrap();
    age(&path, days);
    path
}

fn age(path: &PathBuf, days: u64) {
    let time = SystemTime::now() - Duration::from_secs(days * 86_400 + 60);
    fs::File::options().write(true).open(path).unwrap().set_modified(time).unwrap();
}

/// A repository whose objects are all old.
fn aged() -> Folder {
    let folder = worked();
    files_below(&folder.path().join(".premath/objects")).iter().for_each(|path| age(path, 10));
    folder
}

#[test]
fn a_collection_removes_what_nothing_cites_and_nothing_else() {
    let folder = aged();
    let cited = files_below(&folder.path().join(".premath/objects"));
    let orphan = put_orphan(&folder, "nobody cites this", 10);
    let (code, plan) = folder.json(&["gc", "--dry-run"]);
    assert_eq!((code, &plan["removed"], &plan["dryRun"]), (0, &json!(1), &json!(true)), "{plan}");
    assert!(orphan.exists(), "a plan removes nothing");
    let (code, done) = folder.json(&["gc"]);
    assert_eq!((code, &done["items"]), (0, &plan["items"]), "{done}");
    assert_eq!(done["removedBytes"], json!("nobody cites this".len()));
    assert!(!orphan.exists());
    assert_eq!(files_below(&folder.path().join(".premath/objects")), cited);
    assert_eq!(folder.json(&["verify"]).1["state"], "ok");
    let (_, rows) = folder.json(&["audit", "query", "--tool", "workspace.gc"]);
    let data = &rows["items"][0]["data"];
    assert_eq!((&data["objects"], &data["authority"]), (&json!("1"), &json!("maintenance")), "{rows}");
    assert_eq!(folder.json(&["gc"]).1["removed"], 0);
}

#[test]
fn an_object_is_kept_while_anything_cites_it_in_any_form() {
    for place in [
        ".premath/backup/20261118T000000Z-issues.jsonl.bad",
        ".premath/conversations.txt",
        "artifacts/notes/old.json",
        "policies/notes/old.json",
        ".premath/runs/damaged/journal.jsonl",
    ] {
        let folder = aged();
        let (content, inner) = ("kept because something cites it", "cited by what is kept");
        let digest = |text: &str| premath_bd::ObjectId::of(text.as_bytes()).to_string();
        let outer = format!("{content} {}", digest(inner));
        let kept = [put_orphan(&folder, &outer, 10), put_orphan(&folder, inner, 10)];
        folder.write(place, format!("not json at all {{{} half a line", digest(&outer)));
        let (_, done) = folder.json(&["gc"]);
        assert_eq!(done["removed"], 0, "{place}: {done}");
        assert!(kept.iter().all(|path| path.exists()), "{place}");
    }
}

#[test]
fn what_is_young_stays_and_sizes_stop_a_collection() {
    let folder = aged();
    let young = put_orphan(&folder, "written an hour ago", 0);
    assert_eq!(folder.json(&["gc"]).1["young"], 1);
    assert_eq!(folder.json(&["gc", "--min-age", "30d"]).1["removed"], 0);
    let oldest = put_orphan(&folder, "the oldest of all", 9);
    let older = put_orphan(&folder, "not quite as old.", 8);
    let (_, whole) = folder.json(&["gc", "--dry-run"]);
    let bytes = whole["objectBytes"].as_u64().unwrap();
    let (_, done) = folder.json(&["gc", "--max-size", &format!("{}B", bytes - 1)]);
    assert_eq!((&done["removed"], &done["spared"]), (&json!(1), &json!(1)), "{done}");
    assert_eq!((oldest.exists(), older.exists(), young.exists()), (false, true, true));
    folder.write("premath.toml", "[retention]\nmax_size = \"1TiB\"\nmin_age = \"2d\"\n");
    assert_eq!(folder.json(&["gc"]).1["spared"], 1, "the configuration counts");
    let (_, shown) = folder.json(&["config", "show"]);
    let value = |key: &str| {
        let rows = shown["items"].as_array().unwrap();
        rows.iter().find(|row| row["key"] == key).unwrap()["value"].clone()
    };
    assert_eq!((value("retention.min_age"), value("retention.max_size")), (json!("2d"), json!("1TiB")));
}

#[test]
fn what_a_run_under_way_may_still_cite_stays() {
    let folder = aged();
    let orphan = put_orphan(&folder, "put while the run was under way", 3);
    // A run that began five days ago and still holds its journal.
    let began = "2020-01-01T00:00:00Z";
    let row = format!(
        "{{\"at\":\"{began}\",\"event\":{{\"kind\":\"run.started\"}},\"kind\":\"premath.run.journal.v1\",\"rowDigest\":\"sha256:{}\",\"schema\":1,\"seq\":1}}\n",
        "0".repeat(64)
    );
    folder.write(".premath/runs/run-live/journal.jsonl", row);
    let lock = fs::File::create(folder.path().join(".premath/runs/run-live/journal.jsonl.lock")).unwrap();
    lock.lock().unwrap();
    let (_, kept) = folder.json(&["gc"]);
    assert_eq!((&kept["removed"], &kept["liveRuns"]), (&json!(0), &json!(["run-live"])), "{kept}");
    drop(lock);
    let (_, done) = folder.json(&["gc"]);
    assert_eq!((&done["removed"], done.get("liveRuns")), (&json!(1), None), "{done}");
    assert!(!orphan.exists());
}

#[test]
fn bad_ages_and_sizes_are_refused_and_a_step_collects_nothing() {
    let folder = aged();
    let orphan = put_orphan(&folder, "stays", 10);
    for arguments in [["gc", "--min-age", "1s"], ["gc", "--min-age", "soon"], ["gc", "--max-size", "much"]] {
        let ran = folder.run(&arguments);
        assert_eq!(ran.code, Some(2), "{ran:?}");
        assert!(ran.stderr.contains("input.field_invalid") && ran.stderr.contains("hint"), "{ran:?}");
    }
    folder.write("premath.toml", "[retention]\nmin_agee = \"1d\"\n");
    assert_eq!(folder.run(&["gc"]).code, Some(2));
    folder.write("premath.toml", "");
    let step = folder.command(&["gc", "--json"]).env("PREMATH_STEP_TOKEN", "").output().unwrap();
    assert_eq!(step.status.code(), Some(1));
    assert!(orphan.exists());
    assert_eq!(Folder::new().run(&["gc"]).code, Some(4));
}
