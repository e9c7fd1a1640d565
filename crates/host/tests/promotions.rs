//! What counts for a promotion: reports that leave nothing out, that this repository made, under gates that nobody lowers.
//!
//! Measuring is played: what is tested is which figures are believed, not how they come about.

#![expect(clippy::unwrap_used, reason = "what cannot be done fails the test")]

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};

use premath_bd::desk::PersonCredential;
use premath_bd::{Access, OperatorBasis, OperatorGrant, Permit, PolicyFiles, read_to_end, write_all_at};
use premath_host::{
    ActionError, AgentDoor, Attendant, Dataset, DoorRefusal, GuardrailsMeasured, Host, Measure, MutationDoor,
    NoAgent, NoModels, NoSandbox, RedTeamMeasured, RedTeamWanted, RedTeamWhole, Settings, ToolsMeasured,
    ToolsWanted, VectorSource, Workspace,
};
use premath_kernel::{Digest, Moment, Object, Value};
use premath_testkit::faulty_disk::SimDisk;
use premath_testkit::{CountingIds, TestClock};
use premath_tusk::policy::Governor;
use premath_tusk::sandbox::{Interrupt, Sandbox};
use premath_tusk::tools::files::WorkFiles;
use premath_tusk::tools::{ProtectedPaths, ToolSpec};
use premath_tusk::turn_loop::{AnswerPort, Stopwatch};
use premath_wire::v1::{
    ConfusionRow, GuardTimeRow, GuardrailsResult, Micros, ProbeOutcome, ProbeRow, RedTeamResult,
};
use serde_json::Value as Json;

#[derive(Debug)]
struct Operator;

impl MutationDoor for Operator {
    fn permit(&self, action: &str) -> Result<Permit, DoorRefusal> {
        use premath_bd::{Maintenance, MaintenanceGrant};
        Ok(match action {
            "workspace.init" => Permit::Maintenance(MaintenanceGrant::new(Maintenance::Import)),
            "workspace.doctor" => Permit::Maintenance(MaintenanceGrant::new(Maintenance::Repair)),
            _ => Permit::Operator(OperatorGrant::new(Some("jo".to_owned()), OperatorBasis::Configured)),
        })
    }
}

/// A row of data begins with `+` where something is in it. A package with a file `blind` finds nothing; one with a file
/// `hole` lets the first probe of the whole set through.
#[derive(Debug)]
struct Played {
    version: Mutex<String>,
    probes: Mutex<String>,
}

impl Measure for Played {
    fn version(&self) -> String {
        self.version.lock().unwrap().clone()
    }

    fn check(&self, _: &PolicyFiles) -> Result<(), ActionError> {
        Ok(())
    }

    fn guardrails(
        &self,
        package: &PolicyFiles,
        dataset: Dataset<'_>,
    ) -> Result<GuardrailsMeasured, ActionError> {
        let text = std::str::from_utf8(dataset.bytes).unwrap();
        let positive = text.lines().filter(|line| line.starts_with('+')).count() as u64;
        let negative = text.lines().count() as u64 - positive;
        let share = Some(Micros(if package.get("blind").is_some() { 0 } else { 1_000_000 }));
        let overall = ConfusionRow {
            true_positives: positive,
            false_positives: 0,
            true_negatives: negative,
            false_negatives: 0,
            precision: share,
            recall: share,
            f1: share,
        };
        let guards = vec![GuardTimeRow { guard: "secrets".to_owned(), looks: 1, micros: 1 }];
        let labels = BTreeMap::from([("secrets".to_owned(), overall)]);
        Ok(GuardrailsMeasured {
            result: GuardrailsResult {
                overall,
                labels,
                misses: Vec::new(),
                errors: 0,
                guards,
                sources: Vec::new(),
                splits: Vec::new(),
            },
            rows: positive + negative,
            grader_digest: "pol1_guards".to_owned(),
        })
    }

    fn red_team(
        &self,
        package: &PolicyFiles,
        wanted: &RedTeamWanted,
    ) -> Result<RedTeamMeasured, ActionError> {
        let is_whole = wanted.plugins.is_empty() && wanted.strategies.is_empty();
        let row = |number: u32| ProbeRow {
            id: format!("probe-{number}"),
            plugin: "a".to_owned(),
            strategy: "plain".to_owned(),
            outcome: if number == 0 && package.get("hole").is_some() {
                ProbeOutcome::GotThrough
            } else {
                ProbeOutcome::Held
            },
            breaches: Vec::new(),
            calls: 1,
            stopped: 1,
        };
        // Whoever leaves out the probe that gets through still has more than the gate wants.
        let probes = (u32::from(!is_whole)..250).map(row).collect();
        let probes_digest =
            if is_whole { self.probes.lock().unwrap().clone() } else { "sha256:some".to_owned() };
        Ok(RedTeamMeasured {
            result: RedTeamResult { probes, benign: Vec::new(), wall_ms: 1 },
            probes_digest,
            grader_digest: "pol1_guards".to_owned(),
        })
    }

