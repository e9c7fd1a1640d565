//! What the registry promises and how figures are chosen.

use super::choose;
use super::registry::{Budget, ENTRIES, Slice, Work};
use crate::{ci, system};

fn commands(id: &str, minutes: u32) -> Vec<String> {
    let entry = ENTRIES.iter().find(|entry| entry.id == id).unwrap();
    let works = (entry.long_form)(&Budget { minutes });
    works
        .iter()
        .filter_map(|work| match work {
            Work::Run(invocation) => Some(invocation.to_string()),
            Work::Need(_) | Work::Folder(_) | Work::Report { .. } | Work::Clients | Work::Mutants => None,
        })
        .collect()
}

#[test]
fn without_a_choice_every_figure_runs() {
    assert_eq!(choose(&[]).unwrap().len(), ENTRIES.len());
}

#[test]
fn a_figure_is_chosen_by_its_id_in_any_case() {
    let chosen = choose(&["r14".to_owned()]).unwrap();
    assert_eq!(chosen.iter().map(|entry| entry.id).collect::<Vec<_>>(), ["R14"]);
}

#[test]
fn an_unknown_figure_is_an_error_that_lists_the_known_ones() {
    let error = choose(&["R99".to_owned()]).unwrap_err().to_string();
    assert_eq!(
        error,
        "unknown figure `R99`; known are R1, R2, R3, R4, R5, R6, R7, R8, R9, R10, R11, R12, R13, R14, R15, R16, R17, R18, R19, R20, R21, R22, R23, R24, R25, R26, R27, R28, R29, R30"
    );
}

#[test]
fn ids_are_unique_and_in_order() {
    let ids: Vec<u32> =
        ENTRIES.iter().map(|entry| entry.id.trim_start_matches('R').parse().unwrap()).collect();
    assert!(ids.is_sorted_by(|left, right| left < right), "{ids:?}");
}

#[test]
fn every_figure_does_something_and_its_slice_step_exists() {
    for entry in ENTRIES {
        assert!(!commands(entry.id, 1).is_empty(), "{} runs no command", entry.id);
        if let Slice::CiStep(name) = entry.slice {
            assert!(ci::has_step(name), "{} leans on the step `{name}`, which is gone", entry.id);
        }
    }
}

#[test]
fn figures_of_the_stores_are_proved_in_release_builds_that_print_them() {
    for id in ["R1", "R2", "R3", "R4", "R5", "R6", "R7", "R8", "R15"] {
        let commands = commands(id, 1);
        assert_eq!(commands.len(), 1, "{commands:?}");
        for part in ["PREMATH_PROVE=1 cargo nextest run ", " --profile prove ", " --release --no-capture "] {
            assert!(commands[0].contains(part), "{id}: {}", commands[0]);
        }
    }
}

#[test]
fn what_is_built_for_a_figure_holds_the_tests_of_its_slice() {
    for entry in ENTRIES {
        let Slice::Tests { package, filter } = entry.slice else { continue };
        // A figure may go on in another package; what CI has a slice of must be among it.
        let own = format!(" --package {package} ");
        let commands: Vec<String> = commands(entry.id, 1);
        for command in commands.iter().filter(|command| command.contains(&own)) {
            for binary in command.split(" --test ").skip(1).filter_map(|rest| rest.split(' ').next()) {
                assert!(filter.contains(&format!("binary({binary})")), "{}: {command}", entry.id);
            }
        }
        let is_in_a_package = commands.iter().any(|command| command.contains(" --test "));
        assert!(!is_in_a_package || commands.iter().any(|command| command.contains(&own)), "{}", entry.id);
    }
}

/// The test binaries that a filter names.
fn binaries(filter: &str) -> Vec<&str> {
    let names = filter.split("binary(").skip(1).filter_map(|rest| rest.split(')').next());
    names.filter(|name| !name.starts_with('/')).collect()
}

#[test]
fn every_binary_that_a_figure_names_exists_in_its_package() {
    let mut named = Vec::new();
    for entry in ENTRIES {
        if let Slice::Tests { package, filter } = entry.slice {
            named.extend(binaries(filter).into_iter().map(|name| (package.to_owned(), name.to_owned())));
        }
        for command in commands(entry.id, 1) {
            let package = command.split(" --package ").nth(1).and_then(|rest| rest.split(' ').next());
            let Some(package) = package else { continue };
            named.extend(binaries(&command).into_iter().map(|name| (package.to_owned(), name.to_owned())));
        }
    }
    for figure in ["around_the_gate", "exported_turns", "gate_removal"] {
        assert!(named.iter().any(|(_, name)| name == figure), "no figure runs {figure}");
    }
    for (package, name) in named {
        let tests = format!("crates/{}/tests/{name}", package.trim_start_matches("premath-"));
        let is_there = system::exists(&format!("{tests}.rs")) || system::exists(&format!("{tests}/main.rs"));
        assert!(is_there, "{package} has no test binary `{name}`");
    }
}

#[test]
fn a_figure_names_the_tools_that_its_tests_start() {
    let needs = |id: &str| -> Vec<String> {
        let entry = ENTRIES.iter().find(|entry| entry.id == id).unwrap();
        let works = (entry.long_form)(&Budget { minutes: 1 });
        works.iter().filter(|work| matches!(work, Work::Need(_))).map(|work| format!("{work:?}")).collect()
    };
    assert!(needs("R1").iter().any(|need| need.contains("\"strace\"")));
    for tool in ["\"strace\"", "\"faketime\""] {
        assert!(needs("R8").iter().any(|need| need.contains(tool)), "{tool}");
    }
}

#[test]
fn fuzzing_splits_the_minutes_evenly() {
    let commands = commands("R12", 3);
    assert_eq!(commands.len(), 5);
    for (command, target) in
        commands.iter().zip(["strict_decode", "join_check", "sse_decode", "model_answer", "scheme_eval"])
    {
        assert!(command.starts_with("RUSTC_BOOTSTRAP=1 cargo fuzz run "), "{command}");
        assert!(command.contains(&format!(" {target} ")), "{command}");
        assert!(command.ends_with(" -- -max_total_time=36"), "{command}");
    }
}
