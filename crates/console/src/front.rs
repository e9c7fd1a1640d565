//! What stands before every answer: who asks, under which name, from which page; and what every answer bears.
//!
//! A page of somebody else can make a browser send requests here, and can make its own name resolve to this machine: so our
//! name and the token are asked for first. It must not look into a body.

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use axum::extract::{Request, State};
use axum::http::{HeaderMap, HeaderName, HeaderValue, Method, StatusCode, Uri, header};
use axum::middleware::Next;
use axum::response::{IntoResponse as _, Response};
use tokio::time::Instant;

use crate::failure::{Code, Failure};
use crate::options::{Noted, PageOrigin};
use crate::rates::Rate;
use crate::router::{Matched, is_api, is_public};
use crate::state::AppState;

/// What the API may load when somebody opens it as a page: nothing.
const API_POLICY: &str = "default-src 'none'; frame-ancestors 'none'";
const REQUEST_ID: HeaderName = HeaderName::from_static("x-request-id");

/// Lets a request through, or says why not; then puts on the answer what every answer bears.
pub(crate) async fn guarded(State(state): State<AppState>, request: Request, next: Next) -> Response {
    static COUNT: AtomicU64 = AtomicU64::new(1);
    let began = Instant::now();
    let id = format!("req-{:08x}", COUNT.fetch_add(1, Ordering::Relaxed));
    let is_api = is_api(request.uri().path());
    let method = method(&request);
    let page = allowed(&state, request.headers()).filter(|_| is_api).cloned();
    let is_preflight = page.is_some() && is_preflight(&request);
    let mut response = match checked(&state, &request, page.is_some()) {
        Ok(()) if is_preflight => StatusCode::NO_CONTENT.into_response(),
        Ok(()) => next.run(request).await,
        Err(failure) => failure.into_response(),
    };
    dress(response.headers_mut(), is_api, &id);
    if let Some(page) = page {
        let_read(response.headers_mut(), page, is_preflight);
    }
    note(&state, &response, method, &id, began.elapsed());
    response
}

fn checked(state: &AppState, request: &Request, is_allowed: bool) -> Result<(), Failure> {
    let headers = request.headers();
    own_name(state, request.uri(), headers)?;
    if !is_allowed {
        own_page(state, headers, is_api(request.uri().path()))?;
    }
    // What a browser asks beforehand bears no token, and does nothing.
    if is_public(request.uri().path()) || (is_allowed && is_preflight(request)) {
        return Ok(());
    }
    let shown = headers.get(header::AUTHORIZATION);
    if shown.is_some_and(|header| state.options().token.is_shown_by(header.as_bytes())) {
        return Ok(());
    }
    state.rates().take(Rate::Stranger, Instant::now()).map_err(Failure::too_often)?;
    Err(Failure::unauthorised())
}

/// A browser says which name it was sent to; under any but ours it was led here.
fn own_name(state: &AppState, uri: &Uri, headers: &HeaderMap) -> Result<(), Failure> {
    let mut hosts = headers.get_all(header::HOST).iter();
    let host = hosts.next().and_then(|host| host.to_str().ok());
    let is_own = host.is_some_and(|host| state.is_own(host)) && hosts.next().is_none();
    let is_own_uri = uri.authority().is_none_or(|authority| state.is_own(authority.as_str()));
    if is_own && is_own_uri {
        Ok(())
    } else {
        Err(Failure::foreign("the header `Host` does not name this server"))
    }
}

/// The page of somebody else that may ask here, where the request is from one.
fn allowed<'s>(state: &'s AppState, headers: &HeaderMap) -> Option<&'s HeaderValue> {
    let mut origins = headers.get_all(header::ORIGIN).iter();
    let (first, second) = (origins.next()?, origins.next());
    let known = state.options().origins.iter().map(PageOrigin::header);
    known.filter(|_| second.is_none()).find(|known| *known == first)
}

/// Whether a browser asks what it may ask.
fn is_preflight(request: &Request) -> bool {
    request.method() == Method::OPTIONS
        && request.headers().contains_key(header::ACCESS_CONTROL_REQUEST_METHOD)
}

/// Lets the page of somebody else read an answer. No cookie counts here, so none is asked for.
fn let_read(headers: &mut HeaderMap, page: HeaderValue, is_preflight: bool) {
    headers.insert(header::ACCESS_CONTROL_ALLOW_ORIGIN, page);
    headers.append(header::VARY, HeaderValue::from_static("Origin"));
    let mut set =
        |name: HeaderName, value: &'static str| headers.insert(name, HeaderValue::from_static(value));
    if is_preflight {
        set(header::ACCESS_CONTROL_ALLOW_METHODS, "GET, POST, PUT, PATCH, DELETE");
        set(header::ACCESS_CONTROL_ALLOW_HEADERS, "authorization, content-type, last-event-id, user-agent");
        set(header::ACCESS_CONTROL_MAX_AGE, "600");
        // A page of the network asks a server of this machine.
        set(HeaderName::from_static("access-control-allow-private-network"), "true");
    } else {
        set(
            header::ACCESS_CONTROL_EXPOSE_HEADERS,
            "retry-after, x-request-id, x-vercel-ai-ui-message-stream",
        );
    }
}

/// A browser says which page made it ask.
fn own_page(state: &AppState, headers: &HeaderMap, is_api: bool) -> Result<(), Failure> {
    for origin in headers.get_all(header::ORIGIN) {
        let authority = origin.to_str().ok().and_then(|origin| origin.strip_prefix("http://"));
        if !authority.is_some_and(|authority| state.is_own(authority)) {
            return Err(Failure::foreign("a page of somebody else asks for this"));
        }
    }
    let is_foreign = headers.get("sec-fetch-site").is_some_and(|site| site == "cross-site");
    if is_api && is_foreign { Err(Failure::foreign("a page of somebody else asks for this")) } else { Ok(()) }
}

fn dress(headers: &mut HeaderMap, is_api: bool, id: &str) {
    let mut set = |name: HeaderName, value: &'static str| {
        headers.entry(name).or_insert(HeaderValue::from_static(value));
    };
    set(header::X_CONTENT_TYPE_OPTIONS, "nosniff");
    set(header::REFERRER_POLICY, "no-referrer");
    set(HeaderName::from_static("cross-origin-resource-policy"), "same-origin");
    set(HeaderName::from_static("cross-origin-opener-policy"), "same-origin");
    set(header::CONTENT_SECURITY_POLICY, API_POLICY);
    if is_api {
        set(header::CACHE_CONTROL, "no-store");
    }
    if let Ok(id) = HeaderValue::try_from(id) {
        headers.insert(REQUEST_ID, id);
    }
}

fn method(request: &Request) -> &'static str {
    match request.method().as_str() {
        "GET" => "GET",
        "HEAD" => "HEAD",
        "POST" => "POST",
        "PUT" => "PUT",
        "PATCH" => "PATCH",
        "DELETE" => "DELETE",
        _ => "OTHER",
    }
}

fn note(state: &AppState, response: &Response, method: &'static str, id: &str, took: Duration) {
    let route = response.extensions().get().map_or("", |Matched(route)| route.path);
    let status = response.status().as_u16();
    state.measures().answered(method, route, status, took);
    if let Some(log) = &state.options().log {
        let code = response.extensions().get::<Code>().map(|Code(code)| code.as_str());
        log.note(&Noted { id, method, route, status, code, took });
    }
}
