//! Requests that are none of ours: a typed error, and nothing done.

use std::io::{Read as _, Write as _};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::server::{Server, TOKEN, repository};

fn issues(server: &Server) -> usize {
    server.get("/api/issues").data()["items"].as_array().unwrap().len()
}

#[test]
fn only_whoever_shows_the_token_is_answered() {
    let folder = repository();
    let server = Server::new(&folder);
    let wrong =
        [format!("Bearer {TOKEN}x"), "Bearer ".to_owned(), TOKEN.to_owned(), format!("Basic {TOKEN}")];
    for path in ["/api/me", "/api/runs", "/api/nothing", "/metrics", "/api/actions/issue.list"] {
        let bare = server.send("GET", path, &[], "");
        assert_eq!((bare.status, bare.code().as_str()), (401, "auth_missing"), "{path}");
        assert_eq!(bare.header("www-authenticate"), Some("Bearer"));
        for shown in &wrong {
            assert_eq!(
                server.send("GET", path, &[("Authorization", shown)], "").status,
                401,
                "{path} {shown}"
            );
        }
        let query = server.send(
            "GET",
            &format!("{path}?token={TOKEN}"),
            &[("Cookie", &format!("token={TOKEN}"))],
            "",
        );
        assert_eq!(query.status, 401, "a token in the address or a cookie is none");
    }
    for path in ["/", "/healthz", "/openapi.json", "/runs/some-run"] {
        assert_eq!(server.send("GET", path, &[], "").status, 200, "{path}");
    }
}

#[test]
fn another_name_or_page_is_refused_even_with_the_token() {
    let folder = repository();
    let server = Server::new(&folder);
    let bearer = format!("Bearer {TOKEN}");
    let token = ("Authorization", bearer.as_str());
    for host in ["evil.example", "evil.example:80", "127.0.0.1.evil.example", "127.0.0.1:1", "localhost", ""]
    {
        for path in ["/", "/healthz", "/api/me"] {
            let got = server.send("GET", path, &[token, ("Host", host)], "");
            assert!(got.status == 403 || got.status == 400, "Host: {host}: {got:?}");
        }
    }
    for origin in ["http://evil.example", "https://localhost", "null", "http://127.0.0.1:1", "file://"] {
        let got = server.send("GET", "/api/me", &[token, ("Origin", origin)], "");
        assert_eq!((got.status, got.code().as_str()), (403, "foreign_request"), "Origin: {origin}");
    }
    let got = server.send("GET", "/api/me", &[token, ("Sec-Fetch-Site", "cross-site")], "");
    assert_eq!(got.status, 403);
    let own = format!("http://{}", server.address);
    assert_eq!(server.send("GET", "/api/me", &[token, ("Origin", &own)], "").status, 200);
    let port = server.address.split(':').next_back().unwrap();
    assert_eq!(
        server.send("GET", "/api/me", &[token, ("Host", &format!("localhost:{port}"))], "").status,
        200
    );
}

#[test]
fn an_answer_to_another_page_carries_no_leave_to_read_it() {
    let folder = repository();
    let server = Server::new(&folder);
    let got = server.send("OPTIONS", "/api/me", &[("Origin", "http://evil.example")], "");
    assert_eq!(got.status, 403);
    assert_eq!(got.header("access-control-allow-origin"), None);
    let own = server.get("/api/me");
    assert_eq!(own.header("access-control-allow-origin"), None);
    assert_eq!(own.header("cache-control"), Some("no-store"));
    assert_eq!(own.header("x-content-type-options"), Some("nosniff"));
    assert_eq!(own.header("referrer-policy"), Some("no-referrer"));
    assert!(own.header("x-request-id").is_some());
    let page = server.send("GET", "/", &[], "");
    assert!(page.header("content-security-policy").unwrap().contains("script-src 'self'"), "{page:?}");
    assert!(!page.header("content-security-policy").unwrap().contains("unsafe"), "{page:?}");
}

