//! What is kept, what is not, and when a request is the same.

use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use futures_util::StreamExt;
use futures_util::stream::iter;
use premath_tusk::model::{ModelError, ModelErrorKind};
use proptest::prelude::{any, prop, prop_assert_eq, proptest};

use super::scrub::Secrets;
use super::{
    CassetteError, CassetteStore, MemoryCassette, RecordingTransport, ReplayTransport, document::Piece,
};
use crate::transport::{Method, Transport, TransportFuture, WireRequest, WireResponse};

const KEY: &str = "sk-ant-very-secret-0123456789";

/// A transport that says back what it is told to, in these pieces, and then breaks if it is told to.
#[derive(Debug)]
struct Fixed {
    pieces: Vec<Bytes>,
    error: Option<ModelError>,
}

impl Transport for Fixed {
    fn send<'a>(&'a self, _request: &'a WireRequest) -> TransportFuture<'a> {
        Box::pin(async move {
            if let (true, Some(error)) = (self.pieces.is_empty(), &self.error) {
                return Err(error.clone());
            }
            let items = self.pieces.clone().into_iter().map(Ok).chain(self.error.clone().map(Err));
            let headers = [
                ("content-type", "text/event-stream"),
                ("request-id", "req_1"),
                ("set-cookie", "session=1"),
                ("x-org", "acme"),
            ];
            let headers = headers.map(|(name, value)| (name.to_owned(), value.to_owned())).to_vec();
            Ok(WireResponse { status: 200, headers, body: Box::pin(iter(items.collect::<Vec<_>>())) })
        })
    }

    fn first_event_timeout(&self) -> Option<Duration> {
        Some(Duration::from_secs(7))
    }
}

fn request(body: &str) -> WireRequest {
    WireRequest {
        method: Method::Post,
        url: format!("https://api.example/v1/messages?key={KEY}"),
        headers: vec![
            ("content-type".to_owned(), "application/json".to_owned()),
            ("x-private".to_owned(), "something".to_owned()),
        ],
        secret_headers: vec![("authorization".to_owned(), format!("Bearer {KEY}"))],
        body: Bytes::from(body.to_owned()),
    }
}

fn run<T>(future: impl Future<Output = T>) -> T {
    tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap().block_on(future)
}

async fn drain(
    transport: &dyn Transport,
    request: &WireRequest,
) -> Result<Vec<Result<Bytes, ModelError>>, ModelError> {
    Ok(transport.send(request).await?.body.collect().await)
}

fn recording(inner: Fixed) -> (RecordingTransport, Arc<MemoryCassette>) {
    let store = Arc::new(MemoryCassette::default());
    (RecordingTransport::new(Arc::new(inner), Arc::clone(&store) as Arc<dyn CassetteStore>).unwrap(), store)
}

fn of(pieces: &[&str]) -> Fixed {
    Fixed { pieces: pieces.iter().map(|piece| Bytes::from((*piece).to_owned())).collect(), error: None }
}

#[test]
fn what_is_replayed_is_what_was_recorded_piece_by_piece() {
    let pieces: Vec<Bytes> =
        vec![Bytes::from("data: \u{e9}"), Bytes::from_static(b"\xc3"), Bytes::from_static(b"\xa9\n\n")];
    let (recorder, store) = recording(Fixed { pieces: pieces.clone(), error: None });
    let asked = request("{\"a\":1}");
    let heard = run(drain(&recorder, &asked)).unwrap();
    recorder.finish().unwrap();
    let replay = ReplayTransport::open(&*store).unwrap();
    assert_eq!(replay.unplayed(), 1);
    let again = run(drain(&replay, &asked)).unwrap();
    assert_eq!(again, heard);
    assert_eq!(again.into_iter().map(Result::unwrap).collect::<Vec<_>>(), pieces);
    assert_eq!(replay.unplayed(), 0);
}

#[test]
fn whoever_records_waits_as_long_as_whoever_does_not() {
    assert_eq!(recording(of(&[])).0.first_event_timeout(), Some(Duration::from_secs(7)));
}

