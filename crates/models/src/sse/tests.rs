//! Facts about the decoder that no vector states: its limits, and that pieces make no difference.

use proptest::prelude::*;

use super::{SseDecoder, SseError, SseLimits};

type Decoded = (Vec<(String, String, String)>, Option<SseError>);

fn decode<'a>(pieces: impl IntoIterator<Item = &'a [u8]>, limits: SseLimits) -> Decoded {
    let mut decoder = SseDecoder::new(limits);
    let mut events = Vec::new();
    for piece in pieces {
        let pushed = decoder.push(piece, &mut |event| {
            events.push((event.name.to_owned(), event.data.to_owned(), event.last_event_id.to_owned()));
            Ok::<(), SseError>(())
        });
        if let Err(error) = pushed {
            return (events, Some(error));
        }
    }
    (events, None)
}

fn small() -> SseLimits {
    SseLimits { max_line_bytes: 20, max_event_bytes: 30 }
}

#[test]
fn a_line_beyond_the_limit_is_refused_however_it_comes() {
    let input = b"data: ok\n\ndata: 0123456789012345\n\n";
    for size in 1..=input.len() {
        let (events, error) = decode(input.chunks(size), small());
        assert_eq!(events.len(), 1, "pieces of {size}");
        assert_eq!(error, Some(SseError::LineTooLong { limit: 20 }), "pieces of {size}");
    }
}

#[test]
fn a_line_that_never_ends_is_refused_while_it_comes() {
    let input = [b'a'; 21];
    assert_eq!(decode(input.chunks(7), small()).1, Some(SseError::LineTooLong { limit: 20 }));
    assert_eq!(decode(input[..20].chunks(7), small()).1, None);
}

#[test]
fn an_event_of_too_many_lines_is_refused() {
    let input = b"data: 0123456789\ndata: 0123456789\ndata: 0123456789\n\n";
    for size in 1..=input.len() {
        let (events, error) = decode(input.chunks(size), small());
        assert!(events.is_empty());
        assert_eq!(error, Some(SseError::EventTooLong { limit: 30 }), "pieces of {size}");
    }
}

#[test]
fn comments_and_unknown_fields_are_under_the_limit_too() {
    let input = [b":".as_slice(), &[b'x'; 64]].concat();
    assert_eq!(decode([input.as_slice()], small()).1, Some(SseError::LineTooLong { limit: 20 }));
}

#[test]
fn an_error_of_the_taker_ends_the_reading() {
    let mut decoder = SseDecoder::new(SseLimits::default());
    let mut seen = 0;
    let stop = SseError::EventTooLong { limit: 0 };
    let pushed = decoder.push(b"data: 1\n\ndata: 2\n\n", &mut |_| {
        seen += 1;
        Err(stop)
    });
    assert_eq!((pushed, seen), (Err(stop), 1));
}

#[test]
fn a_retry_time_beyond_counting_is_ignored() {
    let mut decoder = SseDecoder::new(SseLimits::default());
    let text = b"retry: 5\nretry: 99999999999999999999999999\n\n";
    decoder.push(text, &mut |_| Ok::<(), SseError>(())).unwrap();
    assert_eq!(decoder.retry_millis(), Some(5));
}

proptest! {
    #[test]
    fn pieces_make_no_difference(
        bytes in prop::collection::vec(
            prop_oneof![Just(b'\n'), Just(b'\r'), Just(b':'), Just(b' '), Just(b'd'), Just(0xEF), any::<u8>()],
            0..200,
        ),
        cuts in prop::collection::vec(0usize..200, 0..8),
    ) {
        let mut cuts: Vec<usize> = cuts.into_iter().map(|cut| cut.min(bytes.len())).collect();
        cuts.sort_unstable();
        let mut pieces = Vec::new();
        let mut start = 0;
        for cut in cuts.into_iter().chain([bytes.len()]) {
            pieces.push(&bytes[start..cut]);
            start = cut;
        }
        let whole = decode([bytes.as_slice()], SseLimits::default());
        prop_assert_eq!(&decode(pieces, SseLimits::default()), &whole);
        prop_assert_eq!(&decode(bytes.chunks(1), SseLimits::default()), &whole);
    }

    #[test]
    fn lines_of_fields_mean_the_same_with_every_line_end(
        values in prop::collection::vec("[a-z :]{0,12}", 0..8),
    ) {
        let with = |end: &str| {
            let text: String = values.iter().map(|value| format!("data:{value}{end}{end}")).collect();
            decode([text.as_bytes()], SseLimits::default())
        };
        prop_assert_eq!(with("\n"), with("\r\n"));
        prop_assert_eq!(with("\n"), with("\r"));
    }
}