#[test]
fn a_body_that_is_too_large_broken_or_no_json_changes_nothing() {
    let folder = repository();
    let server = Server::new(&folder);
    let bearer = format!("Bearer {TOKEN}");
    let json = [("Authorization", bearer.as_str()), ("Content-Type", "application/json")];
    let path = "/api/desk/files";
    let large = json!({ "name": "a.md", "content": "x".repeat(2 << 20) }).to_string();
    assert_eq!(server.send("POST", path, &json, &large).status, 413);
    // By its head alone: nothing of the body is sent, and the answer does not wait for it.
    let head = format!(
        "POST {path} HTTP/1.1\r\nHost: {}\r\nConnection: close\r\nAuthorization: {bearer}\r\n\
         Content-Type: application/json\r\nContent-Length: 99999999999\r\n\r\n",
        server.address
    );
    let started = std::time::Instant::now();
    assert_eq!(server.raw(head.as_bytes()).status, 413);
    assert!(started.elapsed() < std::time::Duration::from_secs(5), "{:?}", started.elapsed());
    for (body, status) in [
        ("nonsense", 400),
        ("{", 400),
        ("{\"name\":\"a\",\"name\":\"b\"}", 400),
        ("\u{0}", 400),
        ("{\"name\":\"\\ud800\"}", 400),
        ("[]", 422),
        ("\"text\"", 422),
        ("{}", 422),
        ("{\"name\":7}", 422),
        ("{\"name\":\"a.md\",\"surprise\":1}", 422),
    ] {
        let got = server.send("POST", path, &json, body);
        assert_eq!(got.status, status, "{body}: {got:?}");
        assert!(!got.code().is_empty());
    }
    let deep = format!("{{\"name\":{}1{}}}", "[".repeat(5_000), "]".repeat(5_000));
    assert_eq!(server.send("POST", path, &json, &deep).status, 400);
    let form = [("Authorization", bearer.as_str()), ("Content-Type", "text/plain")];
    let got = server.send("POST", path, &form, "{\"name\":\"a.md\"}");
    assert_eq!((got.status, got.code().as_str()), (415, "media_type_unsupported"));
    assert_eq!(server.get("/api/desk/files").data()["items"], json!([]));
    assert_eq!(server.send("PUT", "/api/me", &json, "").status, 405);
    assert_eq!(server.send("GET", "/api/runs?limit=many", &json, "").status, 400);
    assert_eq!(server.send("GET", "/api/runs?limit=1&limit=2", &json, "").status, 400);
    assert_eq!(server.send("GET", "/api/issues?q=%ff", &json, "").status, 400);
    assert_eq!(server.send("GET", "/api/runs/..%2f..%2fetc", &json, "").status, 404);
    assert_eq!(issues(&server), 1);
}

#[test]
fn garbage_on_the_line_ends_a_connection_and_never_the_server() {
    let folder = repository();
    let server = Server::new(&folder);
    let garbage: [&[u8]; 6] = [
        b"\x16\x03\x01\x02\x00\x01\x00",
        b"GET\r\n\r\n",
        b"GET / HTTP/9.9\r\n\r\n",
        b"POST /api/runs HTTP/1.1\r\nContent-Length: -1\r\n\r\n",
        b"POST /api/runs HTTP/1.1\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nx",
        b"\x00\x00\x00\x00",
    ];
    for bytes in garbage {
        let began = Instant::now();
        let got = server.raw(&[bytes, b"\r\n\r\n"].concat());
        assert!(got.status == 0 || got.status >= 400, "{got:?}");
        assert!(began.elapsed() < Duration::from_secs(10), "{bytes:?}");
    }
    let long = format!("GET /{} HTTP/1.1\r\nHost: {}\r\n\r\n", "a".repeat(200_000), server.address);
    assert!(server.raw(long.as_bytes()).status != 200);
    let many = format!("GET / HTTP/1.1\r\nHost: {}\r\n{}\r\n", server.address, "X-A: b\r\n".repeat(5_000));
    assert!(server.raw(many.as_bytes()).status != 200);
    assert_eq!(server.get("/api/me").status, 200);
}

