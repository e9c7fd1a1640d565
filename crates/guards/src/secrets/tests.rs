//! What is found and what is left, by hand; the rules of the world are held against it in `tests/secret_rules.rs`.

use super::{find, is_ready, labels};

fn labels_in(text: &str) -> Vec<String> {
    find(text).into_iter().map(|finding| finding.label).collect()
}

/// Random-looking characters that no scanner takes for a secret of ours.
fn body(length: usize) -> String {
    "9aB3dE6gH1jK4mN7pQ0rS2tU5vW8xYzA".chars().cycle().take(length).collect()
}

#[test]
fn the_tables_compile_and_labels_are_unique_words() {
    assert!(is_ready());
    let labels = labels();
    assert!(labels.len() > 190, "{}", labels.len());
    let is_plain =
        |label: &str| label.chars().all(|one| one.is_ascii_lowercase() || one.is_ascii_digit() || one == '-');
    assert!(labels.iter().all(|label| is_plain(label)), "{labels:?}");
}

#[test]
fn a_marked_secret_is_found_anywhere_and_one_character_less_is_not() {
    for length in [36, 35] {
        let text = format!("see gh{}{} there", "p_", body(length));
        assert_eq!(labels_in(&text).len(), usize::from(length == 36), "{length}");
    }
}

#[test]
fn a_named_secret_needs_its_name_and_its_exact_length() {
    let value = "0a1b2c3d4e5f60718293a4b5c6d7e8f9";
    assert_eq!(labels_in(&format!("adafruit = \"{value}\"")), ["adafruit-api-key"]);
    assert_eq!(labels_in(&format!("adafruit = \"{value}0\"")), Vec::<String>::new());
    assert_eq!(labels_in(&format!("something = \"{value}\"")), Vec::<String>::new());
}

