//! What comes behind a complete answer, on a clock that jumps to the next thing that is waited for.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use bytes::Bytes;
use futures_util::{StreamExt, stream};
use premath_tusk::model::{Delivery, ModelError, ModelEvent};
use tokio::time::{Instant, sleep};

use super::{AnswerStream, LONGEST_WAIT_FOR_END};
use crate::provider::{AnswerDecoder, AnswerLimits, Protocol};

const ANSWER: &str = concat!(
    "data: {\"choices\":[{\"delta\":{\"content\":\"hi\"},\"finish_reason\":\"stop\"}]}\n\n",
    "data: [DONE]\n\n",
);

/// How an answer whose body ends this long after it ended: its events, whether the body was read to its end, and how
/// long that took.
fn read(answer: &'static str, end: Duration) -> (Vec<Result<ModelEvent, ModelError>>, bool, Duration) {
    let was_read = Arc::new(AtomicBool::new(false));
    let told = Arc::clone(&was_read);
    let rest = stream::once(async move {
        sleep(end).await;
        told.store(true, Ordering::Relaxed);
        Ok(Bytes::from_static(b": goodbye\n\n"))
    });
    let body = stream::once(async move { Ok(Bytes::from_static(answer.as_bytes())) }).chain(rest);
    let runtime = tokio::runtime::Builder::new_current_thread().enable_time().start_paused(true).build();
    let (events, took) = runtime.unwrap().block_on(async {
        let limits = AnswerLimits::default();
        let decoder = AnswerDecoder::new(Protocol::OpenaiChat, Delivery::Streamed, None, limits);
        let patience = Some(Box::pin(sleep(Duration::from_secs(1))));
        let begun = Instant::now();
        let events = AnswerStream::new(Box::pin(body), decoder, patience).collect().await;
        (events, begun.elapsed())
    });
    (events, was_read.load(Ordering::Relaxed), took)
}

#[test]
fn the_end_of_a_body_is_waited_for() {
    let (events, was_read, _) = read(ANSWER, LONGEST_WAIT_FOR_END / 2);
    assert!(matches!(events.last(), Some(Ok(ModelEvent::Finished { .. }))), "{events:?}");
    assert!(was_read, "the connection cannot be used again");
}

#[test]
fn the_end_of_a_body_is_not_waited_for_long() {
    let (events, was_read, took) = read(ANSWER, Duration::from_secs(3600));
    assert!(matches!(events.last(), Some(Ok(ModelEvent::Finished { .. }))), "{events:?}");
    assert!(!was_read && took < 2 * LONGEST_WAIT_FOR_END, "{took:?}");
}

#[test]
fn nothing_is_waited_for_behind_an_error() {
    let (events, was_read, took) =
        read("data: {\"error\":{\"message\":\"no\"}}\n\n", LONGEST_WAIT_FOR_END / 2);
    assert!(matches!(events.last(), Some(Err(_))), "{events:?}");
    assert_eq!((was_read, took), (false, Duration::ZERO));
}
