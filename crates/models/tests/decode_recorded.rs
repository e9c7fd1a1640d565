//! Recorded streams and answers of real providers: to the events that were reviewed once, in whatever pieces they come,
//! and cut at every byte. A cut stream gives a beginning of its events and then a typed error, never a silent end.

#![expect(clippy::disallowed_methods, reason = "recordings are read from files")]
#![expect(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::panic,
    reason = "a recording that cannot be read fails the test"
)]

mod decode_support;

use std::fs;
use std::path::{Path, PathBuf};

use decode_support::{Item, decode, show};
use premath_models::provider::Protocol::{self, AnthropicMessages, OpenaiChat, OpenaiResponses};
use premath_testkit::test_data;
use premath_tusk::model::{Collector, Delivery};
use serde_json::Value;

/// One stream of one recording; a recording may hold a conversation of several.
struct Stream {
    name: String,
    protocol: Protocol,
    bytes: Vec<u8>,
}

fn files(folder: &str, ending: &str) -> Vec<PathBuf> {
    let Some(folder) = test_data(folder) else { return Vec::new() };
    let entries = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let mut files: Vec<PathBuf> = entries.filter(|path| path.to_string_lossy().ends_with(ending)).collect();
    files.sort();
    files
}

fn stem(path: &Path) -> String {
    let name = path.file_name().unwrap().to_string_lossy().into_owned();
    let folder = path.parent().unwrap().file_name().unwrap().to_string_lossy().into_owned();
    format!("{folder}__{}", name.trim_end_matches(".txt").trim_end_matches(".chunks"))
}

fn protocol_of(document: &Value, folder: &Path) -> Protocol {
    if folder.ends_with("anthropic") {
        return AnthropicMessages;
    }
    let is_response = |name: &str| document[name].as_str().is_some_and(|text| text.starts_with("response"));
    if is_response("type") || is_response("object") { OpenaiResponses } else { OpenaiChat }
}

fn is_last(event: &Value) -> bool {
    let last = ["message_stop", "response.completed", "response.failed", "response.incomplete"];
    event["type"].as_str().is_some_and(|kind| last.contains(&kind))
}

/// Frames the lines of a recording as the provider would, one stream per answer.
fn framed(path: &Path) -> Vec<Stream> {
    let text = fs::read_to_string(path).unwrap();
    let lines: Vec<&str> = text.lines().filter(|line| !line.trim().is_empty()).collect();
    // Two lines of one recording lack their last brace: what cannot be read says nothing about its protocol.
    let read = |line: &str| serde_json::from_str::<Value>(line).unwrap_or_default();
    let sample = lines.iter().map(|line| read(line)).find(|value| !value.is_null()).unwrap();
    let protocol = protocol_of(&sample, path.parent().unwrap());
    let mut streams = vec![String::new()];
    for line in lines {
        let value = read(line);
        let stream = streams.last_mut().unwrap();
        if protocol == AnthropicMessages {
            stream.push_str(&format!("event: {}\n", value["type"].as_str().unwrap()));
        }
        stream.push_str(&format!("data: {line}\n\n"));
        if is_last(&value) {
            streams.push(String::new());
        }
    }
    if protocol == OpenaiChat {
        streams.last_mut().unwrap().push_str("data: [DONE]\n\n");
    }
    streams.retain(|stream| !stream.is_empty());
    let several = streams.len() > 1;
    let named = streams.into_iter().enumerate().map(|(place, stream)| Stream {
        name: if several { format!("{} {place}", stem(path)) } else { stem(path) },
        protocol,
        bytes: stream.into_bytes(),
    });
    named.collect()
}

/// A recording as it is. Those that end within their last event, as a test of another project can have it, get the blank
/// line that ends it.
fn raw(path: &Path) -> Stream {
    let mut text = fs::read_to_string(path).unwrap().trim_end().to_owned();
    text.push_str("\n\n");
    Stream { name: stem(path).replace(".sse", ""), protocol: AnthropicMessages, bytes: text.into_bytes() }
}