#[test]
fn nothing_secret_is_kept() {
    let (half, rest) = KEY.split_at(9);
    let (recorder, store) = recording(of(&[&format!("you sent {half}"), rest, &format!(" and {KEY}{KEY}")]));
    run(drain(&recorder, &request(&format!("{{\"note\":\"my key is {KEY}\"}}")))).unwrap();
    let text = store.load().unwrap().unwrap();
    assert!(!text.contains(KEY) && !text.contains(half) && !text.contains("6789"), "{text}");
    for kept_out in ["set-cookie", "session=1", "x-org", "x-private", "authorization", "Bearer"] {
        assert!(!text.contains(kept_out), "{kept_out} is in {text}");
    }
    for kept in
        ["my key is [secret]", "you sent [secret]", " and [secret][secret]", "\"request-id\": \"req_1\""]
    {
        assert!(text.contains(kept), "{kept} is not in {text}");
    }
}

#[test]
fn a_key_in_an_error_is_not_kept() {
    let error = ModelError::new(ModelErrorKind::Unavailable, "connect", format!("no route for {KEY}"));
    let (recorder, store) = recording(Fixed { pieces: Vec::new(), error: Some(error) });
    assert!(run(drain(&recorder, &request("{}"))).is_err());
    let text = store.load().unwrap().unwrap();
    assert!(!text.contains(KEY), "{text}");
    let replay = ReplayTransport::open(&*store).unwrap();
    let error = run(drain(&replay, &request("{}"))).unwrap_err();
    assert_eq!((error.kind, error.code.as_deref()), (ModelErrorKind::Unavailable, Some("connect")));
    assert_eq!(error.message, "no route for [secret]");
}

#[test]
fn an_answer_that_repeats_the_key_in_pieces_is_not_kept_and_stops_the_recording() {
    // A few characters an event, as a model says it, and texts of another part in between.
    let said = |index: usize, text: &str| {
        let event =
            serde_json::json!({ "type": "content_block_delta", "index": index, "delta": { "text": text } });
        Bytes::from(format!("event: content_block_delta\ndata: {event}\n\n"))
    };
    for size in [1, 3, 7] {
        let characters: Vec<char> = KEY.chars().collect();
        let pieces = characters.chunks(size).flat_map(|part| {
            let part: String = part.iter().collect();
            [said(0, &part), said(1, "meanwhile ")]
        });
        let (recorder, store) = recording(Fixed { pieces: pieces.collect(), error: None });
        run(drain(&recorder, &request("{}"))).unwrap();
        assert!(matches!(recorder.finish(), Err(CassetteError::Secret)), "in {size}");
        let text = store.load().unwrap().unwrap();
        assert!(!text.contains("delta") && text.contains("answer_not_recorded"), "{text}");
    }
    // In one event it can be blotted out, and the answer stays.
    let (recorder, store) = recording(Fixed { pieces: vec![said(0, KEY), said(0, "more")], error: None });
    run(drain(&recorder, &request("{}"))).unwrap();
    recorder.finish().unwrap();
    let text = store.load().unwrap().unwrap();
    assert!(!text.contains(KEY) && text.contains("[secret]") && text.contains("more"), "{text}");
}

#[test]
fn a_body_that_broke_breaks_again() {
    let error = ModelError::new(ModelErrorKind::Unavailable, "stream_cut", "it broke");
    let (recorder, store) =
        recording(Fixed { pieces: vec![Bytes::from_static(b"data: ")], error: Some(error) });
    let heard = run(drain(&recorder, &request("{}"))).unwrap();
    let again = run(drain(&ReplayTransport::open(&*store).unwrap(), &request("{}"))).unwrap();
    assert_eq!(again, heard);
    assert!(again[1].is_err());
}

#[test]
fn a_body_that_was_let_go_is_kept_as_far_as_it_was_read() {
    let (recorder, store) = recording(of(&["one", "two"]));
    let asked = request("{}");
    run(async {
        let mut body = recorder.send(&asked).await.unwrap().body;
        body.next().await.unwrap().unwrap();
    });
    let again = run(drain(&ReplayTransport::open(&*store).unwrap(), &asked)).unwrap();
    assert_eq!(again, [Ok(Bytes::from_static(b"one"))]);
}

