//! The one reader of a run that is followed.

use std::sync::Arc;
use std::time::Duration;

use axum::http::StatusCode;
use premath_bd::Cursor;
use premath_host::follow_run;

use super::pages::Page;
use super::{Head, Tail};
use crate::failure::{Failure, Origin};
use crate::state::AppState;

/// How many rows are read at once.
pub(crate) const ROWS: usize = 500;
/// How soon it is looked again after something was there, and how long at most while nothing is.
const SOON: Duration = Duration::from_millis(25);
const LATE: Duration = Duration::from_millis(400);

/// Reads a run for as long as somebody follows it, or until it has stopped.
pub(crate) async fn read(state: AppState, tail: Arc<Tail>, from: Cursor) {
    let mut cursor = from;
    let mut wait = SOON;
    loop {
        let run_id = tail.run_id.clone();
        let origin = Origin { address: &["id:runId"], is_body: false, ..Origin::default() };
        let read = state
            .host(move |host| {
                follow_run(host.workspace, &run_id, cursor, ROWS)
                    .map_err(|error| Failure::action(&error, origin))
            })
            .await
            .and_then(|read| read);
        let followed = match read {
            Ok(followed) => followed,
            // Too much is asked of the server just now, or somebody is writing.
            Err(failure)
                if failure.status == StatusCode::SERVICE_UNAVAILABLE && !state.stop().is_cancelled() =>
            {
                tokio::time::sleep(LATE).await;
                continue;
            }
            Err(failure) => {
                state.tails().leave(&tail);
                tail.news.send_modify(|head| head.failure = Some(Arc::new(failure)));
                return;
            }
        };
        let has_news = !followed.rows.is_empty();
        if has_news {
            let page = Page::new(cursor.seq(), &followed);
            state.measures().events(u64::try_from(page.count()).unwrap_or(u64::MAX));
            cursor = followed.next;
            tail.pages().push(page);
        }
        if followed.has_stopped {
            // Whoever comes now begins a new reader: the run may be gone on with.
            state.tails().leave(&tail);
        }
        if has_news || followed.has_stopped {
            let (seq, has_stopped) = (cursor.seq(), followed.has_stopped);
            tail.news.send_replace(Head { seq, has_stopped, failure: None });
        }
        if followed.has_stopped || state.stop().is_cancelled() {
            return;
        }
        if followed.has_more {
            continue;
        }
        wait = if has_news { SOON } else { (wait * 2).min(LATE) };
        if !has_news && state.tails().leave_unless_followed(&tail) {
            return;
        }
        tokio::time::sleep(SOON).await;
        tokio::select! {
            () = tail.wake.notified() => wait = SOON,
            () = tokio::time::sleep(wait.saturating_sub(SOON)) => {}
            () = state.stop().cancelled() => return,
        }
    }
}