#[test]
fn strangers_are_slowed_down_and_owners_are_not() {
    let folder = repository();
    let server = Server::new(&folder);
    let mut stream = server.connect();
    let request = format!("GET /api/me HTTP/1.1\r\nHost: {}\r\n\r\n", server.address);
    for _ in 0..200 {
        stream.write_all(request.as_bytes()).unwrap();
    }
    stream.shutdown(std::net::Shutdown::Write).unwrap();
    let mut answers = String::new();
    stream.read_to_string(&mut answers).unwrap();
    let count = |status: &str| answers.matches(status).count();
    assert!((120..=140).contains(&count("HTTP/1.1 401")), "{}", count("HTTP/1.1 401"));
    assert!(count("HTTP/1.1 429") >= 60, "{}", count("HTTP/1.1 429"));
    assert!(answers.to_lowercase().contains("retry-after: 1"));
    assert_eq!(server.get("/api/me").status, 200);
}

#[test]
fn a_change_that_comes_too_often_is_told_when_to_come_again() {
    let folder = repository();
    let server = Server::new(&folder);
    let bearer = format!("Bearer {TOKEN}");
    let no_json = [("Authorization", bearer.as_str()), ("Content-Type", "text/plain")];
    let tried = (0..5_000).map(|_| server.send("POST", "/api/desk/files", &no_json, "x"));
    let got = tried.into_iter().find(|got| got.status != 415).unwrap();
    assert_eq!((got.status, got.code().as_str()), (429, "rate_limited"));
    assert!(got.json()["error"]["retryAfterMs"].as_u64().unwrap() > 0);
    assert!(got.header("retry-after").is_some());
    assert_eq!(server.get("/api/me").status, 200, "reading goes on");
}

#[test]
fn an_action_by_name_has_the_rules_of_other_agents() {
    let folder = repository();
    let server = Server::new(&folder);
    let listed = server.post("/api/actions/issue.list", &json!({ "args": { "limit": 5 } })).data();
    assert_eq!(
        (listed["action"].as_str(), listed["payload"]["count"].as_u64()),
        (Some("issue.list"), Some(1))
    );
    let refused = server.post("/api/actions/issue.add", &json!({ "args": { "title": "No" } }));
    assert_eq!((refused.status, refused.code().as_str()), (409, "mutation.use_evidence_missing"));
    for action in
        ["approval.approve", "run.start", "policy.promote", "workspace.doctor", "workspace.trust", "nonsense"]
    {
        assert_eq!(server.post(&format!("/api/actions/{action}"), &json!({})).status, 404, "{action}");
    }
    let hidden = server.post("/api/actions/issue.list", &json!({ "args": { "issues": "/etc/passwd" } }));
    assert_eq!(hidden.status, 422, "{hidden:?}");
    assert_eq!(issues(&server), 1);
    let _: Value = listed;
}

#[test]
fn a_name_that_is_no_text_is_a_typed_answer_at_every_address() {
    let folder = repository();
    let server = Server::new(&folder);
    let document = server.get("/openapi.json").json();
    let mut count = 0;
    for (path, methods) in document["paths"].as_object().unwrap() {
        let Some((before, rest)) = path.split_once('{') else { continue };
        let (_, after) = rest.split_once('}').unwrap();
        let address = format!("{before}%ff%fe{}", after.replace("{callId}", "x"));
        for method in methods.as_object().unwrap().keys().map(|method| method.to_uppercase()) {
            let bearer = format!("Bearer {TOKEN}");
            let got = server.send(&method, &address, &[("Authorization", &bearer)], "");
            assert_eq!((got.status, got.code().as_str()), (404, "not_found"), "{method} {address}");
            count += 1;
        }
    }
    assert!(count > 20, "{count}");
    let metrics = server.get("/metrics").body;
    assert!(metrics.contains("/api/runs/{id}"), "it is counted under its route: {metrics}");
}

