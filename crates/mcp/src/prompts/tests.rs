//! The prompts name tools that exist.

use super::{ROUTINES, told};
use crate::catalogue::{Catalogue, ToolChoice};

#[test]
fn every_tool_that_a_prompt_names_is_offered() {
    let catalogue = Catalogue::new(&ToolChoice::default());
    let mut named = 0;
    for routine in &ROUTINES {
        for word in routine.text.split('`').skip(1).step_by(2).filter(|word| word.contains('_')) {
            assert!(catalogue.find(word).is_some(), "{} names `{word}`", routine.name);
            named += 1;
        }
    }
    assert!(named >= 15, "only {named}");
}

#[test]
fn an_issue_is_told_where_the_prompt_is_about_one() {
    let arguments = serde_json::json!({"issue": " bd-7 "}).as_object().cloned();
    let text = |name: &str| serde_json::to_string(&told(name, arguments.as_ref()).unwrap()).unwrap();
    assert!(text("step").contains("The issue: bd-7"));
    assert!(!text("boot").contains("bd-7"));
    assert!(told("dance", None).is_none());
}
