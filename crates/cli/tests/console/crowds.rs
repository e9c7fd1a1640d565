//! Many at once: silent connections, slow ones, and a crowd that follows one run.
//!
//! CI has a slice of it; with `PREMATH_PROVE=1` it is as large as promised, and times are asserted as promised.

use std::io::{Read as _, Write as _};
use std::net::TcpStream;
use std::time::{Duration, Instant};

use crate::followed_runs::{Followed, journal, write};
use crate::server::{Server, TOKEN, repository};

fn is_proof() -> bool {
    std::env::var("PREMATH_PROVE").is_ok_and(|value| value == "1")
}

/// How long /healthz takes on a connection that is open.
fn health(stream: &mut TcpStream, address: &str) -> Duration {
    let began = Instant::now();
    stream.write_all(format!("GET /healthz HTTP/1.1\r\nHost: {address}\r\n\r\n").as_bytes()).unwrap();
    let mut answer = [0_u8; 2_048];
    let read = stream.read(&mut answer).unwrap();
    let text = String::from_utf8_lossy(&answer[..read]);
    assert!(text.starts_with("HTTP/1.1 200"), "{text}");
    began.elapsed()
}

/// What the server used: seconds of processor time, and the most memory in megabytes.
fn used(server: &Server) -> (f64, u64) {
    let id = server.child.id();
    let stat = std::fs::read_to_string(format!("/proc/{id}/stat")).unwrap();
    let fields: Vec<&str> = stat.rsplit_once(')').unwrap().1.split_whitespace().collect();
    let ticks: f64 = fields[11].parse::<f64>().unwrap() + fields[12].parse::<f64>().unwrap();
    let status = std::fs::read_to_string(format!("/proc/{id}/status")).unwrap();
    let peak = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).unwrap();
    let kilobytes: u64 = peak.split_whitespace().next().unwrap().parse().unwrap();
    (ticks / 100.0, kilobytes / 1_024)
}

#[test]
fn silent_and_slow_connections_do_no_harm() {
    let folder = repository();
    let server = Server::new(&folder);
    let mut silent: Vec<TcpStream> = (0..200).map(|_| server.connect()).collect();
    // A third of them begin a request and never end it.
    for stream in silent.iter_mut().step_by(3) {
        stream.write_all(b"GET /api/me HTTP/1.1\r\nHost: ").unwrap();
    }
    let mut asking = server.connect();
    let mut times: Vec<Duration> = (0..300).map(|_| health(&mut asking, &server.address)).collect();
    // New connections are answered as well.
    times.extend((0..50).map(|_| health(&mut server.connect(), &server.address)));
    times.sort_unstable();
    let slowest = times[times.len() * 99 / 100];
    println!(
        "R21 /healthz among {} silent connections: p99 {slowest:?}, most {:?}",
        silent.len(),
        times.last().unwrap()
    );
    let promised = Duration::from_millis(if is_proof() { 100 } else { 1_000 });
    assert!(slowest <= promised, "p99 {slowest:?}");
}

#[test]
fn more_connections_than_there_are_places_are_turned_away_and_told_so() {
    let folder = repository();
    let server = Server::new(&folder);
    let held: Vec<TcpStream> = (0..512).map(|_| server.connect()).collect();
    let patience = Instant::now() + Duration::from_secs(5);
    loop {
        let got = server.get("/healthz");
        if got.status == 503 {
            assert_eq!(got.code(), "server_busy");
            break;
        }
        assert!(Instant::now() < patience, "{got:?}");
    }
    drop(held);
    let patience = Instant::now() + Duration::from_secs(10);
    while server.get("/healthz").status != 200 {
        assert!(Instant::now() < patience, "places are not given back");
        std::thread::sleep(Duration::from_millis(50));
    }
}

#[test]
fn a_crowd_follows_one_run_and_nobody_misses_a_row() {
    let (clients, per_second, seconds) = if is_proof() { (200, 1_000, 10) } else { (40, 500, 3) };
    let folder = repository();
    let server = Server::new(&folder);
    let mut writer = journal(&folder, "crowd");
    write(&mut writer, "run.noted", 1);
    let (before, _) = used(&server);
    let total = 1 + per_second * seconds;
    std::thread::scope(|scope| {
        let server = &server;
        let readers: Vec<_> = (0..clients)
            .map(|_| {
                scope.spawn(move || Followed::new(server, "/api/runs/crowd/events?cursor=0", None).rows())
            })
            .collect();
        let began = Instant::now();
        let batch = 20;
        for number in 0..(per_second * seconds / batch) {
            write(&mut writer, "run.noted", batch);
            let due = Duration::from_millis(number * 1_000 * batch / per_second);
            std::thread::sleep(due.saturating_sub(began.elapsed()));
        }
        let wrote = began.elapsed();
        write(&mut writer, "run.stopped", 1);
        let expected: Vec<u64> = (1..=total + 1).collect();
        for reader in readers {
            assert!(reader.join().unwrap() == expected, "somebody missed a row");
        }
        let (after, peak) = used(server);
        println!(
            "R21 {clients} clients on one run, {total} rows in {wrote:.1?}, all told after {:.1?}: \
             {:.1} s of processor time, {peak} MB at most",
            began.elapsed(),
            after - before
        );
        assert!(peak <= 256, "{peak} MB");
    });
}

#[test]
fn whoever_does_not_read_is_cut_off_and_holds_nobody_up() {
    let folder = repository();
    let server = Server::new(&folder);
    let mut writer = journal(&folder, "slow");
    write(&mut writer, "run.noted", 20_000);
    let mut deaf: Vec<TcpStream> = (0..20).map(|_| server.connect()).collect();
    for stream in &mut deaf {
        let request = format!(
            "GET /api/runs/slow/events HTTP/1.1\r\nHost: {}\r\nAuthorization: Bearer {TOKEN}\r\nAccept: text/event-stream\r\n\r\n",
            server.address
        );
        stream.write_all(request.as_bytes()).unwrap();
    }
    write(&mut writer, "run.stopped", 1);
    let rows = Followed::new(&server, "/api/runs/slow/events", None).rows();
    assert_eq!(rows.len(), 20_001);
    let (_, peak) = used(&server);
    assert!(peak <= 256, "{peak} MB");
}