const CHUNKS: [&str; 3] =
    ["sse/provider-chunks/anthropic", "sse/provider-chunks/openai", "sse/provider-chunks/openai-compatible"];

fn all_streams() -> Vec<Stream> {
    let recorded = files("sse/anthropic", ".sse").iter().map(|path| raw(path)).collect::<Vec<_>>();
    let chunks = CHUNKS.iter().flat_map(|folder| files(folder, ".chunks.txt"));
    recorded.into_iter().chain(chunks.flat_map(|path| framed(&path))).collect()
}

fn streamed<'a>(stream: &Stream, pieces: impl IntoIterator<Item = &'a [u8]>) -> Vec<Item> {
    decode(stream.protocol, Delivery::Streamed, pieces)
}

#[test]
fn every_recorded_stream_gives_the_events_that_were_reviewed() {
    let streams = all_streams();
    for stream in &streams {
        let items = streamed(stream, [stream.bytes.as_slice()]);
        insta::assert_snapshot!(stream.name.replace(' ', "_"), show(&items));
    }
    assert!(streams.is_empty() || streams.len() == 42, "{}", streams.len());
}

/// What a recording says, read without any decoder of ours: every piece of text, in order.
fn texts_of(stream: &Stream) -> String {
    let text = std::str::from_utf8(&stream.bytes).unwrap();
    let lines = text.lines().filter_map(|line| line.strip_prefix("data: "));
    let documents = lines.filter_map(|line| serde_json::from_str::<Value>(line).ok());
    let pieces = documents.map(|document| {
        let is_delta = document["type"] == "response.output_text.delta";
        let piece = match stream.protocol {
            AnthropicMessages => &document["delta"]["text"],
            OpenaiResponses if is_delta => &document["delta"],
            OpenaiResponses => &Value::Null,
            OpenaiChat => &document["choices"][0]["delta"]["content"],
        };
        piece.as_str().unwrap_or_default().to_owned()
    });
    pieces.collect()
}

#[test]
fn every_text_of_a_recording_is_in_the_answer() {
    let mut count = 0;
    for stream in &all_streams() {
        let items = streamed(stream, [stream.bytes.as_slice()]);
        let mut collector = Collector::default();
        items.iter().flatten().for_each(|event| collector.take(event.clone()));
        if let Ok(response) = collector.finish() {
            assert_eq!(response.text(), texts_of(stream), "{}", stream.name);
            count += usize::from(!response.text().is_empty());
        }
    }
    assert!(count == 0 || count > 12, "{count}");
}

#[test]
fn every_recorded_answer_gives_the_events_that_were_reviewed() {
    let mut count = 0;
    for path in CHUNKS.iter().flat_map(|folder| files(folder, ".json")) {
        let text = fs::read_to_string(&path).unwrap();
        let document: Value = serde_json::from_str(&text).unwrap();
        let protocol = protocol_of(&document, path.parent().unwrap());
        let protocol = if stem(&path).contains("error") { OpenaiResponses } else { protocol };
        let items = decode(protocol, Delivery::Whole, [text.as_bytes()]);
        insta::assert_snapshot!(stem(&path).replace(".json", "_whole"), show(&items));
        count += 1;
    }
    assert!(count == 0 || count == 15, "{count}");
}

#[test]
fn pieces_make_no_difference() {
    for stream in &all_streams() {
        let whole = streamed(stream, [stream.bytes.as_slice()]);
        for size in [1, 7, 64] {
            assert_eq!(streamed(stream, stream.bytes.chunks(size)), whole, "{} in {size}", stream.name);
        }
    }
}

/// Where a stream is really cut: at every byte. The slice cuts a long one around every end of a line, and here and there
/// between; byte by byte it is read below.
fn cuts(bytes: &[u8]) -> Vec<usize> {
    let is_whole = std::env::var("PREMATH_PROVE").is_ok_and(|value| value == "1");
    if bytes.len() <= 6_000 || is_whole {
        return (0..=bytes.len()).collect();
    }
    let is_near_end =
        |place: usize| bytes[place.saturating_sub(1)..bytes.len().min(place + 2)].contains(&b'\n');
    (0..=bytes.len()).filter(|place| place % 211 == 0 || is_near_end(*place)).collect()
}

