//! Which names a package may have among its rules.

use super::refuse_names;

fn refused(names: &[&str]) -> Option<String> {
    refuse_names(names.iter().copied()).err().map(|(name, _)| name)
}

#[test]
fn a_package_has_rules_with_their_examples_or_none() {
    assert_eq!(refused(&[]), None);
    assert_eq!(refused(&["guardrails.json", "notes/old.md"]), None);
    assert_eq!(refused(&["governor/README.md", "governor/a.cedar", "governor/a.examples.json"]), None);
}

#[test]
fn what_would_keep_rules_from_loading_is_refused_by_name() {
    let refused_with = |name: &str| refused(&["governor/a.cedar", "governor/a.examples.json", name]);
    for name in ["governor/b.CEDAR", "governor/team/b.cedar", "governor/b.examples.json", "governor/b.txt"] {
        assert_eq!(refused_with(name).as_deref(), Some(name));
    }
    assert_eq!(refused(&["governor/README.md"]).as_deref(), Some("governor"));
}
