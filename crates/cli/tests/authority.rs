//! Changes on the strength of an instruction: what permits them, and everything that must not.
//!
//! Each refusal is one that a person can type, names its class, is on record, and changes nothing.

#![expect(clippy::unwrap_used, reason = "a command that cannot be started fails the test")]
#![expect(clippy::indexing_slicing, reason = "a member that is not there fails the test")]
#![expect(clippy::disallowed_methods, reason = "files are edited behind premath's back")]

mod folder;

use std::fs;

use folder::Folder;
use serde_json::{Value, json};

const ID: &str = "20261115T071252Z-close";
const UPDATE: &str = "capabilities.change_morphisms.issue_update";
const MISSING: &str = "mutation.use_evidence_missing";

fn read(folder: &Folder, name: &str) -> String {
    fs::read_to_string(folder.path().join(name)).unwrap()
}

fn policy_digest(folder: &Folder) -> Value {
    let policy: Value = serde_json::from_str(&read(folder, "policies/instruction/default.json")).unwrap();
    policy["policyDigest"].clone()
}

fn envelope(folder: &Folder) -> Value {
    json!({
        "schema": 1,
        "intent": "close bd-1",
        "scope": {"issueId": "bd-1"},
        "normalizerId": "premath.normalizer.v1",
        "policyDigest": policy_digest(folder),
        "requestedChecks": ["issue", "graph"],
        "capabilityClaims": [UPDATE],
    })
}

/// A repository with two issues and an instruction about the first of them.
fn repository(change: impl FnOnce(&mut Value)) -> Folder {
    let folder = Folder::new();
    folder.run(&["init"]);
    folder.run(&["issue", "add", "First"]);
    folder.run(&["issue", "add", "Second"]);
    let mut envelope = envelope(&folder);
    change(&mut envelope);
    folder.write(&path(ID), envelope.to_string());
    folder
}

fn path(id: &str) -> String {
    format!("instructions/{id}.json")
}

/// The same, with the instruction run.
fn instructed() -> Folder {
    let folder = repository(|_| {});
    let (code, answer) = folder.json(&["instruction-run", &path(ID)]);
    assert_eq!((code, &answer["witness"]["verdictClass"]), (0, &json!("accepted")), "{answer}");
    folder
}

/// A change that must be refused with this class; and that issue memory is what it was, and the audit log knows.
#[track_caller]
fn refused(folder: &Folder, arguments: &[&str], class: &str) -> Value {
    let before = read(folder, ".premath/issues.jsonl");
    let (code, answer) = folder.json(arguments);
    assert_eq!((code, &answer["refused"]["class"]), (1, &json!(class)), "{arguments:?}: {answer}");
    assert_eq!(read(folder, ".premath/issues.jsonl"), before, "{arguments:?} changed something");
    let (_, rows) = folder.json(&["audit", "query", "--limit", "1"]);
    let row = &rows["items"][0];
    assert_eq!((&row["effect"], &row["code"]), (&json!("deny"), &json!(class)), "{row}");
    answer
}

const CHANGE: [&str; 7] = ["issue", "update", "bd-1", "--notes", "linked", "--instruction", ID];

/// Seed: 001 §6/4, 001 §8/3, 002 §3.2/2, 002 §7/3, 004 §6/4
#[test]
fn a_change_on_the_strength_of_an_instruction_says_so_on_its_row() {
    let folder = instructed();
    let (code, answer) = folder.json(&CHANGE);
    assert_eq!(code, 0, "{answer}");
    let witness = &answer["issue"]["writeWitness"];
    assert_eq!(witness["authority"], "turn");
    assert_eq!(witness["instructionRef"], format!("instruction://{ID}"));
    assert_eq!(witness["policyDigest"], policy_digest(&folder));
    let (_, permits) = folder.json(&["permits", "list", "--issue", "bd-1"]);
    assert_eq!(permits["items"][0]["permitId"], witness["permitId"]);
    assert_eq!(permits["items"][0]["intentDigest"], witness["intentDigest"]);
    let ran = folder.run(&[&CHANGE[..], &["--envelope"]].concat());
    let envelope: Value = serde_json::from_str(&ran.stdout).unwrap();
    assert_eq!(envelope["instructionRef"], format!("instruction://{ID}"));
    assert_eq!(envelope["policyDigest"], policy_digest(&folder));
    assert_eq!(envelope["witnessRefs"].as_array().unwrap().len(), 1);
    assert_eq!(folder.json(&["verify"]).0, 0);
}

