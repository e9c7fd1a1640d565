//! What is kept of an output, by its length and by how it arrives.

use super::Capture;

fn captured(cap: u64, pieces: &[&[u8]]) -> (Vec<u8>, Vec<u8>, u64) {
    let mut capture = Capture::new(cap);
    pieces.iter().for_each(|piece| capture.take(piece));
    let output = capture.finish();
    (output.head, output.tail, output.total_bytes)
}

#[test]
fn an_output_within_the_cap_is_whole() {
    assert_eq!(captured(8, &[b"abc", b"defgh"]), (b"abcdefgh".to_vec(), Vec::new(), 8));
}

#[test]
fn the_middle_of_a_longer_output_is_cut_out() {
    assert_eq!(captured(8, &[b"abcdefghij"]), (b"abcd".to_vec(), b"ghij".to_vec(), 10));
}

#[test]
fn how_the_output_was_split_changes_nothing() {
    let text: Vec<u8> = (0..=255).collect();
    let whole = captured(33, &[&text]);
    for size in 1..text.len() {
        let pieces: Vec<&[u8]> = text.chunks(size).collect();
        assert_eq!(captured(33, &pieces), whole, "pieces of {size}");
    }
}

#[test]
fn nothing_is_kept_of_an_output_with_no_cap_but_its_length() {
    assert_eq!(captured(0, &[b"abc"]), (Vec::new(), Vec::new(), 3));
}

#[test]
fn memory_stays_within_the_cap_however_much_arrives() {
    let mut capture = Capture::new(1024);
    for _ in 0..10_000 {
        capture.take(&[7; 4096]);
    }
    assert!(capture.head.capacity() <= 2048 && capture.tail.capacity() <= 2048);
    assert_eq!(capture.finish().total_bytes, 10_000 * 4096);
}
