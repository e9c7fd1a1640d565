//! How digests are computed and written down.

use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;

use super::{BLOCK, Digest, base32hex, hex, sha256};
use crate::canon::{Number, Object, Value, encode};

const OF_EMPTY_ARRAY: &str = "sha256:4f53cda18c2baa0c0354bb5f9a3ecbe5ed12ab4d8e11ba873c2f11161202b945";

#[test]
fn sha256_and_hex_agree_with_the_published_vectors() {
    assert_eq!(hex(&sha256(b"")), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
    assert_eq!(hex(&sha256(b"abc")), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
    assert_eq!(hex(&[0x00, 0x0f, 0xf0, 0xff]), "000ff0ff");
}

#[test]
fn base32hex_agrees_with_rfc_4648_but_for_case_and_padding() {
    let vectors = [
        ("", ""),
        ("f", "co"),
        ("fo", "cpng"),
        ("foo", "cpnmu"),
        ("foob", "cpnmuog"),
        ("fooba", "cpnmuoj1"),
        ("foobar", "cpnmuoj1e8"),
    ];
    for (plain, expected) in vectors {
        assert_eq!(base32hex(plain.as_bytes()), expected);
    }
    assert_eq!(base32hex(&[0xff; 32]).len(), 52);
    assert_eq!(base32hex(&[0xff; 5]), "vvvvvvvv");
}

#[test]
fn the_digest_of_an_empty_set_is_that_of_an_empty_array() {
    assert_eq!(Digest::of_array([]).as_str(), OF_EMPTY_ARRAY);
    assert_eq!(Digest::of(&Value::Array(Vec::new())).as_str(), OF_EMPTY_ARRAY);
    assert_eq!(Digest::of_bytes(b"[]").as_str(), OF_EMPTY_ARRAY);
}

#[test]
fn the_digest_of_an_array_is_the_same_whole_and_item_by_item() {
    let row =
        |at: u32| Object::fields().field("toolCallId", format!("call-{at}")).field("order", at).finish();
    for count in [1, 2, 3, 1000, 5000] {
        let whole = Digest::of(&Value::Array((0..count).map(row).collect()));
        assert_eq!(Digest::of_array((0..count).map(row)), whole, "{count}");
    }
    let long = || Value::from("x".repeat(3 * BLOCK));
    assert_eq!(Digest::of_array([long(), long()]), Digest::of(&Value::Array([long(), long()].into())));
}

#[test]
fn a_prefix_stands_before_the_same_hex() {
    let value = Value::from(Number::integer(1).unwrap());
    let plain = Digest::of(&value).to_string();
    assert_eq!(Digest::prefixed("pol1_", &value).to_string(), plain.replace("sha256:", "pol1_"));
    assert_eq!(plain, format!("sha256:{}", hex(&sha256(&encode(&value)))));
}

#[test]
fn a_claimed_digest_is_trimmed_and_a_blank_one_is_none() {
    assert_eq!(
        Digest::claimed("  pol1_abc\n").map(|digest| String::from(digest.as_str())),
        Some("pol1_abc".into())
    );
    assert_eq!(Digest::claimed(" \t"), None);
    assert_eq!(Digest::claimed(""), None);
}
