//! What `[models]` may say, and what only a person may.

use premath_models::price::micro_dollars;
use premath_models::provider::Protocol;

use std::path::Path;

use super::super::{FILE_NAME, Loaded, Owner, Source, read_over};
use super::KeySource;

fn read_as(owner: Owner, text: &str) -> Result<Loaded, String> {
    read_over(Loaded::default(), text, &source(owner)).map_err(|error| error.message)
}

fn source(owner: Owner) -> Source<'static> {
    Source { name: FILE_NAME, folder: Path::new("/there"), owner }
}

const LOCAL: &str =
    "[models.providers.local]\nprotocol = \"openai-chat\"\nbase_url = \"http://127.0.0.1:8080\"\n";

#[test]
fn a_chain_is_the_default_and_then_the_fallbacks() {
    let text = "[models]\ndefault = \"a:1\"\nfallback = [\"b:2\", \"c:3\"]\n";
    let loaded = read_as(Owner::Repository, text).unwrap();
    assert_eq!(loaded.models.chain().value, ["a:1", "b:2", "c:3"]);
    assert!(Loaded::default().models.chain().value.is_empty());
}

#[test]
fn a_file_that_a_configuration_names_is_meant_from_there() {
    let text = "[models]\ndefault = \"scripted:a.toml\"\nfallback = [\"replay:/b.json\"]\n";
    let loaded = read_as(Owner::Repository, text).unwrap();
    assert_eq!(loaded.models.chain().value, ["scripted:/there/a.toml", "replay:/b.json"]);
}

#[test]
fn a_repository_may_add_a_server_on_this_machine_that_needs_no_key() {
    let loaded = read_as(Owner::Repository, LOCAL).unwrap();
    let provider = &loaded.models.providers["local"].value;
    assert_eq!(provider.protocol, Protocol::OpenaiChat);
    assert_eq!(provider.key, KeySource::NotNeeded);
}

#[test]
fn a_repository_may_name_no_server_elsewhere_no_key_and_no_provider_of_mine() {
    let elsewhere = LOCAL.replace("http://127.0.0.1:8080", "https://models.example");
    let cases = [
        elsewhere,
        format!("{LOCAL}key_env = \"AWS_SECRET_ACCESS_KEY\"\n"),
        format!("{LOCAL}key_command = [\"touch\", \"here\"]\n"),
        LOCAL.replace("local", "anthropic"),
        LOCAL.replace("http://127.0.0.1:8080", "http://127.0.0.1.models.example"),
        LOCAL.replace("http://127.0.0.1:8080", "http://127.0.0.1@models.example"),
        LOCAL.replace("http://127.0.0.1:8080", "http://localhost.models.example"),
    ];
    for text in &cases {
        let message = read_as(Owner::Repository, text).unwrap_err();
        assert!(message.starts_with("input.field_invalid: ") && message.contains("line "), "{message}");
    }
    // The person may do all of it, but for an address that is none.
    for text in cases.iter().take(4) {
        read_as(Owner::Person, text).unwrap();
    }
}

#[test]
fn what_the_person_has_a_repository_cannot_change() {
    let mine = read_as(Owner::Person, LOCAL).unwrap();
    let told = read_over(mine, LOCAL, &source(Owner::Repository)).unwrap_err();
    assert!(told.message.contains("another name"), "{}", told.message);
}

#[test]
fn a_provider_that_exists_can_be_changed_in_part() {
    let text = "[models.providers.anthropic]\nbase_url = \"https://gateway.example\"\n";
    let loaded = read_as(Owner::Person, text).unwrap();
    let provider = &loaded.models.providers["anthropic"].value;
    assert_eq!(provider.protocol, Protocol::AnthropicMessages);
    assert_eq!(provider.key, KeySource::Variable("ANTHROPIC_API_KEY".to_owned()));
    assert_eq!(provider.base_url, "https://gateway.example");
}

