//! Which paths ask for which checks.

use premath_wire::v1::{REQUIRED_DELTA_KIND, RangeEnd, RequiredDelta};

use super::project;
use crate::required::policy::read_policy;
use crate::required::policy::tests::sealed;

const POLICY: &str = r#"{"schema":1,"policyKind":"ci.required.policy.v1","policyId":"p","checks":[
    {"checkId":"fmt","command":"true"},{"checkId":"tests","command":"true"},{"checkId":"docs","command":"true"}],
    "rules":[{"paths":["src/**"],"checks":["tests","fmt"]},{"paths":["docs/**","*.md"],"checks":["docs"]},
    {"paths":["img/**"],"checks":[]}]}"#;

fn checks(paths: &[&str]) -> (Vec<String>, Vec<String>) {
    let policy = read_policy(&sealed(POLICY), "policies/required/p.json".to_owned()).unwrap();
    let end = || RangeEnd { name: "x".to_owned(), commit: "c".to_owned(), tree: "t".to_owned() };
    let delta = RequiredDelta {
        schema: 1,
        delta_kind: REQUIRED_DELTA_KIND.to_owned(),
        from: end(),
        to: end(),
        entries: Vec::new(),
        changed_paths: paths.iter().map(|&path| path.to_owned()).collect(),
        delta_digest: "sha256:0".to_owned(),
    };
    let projection = project(&policy, &delta);
    (projection.required_checks, projection.unknown_paths)
}

#[test]
fn checks_come_in_the_order_of_the_policy() {
    assert_eq!(checks(&["src/a.rs"]).0, ["fmt", "tests"]);
    assert_eq!(checks(&["docs/a.md", "src/a.rs"]).0, ["fmt", "tests", "docs"]);
}

#[test]
fn a_path_nobody_knows_asks_for_everything() {
    let (required, unknown) = checks(&["img/a.png", "Makefile"]);
    assert_eq!((required.len(), unknown.as_slice()), (3, ["Makefile".to_owned()].as_slice()));
    assert_eq!(checks(&["bytes:ff"]).0.len(), 3);
}

#[test]
fn a_policy_asks_for_everything_whatever_it_says_of_itself() {
    assert_eq!(checks(&["policies/required/p.json"]).0.len(), 3);
}

#[test]
fn known_paths_that_need_nothing_ask_for_nothing() {
    assert_eq!(checks(&["img/a.png"]), (Vec::new(), Vec::new()));
    assert_eq!(checks(&[]), (Vec::new(), Vec::new()));
}
