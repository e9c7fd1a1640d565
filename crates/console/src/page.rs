//! The page: its files, embedded; under a strict policy of what it may load. Deep links give the page itself.
//!
//! It must not read a file.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use axum::body::Body;
use axum::http::{HeaderMap, HeaderValue, StatusCode, header};
use axum::response::{IntoResponse as _, Response};
use bytes::Bytes;
use premath_kernel::Digest;

use crate::failure::Failure;

/// Every file under `dist`, by its path.
const FILES: &[(&str, &[u8])] = include!(concat!(env!("OUT_DIR"), "/page_files.rs"));
/// The page itself.
const INDEX: &str = "/index.html";
/// Files whose names change with what is in them.
const HASHED: &str = "/assets/";
/// What the page may load: its own files, and nothing inline.
pub(crate) const PAGE_POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; \
    connect-src 'self'; font-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

struct File {
    bytes: &'static [u8],
    tag: HeaderValue,
    media: &'static str,
}

static PAGE: LazyLock<BTreeMap<&'static str, File>> = LazyLock::new(|| {
    let file = |(path, bytes): &(&'static str, &'static [u8])| {
        let digest: String =
            Digest::of_bytes(bytes).as_str().chars().skip("sha256:".len()).take(32).collect();
        let tag = HeaderValue::try_from(format!("\"{digest}\""))
            .unwrap_or_else(|_| HeaderValue::from_static("\"\""));
        (*path, File { bytes, tag, media: media(path) })
    };
    FILES.iter().map(file).collect()
});

fn media(path: &str) -> &'static str {
    match path.rsplit_once('.').map_or("", |(_, ending)| ending) {
        "html" => "text/html; charset=utf-8",
        "js" | "mjs" => "text/javascript; charset=utf-8",
        "css" => "text/css; charset=utf-8",
        "json" | "map" | "webmanifest" => "application/json",
        "svg" => "image/svg+xml",
        "png" => "image/png",
        "ico" => "image/x-icon",
        "woff2" => "font/woff2",
        "txt" => "text/plain; charset=utf-8",
        _ => "application/octet-stream",
    }
}

/// A file of the page; the page itself for what looks like one of its places.
pub(crate) fn answer(path: &str, headers: &HeaderMap) -> Response {
    let is_place = !path.rsplit('/').next().unwrap_or_default().contains('.') && !path.starts_with(HASHED);
    let found = match PAGE.get(path) {
        Some(file) => Some((path, file)),
        None if is_place => PAGE.get(INDEX).map(|file| (INDEX, file)),
        None => None,
    };
    let Some((path, file)) = found else {
        return Failure::not_found("there is no such file").into_response();
    };
    let cached = if path.starts_with(HASHED) { "public, max-age=31536000, immutable" } else { "no-cache" };
    let is_known = headers.get_all(header::IF_NONE_MATCH).iter().any(|tags| holds(tags, &file.tag));
    let (status, body) = if is_known {
        (StatusCode::NOT_MODIFIED, Body::empty())
    } else {
        (StatusCode::OK, Body::from(Bytes::from_static(file.bytes)))
    };
    let mut response = (status, body).into_response();
    let answered = response.headers_mut();
    answered.insert(header::CONTENT_TYPE, HeaderValue::from_static(file.media));
    answered.insert(header::ETAG, file.tag.clone());
    answered.insert(header::CACHE_CONTROL, HeaderValue::from_static(cached));
    answered.insert(header::CONTENT_SECURITY_POLICY, HeaderValue::from_static(PAGE_POLICY));
    response
}

fn holds(tags: &HeaderValue, tag: &HeaderValue) -> bool {
    let (Ok(tags), Ok(tag)) = (tags.to_str(), tag.to_str()) else { return false };
    tags.split(',').map(|one| one.trim().trim_start_matches("W/")).any(|one| one == tag || one == "*")
}
