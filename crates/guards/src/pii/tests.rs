//! Personal data, and numbers that are none.

use super::{PiiKinds, find};

fn found(text: &str) -> Vec<(String, String)> {
    let kinds = PiiKinds { ip: true, ..PiiKinds::default() };
    find(text, &kinds)
        .into_iter()
        .map(|finding| (finding.label, text.get(finding.span.unwrap()).unwrap().to_owned()))
        .collect()
}

#[track_caller]
fn finds(text: &str, label: &str, what: &str) {
    assert_eq!(found(text), [(label.to_owned(), what.to_owned())], "{text}");
}

#[test]
fn addresses_of_mail_are_found_without_what_stands_around_them() {
    finds("write to <jo.doe+x@mail.example.org>.", "email", "jo.doe+x@mail.example.org");
    finds("mail jo@example.org.", "email", "jo@example.org");
}

#[test]
fn telephones_are_found_in_their_common_forms() {
    finds("call +15550100123 now", "phone", "+15550100123");
    finds("call +49 30 901820 now", "phone", "+49 30 901820");
    finds("call (555) 010-0123 now", "phone", "(555) 010-0123");
    finds("call 555-010-0123 now", "phone", "555-010-0123");
    finds("ruf 030 9018 2000 an", "phone", "030 9018 2000");
}

#[test]
fn accounts_and_cards_need_their_check() {
    finds("to GB82 WEST 1234 5698 7654 32 by Friday", "iban", "GB82 WEST 1234 5698 7654 32");
    finds("to DE89370400440532013000", "iban", "DE89370400440532013000");
    finds("card 4111 1111 1111 1111 ok", "card", "4111 1111 1111 1111");
    finds("card 378282246310005 ok", "card", "378282246310005");
    for text in ["to DE89370400440532013001", "card 4111 1111 1111 1112 ok", "4111111111111112"] {
        assert_eq!(found(text), [], "{text}");
    }
}

#[test]
fn numbers_of_persons_are_in_range() {
    finds("ssn 219-09-9999", "us-ssn", "219-09-9999");
    for text in ["000-12-3456", "666-12-3456", "912-12-3456", "123-00-4567", "123-45-0000"] {
        assert_eq!(found(text), [], "{text}");
    }
}

#[test]
fn addresses_of_machines_are_found_when_asked_for() {
    finds("host 192.0.2.17, up", "ipv4", "192.0.2.17");
    finds("host 2001:db8::8:800:200c:417a up", "ipv6", "2001:db8::8:800:200c:417a");
    assert_eq!(find("host 192.0.2.17", &PiiKinds::default()), []);
}

#[test]
fn versions_dates_hashes_and_counts_are_no_personal_data() {
    for text in [
        "version 1.2.3 of 2024-05-06T07:08:09Z",
        "sha256 9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
        "took 1234567890 ns",
        "id 550e8400-e29b-41d4-a716-446655440000",
        "@decorator and user@localhost",
        "12345678901234567890123456789",
        "std::fmt::Debug",
    ] {
        assert_eq!(found(text), [], "{text}");
    }
}
