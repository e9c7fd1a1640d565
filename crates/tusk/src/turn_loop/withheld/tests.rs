//! Arguments with a secret are not written down, those beside them are.

use premath_bd::JournalEvent;
use premath_kernel::{Object, Value};

use super::{is_withheld_from, withheld};
use crate::turn_loop::records::PROGRAM_CALLED;

fn row() -> JournalEvent {
    let call = |id: &'static str, arguments: &'static str| -> Value<'static> {
        Object::fields()
            .field("arguments", arguments)
            .field("argumentsDigest", "sha256:1")
            .field("id", id)
            .field("name", "shell")
            .finish()
    };
    let calls = vec![call("p.1", "{\"command\":\"echo hush\"}"), call("p.2", "{\"command\":\"echo\"}")];
    JournalEvent::new(PROGRAM_CALLED, Object::fields().field("calls", calls).field("toolCallId", "p"))
}

#[test]
fn arguments_that_hold_a_secret_are_withheld_and_the_row_is_still_the_same_call() {
    let (kept, ids) = withheld(row(), &|text| text.replace("hush", "[redacted:word]"));
    let text = String::from_utf8(kept.bytes().to_vec()).unwrap();
    assert_eq!(ids, ["p.1"]);
    assert!(!text.contains("hush") && text.contains("\"withheld\":true"), "{text}");
    assert!(text.contains("{\\\"command\\\":\\\"echo\\\"}"), "{text}");
    assert!(is_withheld_from(&kept.value(), &row()));
}

#[test]
fn a_row_without_secrets_is_kept_as_it_is() {
    let (kept, ids) = withheld(row(), &str::to_owned);
    assert_eq!((kept.bytes(), ids), (row().bytes(), Vec::new()));
}