#[test]
fn what_cannot_be_is_refused_with_its_place() {
    let cases = [
        ("[models]\ndefault = 3\n", "$.models.default"),
        ("[models]\nfallback = \"a:b\"\n", "$.models.fallback"),
        ("[models.providers]\nlocal = 1\n", "$.models.providers.local"),
        ("[models.providers.local]\nprotocol = \"telepathy\"\n", "$.models.providers.local.protocol"),
        ("[models.providers.local]\nprotocol = \"openai-chat\"\n", "$.models.providers.local"),
        ("[models.providers.scripted]\nprotocol = \"openai-chat\"\n", "$.models.providers.scripted"),
        ("[models.providers.local]\nkey_env = \"sk-ant-api\"\n", "$.models.providers.local.key_env"),
        ("[models.providers.local]\nkey_command = []\n", "$.models.providers.local.key_command"),
        ("[models.providers.local]\nkey = \"sk-1\"\n", "$.models.providers.local.key"),
        (
            "[models.providers.local]\nkey_command = [\"b\"]\nkey_env = \"A\"\n",
            "$.models.providers.local.key_env",
        ),
        (
            "[models.providers.local]\nbase_url = \"https://me:secret@x.example\"\n",
            "$.models.providers.local.base_url",
        ),
        ("[models.providers.local]\nbase_url = \"ftp://x\"\n", "$.models.providers.local.base_url"),
        ("[models.prices.m]\ninput = 3.0\n", "$.models.prices.m.input"),
        ("[models.prices.m]\ninput = \"3\"\n", "$.models.prices.m"),
        ("[models.timeouts]\nidle = 0\n", "$.models.timeouts.idle"),
        ("[models.timeouts]\nidle = \"5\"\n", "$.models.timeouts.idle"),
    ];
    for (text, place) in cases {
        let message = read_as(Owner::Person, text).unwrap_err();
        assert!(message.ends_with(&format!(" at {place}")), "{text:?}: {message}");
    }
}

#[test]
fn a_key_that_nobody_knows_is_warned_about() {
    let loaded = read_as(Owner::Person, &format!("{LOCAL}colour = \"red\"\n[models.x]\ny = 1\n")).unwrap();
    assert_eq!(loaded.warnings.len(), 2, "{:?}", loaded.warnings);
}

#[test]
fn prices_are_dollars_with_up_to_six_decimals() {
    let cases = [
        ("3", Some(3_000_000)),
        ("3.75", Some(3_750_000)),
        ("0.000001", Some(1)),
        ("0.0000001", None),
        ("", None),
        (".5", None),
        ("5.", None),
        ("-1", None),
        ("1e3", None),
        ("99999999999999999999", None),
    ];
    for (text, expected) in cases {
        assert_eq!(micro_dollars(text), expected, "{text}");
    }
}

#[test]
fn a_repository_can_raise_a_price_and_not_lower_it() {
    let price = |input: &str| format!("[models.prices.\"gpt-5\"]\ninput = \"{input}\"\noutput = \"10\"\n");
    let raised = read_as(Owner::Repository, &price("2")).unwrap();
    assert!(raised.models.prices["gpt-5"].value.is_trusted);
    let lowered = read_as(Owner::Repository, &price("0")).unwrap_err();
    assert!(lowered.contains("cannot lower the price"), "{lowered}");
    assert!(read_as(Owner::Person, &price("0")).is_ok());
}

#[test]
fn a_price_that_only_a_repository_names_is_not_trusted() {
    let text = "[models.prices.\"our-model\"]\ninput = \"0\"\noutput = \"0\"\nas_of = \"2026-11-01\"\n";
    let loaded = read_as(Owner::Repository, text).unwrap();
    let setting = &loaded.models.prices["our-model"].value;
    assert!(!setting.is_trusted);
    assert_eq!(setting.as_of.as_deref(), Some("2026-11-01"));
    assert!(read_as(Owner::Person, text).unwrap().models.prices["our-model"].value.is_trusted);
    let undated = read_as(Owner::Person, &text.replace("2026-11-01", "yesterday")).unwrap_err();
    assert!(undated.contains("expected a day"), "{undated}");
}
