//! kill -9 while a run is forgotten: what it said is there whole, or goes when somebody asks again; nothing else is lost.

#![expect(clippy::disallowed_methods, reason = "the test looks at the files the command leaves")]
#![expect(clippy::unwrap_used, reason = "what cannot be done fails the test")]

mod crash;

use std::fs;
use std::path::Path;

use crash::{Tracer, Workplace, amount, figures};

const SLICE: usize = 24;
const CANARY: &str = "canaryword";
const FORGET: [&str; 4] = ["runs", "forget", "one", "--json"];
const SCENE: &str = "name = \"says\"\n[[turn]]\ntext = \"canaryword\"\n[[turn.call]]\nid = \"list\"\ntool = \"fs_list\"\n\
    arguments = { path = \".\" }\n[[turn]]\ntext = \"canaryword\"\n";

/// A repository with a run that keeps nothing and has stopped half way.
fn stopped() -> Workplace {
    let place = Workplace::initialised();
    fs::write(place.path().join("premath.toml"), "[policy]\nobservability = \"disabled\"\n").unwrap();
    fs::write(place.path().join("scene.toml"), SCENE).unwrap();
    let run = ["run", CANARY, "--model", "scripted:scene.toml", "--run-id", "one", "--max-turns", "1"];
    assert_eq!(place.run(&run).code(), Some(1));
    assert!(!hits(&place.path().join(".premath")).is_empty(), "there is something to forget");
    place
}

fn hits(folder: &Path) -> Vec<String> {
    let mut hits = Vec::new();
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            hits.extend(self::hits(&path));
        } else if fs::read(&path).unwrap().windows(CANARY.len()).any(|window| window == CANARY.as_bytes()) {
            hits.push(path.display().to_string());
        }
    }
    hits
}

#[test]
fn forgetting_that_is_killed_is_finished_by_whoever_asks_again() {
    let Some(tracer) = Tracer::find() else { return };
    let place = stopped();
    let (answer, calls) = tracer.learn(&place.copied(), &FORGET);
    assert!(answer.is_accepted(), "{answer:?}");
    let first = calls.iter().position(|call| call.shown.contains("private")).unwrap();
    let behind = calls.get(first..).unwrap();
    let wanted = amount(SLICE, behind.len()).min(behind.len());
    let (mut whole, mut gone) = (0, 0);
    for call in (0..wanted).filter_map(|index| behind.get(index * behind.len() / wanted)) {
        let place = place.copied();
        tracer.killed(&place, &FORGET, call);
        let at = format!("killed at {} {}: `{}`", call.name, call.nth, call.shown);
        if hits(&place.path().join(".premath")).is_empty() {
            gone += 1
        } else {
            whole += 1
        }
        place.accepted(&FORGET);
        assert_eq!(hits(&place.path().join(".premath")), Vec::<String>::new(), "{at}");
        assert_eq!(place.unsound(), None, "{at}");
        place.accepted(&["runs", "show", "one", "--json"]);
    }
    figures("R1", &[("forgetting not done", &whole), ("done", &gone)]);
    assert!(whole > 0 && gone > 0, "the points lie on both sides of the change: {whole}, {gone}");
}
