//! Decoding without a network, and events as a person reviews them.

use std::fmt::Write;

use premath_models::provider::{AnswerDecoder, AnswerLimits, Protocol};
use premath_tusk::model::{Delivery, ModelError, ModelEvent};

/// What a stream of a model gives.
pub(crate) type Item = Result<ModelEvent, ModelError>;

fn decoder(protocol: Protocol, delivery: Delivery) -> AnswerDecoder {
    AnswerDecoder::new(protocol, delivery, Some("req_test".to_owned()), AnswerLimits::default())
}

fn drain(decoder: &mut AnswerDecoder) -> Vec<Item> {
    std::iter::from_fn(|| decoder.next_event()).collect()
}

/// Everything an answer gives.
pub(crate) fn decode<'a>(
    protocol: Protocol,
    delivery: Delivery,
    pieces: impl IntoIterator<Item = &'a [u8]>,
) -> Vec<Item> {
    let mut decoder = decoder(protocol, delivery);
    let mut items = Vec::new();
    for piece in pieces {
        decoder.push(piece);
        items.extend(drain(&mut decoder));
    }
    decoder.end();
    items.extend(drain(&mut decoder));
    items
}

/// What each byte of a stream gives.
pub(crate) fn byte_by_byte(protocol: Protocol, bytes: &[u8]) -> Vec<Vec<Item>> {
    let mut decoder = decoder(protocol, Delivery::Streamed);
    let mut steps = Vec::new();
    for byte in bytes {
        decoder.push(&[*byte]);
        steps.push(drain(&mut decoder));
    }
    decoder.end();
    steps.push(drain(&mut decoder));
    steps
}

/// Events, one a line; deltas of one part that follow each other are one line with their count.
pub(crate) fn show(items: &[Item]) -> String {
    let mut lines = String::new();
    let mut run: Option<(String, usize, String)> = None;
    for item in items {
        let delta = match item {
            Ok(ModelEvent::TextDelta { index, text }) => Some((format!("TextDelta {index}"), text)),
            Ok(ModelEvent::ReasoningDelta { index, text }) => Some((format!("ReasoningDelta {index}"), text)),
            Ok(ModelEvent::RefusalDelta { index, text }) => Some((format!("RefusalDelta {index}"), text)),
            Ok(ModelEvent::ArgumentsDelta { index, text }) => Some((format!("ArgumentsDelta {index}"), text)),
            Ok(_) | Err(_) => None,
        };
        if let (Some((label, count, whole)), Some((now, text))) = (&mut run, &delta)
            && label == now
        {
            *count += 1;
            whole.push_str(text);
            continue;
        }
        end_run(&mut lines, run.take());
        match (delta, item) {
            (Some((label, text)), _) => run = Some((label, 1, text.clone())),
            (None, Ok(event)) => push_line(&mut lines, &format!("{event:?}")),
            (None, Err(error)) => push_line(&mut lines, &format!("{error:?}")),
        }
    }
    end_run(&mut lines, run);
    lines
}

/// A recording stays where it is: of what is long, a snapshot has the beginning, the length and a digest.
fn push_line(lines: &mut String, line: &str) {
    const LONGEST: usize = 320;
    let line = line.replace('\n', "⏎");
    let length = line.chars().count();
    if length <= LONGEST {
        writeln!(lines, "{line}").unwrap();
    } else {
        let digest = line.bytes().fold(0xcbf2_9ce4_8422_2325_u64, |digest, byte| {
            (digest ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
        });
        let beginning: String = line.chars().take(LONGEST - 80).collect();
        writeln!(lines, "{beginning}… [{length} characters, {digest:016x}]").unwrap();
    }
}

fn end_run(lines: &mut String, run: Option<(String, usize, String)>) {
    if let Some((label, count, text)) = run {
        push_line(lines, &format!("{label} in {count}: {text:?}"));
    }
}