/// Seed: 001 §4/2
#[test]
fn a_permit_is_spent_once() {
    let folder = instructed();
    let again = [&CHANGE[..], &["--call-id", "the-call"]].concat();
    assert_eq!(folder.json(&again).0, 0);
    let answer = refused(&folder, &again, MISSING);
    assert!(answer["refused"]["detail"].as_str().unwrap().contains("was spent"), "{answer}");
}

#[test]
fn an_instruction_is_for_its_issue_and_its_actions_alone() {
    let folder = instructed();
    refused(&folder, &["issue", "update", "bd-2", "--notes", "x", "--instruction", ID], MISSING);
    let class = "mutation.capability_claim_missing";
    refused(&folder, &["issue", "discover", "bd-1", "Found", "--instruction", ID], class);
    refused(&folder, &["dep", "add", "bd-1", "bd-2", "--instruction", ID], class);
    refused(&folder, &["issue", "claim", "bd-1", "--assignee", "jo", "--instruction", ID], class);
    refused(&folder, &["issue", "add", "Third", "--instruction", ID], class);
}

#[test]
fn a_witness_that_was_edited_or_forged_permits_nothing() {
    let folder = instructed();
    let place = format!("artifacts/ciwitness/{ID}.json");
    let written = read(&folder, &place);
    folder.write(&place, written.replace("\"bd-1\"", "\"bd-2\""));
    refused(&folder, &["issue", "update", "bd-2", "--notes", "x", "--instruction", ID], MISSING);
    refused(&folder, &CHANGE, MISSING);
    assert_eq!(folder.json(&["instruction-witness", ID]).0, 1);
    // A whole witness under another name that nobody issued here.
    let other = "20261115T071253Z-forged";
    folder.write(&format!("artifacts/ciwitness/{other}.json"), written.replace(ID, other));
    folder.write(&path(other), read(&folder, &path(ID)));
    refused(&folder, &["issue", "update", "bd-1", "--notes", "x", "--instruction", other], MISSING);
    folder.write(&place, &written);
    assert_eq!(folder.json(&CHANGE).0, 0);
}

#[test]
fn an_envelope_that_was_edited_after_it_was_run_permits_nothing() {
    let folder = instructed();
    folder.write(&path(ID), read(&folder, &path(ID)).replace("close bd-1", "close everything"));
    refused(&folder, &CHANGE, MISSING);
    fs::remove_file(folder.path().join(path(ID))).unwrap();
    refused(&folder, &CHANGE, MISSING);
}

#[test]
fn a_policy_that_changed_after_it_was_bound_binds_nothing() {
    let folder = instructed();
    let place = "policies/instruction/default.json";
    let written = read(&folder, place);
    folder.write(place, written.replace("3600", "7200"));
    refused(&folder, &CHANGE, "mutation.policy_digest_mismatch");
    let (code, answer) = folder.json(&["instruction-check", &path(ID)]);
    assert_eq!((code, &answer["failureClasses"]), (1, &json!(["instruction_policy_digest_mismatch"])));
    folder.write(place, "{}");
    assert_eq!(folder.run(&CHANGE).code, Some(2));
    folder.write(place, &written);
    assert_eq!(folder.json(&CHANGE).0, 0);
}

#[test]
fn an_id_with_path_characters_leads_nowhere() {
    let folder = instructed();
    for id in ["../x", "a/b", "..", "20261115T071252Z-../../etc", "instruction://../x"] {
        let arguments = ["issue", "update", "bd-1", "--notes", "x", "--instruction", id];
        refused(&folder, &arguments, "instruction_filename_invalid");
        let shown = folder.run(&["instruction-witness", id]);
        assert_eq!((shown.code, shown.stdout.as_str()), (Some(2), ""), "{shown:?}");
        assert!(shown.stderr.starts_with("error: instruction_filename_invalid: "), "{}", shown.stderr);
    }
    folder.write("instructions/no-time.json", envelope(&folder).to_string());
    let ran = folder.run(&["instruction-run", "instructions/no-time.json"]);
    assert_eq!(ran.code, Some(2), "{ran:?}");
    assert!(ran.stderr.starts_with("error: instruction_filename_invalid: "), "{}", ran.stderr);
}

