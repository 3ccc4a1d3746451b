//! Hostile clients: the server's memory before, during and after their
//! connections, while another client is served; and requests that mean
//! one thing to a proxy and another to a server.
//!
//! A flood is a row of `FLOODS`, a request of two meanings one of `SHAPES`.
//! The answers to single clients, and when they are disconnected, are in the gateway's
//! own tests (`hostile.rs`, `wire.rs`).
//!
//! The sizes are small, and so are the limits of the server. The large ones,
//! against any build and with a table:
//!
//! ```sh
//! CLIENTS=large TUPELO=target/release/tupelo \
//!     cargo test -p tupelo clients -- --nocapture --test-threads=1
//! ```

use std::io::{Read, Write};
use std::net::TcpStream;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use crate::http;
use crate::program::until;
use crate::server::{Server, example};

/// The numbers of hostile clients, and the limits of the server.
struct FloodSizes {
    large: bool,
    bodies: usize,
    body_bytes: usize,
    answers: usize,
    connections: usize,
    settings: &'static str,
    /// MiB that the server may hold for clients.
    memory_mib: u64,
}

fn sizes() -> FloodSizes {
    match std::env::var("CLIENTS").as_deref() {
        Ok("large") => FloodSizes {
            large: true,
            bodies: 100,
            body_bytes: 16 << 20,
            answers: 150,
            connections: 10_000,
            settings: "",
            memory_mib: 256,
        },
        _ => FloodSizes {
            large: false,
            bodies: 12,
            body_bytes: 4 << 20,
            answers: 10,
            connections: 200,
            settings: "[gateway]\nmemory_mib = 24\nmax_connections = 200\n",
            memory_mib: 24,
        },
    }
}

/// A server under attack.
struct FloodTarget {
    server: Server,
    sizes: FloodSizes,
    before: u64,
    _folder: tempfile::TempDir,
}

fn copy(from: &Path, to: &Path) {
    std::fs::create_dir_all(to).unwrap();
    for entry in std::fs::read_dir(from).unwrap().flatten() {
        let (path, to) = (entry.path(), to.join(entry.file_name()));
        match path.is_dir() {
            true if entry.file_name() == ".tupelo" => {}
            true => copy(&path, &to),
            false => drop(std::fs::copy(&path, &to).unwrap()),
        }
    }
}

impl FloodTarget {
    fn start() -> FloodTarget {
        let (sizes, folder) = (sizes(), tempfile::tempdir().unwrap());
        copy(&example("perfchannel"), folder.path());
        std::fs::write(folder.path().join("tupelo.toml"), sizes.settings).unwrap();
        let server = match std::env::var_os("TUPELO") {
            Some(program) => Server::start_copy(Path::new(&program), folder.path()),
            None => Server::start(folder.path()),
        };
        let mut target = FloodTarget {
            server,
            sizes,
            before: 0,
            _folder: folder,
        };
        assert_eq!(target.ask(), 200);
        target.before = target.anonymous_mib();
        target
    }

    fn ask(&self) -> u16 {
        let path = "/perfchannel/response/100";
        self.server.send("PUT", path, None).status
    }

    /// The server's own memory, in MiB.
    fn anonymous_mib(&self) -> u64 {
        let status = std::fs::read_to_string(format!("/proc/{}/status", self.server.pid()));
        let status = status.unwrap();
        let line = status.lines().find_map(|l| l.strip_prefix("RssAnon:"));
        let kib = line.and_then(|l| l.split_whitespace().next());
        kib.unwrap().parse::<u64>().unwrap() >> 10
    }

    /// Connects hostile clients while another one is served, and watches the
    /// memory until it is back.
    fn attack<T>(&self, name: &str, come: impl FnOnce() -> T) {
        let over = Arc::new(AtomicBool::new(false));
        let (peak, served, worst) = std::thread::scope(|scope| {
            let other = scope.spawn(|| {
                let (mut peak, mut served, mut worst) = (0, 0, Duration::ZERO);
                while !over.load(Ordering::Relaxed) || served < 20 {
                    let begun = Instant::now();
                    assert_eq!(self.ask(), 200, "another client under {name}");
                    worst = worst.max(begun.elapsed());
                    served += 1;
                    peak = peak.max(self.anonymous_mib());
                }
                (peak, served, worst)
            });
            let hostile = come();
            over.store(true, Ordering::Relaxed);
            let seen = other.join().unwrap();
            drop(hostile);
            seen
        });
        let grown = peak.saturating_sub(self.before);
        println!(
            "{name}: {} MiB before, {peak} while; another client {served} times, \
             {:.0} ms at most",
            self.before,
            worst.as_secs_f64() * 1e3
        );
        // The memory of a connection itself after its first bytes.
        let connections = (self.sizes.connections * 28) as u64 >> 10;
        assert!(
            grown <= self.sizes.memory_mib + connections + 64,
            "{name}: {grown} MiB more"
        );
        let begun = Instant::now();
        until("the memory to be given back", || {
            self.ask() == 200 && self.anonymous_mib() <= self.before + 24
        });
        println!(
            "{name}: {} MiB {:.1} s after",
            self.anonymous_mib(),
            begun.elapsed().as_secs_f64()
        );
    }

