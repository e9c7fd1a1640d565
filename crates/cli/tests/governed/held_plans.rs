//! A plan does what its card said, in its order, or nothing: not on what became of things since, not what acts at once, not
//! around a step that may not be done.

use serde_json::Value;

use crate::room::{Room, call};

/// What became of every step, with why.
fn steps(proposal: &Value) -> Vec<(String, String)> {
    let text = |step: &Value, name: &str| step[name].as_str().unwrap_or_default().to_owned();
    let steps = proposal["proposal"]["steps"].as_array().unwrap();
    steps.iter().map(|step| (text(step, "state"), text(step, "detail"))).collect()
}

fn states(proposal: &Value) -> Vec<String> {
    steps(proposal).into_iter().map(|(state, _)| state).collect()
}

/// Has another run change something, with the person's yes.
#[track_caller]
pub(crate) fn change(room: &Room, run: &str, tool: &str, arguments: &str) {
    assert_eq!(room.begin(run, &call(tool, arguments)).code, Some(3));
    room.done(&["approvals", "approve", &room.only("approvals")]);
    room.done(&["resume", run]);
}

fn proposing(steps: &str) -> String {
    call("desk_propose_plan", &format!("goal = \"Tidy up\", rollback = \"restore\", steps = [{steps}]"))
}

#[test]
fn a_plan_is_not_carried_out_on_what_a_file_became_since_it_was_shown() {
    let changes = [
        (
            "desk_rename_file",
            "name = \"important-b.md\"",
            "what was shown as `b.md` is `important-b.md` by now",
        ),
        ("desk_update_markdown", "version = 1, content = \"worth a lot\"", "`b.md` is not what it was"),
    ];
    for (tool, arguments, why) in changes {
        let room = Room::new(&["a.md", "b.md", "c.md"], "");
        assert_eq!(room.begin("plans", &room.planning()).code, Some(3));
        let id = room.only("proposals");
        change(&room, "other", tool, &format!("file_id = \"{}\", {arguments}", room.files[1]));
        let (code, done) = room.ended(&["proposals", "approve", &id]);
        assert_eq!((code, done["proposal"]["state"].as_str()), (Some(1), Some("failed")), "{done}");
        let steps = steps(&done);
        assert!(steps[1].1.starts_with("plan_stale: ") && steps[1].1.contains(why), "{tool}: {steps:?}");
        assert_eq!(states(&done), ["skipped", "failed", "skipped"], "{tool}");
        assert!(room.deleted().is_empty(), "{tool}: {:?}", room.deleted());
        room.done(&["resume", "plans"]);
        room.is_sound(&["plans", "other", &id]);
    }
}

#[test]
fn what_acts_at_once_is_no_step_of_a_plan() {
    let room = Room::new(&["a.md"], "");
    let patch = "*** Begin Patch\\n*** Add File: acted.txt\\n+yes\\n*** End Patch";
    let acting = [
        ("shell", "command = \"touch acted.txt\", workdir = \".\"".to_owned()),
        ("apply_patch", format!("patch = \"{patch}\"")),
    ];
    for (tool, arguments) in acting {
        let delete = format!("tool = \"desk_delete_file\", args = {{ id = \"{}\" }}", room.files[0]);
        let turn = proposing(&format!(
            "{{ tool = \"{tool}\", args = {{ {arguments} }}, rationale = \"first\" }}, {{ {delete}, rationale = \"then\" }}"
        ));
        let scopes = ["process:run", "files:write", "desk:delete"];
        let scopes: Vec<_> = scopes.iter().flat_map(|scope| ["--scope", scope]).collect();
        let ran = room.work(tool, &turn, &scopes);
        assert_eq!(ran.code, Some(0), "{ran:?}");
        assert!(room.items(&["proposals", "list"]).is_empty(), "{tool}");
        let results = room.results(tool);
        assert_eq!(results[0]["errorCode"], "tool.schema_invalid", "{results:?}");
        let message = results[0]["message"].as_str().unwrap();
        assert!(
            message.starts_with(&format!("step 1 ({tool}): ")) && message.contains("ask for it by itself"),
            "{message}"
        );
        assert!(!room.path().join("acted.txt").exists(), "{tool}");
    }
}

const KEEPS_B: &str = r#"
@id("deletes") @reason("deleting is the task")
permit (principal, action in Action::"scope:desk:delete", resource);