#[test]
fn a_witness_ends() {
    let folder = repository(|_| {});
    let place = "policies/instruction/default.json";
    let mut policy: Value = serde_json::from_str(&read(&folder, place)).unwrap();
    policy["ttlSeconds"] = json!(1);
    policy.as_object_mut().unwrap().remove("policyDigest");
    folder.write(place, policy.to_string());
    // The digest of the new policy is what the check says it is.
    let (_, answer) = folder.json(&["instruction-check", &path(ID)]);
    assert_eq!(answer["failureClasses"], json!(["instruction_unknown_policy"]));
    let digest = digest_told(&folder);
    let mut envelope = envelope_with(&folder, &digest);
    envelope["scope"] = json!("repository");
    folder.write(&path(ID), envelope.to_string());
    let (_, ran) = folder.json(&["instruction-run", &path(ID)]);
    let (begun, end) = (&ran["witness"]["finishedAt"], &ran["witness"]["expiresAt"]);
    assert_ne!(begun, end);
    while folder.json(&["instruction-witness", ID]).0 == 0 {
        std::thread::yield_now();
    }
    let answer = refused(&folder, &CHANGE, MISSING);
    assert!(answer["refused"]["detail"].as_str().unwrap().contains("ended at"), "{answer}");
}

/// A policy that states a digest that it does not have is told the one it has.
fn digest_told(folder: &Folder) -> String {
    let place = "policies/instruction/default.json";
    let written = read(folder, place);
    let mut policy: Value = serde_json::from_str(&written).unwrap();
    policy["policyDigest"] = json!(format!("pol1_{}", "0".repeat(64)));
    folder.write(place, policy.to_string());
    let zero = envelope_with(folder, &format!("pol1_{}", "0".repeat(64)));
    folder.write(&path("20261115T071254Z-zero"), zero.to_string());
    let (_, answer) = folder.json(&["instruction-check", &path("20261115T071254Z-zero")]);
    folder.write(place, written);
    let detail = answer["reasons"][0]["detail"].as_str().unwrap().to_owned();
    detail.rsplit(' ').next().unwrap().to_owned()
}

fn envelope_with(folder: &Folder, digest: &str) -> Value {
    let mut envelope = json!({
        "schema": 1,
        "intent": "write notes",
        "scope": {"issueId": "bd-1"},
        "normalizerId": "premath.normalizer.v1",
        "requestedChecks": ["store"],
        "capabilityClaims": [UPDATE],
    });
    envelope["policyDigest"] = json!(digest);
    assert!(folder.path().exists());
    envelope
}

/// Seed: 002 §5/4
#[test]
fn a_failed_check_rejects_the_instruction_and_it_permits_nothing() {
    let folder = repository(|_| {});
    folder.run(&["issue", "update", "bd-1", "--status", "closed"]);
    let (code, answer) = folder.json(&["instruction-run", &path(ID)]);
    assert_eq!(code, 1, "{answer}");
    assert_eq!(answer["witness"]["failureClasses"], json!(["check_failed"]));
    assert_eq!(answer["witness"]["results"][0]["status"], "failed");
    refused(&folder, &CHANGE, MISSING);
    // What it says of itself afterwards does not matter.
    let place = format!("artifacts/ciwitness/{ID}.json");
    folder.write(&place, read(&folder, &place).replace("rejected", "accepted"));
    refused(&folder, &CHANGE, MISSING);
}