    fn whole_red_team(&self, _: &PolicyFiles) -> Result<RedTeamWhole, ActionError> {
        let probes_digest = self.probes.lock().unwrap().clone();
        Ok(RedTeamWhole { probes_digest, grader_digest: "pol1_guards".to_owned() })
    }

    fn tools(&self, _: &ToolsWanted) -> Result<ToolsMeasured, ActionError> {
        Err(ActionError::Unavailable { what: "not here".to_owned(), hint: String::new() })
    }
}

#[derive(Debug)]
struct Door(Played);

impl AgentDoor for Door {
    fn workdir(&self) -> Result<PathBuf, ActionError> {
        NoAgent.workdir()
    }

    fn files(&self) -> Result<Arc<dyn WorkFiles>, ActionError> {
        NoAgent.files()
    }

    fn protected(&self) -> Result<ProtectedPaths, ActionError> {
        NoAgent.protected()
    }

    fn sandbox(&self) -> Arc<dyn Sandbox> {
        NoAgent.sandbox()
    }

    fn default_models(&self) -> Vec<String> {
        NoAgent.default_models()
    }

    fn unpriced_models(&self, references: &[String]) -> Result<Vec<String>, ActionError> {
        NoAgent.unpriced_models(references)
    }

    fn answers(&self, references: &[String]) -> Result<Box<dyn AnswerPort + Send>, ActionError> {
        NoAgent.answers(references)
    }

    fn governor(&self, tools: &[ToolSpec]) -> Result<Arc<Governor>, ActionError> {
        NoAgent.governor(tools)
    }

    fn attendant(&self) -> Box<dyn Attendant> {
        NoAgent.attendant()
    }

    fn credential(&self) -> Result<Option<PersonCredential>, ActionError> {
        NoAgent.credential()
    }

    fn stopwatch(&self) -> Box<dyn Stopwatch> {
        NoAgent.stopwatch()
    }

    fn interrupt(&self) -> Interrupt {
        NoAgent.interrupt()
    }

    fn measure(&self) -> &dyn Measure {
        &self.0
    }
}

#[derive(Debug)]
struct NoVectors;

impl VectorSource for NoVectors {
    fn cases(&self) -> Result<Vec<premath_host::Case>, premath_host::SourceError> {
        Ok(Vec::new())
    }
}

/// A repository in memory.
struct Repository {
    workspace: Workspace,
    door: Door,
}

impl Repository {
    fn new() -> Self {
        let now = Moment::new(1_800_000_000, 0).unwrap();
        let workspace = Workspace {
            disk: Arc::new(SimDisk::new()),
            clock: Arc::new(TestClock::at(now)),
            ids: Arc::new(CountingIds::new("id")),
            root: PathBuf::from("project"),
            door: Arc::new(Operator),
            settings: Settings::default(),
            redactor: premath_bd::Redactor::default(),
            retention: premath_host::Retention::default(),
            packages: premath_host::PolicyPackages::default(),
            receipts: premath_bd::AuditReceipts::default(),
        };
        let played =
            Played { version: Mutex::new("1".to_owned()), probes: Mutex::new("sha256:all".to_owned()) };
        let made = Self { workspace, door: Door(played) };
        made.call("workspace.init", &[]);
        let rows = "+\n".repeat(60) + &"-\n".repeat(60);
        made.write("rows.jsonl", rows.as_bytes());
        made.write("next/notes.md", b"next");
        made
    }

    fn path(&self, name: &str) -> PathBuf {
        self.workspace.root.join(name)
    }

    fn write(&self, name: &str, bytes: &[u8]) {
        let path = self.path(name);
        self.workspace.disk.create_folder(path.parent().unwrap()).unwrap();
        let mut file = self.workspace.disk.open(&path, Access::Replace).unwrap();
        write_all_at(file.as_mut(), bytes, 0).unwrap();
        file.sync().unwrap();
    }