@id("keeps.b") @reason("it is still needed")
forbid (principal, action == Action::"desk_delete_file", resource)
when { context.names like "*b.md*" };
"#;
const KEEPS_B_EXAMPLES: &str = r#"{
  "deletes": {
    "match": [{"tool": "desk_delete_file", "arguments": {"id": "fil_1"}}],
    "noMatch": [{"tool": "desk_create_markdown", "arguments": {"name": "a.md", "content": ""}}]
  },
  "keeps.b": {
    "match": [{"tool": "desk_delete_file", "arguments": {"id": "fil_1"}, "targets": [{"id": "fil_1", "name": "b.md"}]}],
    "noMatch": [{"tool": "desk_delete_file", "arguments": {"id": "fil_1"}, "targets": [{"id": "fil_1", "name": "a.md"}]}]
  }
}"#;

#[test]
fn a_step_that_policy_denies_keeps_the_whole_plan_from_being_done() {
    let room = Room::new(&["a.md", "b.md", "c.md"], "");
    assert_eq!(room.begin("plans", &room.planning()).code, Some(3));
    let id = room.only("proposals");
    room.write("policies/governor/mine.cedar", KEEPS_B);
    room.write("policies/governor/mine.examples.json", KEEPS_B_EXAMPLES);
    assert_eq!(room.json(&["policy", "show"])["rulesFailed"], Value::Null, "the rules load");
    let (code, done) = room.ended(&["proposals", "approve", &id]);
    assert_eq!(code, Some(1), "{done}");
    let steps = steps(&done);
    assert!(steps[1].1.starts_with("policy_denied: "), "{steps:?}");
    assert_eq!(states(&done), ["skipped", "failed", "skipped"], "{steps:?}");
    assert!(room.deleted().is_empty(), "{:?}", room.deleted());
}

#[test]
fn a_plan_under_files_that_nobody_promoted_does_nothing() {
    let room = Room::new(&["a.md", "b.md", "c.md"], "");
    assert_eq!(room.begin("plans", &room.planning()).code, Some(3));
    let id = room.only("proposals");
    room.write("policies/notes.md", "not promoted\n");
    let (code, done) = room.ended(&["proposals", "approve", &id]);
    assert_eq!(code, Some(1), "{done}");
    assert!(states(&done).iter().all(|state| state == "failed"), "{done}");
    let journal = room.path().join(format!(".premath/runs/{id}/journal.jsonl"));
    let journal = std::fs::read_to_string(journal).unwrap();
    assert!(journal.contains("governance.policy_package_unpinned"), "{journal}");
    assert!(room.deleted().is_empty(), "{:?}", room.deleted());
}

#[test]
fn a_plan_waits_no_longer_than_a_question() {
    let room = Room::new(&["a.md", "b.md"], "policy.approval_seconds = 2\n");
    assert_eq!(room.begin("plans", &room.planning()).code, Some(3));
    let plans = room.items(&["proposals", "list"]);
    let id = plans[0]["id"].as_str().unwrap();
    room.until("proposals", id, "expired");
    assert_eq!(room.refused(&["proposals", "approve", id]), "proposal_expired");
    assert!(room.deleted().is_empty());
    // The run asks about the same plan again.
    room.configure("policy.approval_seconds = 600\n");
    assert_eq!(room.run(&["resume", "plans"]).code, Some(3));
    assert_eq!(room.only("proposals"), id);
    room.done(&["proposals", "approve", id]);
    assert_eq!(room.deleted().len(), 2);
}

/// A folder with so many files, and its id.
fn with_folder(room: &Room, files: usize) -> String {
    room.done(&["desk", "add", "Drafts", "--type", "folder"]);
    room.write("text", "a draft\n");
    for number in 1..=files {
        let name = format!("draft-{number:02}.md");
        room.done(&["desk", "add", &name, "--file", "text", "--folder", "Drafts"]);
    }
    let tree = room.json(&["desk", "tree"]).to_string();
    let at = tree.find("fol_").unwrap();
    tree.get(at..at + 16).unwrap().to_owned()
}

#[test]
fn the_card_of_a_folder_names_its_files_and_a_plan_deletes_no_others() {
    let room = Room::new(&[], "");
    let folder = with_folder(&room, 22);
    let asked = room.begin("asks", &call("desk_delete_folder", &format!("id = \"{folder}\"")));
    let delete =
        format!("{{ tool = \"desk_delete_folder\", args = {{ id = \"{folder}\" }}, rationale = \"old\" }}");
    let planned = room.begin("plans", &proposing(&delete));
    for ran in [&asked, &planned] {
        assert_eq!(ran.code, Some(3), "{ran:?}");
        assert!(ran.stdout.contains("delete folder Drafts with 22 files"), "{}", ran.stdout);
        let named =
            (1..=22).filter(|number| ran.stdout.contains(&format!("draft-{number:02}.md (version 1)")));
        assert_eq!(named.count(), 20, "{}", ran.stdout);
        assert!(ran.stdout.contains("and 2 more"), "{}", ran.stdout);
    }
    let id = room.only("proposals");
    room.write("text", "my thesis\n");
    room.done(&["desk", "add", "thesis.md", "--file", "text", "--folder", "Drafts"]);
    let (code, done) = room.ended(&["proposals", "approve", &id]);
    assert_eq!(code, Some(1), "{done}");
    let steps = steps(&done);
    assert!(steps[0].1.starts_with("plan_stale: "), "{steps:?}");
    assert!(room.deleted().is_empty(), "{:?}", room.deleted());
}