#[test]
fn what_the_policy_does_not_allow_is_not_run() {
    let cases: [(&str, Value, &str); 3] = [
        ("requestedChecks", json!(["issue", "deploy"]), "instruction_check_not_allowed"),
        ("normalizerId", json!("somebody.else"), "instruction_normalizer_not_allowed"),
        ("policyDigest", json!(format!("pol1_{}", "0".repeat(64))), "instruction_unknown_policy"),
    ];
    for (member, value, class) in cases {
        let folder = repository(|envelope| envelope[member] = value.clone());
        for command in ["instruction-check", "instruction-run"] {
            let (code, answer) = folder.json(&[command, &path(ID)]);
            assert_eq!(code, 1, "{command} {member}: {answer}");
            let classes = answer.get("witness").unwrap_or(&answer)["failureClasses"].clone();
            assert!(classes.as_array().unwrap().contains(&json!(class)), "{command} {member}: {classes}");
        }
        refused(&folder, &CHANGE, MISSING);
    }
}

#[test]
fn a_terminal_that_needs_an_instruction_changes_nothing_without_one() {
    let folder = instructed();
    folder.write("premath.toml", "[mutation]\ncli = \"instruction-linked\"\n");
    let before = read(&folder, ".premath/issues.jsonl");
    let (code, answer) = folder.json(&["issue", "update", "bd-1", "--notes", "x"]);
    assert_eq!((code, &answer["refused"]["class"]), (1, &json!(MISSING)));
    assert_eq!(read(&folder, ".premath/issues.jsonl"), before);
    assert_eq!(folder.json(&CHANGE).0, 0);
}

#[test]
fn a_process_that_premath_started_does_not_instruct_anybody() {
    let folder = repository(|_| {});
    let mut command = folder.command(&["instruction-run", &path(ID), "--json"]);
    let output = command.env("PREMATH_STEP_TOKEN", "step").output().unwrap();
    assert_eq!(output.status.code(), Some(1));
    assert!(!folder.path().join(format!("artifacts/ciwitness/{ID}.json")).exists());
    folder.json(&["instruction-run", &path(ID)]);
    let mut command = folder.command(&[&CHANGE[..], &["--json"]].concat());
    let output = command.env("PREMATH_STEP_TOKEN", "step").output().unwrap();
    assert_eq!(output.status.code(), Some(1));
    assert!(!read(&folder, ".premath/issues.jsonl").contains("linked"));
}

#[test]
fn a_ledger_that_somebody_changed_is_damage_and_permits_nothing() {
    let folder = instructed();
    let place = format!(".premath/permits/{ID}.jsonl");
    let written = read(&folder, &place);
    folder.write(&place, written.replace("\"expiresAt\":\"20", "\"expiresAt\":\"30"));
    let ran = folder.run(&CHANGE);
    assert_eq!(ran.code, Some(4), "{ran:?}");
    assert!(!read(&folder, ".premath/issues.jsonl").contains("linked"));
    assert_eq!(folder.json(&["verify"]).0, 1);
}

/// R16: whatever is taken away, alone or with anything else, nothing is changed.
/// Seed: 004 §6/5, 001 §8/3, 001 §6.3/8
#[test]
fn without_any_one_member_or_any_two_nothing_is_permitted() {
    let folder = instructed();
    let before = read(&folder, ".premath/issues.jsonl");
    let witness = format!("artifacts/ciwitness/{ID}.json");
    let policy = "policies/instruction/default.json";
    for (file, optional) in [(path(ID), &[][..]), (witness, &[]), (policy.to_owned(), &["policyDigest"])] {
        let written = read(&folder, &file);
        let document: Value = serde_json::from_str(&written).unwrap();
        let members: Vec<&String> = document.as_object().unwrap().keys().collect();
        let mut tried = 0;
        for (at, first) in members.iter().enumerate() {
            for second in members.iter().skip(at) {
                if [first, second].iter().all(|member| optional.contains(&member.as_str())) {
                    continue;
                }
                let mut less = document.clone();
                less.as_object_mut().unwrap().retain(|name, _| name != *first && name != *second);
                folder.write(&file, less.to_string());
                let ran = folder.run(&CHANGE);
                assert!(matches!(ran.code, Some(1 | 2)), "{file} without {first} and {second}: {ran:?}");
                tried += 1;
            }
        }
        assert!(tried >= members.len(), "{file}: {tried}");
        folder.write(&file, written);
    }
    assert_eq!(read(&folder, ".premath/issues.jsonl"), before);
    assert_eq!(folder.json(&CHANGE).0, 0);
}