    fn connect(&self) -> Option<TcpStream> {
        let stream = TcpStream::connect(&self.server.gateway).ok()?;
        let patience = Some(Duration::from_secs(20));
        stream.set_write_timeout(patience).ok()?;
        stream.set_read_timeout(patience).ok()?;
        Some(stream)
    }

    /// Connections that have each sent these bytes, as far as the server read them.
    fn crowd(&self, count: usize, bytes: &[u8]) -> Vec<TcpStream> {
        let open = || {
            let mut stream = self.connect()?;
            let _ = stream.write_all(bytes);
            Some(stream)
        };
        let threads = count.min(64);
        std::thread::scope(|scope| {
            let share = |n| count / threads + usize::from(n < count % threads);
            let some = |n| move || (0..share(n)).filter_map(|_| open()).collect::<Vec<_>>();
            let all: Vec<_> = (0..threads).map(|n| scope.spawn(some(n))).collect();
            all.into_iter().flat_map(|t| t.join().unwrap()).collect()
        })
    }
}

#[test]
fn clients_that_never_end_their_bodies_hold_bounded_memory() {
    let target = FloodTarget::start();
    let length = target.sizes.body_bytes;
    let mut request = format!(
        "PUT /perfchannel/response/5 HTTP/1.1\r\nhost: x\r\ncontent-length: {length}\r\n\r\n"
    )
    .into_bytes();
    request.resize(request.len() + length - 1, b' ');
    let bodies = target.sizes.bodies;
    target.attack("unfinished bodies", || target.crowd(bodies, &request));
}

#[test]
fn clients_that_read_no_answer_hold_bounded_memory() {
    let target = FloodTarget::start();
    let request = b"PUT /perfchannel/response/8000000 HTTP/1.1\r\nhost: x\r\n\r\n";
    target.attack("unread answers", || {
        let crowd = target.crowd(target.sizes.answers, request);
        // They stay while others are served.
        for _ in 0..20 {
            assert_eq!(target.ask(), 200);
        }
        crowd
    });
}

#[test]
fn many_silent_clients_do_not_block_other_clients() {
    if sizes().large {
        allow_descriptors();
    }
    let target = FloodTarget::start();
    let most = target.sizes.connections;
    for (name, bytes) in [
        ("idle connections", &b""[..]),
        ("half-sent headers", b"GET /perfchannel HTTP/1.1\r\nx-"),
        (
            "header bombs",
            &[&b"GET / HTTP/1.1\r\nx: "[..], &[b'x'; 60_000]].concat(),
        ),
    ] {
        target.attack(name, || target.crowd(most + most / 10, bytes));
    }
}

/// An HTTP/2 frame.
fn frame(kind: u8, flags: u8, stream: u32, payload: &[u8]) -> Vec<u8> {
    let mut frame = (payload.len() as u32).to_be_bytes()[1..].to_vec();
    frame.extend([kind, flags]);
    frame.extend(stream.to_be_bytes());
    frame.extend(payload);
    frame
}

/// A header of HPACK by its texts, each of less than 127 bytes: kept in the
/// table of the connection, or not.
fn header(kept: bool, name: &str, value: &str) -> Vec<u8> {
    let mut bytes = vec![if kept { 0x40 } else { 0 }];
    for text in [name, value] {
        bytes.push(text.len() as u8);
        bytes.extend(text.as_bytes());
    }
    bytes
}

/// A connection of HTTP/2 that begins with these settings, and what follows.
fn http2(settings: &[u8], frames: impl Iterator<Item = Vec<u8>>) -> Vec<u8> {
    let mut bytes = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".to_vec();
    bytes.extend(frame(4, 0, 0, settings));
    frames.for_each(|frame| bytes.extend(frame));
    bytes
}

