//! Several servers on one repository, each with many changes under way: nothing is lost, nothing happens twice.

use std::collections::BTreeSet;

use serde_json::{Value, json};

use crate::folder::Folder;
use crate::peer::{Peer, instructed};

const SERVERS: usize = 4;
const CHANGES: usize = 100;

/// Asks for all changes at once, and again for those that found the store busy, until each was made.
fn adds(folder: &Folder, server: usize, instruction: &str) -> usize {
    let mut peer = Peer::new(folder);
    let mut left: Vec<String> = (0..CHANGES).map(|number| format!("s{server}-{number}")).collect();
    let mut asked = 0;
    while !left.is_empty() {
        let mut waiting = Vec::new();
        for title in &left {
            let arguments = json!({"title": title, "instruction": instruction});
            let params = json!({"name": "issue_add", "arguments": arguments});
            waiting.push((peer.send("tools/call", &params), title.clone()));
            asked += 1;
        }
        left.clear();
        for _ in 0..waiting.len() {
            let answer = peer.heard();
            let (_, title) = waiting.iter().find(|(id, _)| answer["id"] == *id).unwrap();
            let result = &answer["result"];
            if result["isError"] == true {
                let class = &result["structuredContent"]["failureClasses"][0];
                assert_eq!(class, "lease_store_busy", "{answer}");
                left.push(title.clone());
            }
        }
        assert!(asked < 20 * CHANGES, "always busy");
    }
    let (_, exit) = peer.end();
    assert_eq!(exit, Some(0));
    asked
}

#[test]
fn four_servers_with_a_hundred_changes_each_lose_nothing_and_do_nothing_twice() {
    let (folder, instruction) = instructed();
    let file = format!("instructions/{instruction}.json");
    assert_eq!(folder.run(&["instruction-run", &file]).code, Some(0));
    std::thread::scope(|scope| {
        for server in 0..SERVERS {
            let folder = &folder;
            scope.spawn(move || adds(folder, server, instruction));
        }
    });
    let (_, listing) = folder.json(&["issue", "list", "--limit", "1000"]);
    let items = listing["items"].as_array().unwrap();
    let titles: Vec<&str> = items.iter().filter_map(|item| item["title"].as_str()).collect();
    let once: BTreeSet<&str> = titles.iter().copied().collect();
    assert_eq!((titles.len(), once.len()), (SERVERS * CHANGES + 1, SERVERS * CHANGES + 1));
    let (_, permits) = folder.json(&["permits", "list", "--limit", "1000"]);
    let spent: BTreeSet<&str> =
        permits["items"].as_array().unwrap().iter().filter_map(|row| row["permitId"].as_str()).collect();
    assert_eq!(spent.len(), SERVERS * CHANGES, "one permit a change");
    let (code, verified): (i32, Value) = folder.json(&["verify"]);
    assert_eq!(code, 0, "{verified}");
}