#[test]
fn a_cut_stream_is_a_beginning_and_an_error() {
    for stream in &all_streams() {
        let whole = streamed(stream, [stream.bytes.as_slice()]);
        for cut in cuts(&stream.bytes) {
            check_cut(stream, &whole, cut);
        }
    }
}

fn check_cut(stream: &Stream, whole: &[Item], cut: usize) {
    let name = &stream.name;
    let items = streamed(stream, [&stream.bytes[..cut]]);
    if items == whole {
        return;
    }
    let Some((Err(error), before)) = items.split_last() else {
        panic!("{name} cut at {cut} ends in silence: {}", show(&items));
    };
    assert_eq!(error.code.as_deref(), Some("stream_cut"), "{name} cut at {cut}");
    assert!(before.iter().all(Result::is_ok), "{name} cut at {cut}");
    assert!(whole.starts_with(before), "{name} cut at {cut} says something else: {}", show(&items));
    let mut collector = Collector::default();
    before.iter().for_each(|item| collector.take(item.clone().unwrap()));
    assert!(collector.finish().is_err(), "{name} cut at {cut} is taken for a whole answer");
}

/// Every byte of the long ones too: what has come so far is always a beginning of the whole.
#[test]
fn byte_by_byte_events_come_as_soon_as_their_last_byte() {
    for stream in all_streams().iter().filter(|stream| stream.bytes.len() > 6_000) {
        let whole = streamed(stream, [stream.bytes.as_slice()]);
        let mut seen = 0;
        for items in decode_support::byte_by_byte(stream.protocol, &stream.bytes) {
            for item in items {
                assert_eq!(Some(&item), whole.get(seen), "{}", stream.name);
                seen += 1;
            }
        }
        assert_eq!(seen, whole.len(), "{}", stream.name);
    }
}

#[test]
fn a_cut_answer_is_an_error() {
    for path in CHUNKS.iter().flat_map(|folder| files(folder, ".json")) {
        let text = fs::read(&path).unwrap();
        let text = text.trim_ascii();
        let protocol = protocol_of(&serde_json::from_slice(text).unwrap(), path.parent().unwrap());
        for cut in 0..text.len() {
            let items = decode(protocol, Delivery::Whole, [&text[..cut]]);
            let [Err(error)] = items.as_slice() else { panic!("{} cut at {cut}", path.display()) };
            assert_eq!(error.code.as_deref(), Some("stream_cut"), "{} cut at {cut}", path.display());
        }
    }
}

#[test]
fn recordings_that_end_within_their_last_event_are_cut() {
    for path in files("sse/anthropic", ".sse") {
        let text = fs::read(&path).unwrap();
        if !text.ends_with(b"\n\n") && !stem(&path).contains("incomplete") {
            let items = decode(AnthropicMessages, Delivery::Streamed, [text.as_slice()]);
            let is_cut = items
                .last()
                .unwrap()
                .as_ref()
                .is_err_and(|error| error.code.as_deref() == Some("stream_cut"));
            assert!(is_cut || text.ends_with(b"}\n"), "{}", path.display());
        }
    }
}

/// The recording whose first and last line lack a brace, with the braces.
#[test]
fn the_recording_with_two_broken_lines_is_whole_when_they_are_mended() {
    for path in files("sse/provider-chunks/openai", "parallel-tool-call-wrapper.1.chunks.txt") {
        let text = fs::read_to_string(path).unwrap();
        let mend = |line: &str| match serde_json::from_str::<Value>(line) {
            Ok(_) => format!("data: {line}\n\n"),
            Err(_) => format!("data: {line}}}\n\n"),
        };
        let mended: String = text.lines().filter(|line| !line.is_empty()).map(mend).collect();
        let items = decode(OpenaiResponses, Delivery::Streamed, [mended.as_bytes()]);
        insta::assert_snapshot!("parallel_tool_call_wrapper_mended", show(&items));
    }
}
