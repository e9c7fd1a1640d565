//! A server keeps what it read; what another process writes is seen at once all the same.

use serde_json::json;

use crate::peer::{Peer, repository};

#[test]
fn what_another_process_writes_is_seen_by_the_next_call() {
    let folder = repository();
    let mut peer = Peer::new(&folder);
    let count = |peer: &mut Peer| peer.call("issue_ready", &json!({})).1["payload"]["count"].clone();
    assert_eq!((count(&mut peer), count(&mut peer)), (json!(1), json!(1)));
    for number in 2..=12 {
        assert_eq!(folder.run(&["issue", "add", &format!("Issue {number}")]).code, Some(0));
        assert_eq!((count(&mut peer), count(&mut peer)), (json!(number), json!(number)));
    }
    assert_eq!(folder.run(&["issue", "update", "bd-3", "--status", "closed"]).code, Some(0));
    assert_eq!(count(&mut peer), 11);
    assert_eq!(folder.run(&["issue", "compact"]).code, Some(0));
    assert_eq!(count(&mut peer), 11);
    folder.write("rows.jsonl", "{\"id\":\"x-1\",\"title\":\"from elsewhere\",\"status\":\"open\"}\n");
    assert_eq!(folder.run(&["issue", "import", "rows.jsonl"]).code, Some(0));
    assert_eq!(count(&mut peer), 12);
}

#[test]
fn rows_that_somebody_edits_by_hand_are_read_anew() {
    let folder = repository();
    let mut peer = Peer::new(&folder);
    let title = |peer: &mut Peer| {
        peer.call("issue_show", &json!({"id": "bd-1"})).1["payload"]["issue"]["title"].clone()
    };
    assert_eq!((title(&mut peer), title(&mut peer)), (json!("First"), json!("First")));
    let path = folder.path().join(".premath/issues.jsonl");
    let rows = std::fs::read_to_string(&path).unwrap();
    std::fs::write(&path, rows.replace("First", "Other")).unwrap();
    assert_eq!(title(&mut peer), "Other");
}
