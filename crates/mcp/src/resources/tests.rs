//! Addresses, and what they lead to.

use super::{all, reading};
use serde_json::json;

#[test]
fn everything_that_is_listed_leads_somewhere() {
    for resource in all() {
        assert!(reading(&resource.uri).is_some(), "{}", resource.uri);
    }
}

#[test]
fn an_id_is_what_stands_behind_the_kind() {
    let found = reading("premath://issues/bd-7").unwrap();
    assert_eq!((found.action, found.arguments), ("issue.show", json!({"id": "bd-7"})));
    assert_eq!(reading("premath://issues/a%2Fb%20%C3%A4").unwrap().arguments, json!({"id": "a/b ä"}));
}

#[test]
fn what_is_no_address_of_ours_leads_nowhere() {
    let long = format!("premath://issues/{}", "x".repeat(300));
    for wrong in [
        "",
        "premath://",
        "premath:/issues",
        "file:///etc/passwd",
        "premath://secrets",
        "premath://issues/",
        "premath://issues/%",
        "premath://issues/%zz",
        "premath://issues/%ff",
        "premath://sessions/other",
        &long,
    ] {
        assert!(reading(wrong).is_none(), "{wrong}");
    }
}
