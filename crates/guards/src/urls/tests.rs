//! Addresses against a list.

use super::{UrlSettings, Urls};

fn labels(text: &str) -> Vec<String> {
    let hosts = ["docs.example.org", "*.crates.example", "127.0.0.1:8080"].map(str::to_owned).to_vec();
    let urls = Urls::new(&UrlSettings { hosts, schemes: vec!["mailto".to_owned()] }).unwrap();
    urls.find(text).into_iter().map(|finding| finding.label).collect()
}

#[test]
fn listed_hosts_are_allowed() {
    for text in [
        "see https://docs.example.org/a?b#c and HTTP://DOCS.EXAMPLE.ORG.",
        "https://static.crates.example:443/x",
        "http://127.0.0.1:8080/health",
        "mailto:someone@example.org",
        r#"{"url":"https:\/\/docs.example.org\/"}"#,
        "no address, std::env, a:b",
    ] {
        assert_eq!(labels(text), Vec::<String>::new(), "{text}");
    }
}

#[test]
fn everything_else_is_not() {
    for (text, label) in [
        ("https://evil.example/", "url-host"),
        ("https://docs.example.org.evil.example/", "url-host"),
        ("https://crates.example/", "url-host"),
        ("https://evilcrates.example/", "url-host"),
        ("https://docs.example.org@evil.example/", "url-userinfo"),
        ("https://user:pass@docs.example.org/", "url-userinfo"),
        ("http://127.0.0.1:9090/", "url-ip-literal"),
        ("http://2130706433/", "url-ip-literal"),
        ("http://0x7f.1/", "url-ip-literal"),
        ("http://[::1]/", "url-ip-literal"),
        ("https://xn--pypl-bomb.example/", "url-lookalike"),
        ("https://d\u{43e}cs.example.org/", "url-lookalike"),
        ("file:///etc/passwd", "url-scheme"),
        ("javascript:alert(1)", "url-scheme"),
        ("gopher://docs.example.org/", "url-scheme"),
        (r"https:\\evil.example", "url-host"),
        (r#"{"url":"https:\/\/evil.example\/"}"#, "url-host"),
    ] {
        assert_eq!(labels(text), [label], "{text}");
    }
}