/// The headers of a request whose answer has this many bytes.
fn put(bytes: usize) -> Vec<u8> {
    let path = format!("/perfchannel/response/{bytes}");
    [
        header(false, ":method", "PUT"),
        header(false, ":scheme", "http"),
        header(false, ":authority", "x"),
        header(false, ":path", &path),
    ]
    .concat()
}

/// Many frames of a kind after the first settings.
fn flood(frames: u32, of: impl Fn(u32) -> Vec<u8>) -> Vec<u8> {
    http2(&[], (0..frames).map(of))
}

/// A request with a chunked body, or with what should be one.
fn chunked(body: Vec<u8>) -> Vec<u8> {
    let head =
        "PUT /perfchannel/response/5 HTTP/1.1\r\nhost: x\r\ntransfer-encoding: chunked\r\n\r\n";
    [head.as_bytes().to_vec(), body].concat()
}

/// A flood: its name, how many clients send it, and what each sends.
type ClientFlood = (&'static str, usize, fn() -> Vec<u8>);

const FLOODS: [ClientFlood; 13] = [
    ("PING", 20, || {
        flood(100_000, |_| frame(6, 0, 0, b"abcdefgh"))
    }),
    ("SETTINGS", 20, || flood(100_000, |_| frame(4, 0, 0, &[]))),
    ("RST_STREAM", 20, || {
        flood(20_000, |n| {
            let begun = frame(1, 5, 2 * n + 1, &put(100));
            [begun, frame(3, 0, 2 * n + 1, &8u32.to_be_bytes())].concat()
        })
    }),
    ("CONTINUATION", 20, || {
        let more = header(false, "x-a", &"y".repeat(100)).repeat(100);
        flood(2_000, |n| match n {
            0 => frame(1, 1, 1, &put(5)),
            _ => frame(9, 0, 1, &more),
        })
    }),
    ("empty CONTINUATION", 20, || {
        flood(100_000, |n| match n {
            0 => frame(1, 1, 1, &put(5)),
            _ => frame(9, 0, 1, &[]),
        })
    }),
    ("a header by 16,000 references", 20, || {
        // 0xbe stands for the newest header of the table.
        let kept = header(true, "cookie", &"c".repeat(120));
        flood(60, |n| match n {
            0 => frame(1, 5, 1, &[put(5), kept.clone()].concat()),
            _ => frame(1, 5, 2 * n + 1, &[put(5), vec![0xbe; 16_000]].concat()),
        })
    }),
    ("no window for 100 answers of 1 MB", 10, || {
        let no_window = [0, 4, 0, 0, 0, 0];
        http2(
            &no_window,
            (0..100).map(|n| frame(1, 5, 2 * n + 1, &put(1_000_000))),
        )
    }),
    ("a header of 200,000 bytes", 50, || {
        let value = "y".repeat(200_000);
        format!("GET / HTTP/1.1\r\nhost: x\r\nx: {value}\r\n\r\n").into_bytes()
    }),
    ("5,000 headers", 50, || {
        let headers: String = (0..5_000).map(|n| format!("a{n}: b\r\n")).collect();
        format!("GET / HTTP/1.1\r\nhost: x\r\n{headers}\r\n").into_bytes()
    }),
    ("20,000 requests at once, unread", 20, || {
        b"PUT /perfchannel/response/10000 HTTP/1.1\r\nhost: x\r\n\r\n".repeat(20_000)
    }),
    ("a chunk's name of 1 MB", 50, || {
        let long = vec![b'e'; 1_000_000];
        chunked([b"1;".to_vec(), long, b"\r\n \r\n0\r\n\r\n".to_vec()].concat())
    }),
    ("a trailer of 1 MB", 50, || {
        let long = vec![b'e'; 1_000_000];
        chunked([b"0\r\nx: ".to_vec(), long, b"\r\n\r\n".to_vec()].concat())
    }),
    ("garbage", 20, || vec![0xff; 1 << 20]),
];

#[test]
fn floods_keep_no_client_out() {
    let target = FloodTarget::start();
    for (name, clients, bytes) in FLOODS {
        let bytes = bytes();
        target.attack(name, || target.crowd(clients, &bytes));
    }
}

/// The request that a proxy would take for a part of the one before it.
const SMUGGLED: &str = "GET /smuggled HTTP/1.1\r\nhost: x\r\n\r\n";

/// Headers of a PUT, and its body with the smuggled request for `S`; the status.
const SHAPES: [(&str, &str, u16); 18] = [
    (
        "content-length: 4\r\ntransfer-encoding: chunked",
        "0\r\n\r\nS",
        200,
    ),
    ("content-length: 0\r\ncontent-length: 38", "S", 400),
    ("content-length: 0, 38", "S", 400),
    ("content-length: +0", "S", 400),
    ("content-length: -0", "S", 400),
    ("content-length: 0x0", "S", 400),
    ("content-length: 99999999999999999999999", "S", 400),
    ("transfer-encoding : chunked", "0\r\n\r\nS", 400),
    ("transfer-encoding: xchunked", "0\r\n\r\nS", 400),
    ("transfer-encoding: \"chunked\"", "0\r\n\r\nS", 400),
    ("transfer-encoding: \u{b}chunked", "0\r\n\r\nS", 400),
    ("transfer-encoding:\r\n chunked", "0\r\n\r\nS", 400),
    ("transfer-encoding: chunked, gzip", "0\r\n\r\nS", 400),
    ("transfer-encoding: identity\r\ncontent-length: 0", "S", 400),
    ("transfer-encoding: chunked", "0x0\r\n\r\nS", 400),
    ("transfer-encoding: chunked", "fffffffffffffffff\r\nS", 400),
    ("transfer-encoding: chunked", "1\n \n0\n\nS", 400),
    ("x: a\rtransfer-encoding: chunked", "0\r\n\r\nS", 400),
];

#[test]
fn no_request_is_smuggled_after_another() {
    let target = FloodTarget::start();
    for (headers, body, status) in SHAPES {
        let body = body.replace('S', SMUGGLED);
        let mut stream = target.connect().unwrap();
        let head = format!("PUT /perfchannel/response/5 HTTP/1.1\r\nhost: x\r\n{headers}");
        write!(stream, "{head}\r\n\r\n{body}").unwrap();
        // The connection is closed after the first answer, or reset if that came first.
        let mut answers = Vec::new();
        let _ = stream.read_to_end(&mut answers);
        let answers = String::from_utf8_lossy(&answers);
        let statuses: Vec<&str> = answers
            .split("HTTP/1.1 ")
            .skip(1)
            .map(|a| &a[..3])
            .collect();
        assert_eq!(statuses, [status.to_string()], "{headers:?} {body:?}");
    }
}

#[test]
fn workers_run_at_a_lower_priority_than_the_server() {
    let target = FloodTarget::start();
    let nice = |pid: i64| {
        let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).unwrap();
        let fields = stat.rsplit_once(") ").unwrap().1;
        fields.split(' ').nth(16).unwrap().parse::<i32>().unwrap()
    };
    let server = nice(target.server.pid().into());
    let workers = target.server.workers();
    assert!(!workers.is_empty());
    for worker in workers {
        assert_eq!(nice(worker.into()), (server + 5).min(19));
    }
}

