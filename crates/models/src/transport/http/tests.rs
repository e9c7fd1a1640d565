//! What is refused before a byte is sent. What happens on a real socket is in `tests/decode_http.rs`.

use bytes::Bytes;
use premath_tusk::model::ModelErrorKind;

use super::{HttpSettings, HttpTransport, PlainHttp};
use crate::transport::{Method, Transport, WireRequest};

const KEY: &str = "sk-test-0123456789abcdef";

fn refusal(url: &str, plain_http: PlainHttp) -> String {
    let settings = HttpSettings { plain_http, ..HttpSettings::default() };
    let transport = HttpTransport::new(settings).unwrap();
    let request = WireRequest {
        method: Method::Get,
        url: url.to_owned(),
        headers: Vec::new(),
        secret_headers: vec![("authorization".to_owned(), KEY.to_owned())],
        body: Bytes::new(),
    };
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let error = runtime.block_on(transport.send(&request)).unwrap_err();
    assert!(!format!("{error:?}").contains(KEY));
    assert!(!format!("{error:?}").contains("topsecret"), "{error:?}");
    error.code.unwrap()
}

#[test]
fn a_key_does_not_travel_in_clear() {
    for url in [
        "http://192.0.2.1/",
        "http://example.invalid/",
        "http://[2001:db8::1]/",
        "http://127.0.0.1.example.invalid/",
    ] {
        assert_eq!(refusal(url, PlainHttp::LoopbackOnly), "insecure_url", "{url}");
    }
}

#[test]
fn an_address_with_a_password_is_refused() {
    for url in ["https://u:topsecret@example.invalid/", "http://topsecret@127.0.0.1:1/"] {
        assert_eq!(refusal(url, PlainHttp::Anywhere), "insecure_url", "{url}");
    }
}

#[test]
fn what_is_no_address_is_refused() {
    for url in ["", "example.invalid", "ftp://127.0.0.1/topsecret", "file:///topsecret", "http://"] {
        assert_eq!(refusal(url, PlainHttp::Anywhere), "url_invalid", "{url}");
    }
}

#[test]
fn this_machine_is_asked_in_clear_under_all_its_names() {
    for url in
        ["http://127.0.0.1:1/?key=topsecret", "http://localhost:1/", "http://[::1]:1/", "http://127.8.9.1:1/"]
    {
        assert_eq!(refusal(url, PlainHttp::LoopbackOnly), "connect", "{url}");
    }
}

#[test]
fn a_header_that_cannot_be_sent_is_named_without_its_value() {
    let transport = HttpTransport::new(HttpSettings::default()).unwrap();
    let request = WireRequest {
        method: Method::Post,
        url: "http://127.0.0.1:1/".to_owned(),
        headers: vec![("x-a".to_owned(), "topsecret\r\nhost: b".to_owned())],
        secret_headers: Vec::new(),
        body: Bytes::new(),
    };
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let error = runtime.block_on(transport.send(&request)).unwrap_err();
    assert_eq!(
        (error.kind, error.message.as_str()),
        (ModelErrorKind::Model, "the header `x-a` cannot be sent")
    );
}

#[test]
fn two_transports_can_live_side_by_side() {
    let first = HttpTransport::new(HttpSettings::default()).unwrap();
    let second = HttpTransport::new(HttpSettings::default()).unwrap();
    assert_eq!(format!("{first:?}"), format!("{second:?}"));
}
