//! Sending an answer, with the faults of a connection: broken off, silent, slow.

use std::future::pending;
use std::io;
use std::time::Duration;

use axum::body::Body;
use axum::http::{HeaderName, HeaderValue, StatusCode};
use axum::response::Response;
use bytes::Bytes;
use futures_util::stream::unfold;
use tokio::sync::watch;

use super::{Mark, Marks, wait_for};
use crate::scripted::{Ending, HttpAnswer};

/// The response to send.
pub(super) fn response(answer: HttpAnswer, closing: Option<watch::Receiver<bool>>, marks: Marks) -> Response {
    let status = StatusCode::from_u16(answer.served.status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
    let names = answer.headers.iter().filter_map(|(name, value)| {
        Some((HeaderName::from_static(name), HeaderValue::from_str(value).ok()?))
    });
    let headers: Vec<(HeaderName, HeaderValue)> = names.collect();
    let plain = answer.ending == Ending::Complete && answer.delay.is_zero() && !answer.served.streamed;
    let body = if plain { Body::from(answer.pieces.concat()) } else { streamed(answer, closing, marks) };
    let mut response = Response::new(body);
    *response.status_mut() = status;
    response.headers_mut().extend(headers);
    response
}

struct Sending {
    pieces: std::vec::IntoIter<Bytes>,
    delay: Duration,
    ending: Ending,
    closing: Option<watch::Receiver<bool>>,
    marks: Marks,
}

fn streamed(answer: HttpAnswer, closing: Option<watch::Receiver<bool>>, marks: Marks) -> Body {
    let HttpAnswer { pieces, delay, ending, .. } = answer;
    let sending = Sending { pieces: pieces.into_iter(), delay, ending, closing, marks };
    Body::from_stream(unfold(Some(sending), |sending| async move {
        let mut sending = sending?;
        if sending.delay.is_zero() {
            // What was given before is written out when the body has nothing for a moment; without this an answer
            // would leave in one piece, and a broken one would lose what it had.
            tokio::task::yield_now().await;
        } else {
            tokio::time::sleep(sending.delay).await;
        }
        if let Some(piece) = sending.pieces.next() {
            return Some((Ok(piece), Some(sending)));
        }
        (sending.marks)(Mark::Answered);
        Some((Err(broken_end(sending.ending, sending.closing).await?), None))
    }))
}

/// The error that makes the server drop the connection; none where the answer is complete.
async fn broken_end(ending: Ending, closing: Option<watch::Receiver<bool>>) -> Option<io::Error> {
    match ending {
        Ending::Complete => return None,
        Ending::Cut => {}
        // A client that leaves drops this future; a server that ends must not wait for one that does not.
        Ending::Stalled => match closing {
            Some(mut closing) => wait_for(&mut closing).await,
            None => pending().await,
        },
    }
    Some(io::Error::new(io::ErrorKind::ConnectionAborted, "the scenario ends the connection"))
}
