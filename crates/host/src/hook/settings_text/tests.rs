//! Parts put in and taken out, with everything else as it was.

use serde_json::json;

use super::*;

const FILE: &str =
    "{\n    \"model\": \"opus\",\n    \"hooks\": {\n        \"Stop\": [ 1, {\"a\\\"]\": [] } ]\n    }\n}\n";

#[test]
fn what_lies_where_is_found_over_texts_that_look_like_ends() {
    let root = scan(FILE).unwrap();
    let stop = root.member("hooks").and_then(|hooks| hooks.member("Stop")).unwrap();
    assert_eq!(FILE.get(stop.span().clone()).unwrap(), r#"[ 1, {"a\"]": [] } ]"#);
    assert_eq!(stop.items().len(), 2);
    assert!(scan("{\"a\": ").is_none() && scan("").is_none());
}

#[test]
fn a_part_that_is_put_in_and_taken_out_leaves_the_file_as_it_was() {
    let unit = indentation(FILE);
    assert_eq!(unit, "    ");
    let part = format!("\"New\": {}", pretty(&json!([{"x": 1}]), &unit, 2));
    let hooks = |text: &str| scan(text).unwrap().member("hooks").unwrap().clone();
    let more = with_part(FILE, &hooks(FILE), &part, &unit, 1).unwrap();
    assert!(more.contains("]\n,\n") || more.contains("],\n        \"New\": [\n            {\n"), "{more}");
    assert_eq!(serde_json::from_str::<Value>(&more).unwrap()["hooks"]["New"][0]["x"], 1);
    assert_eq!(without_part(&more, &hooks(&more), 1).unwrap(), FILE);
}

#[test]
fn the_first_and_the_only_part_can_go() {
    let text = r#"{"a": [1, 2]}"#;
    let array = scan(text).unwrap().member("a").unwrap().clone();
    assert_eq!(without_part(text, &array, 0).unwrap(), r#"{"a": [2]}"#);
    assert_eq!(without_part(text, &array, 1).unwrap(), r#"{"a": [1]}"#);
    assert_eq!(without_part(text, &scan(text).unwrap(), 0).unwrap(), "{}");
    assert_eq!(without_part(text, &array, 2), None);
}