#[test]
fn the_order_of_members_means_nothing_and_the_key_neither() {
    let (recorder, store) = recording(of(&["x"]));
    run(drain(&recorder, &request("{\"a\":1.0,\"b\":[1,2]}"))).unwrap();
    let replay = ReplayTransport::open(&*store).unwrap();
    let mut same = request(" { \"b\" : [ 1, 2 ], \"a\" : 1 } ");
    same.secret_headers = vec![("x-api-key".to_owned(), "another-key-altogether".to_owned())];
    same.url = "http://127.0.0.1:1/v1/messages".to_owned();
    assert_eq!(run(drain(&replay, &same)).unwrap().len(), 1);
}

#[test]
fn the_same_request_gets_its_answers_in_order_and_no_more() {
    let store = Arc::new(MemoryCassette::default());
    for answer in ["first", "second"] {
        let shared = Arc::clone(&store) as Arc<dyn CassetteStore>;
        let recorder = RecordingTransport::new(Arc::new(of(&[answer])), shared).unwrap();
        run(drain(&recorder, &request("{}"))).unwrap();
    }
    let replay = ReplayTransport::open(&*store).unwrap();
    for answer in ["first", "second"] {
        assert_eq!(run(drain(&replay, &request("{}"))).unwrap(), [Ok(Bytes::from(answer))]);
    }
    let error = run(drain(&replay, &request("{}"))).unwrap_err();
    assert_eq!(error.code.as_deref(), Some("cassette_mismatch"));
    assert_eq!(error.message, "the request was recorded 2 times and is asked for once more");
}

#[test]
fn another_request_is_told_where_it_first_differs() {
    let cases = [
        ("{\"a\":{\"b\":[1,{\"c\":\"y\"}]}}", "differs at $.a.b[1].c: recorded `\"x\"`, asked for `\"y\"`"),
        ("{\"a\":{\"b\":[1]}}", "differs at $.a.b[1]: recorded `{\"c\":\"x\"}`, asked for `nothing`"),
        ("{\"a\":{\"b\":[1,{\"c\":\"x\"}]},\"z\":0}", "differs at $.z: recorded `nothing`, asked for `0`"),
        ("[]", "differs at $: recorded"),
        ("no json", "differs at $: recorded"),
        ("", "differs at $: recorded `{\"a\":{\"b\":[1,{\"c\":\"x\"}]}}`, asked for `null`"),
    ];
    for (body, expected) in cases {
        let (recorder, store) = recording(of(&["x"]));
        run(drain(&recorder, &request("{\"a\":{\"b\":[1,{\"c\":\"x\"}]}}"))).unwrap();
        let replay = ReplayTransport::open(&*store).unwrap();
        let error = run(drain(&replay, &request(body))).unwrap_err();
        assert_eq!(error.code.as_deref(), Some("cassette_mismatch"));
        assert!(error.message.contains(expected), "{}", error.message);
        assert_eq!(replay.unplayed(), 1, "a mismatch plays nothing");
    }
}

#[test]
fn another_path_is_told_so() {
    let (recorder, store) = recording(of(&["x"]));
    run(drain(&recorder, &request("{}"))).unwrap();
    let mut other = request("{}");
    other.url = "https://api.example/v1/responses".to_owned();
    let error = run(drain(&ReplayTransport::open(&*store).unwrap(), &other)).unwrap_err();
    assert!(error.message.ends_with("recorded is `POST /v1/messages`, asked for `POST /v1/responses`"));
}

#[test]
fn a_cassette_that_is_none_is_refused() {
    let cases = [
        ("", "EOF"),
        ("{\"version\":2,\"exchanges\":[]}", "version 2, and only 1 is known"),
        ("{\"version\":1,\"exchanges\":[],\"more\":1}", "unknown field `more`"),
        (
            "{\"version\":1,\"exchanges\":[{\"request\":{\"method\":\"POST\",\"path\":\"/\",\"headers\":{}}}]}",
            "a response or a failure",
        ),
    ];
    for (text, expected) in cases {
        let store = MemoryCassette::default();
        store.save(text).unwrap();
        let error = ReplayTransport::open(&store).unwrap_err();
        assert!(matches!(error, CassetteError::Format { .. }));
        assert!(error.to_string().contains(expected), "{error}");
    }
    assert!(matches!(ReplayTransport::open(&MemoryCassette::default()), Err(CassetteError::Missing)));
}

/// A store that takes nothing.
#[derive(Debug)]
struct Full;