/// R16: an envelope that lacks something is not run, or claims nothing.
#[test]
fn an_envelope_without_any_one_member_or_any_two_instructs_nobody() {
    let folder = repository(|_| {});
    let before = read(&folder, ".premath/issues.jsonl");
    let document: Value = serde_json::from_str(&read(&folder, &path(ID))).unwrap();
    let members: Vec<&String> = document.as_object().unwrap().keys().collect();
    for (at, first) in members.iter().enumerate() {
        for (beside, second) in members.iter().enumerate().skip(at) {
            let id = format!("20261115T071252Z-less-{at}-{beside}");
            let mut less = document.clone();
            less.as_object_mut().unwrap().retain(|name, _| name != *first && name != *second);
            folder.write(&path(&id), less.to_string());
            let ran = folder.run(&["instruction-run", &path(&id)]);
            let is_claims = first == second && *first == "capabilityClaims";
            assert_eq!(
                ran.code,
                Some(if is_claims { 0 } else { 2 }),
                "without {first} and {second}: {ran:?}"
            );
            let changed = folder.run(&["issue", "update", "bd-1", "--notes", "x", "--instruction", &id]);
            assert_eq!(changed.code, Some(1), "without {first} and {second}: {changed:?}");
        }
    }
    assert_eq!(read(&folder, ".premath/issues.jsonl"), before);
}

#[test]
fn a_change_leads_back_to_its_permit_its_instruction_and_whoever_asked() {
    let folder = instructed();
    folder.json(&CHANGE);
    let (code, why) = folder.json(&["audit", "why", "bd-1", "--limit", "1"]);
    assert_eq!((code, &why["complete"]), (0, &json!(true)), "{why}");
    let kinds: Vec<&str> =
        why["steps"].as_array().unwrap().iter().map(|step| step["kind"].as_str().unwrap()).collect();
    for kind in ["change", "permit", "instruction", "person", "policy", "witness"] {
        assert!(kinds.contains(&kind), "{kind}: {why}");
    }
}

#[test]
fn verification_finds_a_permit_that_nobody_spent_and_a_witness_that_was_edited() {
    let folder = instructed();
    folder.json(&CHANGE);
    assert_eq!(folder.json(&["verify"]).0, 0);
    let place = format!("artifacts/ciwitness/{ID}.json");
    let written = read(&folder, &place);
    folder.write(&place, written.replace("close bd-1", "close bd-2"));
    let (code, answer) = folder.json(&["verify"]);
    assert_eq!(code, 1);
    assert_eq!(answer["problems"][0]["class"], "instruction.witness_changed");
    folder.write(&place, written);
    // The ledger as it was before the permit was spent: without its head, and with the one that went with it.
    let ledger = format!(".premath/permits/{ID}.jsonl");
    let head = format!("{ledger}.head");
    let issued = read(&folder, &ledger).lines().next().unwrap().to_owned() + "\n";
    folder.write(&ledger, &issued);
    fs::remove_file(folder.path().join(&head)).unwrap();
    let (code, answer) = folder.json(&["verify"]);
    assert_eq!(code, 1);
    assert!(answer.to_string().contains("permit.ledger_damaged"), "{answer}");
    let other = instructed();
    let (old, old_head) = (read(&other, &ledger), fs::read(other.path().join(&head)).unwrap());
    other.json(&[&CHANGE[..], &["--call-id", "again"]].concat());
    other.write(&ledger, old);
    other.write(&head, old_head);
    assert!(other.json(&["verify"]).1.to_string().contains("permit.unrecorded"));
}

const SCENARIO: &str = r#"
name = "filing"
[[turn]]
text = "I file it."
[[turn.call]]
id = "file"
tool = "issue_add"
[turn.call.arguments]
title = "Found on the way"
[[turn]]
text = "Done."
"#;