/// Lets this process open as many sockets as the system allows it.
fn allow_descriptors() {
    let mut limit = libc::rlimit {
        rlim_cur: 0,
        rlim_max: 0,
    };
    // SAFETY: plain calls with a valid place for the limits.
    unsafe {
        libc::getrlimit(libc::RLIMIT_NOFILE, &mut limit);
        limit.rlim_cur = limit.rlim_max;
        libc::setrlimit(libc::RLIMIT_NOFILE, &limit);
    }
}

#[test]
fn the_administration_port_answers_meanwhile() {
    let target = FloodTarget::start();
    let idle = target.crowd(target.sizes.connections, b"");
    let health = http::send(&target.server.admin, "GET", "/health", None);
    assert_eq!(health.status, 200);
    drop(idle);
}

#[test]
fn nonsense_of_clients_fills_no_log() {
    let (folder, log) = (
        tempfile::tempdir().unwrap(),
        tempfile::NamedTempFile::new().unwrap(),
    );
    copy(&example("perfchannel"), folder.path());
    let server = Server::start_logging(folder.path(), log.reopen().unwrap());
    let mut stream = TcpStream::connect(&server.gateway).unwrap();
    // Acknowledgements of nothing, and a ping that is answered after them.
    let acks = (0..900).map(|_| frame(6, 1, 0, b"abcdefgh"));
    let last = frame(6, 0, 0, b"the last");
    let nonsense = http2(&[], acks.chain([last]));
    stream.write_all(&nonsense).unwrap();
    let (mut read, mut answers) = ([0; 4096], Vec::new());
    while !answers.windows(8).any(|bytes| bytes == b"the last") {
        let length = stream.read(&mut read).unwrap();
        assert!(length > 0, "it closed: {answers:?}");
        answers.extend_from_slice(&read[..length]);
    }
    drop(server.stop());
    let lines = std::fs::read_to_string(log.path()).unwrap();
    assert!(!lines.contains("PING"), "{} lines", lines.lines().count());
}
