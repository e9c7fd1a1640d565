//! What becomes of a workflow's file.

use std::path::Path;

use premath_kernel::encode;

use super::document;

#[test]
fn a_workflow_becomes_a_document_and_its_scenarios_are_found_beside_it() {
    let text = "pattern = \"parallel\"\n[[branch]]\nname = \"docs\"\ntask = \"scripted:stays\"\nread = [\"docs\"]\n\
                model = \"scripted:docs.toml\"\n[worker]\nmodel = \"local:qwen\"\nmax_turns = 3\n";
    let read = document(text, Path::new("flows")).unwrap();
    let expected = concat!(
        r#"{"branch":[{"model":"scripted:flows/docs.toml","name":"docs","read":["docs"],"task":"scripted:stays"}],"#,
        r#""pattern":"parallel","worker":{"max_turns":3,"model":"local:qwen"}}"#
    );
    assert_eq!(String::from_utf8(encode(&read)).unwrap(), expected);
}

#[test]
fn a_file_that_is_no_toml_is_told_with_its_line() {
    let error = document("pattern = \"chain\"\n[[stage]\n", Path::new("")).unwrap_err();
    assert!(error.starts_with("line 2: "), "{error}");
}