/// A run that asks for one new issue, under a terminal that needs an instruction for everything.
#[track_caller]
fn run(folder: &Folder, more: &[&str]) -> (bool, String) {
    folder.write("filing.toml", SCENARIO);
    let fixed = ["run", "File it", "--model", "scripted:filing.toml", "--json"];
    let named = if more.contains(&"--run-id") { &[][..] } else { &["--run-id", "filing"] };
    let ran = folder.run(&[&fixed[..], named, more].concat());
    (read(folder, ".premath/issues.jsonl").contains("Found on the way"), ran.stdout + &ran.stderr)
}

/// Seed: 001 §6/1, 001 §6/4
#[test]
fn a_run_changes_things_on_the_strength_of_its_own_instruction() {
    let folder = repository(|_| {});
    let (is_filed, said) = run(&folder, &[]);
    assert!(is_filed, "{said}");
    let (_, permits) = folder.json(&["permits", "list", "--instruction", "run-filing"]);
    assert_eq!(permits["items"][0]["action"], "issue.add");
    assert_eq!(permits["items"][0]["door"], "run:filing");
    assert_eq!(permits["items"][1]["event"], "issued");
    assert_eq!(folder.json(&["verify"]).0, 0);
    assert_eq!(folder.json(&["audit", "why", "bd-3"]).1["complete"], true);
}

#[test]
fn a_run_without_an_instruction_changes_nothing_where_one_is_needed() {
    let folder = repository(|envelope| {
        envelope["scope"] = json!("repository");
        envelope["requestedChecks"] = json!(["store"]);
        envelope["capabilityClaims"] = json!(["capabilities.change_morphisms.issue_add"]);
    });
    folder.write("premath.toml", "[mutation]\ncli = \"instruction-linked\"\n");
    let (is_filed, said) = run(&folder, &[]);
    assert!(!is_filed && said.contains(MISSING), "{said}");
    let other = folder.run(&["runs", "list", "--json"]);
    assert!(other.stdout.contains("filing"), "{other:?}");
    folder.json(&["instruction-run", &path(ID)]);
    let (is_filed, said) = run(&folder, &["--instruction", ID, "--run-id", "again"]);
    assert!(is_filed, "{said}");
}

#[test]
fn nothing_is_written_through_a_link_that_a_command_left() {
    let victim = "the issues of a person\n";
    let plant: [fn(&Folder); 3] = [
        |folder| {
            fs::create_dir_all(folder.path().join("artifacts/ciwitness")).unwrap();
            let link = folder.path().join(format!("artifacts/ciwitness/{ID}.json.tmp"));
            std::os::unix::fs::symlink("../../victim.txt", link).unwrap();
        },
        |folder| {
            fs::create_dir_all(folder.path().join("artifacts")).unwrap();
            std::os::unix::fs::symlink("../policies/instruction", folder.path().join("artifacts/ciwitness"))
                .unwrap();
        },
        |folder| std::os::unix::fs::symlink("policies", folder.path().join("artifacts")).unwrap(),
    ];
    for (at, plant) in plant.iter().enumerate() {
        let folder = repository(|_| {});
        folder.write("victim.txt", victim);
        plant(&folder);
        let ran = folder.run(&["instruction-run", &path(ID)]);
        assert_eq!(ran.code, Some(if at == 0 { 0 } else { 4 }), "{at}: {ran:?}");
        assert_eq!(read(&folder, "victim.txt"), victim, "{at}");
        let policies = fs::read_dir(folder.path().join("policies/instruction")).unwrap().count();
        assert_eq!(policies, 1, "{at}");
    }
}

#[test]
fn an_instruction_says_nothing_in_another_repository() {
    let (here, there) = (instructed(), repository(|_| {}));
    let foreign = there.path().join(".premath/issues.jsonl");
    let before = fs::read_to_string(&foreign).unwrap();
    let arguments = [&CHANGE[..], &["--issues", foreign.to_str().unwrap(), "--json"]].concat();
    let outside = here.run(&arguments);
    assert_eq!(outside.code, Some(2), "{outside:?}");
    assert!(outside.stderr.contains("issues.outside_repository"), "{outside:?}");
    // Also where the person allows issue memory there.
    there.write("allowing.toml", format!("[issues]\noutside = ['{}']\n", foreign.display()));
    let config = there.path().join("allowing.toml");
    let allowed = here.command(&arguments).env("PREMATH_CONFIG", config).output().unwrap();
    let answer: Value = serde_json::from_slice(&allowed.stdout).unwrap();
    assert_eq!((allowed.status.code(), &answer["refused"]["class"]), (Some(1), &json!(MISSING)), "{answer}");
    assert_eq!(fs::read_to_string(&foreign).unwrap(), before);
}