/// A plan that deletes a file, closes an issue and deletes another file, and waits.
fn around_an_issue() -> (Room, String) {
    let room = Room::new(&["a.md", "b.md"], "");
    room.done(&["issue", "add", "Fix the index"]);
    let delete = |id: &str| {
        format!("{{ tool = \"desk_delete_file\", args = {{ id = \"{id}\" }}, rationale = \"old\" }}")
    };
    let close =
        "{ tool = \"issue_update\", args = { id = \"bd-1\", status = \"closed\" }, rationale = \"done\" }";
    let turn = proposing(&[&delete(&room.files[0]), close, &delete(&room.files[1])].join(", "));
    let ran = room.work("plans", &turn, &["--scope", "issues:write", "--scope", "desk:delete"]);
    assert_eq!(ran.code, Some(3), "{ran:?}");
    assert!(ran.stdout.contains("issue bd-1: Fix the index"), "{}", ran.stdout);
    let id = room.only("proposals");
    (room, id)
}

#[test]
fn a_plan_over_the_desk_and_issues_is_done_in_its_order() {
    let (room, id) = around_an_issue();
    let done = room.json(&["proposals", "approve", &id]);
    assert_eq!(states(&done), ["ok", "ok", "ok"], "{done}");
    assert_eq!(room.deleted().len(), 2);
    assert_eq!(room.json(&["issue", "show", "bd-1"])["issue"]["status"], "closed");
    room.is_sound(&["plans", &id]);
}

/// The turn of a plan as `harness-join-check` reads it, with the change of one step as the intent.
fn exported(room: &Room, id: &str, step: &str) -> Value {
    let card = room.json(&["runs", "show", id]);
    let turn = card["turns"][0]["callId"].as_str().unwrap_or_else(|| panic!("{card}"));
    serde_json::from_str(&room.done(&["turn", "export", turn, "--intent", step])).unwrap()
}

/// What the kernel says of a turn and its intent.
fn judged(room: &Room, case: &Value) -> String {
    room.write("case.json", &case.to_string());
    room.json(&["harness-join-check", "--input", "case.json"]).to_string()
}

#[test]
fn a_person_who_approved_the_plan_is_the_verification_of_its_closing_step() {
    let missing = "mutation.use_evidence_missing";
    let (room, id) = around_an_issue();
    let done = room.json(&["proposals", "approve", &id]);
    assert_eq!(states(&done), ["ok", "ok", "ok"], "{done}");
    let mut case = exported(&room, &id, "2");
    assert!(!judged(&room, &case).contains(missing), "{case}");
    let requests = case["evidence"]["toolRequests"].as_array_mut().unwrap();
    assert_eq!(requests.len(), 3);
    for request in requests {
        assert_eq!(request["approvalRef"], id.as_str(), "{request}");
        request.as_object_mut().unwrap().remove("approvalRef");
    }
    let verdict = judged(&room, &case);
    assert!(verdict.contains(missing), "nothing else stands behind it: {verdict}");
}

#[test]
fn an_issue_that_is_another_one_by_now_keeps_the_whole_plan_from_being_done() {
    let (room, id) = around_an_issue();
    room.done(&["issue", "update", "bd-1", "--title", "Keep the index"]);
    let done = room.json(&["proposals", "approve", &id]);
    assert_eq!(states(&done), ["skipped", "failed", "skipped"], "{done}");
    assert!(steps(&done)[1].1.starts_with("plan_stale: "), "{done}");
    assert!(room.deleted().is_empty(), "{:?}", room.deleted());
}

#[test]
fn nothing_is_done_behind_a_step_that_is_refused_when_its_turn_comes() {
    let (room, id) = around_an_issue();
    room.done(&["issue", "claim", "bd-1", "--assignee", "mo"]);
    let (code, done) = room.ended(&["proposals", "approve", &id]);
    assert_eq!(code, Some(1), "{done}");
    assert_eq!(states(&done), ["ok", "failed", "skipped"], "{done}");
    assert!(steps(&done)[1].1.starts_with("lease_"), "{done}");
    assert_eq!(room.deleted(), ["a.md"]);
    room.is_sound(&["plans", &id]);
}