#[test]
fn what_a_query_or_an_address_cannot_mean_is_told() {
    let folder = repository();
    let server = Server::new(&folder);
    let begun = server
        .post("/api/runs", &json!({ "task": "hello", "models": ["scripted:hello.toml"], "runId": "hi" }));
    assert_eq!(begun.status, 202, "{begun:?}");
    server.eventually("/api/runs/hi", |card| card["run"]["state"] == "done");
    assert_eq!(server.get("/api/runs/hi/turns/hi.t9999").status, 404);
    assert_eq!(server.get("/api/runs?state=zzz").status, 400);
    assert_eq!(server.get("/api/runs?state=done").data()["count"], 1);
    assert_eq!(server.get("/api/runs?cursor=zzz").status, 400);
    assert_eq!(server.get("/api/runs?cursor=hi").data()["count"], 0);
    let unnamed = server.post("/api/runs", &json!({ "task": "hello" }));
    assert_eq!((unnamed.status, unnamed.code().as_str()), (409, "model_unconfigured"), "{unnamed:?}");
    let error = &unnamed.json()["error"];
    assert!(error["hint"].as_str().unwrap().contains("[models]"), "{error}");
    let limited =
        json!({ "task": "hello", "models": ["openai:a-model-of-tomorrow"], "maxCostMicros": 1_000 });
    let unpriced = server.post("/api/runs", &limited);
    assert_eq!((unpriced.status, unpriced.code().as_str()), (409, "model_unpriced"), "{unpriced:?}");
}

#[test]
fn pages_that_were_named_are_answered_and_no_others() {
    let folder = repository();
    let page = "http://localhost:3000";
    let server = Server::given(
        &folder,
        Some(TOKEN),
        &["--allow-origin", page, "--allow-origin", "https://app.example"],
    );
    let bearer = format!("Bearer {TOKEN}");
    let asking = [
        ("Access-Control-Request-Method", "POST"),
        ("Access-Control-Request-Headers", "authorization,content-type"),
    ];
    for origin in [page, "https://app.example"] {
        let asked = server.send("OPTIONS", "/api/chat", &[&[("Origin", origin)][..], &asking].concat(), "");
        assert_eq!(
            (asked.status, asked.header("access-control-allow-origin")),
            (204, Some(origin)),
            "{asked:?}"
        );
        assert!(asked.header("access-control-allow-headers").unwrap().contains("authorization"));
        assert_eq!(asked.header("access-control-allow-credentials"), None);
        let headers = [("Origin", origin), ("Sec-Fetch-Site", "cross-site"), ("Authorization", &bearer)];
        let got = server.send("GET", "/api/me", &headers, "");
        assert_eq!((got.status, got.header("access-control-allow-origin")), (200, Some(origin)), "{got:?}");
        assert!(got.header("vary").unwrap().contains("Origin"));
        let bare = server.send("GET", "/api/me", &[("Origin", origin)], "");
        assert_eq!(
            (bare.status, bare.header("access-control-allow-origin")),
            (401, Some(origin)),
            "{bare:?}"
        );
        let led = server.send(
            "GET",
            "/api/me",
            &[("Origin", origin), ("Host", "app.example"), ("Authorization", &bearer)],
            "",
        );
        assert_eq!(led.status, 403, "the name must be ours all the same");
    }
    for origin in [
        "http://localhost:3001",
        "https://localhost:3000",
        "http://app.example",
        "https://app.example.evil",
        "null",
    ] {
        let asked = server.send("OPTIONS", "/api/chat", &[&[("Origin", origin)][..], &asking].concat(), "");
        assert_eq!((asked.status, asked.header("access-control-allow-origin")), (403, None), "{origin}");
        let got = server.send("GET", "/api/me", &[("Origin", origin), ("Authorization", &bearer)], "");
        assert_eq!((got.status, got.header("access-control-allow-origin")), (403, None), "{origin}");
    }
    for origin in [
        "*",
        "null",
        "localhost:3000",
        "http://localhost:3000/",
        "https://*.example",
        "http://A.example",
        "http://a:80",
        "ftp://a",
        "http://me@a",
    ] {
        let ran = folder.run(&["serve", "--port", "0", "--allow-origin", origin]);
        assert_eq!(ran.code, Some(2), "{origin}: {ran:?}");
    }
}