impl CassetteStore for Full {
    fn load(&self) -> Result<Option<String>, CassetteError> {
        Ok(None)
    }

    fn save(&self, _text: &str) -> Result<(), CassetteError> {
        Err(CassetteError::Save { source: "no space".into() })
    }
}

#[test]
fn a_recording_that_cannot_be_kept_stops() {
    let recorder = RecordingTransport::new(Arc::new(of(&["x"])), Arc::new(Full)).unwrap();
    run(drain(&recorder, &request("{}"))).unwrap();
    let error = run(drain(&recorder, &request("{}"))).unwrap_err();
    assert_eq!(error.code.as_deref(), Some("cassette_unwritable"));
    assert!(matches!(recorder.finish(), Err(CassetteError::Save { .. })));
}

proptest! {
    /// However a body with keys in it is split, no key is left, and everything else is.
    #[test]
    fn no_split_lets_a_key_through(
        words in prop::collection::vec(prop::sample::select(vec!["a", "sk-", "é", KEY]), 0..12),
        cuts in prop::collection::vec(any::<prop::sample::Index>(), 0..8),
    ) {
        let whole = words.concat().into_bytes();
        let mut at: Vec<usize> = cuts.iter().map(|cut| cut.index(whole.len() + 1)).collect();
        at.extend([0, whole.len()]);
        at.sort_unstable();
        let pieces: Vec<Bytes> =
            at.windows(2).map(|pair| Bytes::copy_from_slice(&whole[pair[0]..pair[1]])).collect();
        let kept = Secrets::of(&request("")).pieces(&pieces);
        prop_assert_eq!(kept.len(), pieces.len());
        let kept: Vec<u8> = kept.iter().flat_map(|piece| Piece::bytes(piece).unwrap().to_vec()).collect();
        let expected = words.iter().map(|word| if *word == KEY { "[secret]" } else { word });
        prop_assert_eq!(String::from_utf8(kept).unwrap(), expected.collect::<String>());
    }
}

/// A character of a key, in one of the ways in which JSON, or JSON inside of a JSON text, may write it.
fn spelt(character: char, spelling: u8) -> String {
    match (spelling, character) {
        (0, '/') => "\\/".to_owned(),
        (1, '/') => "\\\\/".to_owned(),
        (2, _) => format!("\\u{:04X}", u32::from(character)),
        (3, _) => format!("\\\\u{:04x}", u32::from(character)),
        (_, _) => character.to_string(),
    }
}

proptest! {
    /// However JSON writes a key, and wherever the body is cut, nothing of it is kept.
    #[test]
    fn no_spelling_lets_a_key_through(
        spellings in prop::collection::vec(0u8..7, 24),
        cut in 1usize..40,
    ) {
        let key = "sk/KEY/zyxwvut/ABCDEFGH+";
        let written: String = key.chars().zip(&spellings).map(|(one, spelling)| spelt(one, *spelling)).collect();
        let body = format!("{{\"error\":{{\"message\":\"bad {written}!\"}}}}");
        let pieces: Vec<Bytes> = body.as_bytes().chunks(cut).map(Bytes::copy_from_slice).collect();
        let mut asked = request(&body);
        asked.secret_headers = vec![("authorization".to_owned(), format!("Bearer {key}"))];
        let secrets = Secrets::of(&asked);
        let kept: Vec<u8> =
            secrets.pieces(&pieces).iter().flat_map(|piece| Piece::bytes(piece).unwrap().to_vec()).collect();
        let expected = "{\"error\":{\"message\":\"bad [secret]!\"}}";
        prop_assert_eq!(String::from_utf8(kept).unwrap(), expected);
        let kept = secrets.request(&asked).body.unwrap();
        prop_assert_eq!(kept.get(), expected);
    }
}

#[test]
fn a_key_is_found_as_json_writes_it() {
    let mut asked = request("{}");
    asked.secret_headers = vec![("x-api-key".to_owned(), "quo\"ted\\key".to_owned())];
    let body = serde_json::json!({ "note": "quo\"ted\\key" }).to_string();
    asked.body = Bytes::from(body);
    let kept = Secrets::of(&asked).request(&asked);
    assert_eq!(kept.body.unwrap().get(), "{\"note\":\"[secret]\"}");
}