#[test]
fn escapes_of_json_are_edges_and_quotes() {
    let value = "0a1b2c3d4e5f60718293a4b5c6d7e8f9";
    assert_eq!(labels_in(&format!(r#"{{"content":"adafruit = \"{value}\"\n"}}"#)), ["adafruit-api-key"]);
    let key = format!("AK{}", "IAQ2W3E4R5T6Y7U2I3");
    assert_eq!(labels_in(&format!(r#"{{"content":"first\n{key}\nlast"}}"#)), ["aws-access-token"]);
}

#[test]
fn what_documentation_and_code_say_about_secrets_is_none() {
    for text in [
        "AKIAIOSFODNN7EXAMPLE",
        "password = os.environ[\"PASSWORD\"]",
        "api_key: ${API_KEY}",
        "token = tokens.next().unwrap();",
        "key = \"550e8400-e29b-41d4-a716-446655440000\"",
        "commit 9fceb02d0ae598e95dc970b74767f19372d61af8",
        "secret_name = my-application-secret-2",
        "let keyboard = layouts.german_layout_v2;",
        "password: \"required\"",
        "https://user:password@example.org/",
        "-----BEGIN PUBLIC KEY-----\nMIIBIjANBgkqhkiG9w0BAQEFAAOCAQ8AMIIBCgKCAQEAwLHx1\n-----END PUBLIC KEY-----",
    ] {
        assert_eq!(labels_in(text), Vec::<String>::new(), "{text}");
    }
}

#[test]
fn a_private_key_is_one_finding_even_when_it_is_cut_off() {
    let begin = format!("-----BEGIN RSA PRIV{}-----", "ATE KEY");
    let end = format!("-----END RSA PRIV{}-----", "ATE KEY");
    let text = format!("a\n{begin}\n{}\n{end}\nb", body(200));
    let found = find(&text);
    assert_eq!(found.len(), 1, "{found:?}");
    assert_eq!(found[0].span, Some(2..text.len() - 2));
    assert_eq!(labels_in(&format!("{begin}\n{}", body(200))), ["private-key"]);
}

#[test]
fn a_password_in_an_address_is_found() {
    let text = format!("postgres://admin:{}@db.internal:5432/app", body(12));
    assert_eq!(labels_in(&text), ["url-credentials"]);
}

#[test]
fn findings_are_in_order_and_do_not_overlap() {
    let text = format!("api_key = gh{}{}\nadafruit_key = {}\n", "p_", body(36), body(32)).repeat(3);
    let found = find(&text);
    let spans: Vec<_> = found.iter().filter_map(|finding| finding.span.clone()).collect();
    assert!(spans.len() >= 6, "{found:?}");
    assert!(spans.windows(2).all(|pair| pair[0].end <= pair[1].start), "{spans:?}");
}

#[test]
fn beginnings_inside_one_long_run_are_measured_once() {
    // Would be quadratic if each of the 40,000 beginnings walked to the end of the run: minutes, not milliseconds.
    let text = "xoxe-1-".repeat(150_000);
    assert_eq!(find(&text).len(), 0);
    let text = "-----BEGIN PRIVATE KEY-----".repeat(40_000);
    assert!(find(&text).len() <= 40_000);
}

#[test]
fn every_value_of_a_manifest_is_found_and_what_follows_it_is_not() {
    let text = format!(
        "kind: Secret\nmetadata:\n  name: db\ndata:\n  user: {}\n  password: {}==\ntype: Opaqueopaque\n---\nkind: Deployment\nimage: registryregistry\n",
        body(16),
        body(30)
    );
    assert_eq!(labels_in(&text), ["kubernetes-secret"; 2]);
    let reversed = format!("data:\n  value: {}\nkind: Secret\n", body(20));
    assert_eq!(labels_in(&reversed), ["kubernetes-secret"]);
    assert_eq!(labels_in(&reversed.replace("Secret", "ConfigMap")), Vec::<String>::new());
}

/// As programs write it.
fn in_base64(text: &str) -> String {
    const LETTERS: &[u8] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut written = String::new();
    for chunk in text.as_bytes().chunks(3) {
        let bits = (0..3).fold(0_usize, |bits, at| bits << 8 | usize::from(*chunk.get(at).unwrap_or(&0)));
        for place in 0..4 {
            let letter = char::from(LETTERS[bits >> (18 - 6 * place) & 63]);
            written.push(if place <= chunk.len() { letter } else { '=' });
        }
    }
    written
}

fn in_hexadecimal(text: &str) -> String {
    text.bytes().map(|byte| format!("{byte:02x}")).collect()
}

fn wrapped(text: &str, width: usize, end: &str) -> String {
    let lines: Vec<&str> =
        text.as_bytes().chunks(width).map(|line| std::str::from_utf8(line).unwrap()).collect();
    lines.join(end)
}

#[test]
fn a_secret_in_disguise_is_found_with_all_of_it() {
    let secret = format!("gh{}{}", "p_", body(36));
    let file = format!("# settings of the service, do not commit\nAPI_TOKEN={secret}\nMODE=test\n");
    let turned = |text: &str| text.chars().rev().collect::<String>();
    let forms = [
        in_base64(&secret),
        format!("zz{}", in_base64(&file)),
        in_base64(&file).replace('+', "-").replace('/', "_"),
        wrapped(&in_base64(&file), 76, "\n"),
        wrapped(&in_base64(&file), 64, "\\n"),
        in_hexadecimal(&file),
        wrapped(&in_hexadecimal(&file), 60, "\n"),
        in_base64(&in_hexadecimal(&secret)),
        turned(&secret),
        secret.chars().flat_map(|letter| [letter, '\u{200b}']).collect(),
    ];
    for form in forms {
        let text = format!("the output was: {form} and no more");
        let found = find(&text);
        assert_eq!(found.len(), 1, "{text}");
        let span = found[0].span.clone().unwrap();
        let part = |range: std::ops::Range<usize>| text.get(range).unwrap();
        let left = format!("{}{}", part(0..span.start), part(span.end..text.len()));
        assert_eq!(find(&left), [], "{left}");
        assert!(left.chars().count() < 60, "{left}");
    }
}

#[test]
fn what_only_looks_encoded_is_left() {
    for text in [
        in_base64("a perfectly ordinary sentence about nothing in particular"),
        in_hexadecimal("a perfectly ordinary sentence about nothing in particular"),
        "sha256:9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08".to_owned(),
        "crates/guards/src/secrets/encoded.rs".to_owned(),
    ] {
        assert_eq!(find(&text), [], "{text}");
    }
}
