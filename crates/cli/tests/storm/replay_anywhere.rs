//! Recorded runs replay to the same bytes wherever and beside whatever they are replayed.

use std::path::Path;
use std::process::Output;

use premath_testkit::faulty_disk::Seeded;
use tempfile::TempDir;

use crate::killed_processes::premath;
use crate::{runs, scene};

/// A run of a generated scenario in a repository of its own; whatever it came to is recorded.
fn recorded(seed: u64) -> TempDir {
    let folder = TempDir::new().unwrap();
    assert!(premath(folder.path(), &["init"]).output().unwrap().status.success());
    std::fs::write(folder.path().join("a.txt"), "one\ntwo\n").unwrap();
    std::fs::write(folder.path().join("scene.toml"), scene::scenario(&mut Seeded::new(seed))).unwrap();
    std::fs::write(folder.path().join("premath.toml"), "[models.timeouts]\nidle = 1\n").unwrap();
    let arguments = ["run", "do it", "--model", "scripted:scene.toml", "--run-id", "recorded", "--json"];
    let mut ran = premath(folder.path(), &arguments).output().unwrap();
    for _ in 0..2 {
        if ran.status.code() != Some(0) {
            ran = premath(folder.path(), &["resume", "recorded", "--json"]).output().unwrap();
        }
    }
    assert!(matches!(ran.status.code(), Some(0..=3)), "{ran:?}");
    folder
}

const LOOKS: [&[&str]; 2] = [&["replay", "recorded", "--json"], &["runs", "export", "recorded"]];

fn look(folder: &Path, arguments: &[&str], variables: &[(&str, &str)]) -> Vec<u8> {
    let Output { status, stdout, stderr } =
        premath(folder, arguments).envs(variables.iter().copied()).output().unwrap();
    assert_eq!(status.code(), Some(0), "{arguments:?}: {}", String::from_utf8_lossy(&stderr));
    stdout
}

/// The same files in another place, made in another order.
fn copied(from: &Path, to: &Path) {
    let mut names: Vec<_> =
        std::fs::read_dir(from).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    names.sort();
    std::fs::create_dir_all(to).unwrap();
    for name in names.iter().rev() {
        let (source, target) = (from.join(name), to.join(name));
        if source.is_dir() {
            copied(&source, &target);
        } else {
            std::fs::copy(source, target).unwrap();
        }
    }
}

#[test]
fn a_recorded_run_replays_to_the_same_bytes_under_any_zone_language_folder_and_load() {
    let places = [
        &[("TZ", "Pacific/Kiritimati"), ("LANG", "tr_TR.UTF-8"), ("LC_ALL", "tr_TR.UTF-8")][..],
        &[("TZ", "America/St_Johns"), ("LANG", "C"), ("LC_ALL", "C")],
        &[("TZ", ":/nowhere"), ("LANG", "ar_EG"), ("COLUMNS", "20"), ("TERM", "dumb")],
    ];
    let all = runs(20, 200);
    for number in 0..all {
        let folder = recorded(number + 20_000);
        let elsewhere = TempDir::new().unwrap();
        let deep = elsewhere.path().join("a place/with spaces");
        copied(folder.path(), &deep);
        std::fs::create_dir_all(folder.path().join("below/it")).unwrap();
        for arguments in LOOKS {
            let expected = look(folder.path(), arguments, &[]);
            assert!(!expected.is_empty());
            let same = |bytes: &[u8], how: &str| {
                assert!(bytes == expected, "seed {number}: {arguments:?} differs {how}");
            };
            for variables in places {
                same(&look(folder.path(), arguments, variables), "under another environment");
            }
            same(&look(&folder.path().join("below/it"), arguments, &[]), "in another folder");
            same(&look(&deep, arguments, places[0]), "in another place");
            std::thread::scope(|scope| {
                let looks: Vec<_> = places
                    .iter()
                    .map(|variables| scope.spawn(|| look(folder.path(), arguments, variables)))
                    .collect();
                for bytes in looks {
                    same(&bytes.join().unwrap(), "beside others");
                }
            });
        }
    }
}