#[test]
fn an_instruction_that_is_run_from_a_subfolder_is_the_same_one() {
    let folder = repository(|_| {});
    fs::create_dir(folder.path().join("sub")).unwrap();
    let run = |arguments: &[&str]| {
        let output = folder.command(arguments).current_dir(folder.path().join("sub")).output().unwrap();
        (output.status.code(), String::from_utf8_lossy(&output.stderr).into_owned())
    };
    assert_eq!(run(&["instruction-run", &format!("../{}", path(ID))]).0, Some(0));
    assert_eq!(run(&CHANGE).0, Some(0));
    assert_eq!(folder.json(&CHANGE).0, 0);
}

#[test]
fn a_name_stays_with_the_instruction_that_was_issued_under_it() {
    let folder = instructed();
    folder.json(&CHANGE);
    folder.write(&path(ID), read(&folder, &path(ID)).replace("close bd-1", "close everything"));
    let ran = folder.run(&["instruction-run", &path(ID)]);
    assert_eq!(ran.code, Some(2), "{ran:?}");
    assert!(ran.stderr.contains("another instruction was issued"), "{}", ran.stderr);
}

#[test]
fn an_instruction_that_is_rejected_when_it_is_run_again_permits_nothing_more() {
    let folder = instructed();
    folder.json(&CHANGE);
    folder.run(&["issue", "update", "bd-1", "--status", "closed"]);
    let (code, answer) = folder.json(&["instruction-run", &path(ID)]);
    assert_eq!((code, &answer["witness"]["capabilityClaims"]), (1, &json!([])), "{answer}");
    refused(&folder, &CHANGE, MISSING);
    assert_eq!(folder.json(&["verify"]).0, 0);
}

#[test]
fn a_ledger_without_its_head_was_tampered_with() {
    let folder = instructed();
    folder.json(&[&CHANGE[..], &["--call-id", "once"]].concat());
    let ledger = format!(".premath/permits/{ID}.jsonl");
    let issued = read(&folder, &ledger).lines().next().unwrap().to_owned() + "\n";
    folder.write(&ledger, issued);
    fs::remove_file(folder.path().join(format!("{ledger}.head"))).unwrap();
    let ran = folder.run(&[&CHANGE[..], &["--call-id", "once"]].concat());
    assert_eq!(ran.code, Some(1), "{ran:?}");
    assert!(ran.stdout.contains(MISSING) && ran.stdout.contains("rolled back"), "{ran:?}");
}

#[test]
fn a_long_file_is_refused_and_not_read_in_part() {
    let folder = repository(|_| {});
    let long = read(&folder, &path(ID)) + &" ".repeat(1 << 20) + "} nonsense {";
    folder.write(&path(ID), long);
    let ran = folder.run(&["instruction-run", &path(ID)]);
    assert_eq!(ran.code, Some(2), "{ran:?}");
    assert!(ran.stderr.starts_with("error: input.too_large: "), "{}", ran.stderr);
}

#[test]
fn a_kind_that_nobody_knows_is_not_made_known_by_its_spelling() {
    let folder = repository(|envelope| envelope["instructionType"] = json!("zzz_not_a_thing"));
    let (code, answer) = folder.json(&["instruction-check", &path(ID)]);
    assert_eq!(
        (code, &answer["failureClasses"]),
        (1, &json!(["instruction_unknown_unroutable"])),
        "{answer}"
    );
}

#[test]
fn a_door_that_stays_shut_is_on_record() {
    let folder = repository(|_| {});
    folder.write("premath.toml", "[mutation]\ncli = \"instruction-linked\"\n");
    refused(&folder, &["issue", "update", "bd-1", "--notes", "x"], MISSING);
}
