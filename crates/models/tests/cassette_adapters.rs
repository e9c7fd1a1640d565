//! Cassettes behind the real adapters: what is replayed is what was heard, and no key is on the tape.

#![expect(clippy::unwrap_used, reason = "a failed test panics")]

mod scenario_support;

use std::sync::Arc;

use premath_models::cassette::{CassetteStore, MemoryCassette, RecordingTransport, ReplayTransport};
use premath_models::provider::Protocol;
use premath_models::scripted::ScriptedTransport;
use premath_tusk::model::Delivery;
use scenario_support::{KEY, ask, over, request, run, script};

const FILE: &str = r#"
name = "taped"
[[turn]]
reasoning = "thinking"
text = "Grüße"
chunk = 1
fault = [{ kind = "rate_limit", retry_after = 3 }, { kind = "cut", at_byte = 300 }]
[[turn.call]]
tool = "fs_read"
arguments = { path = "a" }
"#;

#[test]
fn what_is_replayed_is_what_was_heard_in_every_protocol() {
    for protocol in Protocol::ALL {
        for delivery in [Delivery::Streamed, Delivery::Whole] {
            let store = Arc::new(MemoryCassette::default());
            let inner = Arc::new(ScriptedTransport::new(script(FILE)));
            let shared = Arc::clone(&store) as Arc<dyn CassetteStore>;
            let recorder = Arc::new(RecordingTransport::new(inner, shared).unwrap());
            let asked = request(&format!("what is {KEY}?"), delivery);
            let model = over(protocol, "http://localhost", Arc::clone(&recorder) as _);
            let heard: Vec<_> = (0..3).map(|_| run(ask(&model, &asked))).collect();
            recorder.finish().unwrap();
            assert!(heard.iter().take(2).all(|(_, error)| error.is_some()));
            assert!(heard.iter().skip(2).all(|(_, error)| error.is_none()));

            let text = store.load().unwrap().unwrap();
            assert!(!text.contains(KEY), "{text}");
            assert!(text.contains("what is [secret]?"));

            let replay = Arc::new(ReplayTransport::open(&*store).unwrap());
            let model = over(protocol, "http://localhost", Arc::clone(&replay) as _);
            let again: Vec<_> = (0..3).map(|_| run(ask(&model, &asked))).collect();
            assert_eq!(again, heard, "{protocol} {delivery:?}");
            assert_eq!(replay.unplayed(), 0);

            let other = run(ask(&model, &request("something else", delivery)));
            assert_eq!(other.1.unwrap().code.as_deref(), Some("cassette_mismatch"));
        }
    }
}
