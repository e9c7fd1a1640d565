//! What somebody can do who writes the repository and has no key: edit rows, compute their chain anew, write heads.

use premath_kernel::{Digest, Object, Value, encode, hex, sha256};
use premath_wire::strict::{Limits, parse};

use crate::room::Room;
use crate::unkeyed;

/// The rows of a log.
pub(crate) fn rows(room: &Room, log: &str) -> Vec<String> {
    room.read(log).lines().map(str::to_owned).collect()
}

pub(crate) fn put_rows(room: &Room, log: &str, rows: &[String]) {
    room.put(log, rows.iter().map(|row| format!("{row}\n")).collect::<String>());
}

/// Computes `seq`, `prev` and `rowDigest` of every row anew. MACs stay as they are: nobody without the key can make one.
pub(crate) fn rechained(rows: &[String]) -> Vec<String> {
    let mut prev: Option<String> = None;
    let mut chained = Vec::new();
    for (row, seq) in rows.iter().zip(1_u32..) {
        let value = parse(row.as_bytes(), Limits::default()).unwrap().into_owned();
        let Value::Object(row) = value else { panic!("a row is an object") };
        let mac = row.get("mac").cloned();
        let is_chain = |name: &str| matches!(name, "mac" | "prev" | "rowDigest" | "seq");
        let mut members: Vec<_> = row
            .iter()
            .filter(|(name, _)| !is_chain(name))
            .map(|(name, value)| (name.to_owned().into(), value.clone()))
            .collect();
        members.push(("seq".into(), Value::from(seq)));
        members.extend(prev.take().map(|prev| ("prev".into(), Value::from(prev))));
        let digest = Digest::of(&Value::Object(Object::from_members(members.clone()).unwrap()));
        members.push(("rowDigest".into(), Value::from(digest.as_str().to_owned())));
        members.extend(mac.map(|mac| ("mac".into(), mac)));
        let bytes = encode(&Value::Object(Object::from_members(members).unwrap()));
        chained.push(String::from_utf8(bytes).unwrap());
        prev = Some(digest.as_str().to_owned());
    }
    chained
}

/// A head without a MAC that fits a log.
pub(crate) fn unkeyed_head(room: &Room, log: &str) -> Vec<u8> {
    unkeyed::unkeyed_head(&room.read(log))
}

/// The same with a MAC that nobody made.
pub(crate) fn head_with_invented_mac(room: &Room, log: &str) -> Vec<u8> {
    let slot = String::from_utf8(unkeyed_head(room, log)).unwrap();
    let body = slot.trim_end().split_once(' ').unwrap().1.trim_end_matches('}').to_owned();
    let body = format!("{body},\"mac\":\"{}\"}}", "ab".repeat(32));
    let mut slot = format!("{} {body}", hex(&sha256(body.as_bytes())[..8])).into_bytes();
    slot.resize(2047, b' ');
    slot.push(b'\n');
    slot
}

/// Replaces a text in the rows of a log, at least once, and computes the chain anew.
pub(crate) fn rewrite(room: &Room, log: &str, from: &str, to: &str) {
    let before = rows(room, log);
    let after: Vec<String> = before.iter().map(|row| row.replace(from, to)).collect();
    assert_ne!(before, after, "`{from}` is not in {log}");
    put_rows(room, log, &rechained(&after));
}

/// A further row behind the last one, chained: a copy of the row that holds a text, with another text in it.
pub(crate) fn append_like(room: &Room, log: &str, holds: &str, from: &str, to: &str) {
    let mut all = rows(room, log);
    let row = all.iter().rev().find(|row| row.contains(holds)).unwrap().replace(from, to);
    all.push(row);
    put_rows(room, log, &rechained(&all));
}