    fn read(&self, name: &str) -> Vec<u8> {
        let file = self.workspace.disk.open(&self.path(name), Access::Read).unwrap();
        read_to_end(file.as_ref(), 0, usize::MAX).unwrap()
    }

    fn called(&self, action: &str, args: &[(&'static str, &str)]) -> Result<Json, ActionError> {
        let host = Host {
            vectors: &NoVectors,
            workspace: &self.workspace,
            models: &NoModels,
            sandbox: &NoSandbox,
            agent: &self.door,
        };
        let mut fields = Object::fields();
        for (name, value) in args {
            fields = match *value {
                "true" => fields.field(name, true),
                text if *name == "plugins" => fields.field(name, Value::text_list([text])),
                text => fields.field(name, text.to_owned()),
            };
        }
        let effect = host.call(action, &fields.finish())?;
        Ok(serde_json::from_str(effect.payload.get()).unwrap())
    }

    fn call(&self, action: &str, args: &[(&'static str, &str)]) -> Json {
        self.called(action, args).unwrap()
    }

    /// The name of a report, from the root.
    fn report(&self, answer: &Json) -> String {
        let path = answer.get("reportPath").unwrap().as_str().unwrap();
        Path::new(path).strip_prefix(&self.workspace.root).unwrap().to_str().unwrap().to_owned()
    }

    fn evaluated(&self, package: &str) -> String {
        self.report(&self.call("eval.guardrails", &[("dataset", "rows.jsonl"), ("package", package)]))
    }

    fn attacked(&self, package: &str) -> String {
        self.report(&self.call("redteam.run", &[("package", package)]))
    }

    fn promoted(&self, package: &str) -> Json {
        let (eval, redteam) = (self.evaluated(package), self.attacked(package));
        self.promoted_by(package, &eval, &redteam)
    }

    fn promoted_by(&self, package: &str, eval: &str, redteam: &str) -> Json {
        self.call("policy.promote", &[("from", package), ("eval", eval), ("redteam", redteam)])
    }
}

fn is_ok(answer: &Json) -> bool {
    answer.get("ok").unwrap() == true
}

/// Whether it was refused with this class, and a detail with these words.
fn is_refused(answer: &Json, class: &str, words: &str) -> bool {
    let text = |row: &Json, name: &str| row.get(name).unwrap().as_str().unwrap().to_owned();
    let reasons = answer.get("reasons").unwrap().as_array().unwrap();
    !is_ok(answer)
        && reasons.iter().any(|row| text(row, "class") == class && text(row, "detail").contains(words))
}

/// Seed: 001 §3/17, 001 §3/19, 001 §8/14, 001 §4.6/6
#[test]
fn a_whole_measurement_puts_a_package_into_force() {
    let repository = Repository::new();
    let answer = repository.promoted("next");
    assert!(is_ok(&answer), "{answer}");
    assert_eq!(repository.read("policies/notes.md"), b"next");
    assert!(is_ok(&repository.call("workspace.verify", &[])));
}

#[test]
fn a_red_team_that_leaves_probes_out_does_not_count() {
    let repository = Repository::new();
    repository.write("next/hole", b"");
    let (eval, all) = (repository.evaluated("next"), repository.attacked("next"));
    let some = repository.report(&repository.call("redteam.run", &[("package", "next"), ("plugins", "a")]));
    let class = "governance.redteam_gate_unmet";
    let answer = repository.promoted_by("next", &eval, &some);
    assert!(is_refused(&answer, class, "some of the probes"), "{answer}");
    let answer = repository.promoted_by("next", &eval, &all);
    assert!(is_refused(&answer, class, "more probes got through"), "{answer}");
}

#[test]
fn what_was_measured_with_other_probes_or_another_premath_does_not_count() {
    let repository = Repository::new();
    let (eval, redteam) = (repository.evaluated("next"), repository.attacked("next"));
    *repository.door.0.probes.lock().unwrap() = "sha256:more".to_owned();
    let answer = repository.promoted_by("next", &eval, &redteam);
    assert!(is_refused(&answer, "governance.redteam_gate_unmet", "others than there are"), "{answer}");
    *repository.door.0.version.lock().unwrap() = "2".to_owned();
    let answer = repository.promoted_by("next", &eval, &redteam);
    assert!(is_refused(&answer, "governance.eval_lineage_missing", "measure again"), "{answer}");
}

#[test]
fn figures_from_one_row_are_none() {
    let repository = Repository::new();
    repository.write("rows.jsonl", b"+\n");
    let answer = repository.promoted("next");
    assert!(is_refused(&answer, "governance.eval_gate_unmet", "1 rows, and 100 are wanted"), "{answer}");
}

#[test]
fn a_line_that_somebody_appended_to_the_audit_log_vouches_for_nothing() {
    let repository = Repository::new();
    repository.write("next/hole", b"");
    let (eval, redteam) = (repository.evaluated("next"), repository.attacked("next"));
    let forged = String::from_utf8(repository.read(&redteam)).unwrap().replace("got_through", "held");
    repository.write("forged.json", forged.as_bytes());
    let log = String::from_utf8(repository.read(".premath/audit.jsonl")).unwrap();
    let mut row: Json = serde_json::from_str(log.lines().last().unwrap()).unwrap();
    let members = row.as_object_mut().unwrap();
    members.insert("argsDigest".to_owned(), Digest::of_bytes(forged.as_bytes()).as_str().into());
    members.insert("id".to_owned(), "aud_0123456789ab".into());
    repository.write(".premath/audit.jsonl", format!("{log}{row}\n").as_bytes());
    let answer = repository.promoted_by("next", &eval, "forged.json");
    assert!(is_refused(&answer, "governance.redteam_gate_unmet", "cannot be believed"), "{answer}");
}

#[test]
fn a_package_may_bring_stricter_gates_and_no_milder() {
    let repository = Repository::new();
    for (gate, text, class, member) in [
        ("redteam", r#"{"minProbes": 0}"#, "governance.redteam_gate_unmet", "minProbes is 0"),
        (
            "redteam",
            r#"{"minProbes": 200, "maxFailures": 9}"#,
            "governance.redteam_gate_unmet",
            "maxFailures is 9",
        ),
        ("eval", r#"{"recall": 0.9, "f1": 0.92}"#, "governance.eval_gate_unmet", "precision is not wanted"),
    ] {
        let package = format!("mild-{gate}-{}", member.len());
        repository.write(&format!("{package}/gates/{gate}-gate.json"), text.as_bytes());
        let answer = repository.promoted(&package);
        assert!(is_refused(&answer, class, member), "{answer}");
    }
    repository.write("strict/gates/redteam-gate.json", br#"{"minProbes": 240}"#);
    assert!(is_ok(&repository.promoted("strict")));
    let answer = repository.promoted("next");
    assert!(is_refused(&answer, "governance.redteam_gate_unmet", "240 is in force"), "{answer}");
}

#[test]
fn a_package_comes_back_by_its_figures_though_the_gate_is_another_and_its_files_are_gone() {
    let repository = Repository::new();
    let first = repository.promoted("next");
    repository.write("strict/gates/redteam-gate.json", br#"{"minProbes": 240}"#);
    repository.write("strict/gates/eval-gate.json", br#"{"precision": 0.99, "recall": 0.99, "f1": 0.99}"#);
    assert!(is_ok(&first) && is_ok(&repository.promoted("strict")));
    let reports = repository.path(".premath/reports");
    for entry in repository.workspace.disk.list(&reports).unwrap() {
        repository.workspace.disk.remove(&reports.join(entry.name)).unwrap();
    }
    let rows = repository.read("rows.jsonl");
    repository.write("rows.jsonl", b"");
    let answer = repository.call("policy.rollback", &[]);
    assert!(is_ok(&answer), "{answer}");
    assert_eq!(answer.get("packageDigest"), first.get("packageDigest"));
    // One that does not reach the gate of today does not come back.
    repository.write("most/gates/redteam-gate.json", br#"{"minProbes": 251}"#);
    // What somebody writes into the working files is no gate: only a promoted package brings one.
    repository.write("policies/gates/redteam-gate.json", br#"{"minProbes": 100000}"#);
    repository.write("rows.jsonl", &rows);
    let most = repository.promoted("most");
    assert!(is_ok(&most), "{most}");
    let digest = first.get("packageDigest").unwrap().as_str().unwrap();
    let answer = repository.call("policy.rollback", &[("digest", digest)]);
    assert!(is_refused(&answer, "governance.redteam_gate_unmet", "fewer probes"), "{answer}");
}

#[test]
fn what_comes_with_premath_can_always_be_gone_back_to() {
    let repository = Repository::new();
    repository.write("policies/governor/own.cedar", b"hand made");
    repository.write("policies/gates/redteam-gate.json", br#"{"minProbes": 100000}"#);
    let answer = repository.call("policy.rollback", &[("digest", "defaults")]);
    assert!(is_ok(&answer), "{answer}");
    // What decides about instructions and retries is no part of a package, and stays.
    let left = repository.workspace.disk.list(&repository.path("policies")).unwrap();
    assert!(left.iter().all(|entry| ["control", "instruction"].contains(&entry.name.as_str())), "{left:?}");
    let verified = repository.call("workspace.verify", &[]);
    assert!(is_ok(&verified), "{verified}");
    // And from there on.
    assert!(is_ok(&repository.promoted("next")));
    assert!(is_ok(&repository.call("policy.rollback", &[])));
}

#[test]
fn an_edited_log_of_promotions_is_found_and_vouches_for_nothing() {
    let repository = Repository::new();
    assert!(is_ok(&repository.promoted("next")));
    repository.write("other/notes.md", b"other");
    assert!(is_ok(&repository.promoted("other")));
    let log = String::from_utf8(repository.read(".premath/policy/promotions.jsonl")).unwrap();
    repository.write(".premath/policy/promotions.jsonl", log.replacen("operator", "nobody", 1).as_bytes());
    let verified = repository.call("workspace.verify", &[]).to_string();
    assert!(verified.contains("policy.promotion_changed"), "{verified}");
    let answer = repository.call("policy.rollback", &[]);
    assert!(is_refused(&answer, "governance.eval_gate_unmet", ""), "{answer}");
    let last: String = log.lines().skip(1).map(|line| format!("{line}\n")).collect();
    repository.write(".premath/policy/promotions.jsonl", last.as_bytes());
    let verified = repository.call("workspace.verify", &[]).to_string();
    assert!(verified.contains("policy.promotion_missing"), "{verified}");
}

#[test]
fn a_row_that_somebody_wrote_into_the_log_of_promotions_is_never_recorded() {
    let repository = Repository::new();
    let first = repository.promoted("next");
    assert!(is_ok(&first), "{first}");
    let log = String::from_utf8(repository.read(".premath/policy/promotions.jsonl")).unwrap();
    let (forged, other) = (format!("pol1_{}", "0".repeat(64)), "pol1_");
    let digest = first.get("packageDigest").unwrap().as_str().unwrap();
    assert!(digest.starts_with(other));
    let row = log.replacen(digest, &forged, 1).replacen("\"number\":1", "\"number\":2", 1);
    repository.write(".premath/policy/promotions.jsonl", format!("{log}{row}").as_bytes());
    // Whoever promotes or goes back settles what a process that died left. No permit was spent on this row.
    let class = "governance.eval_gate_unmet";
    let answer = repository.call("policy.promote", &[("from", "next")]);
    assert!(is_refused(&answer, class, ""), "{answer}");
    let verified = repository.call("workspace.verify", &[]).to_string();
    assert!(verified.contains("policy.promotion_unrecorded"), "{verified}");
    assert!(verified.contains("governance.policy_package_mismatch"), "{verified}");
}

#[test]
fn a_promotion_that_was_cut_off_is_reported_and_finished_by_the_doctor() {
    let repository = Repository::new();
    repository.write("policies/notes", b"a file");
    repository.write("next/notes/x.md", b"a folder");
    let marker = ".premath/policy/under-way";
    let digest = Digest::claimed(&format!("pol1_{}", "0".repeat(64))).unwrap();
    repository.write(marker, digest.as_str().as_bytes());
    let found = repository.call("workspace.doctor", &[]).to_string();
    assert!(found.contains("doctor.promotion_cut_off") && found.contains("premath doctor --fix"), "{found}");
    repository.call("workspace.doctor", &[("fix", "true")]);
    let found = repository.call("workspace.doctor", &[]).to_string();
    assert!(!found.contains("doctor.promotion_cut_off"), "{found}");
    // A name that was a file is a folder then.
    assert!(is_ok(&repository.promoted("next")));
    assert_eq!(repository.read("policies/notes/x.md"), b"a folder");
}

#[test]
fn what_is_not_there_is_named_by_its_flag() {
    let repository = Repository::new();
    for (action, args, flag) in [
        ("eval.guardrails", vec![("dataset", "none.jsonl")], "dataset"),
        ("policy.promote", vec![("from", "none")], "from"),
        ("redteam.run", vec![("package", "none")], "package"),
    ] {
        let refused = repository.called(action, &args).unwrap_err();
        assert!(matches!(&refused, ActionError::Input(_)), "{refused:?}");
        assert!(refused.to_string().contains(flag), "{refused}");
    }
}
