//! Buckets run dry, say for how long, and fill again.

use std::time::Duration;

use tokio::time::Instant;

use super::{Rate, Rates};
use crate::options::Limits;

fn rates(per_minute: u32, now: Instant) -> Rates {
    Rates::new(&Limits { chats_per_minute: per_minute, ..Limits::default() }, now)
}

#[test]
fn as_many_as_a_minute_has_are_let_in_at_once_and_then_one_at_a_time() {
    let now = Instant::now();
    let rates = rates(20, now);
    for _ in 0..20 {
        assert_eq!(rates.take(Rate::Chat, now), Ok(()));
    }
    assert_eq!(rates.take(Rate::Chat, now), Err(Duration::from_secs(3)));
    assert_eq!(rates.take(Rate::Chat, now + Duration::from_secs(2)), Err(Duration::from_secs(1)));
    assert_eq!(rates.take(Rate::Chat, now + Duration::from_secs(3)), Ok(()));
    assert!(rates.take(Rate::Chat, now + Duration::from_secs(3)).is_err());
}

#[test]
fn one_kind_of_request_takes_nothing_from_another() {
    let now = Instant::now();
    let rates = rates(1, now);
    assert_eq!(rates.take(Rate::Chat, now), Ok(()));
    assert!(rates.take(Rate::Chat, now).is_err());
    assert_eq!(rates.take(Rate::Read, now), Ok(()));
    assert_eq!(rates.take(Rate::Change, now), Ok(()));
}

#[test]
fn after_a_minute_of_silence_there_is_no_more_than_a_minute_holds() {
    let now = Instant::now();
    let rates = rates(2, now);
    let later = now + Duration::from_secs(3_600);
    assert_eq!(rates.take(Rate::Chat, later), Ok(()));
    assert_eq!(rates.take(Rate::Chat, later), Ok(()));
    assert!(rates.take(Rate::Chat, later).is_err());
}
