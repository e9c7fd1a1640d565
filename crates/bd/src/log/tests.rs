//! A log's head and its checkpoints, on the real file system. What a log survives is tested in `tests/`.

use std::path::Path;
use std::sync::Arc;

use super::head::{Extent, Head, Slot};
use super::reader::unterminated_line;
use super::{Log, Standing};
use crate::disk::{Access, Disk, OsDisk, write_all_at};

fn log_in(folder: &Path) -> Log {
    Log::new(Arc::new(OsDisk), folder.join("log.jsonl"))
}

fn head_of(log: &Log) -> Head {
    log.read_head().unwrap().expect("there is a head")
}

#[test]
fn each_line_changes_the_digest_and_so_does_their_order() {
    let of = |lines: &[&[u8]]| lines.iter().fold(Extent::default(), |extent, line| extent.and(line));
    let extents = [of(&[b"a", b"b"]), of(&[b"b", b"a"]), of(&[b"ab"]), of(&[b"a"]), of(&[b"a", b"b", b""])];
    for (at, extent) in extents.iter().enumerate() {
        assert!(extents.iter().skip(at + 1).all(|other| other.digest != extent.digest), "extent {at}");
    }
    assert_eq!((extents[0].rows, extents[0].bytes), (2, 4));
}

#[test]
fn a_sealed_head_is_left_alone_until_the_other_slot_is_sealed() {
    let mut head = Head::default();
    let mut slots = Vec::new();
    for sealed in [true, false, false, true, false, true, true] {
        head.advance(sealed, None);
        slots.push(head.slot);
        head.sealed = sealed;
    }
    let (first, second) = (Slot::First, Slot::Second);
    assert_eq!(slots, [first, second, second, second, first, first, second]);
    assert_eq!(head.turn, 7);
}

#[test]
fn a_head_whose_sync_failed_is_written_over() {
    let mut head = Head::default();
    head.advance(true, None);
    assert!(!head.sealed, "nobody has synced it yet");
    head.advance(false, None);
    assert_eq!(head.slot, Slot::First);
}

#[test]
fn a_torn_slot_gives_the_head_before_it() {
    let folder = tempfile::tempdir().unwrap();
    let log = log_in(folder.path());
    let mut writer = log.write().unwrap();
    writer.append(b"{\"n\":1}").unwrap();
    writer.sync_head().unwrap();
    let sealed = head_of(&log);
    writer.append(b"{\"n\":2}").unwrap();
    drop(writer);
    let newest = head_of(&log);
    assert_eq!((sealed.extent.rows, newest.extent.rows), (1, 2));
    assert_ne!(sealed.slot, newest.slot);

    let (offset, bytes) = newest.written();
    let mut file = OsDisk.open(&log.head_path, Access::Update).unwrap();
    for torn in [0, 1, 20, 100, bytes.len() - 2] {
        let mut half = bytes.clone();
        half[torn..].fill(0);
        write_all_at(file.as_mut(), &half, offset).unwrap();
        assert_eq!(head_of(&log), sealed, "torn at {torn}");
        assert_eq!(log.read().unwrap().standing(), Standing::Longer, "torn at {torn}");
    }
    write_all_at(file.as_mut(), &bytes, offset).unwrap();
    assert_eq!(head_of(&log), newest);
}

#[test]
fn a_head_is_read_as_it_was_written() {
    let extent = Extent::default().and(b"line");
    let head = Head {
        extent,
        checkpoints: vec![extent; 4],
        next: Some(extent.and(b"other")),
        breaks: 3,
        sealed: true,
        turn: u64::MAX,
        ..Head::default()
    };
    let (offset, bytes) = head.written();
    assert_eq!((offset, bytes.len()), (0, 2_048), "the longest head fills its slot and no more");
    let folder = tempfile::tempdir().unwrap();
    let log = log_in(folder.path());
    let mut file = OsDisk.open(&log.head_path, Access::Replace).unwrap();
    write_all_at(file.as_mut(), &bytes, offset).unwrap();
    assert_eq!(head_of(&log), head);
}

#[test]
fn checkpoints_depend_on_the_lines_alone() {
    let folder = tempfile::tempdir().unwrap();
    let log = log_in(folder.path());
    let lines: Vec<Vec<u8>> = (0..1_700).map(|number| format!(r#"{{"n":{number}}}"#).into_bytes()).collect();
    let borrowed: Vec<&[u8]> = lines.iter().map(Vec::as_slice).collect();
    let mut writer = log.write().unwrap();
    for batch in borrowed.chunks(7) {
        writer.append_all(batch).unwrap();
    }
    let appended = writer.reader().checkpoints().to_vec();
    drop(writer);
    assert_eq!(appended.iter().map(|extent| extent.rows).collect::<Vec<_>>(), [512, 1_024, 1_536]);
    // Without the head they are found by reading.
    OsDisk.remove(&log.head_path).unwrap();
    let found = log.read().unwrap();
    assert_eq!((found.checkpoints(), found.standing()), (appended.as_slice(), Standing::Unanchored));
    // And after the log was replaced by itself.
    let mut writer = log.write().unwrap();
    writer
        .replace::<crate::StoreError>(|_, replacement| {
            lines.iter().try_for_each(|line| replacement.line(line).map(drop))
        })
        .unwrap();
    assert_eq!(writer.reader().checkpoints(), appended);
}

#[test]
fn a_line_of_ours_that_was_cut_short_is_told_from_a_whole_one_of_anybody() {
    let marked = b"\xEF\xBB\xBF{\"a\":1}";
    for line in [
        &b"{}"[..],
        b"{\"a\":[1,{}]}",
        b" {} ",
        b"{\"a\":1,\"a\":2}",
        b"{\"a\":\"}\"}",
        marked,
        b"[1]",
        b"12",
        b"x",
    ] {
        assert_eq!(unterminated_line(line), Some(line));
    }
    assert_eq!(unterminated_line(b"{\"a\":1}\0\0\0"), Some(&b"{\"a\":1}"[..]));
    for rest in
        [&b""[..], b"{", b"{\"a\":1", b"{\"a\":\"}", b"{\"a\":\"\\\"}", b"{}{}", b"\0{}", b"{\"a\":\0}"]
    {
        assert_eq!(unterminated_line(rest), None, "{}", String::from_utf8_lossy(rest));
    }
}
