//! R13 for the tools over issue memory: no broken argument gets past its schema.

#![expect(clippy::unwrap_used, reason = "a mutant that cannot be made must fail the test")]
#![expect(clippy::disallowed_methods, reason = "`PREMATH_PROVE` asks for the long form")]

mod repository;
mod tool_bench;
mod vectors;

use premath_host::issue_tools;
use premath_testkit::broken_arguments;
use premath_tusk::JsonText;
use premath_tusk::tools::Catalogue;
use proptest::test_runner::TestRunner;
use repository::Repository;
use serde_json::Value;
use tool_bench::call_with;
use vectors::Vectors;

#[test]
fn every_broken_argument_of_every_issue_tool_is_refused_with_a_pointer() {
    let wanted = if std::env::var("PREMATH_PROVE").is_ok_and(|value| value == "1") { 20_000 } else { 1000 };
    let repository = Repository::new();
    let catalogue = Catalogue::new(issue_tools(repository.host(&Vectors).workspace).unwrap()).unwrap();
    let mut runner = TestRunner::deterministic();
    let read = |text: &JsonText| -> Value { serde_json::from_str(text.as_str()).unwrap() };
    let mut tried = 0;
    while tried < wanted {
        for spec in catalogue.specs() {
            let examples: Vec<Value> = spec.examples.iter().map(read).collect();
            for mutant in broken_arguments(&read(&spec.input_schema), &examples, &mut runner) {
                // There is no issue memory here: whatever gets past the schema fails in another way.
                let failure = call_with(&catalogue, &spec.name, &mutant.arguments, 1024).unwrap_err();
                assert_eq!(failure.error_code, "tool.schema_invalid", "{}: {mutant:?}", spec.name);
                assert!(
                    failure.pointers.contains(&mutant.pointer),
                    "{}: {mutant:?} gave {:?}",
                    spec.name,
                    failure.pointers
                );
                assert!(failure.message.contains(&mutant.pointer) && failure.message.len() < 4096);
                tried += 1;
            }
        }
    }
    assert!(tried >= wanted);
}
