//! Programs that really run, in network namespaces of their own, with planted
//! pauses, windows and losses, captured at both ends at once, and midway or
//! with the hosts' offloads on where the exchange says so.
//!
//! The kernel's own TCP does what the model in `capture::synth` only imitates.
//! Each exchange is a script for the client and one for the server; its truth is
//! written beside it. Needs the right to make network namespaces.

use std::collections::HashSet;
use std::io::{self, Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::thread;
use std::time::Duration;

use anyhow::{Context, Result};
use capture::synth::Case;
use capture::synth::corpus::Truth;
use lab::net::{CLIENT, Impairment, PORT, Route, SERVER, Wire, WirePlan};
use lab::record::{Filter, Limits, Recorder, Setup};

/// What one end does, in order; the whole is repeated.
#[derive(Debug, Clone, Copy)]
enum Step {
    Send(usize),
    Receive(usize),
    Sleep(u64),
}
use Step::{Receive, Send, Sleep};

/// One exchange.
#[derive(Clone)]
struct Exchange {
    name: &'static str,
    client: Vec<Step>,
    server: Vec<Step>,
    repeat: usize,
    /// The client and the server turn Nagle's algorithm off.
    no_delay: bool,
    wire: WirePlan,
    /// Receive buffer of the client's kernel, bytes.
    client_buffer: Option<u32>,
    /// The server closes without reading what came.
    resets: bool,
    planted: &'static [&'static str],
    allowed: &'static [&'static str],
}

impl Exchange {
    fn new(name: &'static str, client: Vec<Step>, server: Vec<Step>, repeat: usize) -> Exchange {
        Exchange {
            name,
            client,
            server,
            repeat,
            no_delay: false,
            wire: WirePlan::default(),
            client_buffer: None,
            resets: false,
            planted: &[],
            allowed: &[],
        }
    }

    fn no_delay(self) -> Exchange {
        Exchange {
            no_delay: true,
            ..self
        }
    }

    fn far(self, one_way_us: u64) -> Exchange {
        let wire = WirePlan {
            to_server: Impairment::delay(one_way_us),
            to_client: Impairment::delay(one_way_us),
            ..self.wire
        };
        Exchange { wire, ..self }
    }

    /// What is unusual of its path, for its name.
    fn manner(&self) -> &'static str {
        match (self.wire.offloads, self.wire.halved) {
            (true, _) => ", offloads on,",
            (_, true) => ", in two halves,",
            _ => "",
        }
    }

    /// Captured in the middle of its path too.
    fn halved(self) -> Exchange {
        let wire = WirePlan {
            halved: true,
            ..self.wire
        };
        Exchange { wire, ..self }
    }

    /// The hosts leave segmentation and coalescing to their interfaces.
    fn offloaded(self) -> Exchange {
        let wire = WirePlan {
            offloads: true,
            ..self.wire
        };
        Exchange { wire, ..self }
    }

    fn plants(
        self,
        planted: &'static [&'static str],
        allowed: &'static [&'static str],
    ) -> Exchange {
        Exchange {
            planted,
            allowed,
            ..self
        }
    }
}

/// Every exchange, played once a round; each gives the captures of both ends, and
/// of the middle of its path.
pub fn cases(rounds: u32) -> Result<Vec<Case>> {
    let mut all = Vec::new();
    for round in 0..rounds {
        for exchange in exchanges(u64::from(round)) {
            let captures =
                play(&exchange, u64::from(round)).with_context(|| exchange.name.to_owned())?;
            for (place, capture) in ["client", "server", "middle"].into_iter().zip(captures) {
                all.push(Case {
                    name: format!(
                        "run: {}{} at the {place} #{round}",
                        exchange.name,
                        exchange.manner()
                    ),
                    capture,
                    truth: Truth {
                        planted: exchange.planted.to_vec(),
                        allowed: exchange.allowed.to_vec(),
                    },
                });
            }
        }
    }
    Ok(all)
}

/// The exchanges; a round changes their times a little.
fn exchanges(round: u64) -> Vec<Exchange> {
    let ask = |pause_ms: u64| vec![Send(200), Sleep(pause_ms), Send(100), Receive(500)];
    let answer = || vec![Receive(300), Sleep(2), Send(500)];
    let mut all = vec![
        Exchange::new(
            "two writes",
            vec![Send(200), Send(100), Receive(500)],
            answer(),
            15,
        )
        .plants(&["tcp.nagle.write-write-read"], &[]),
        Exchange::new(
            "two writes without Nagle",
            vec![Send(200), Send(100), Receive(500)],
            answer(),
            15,
        )
        .no_delay(),
        Exchange::new(
            "two writes over a path",
            vec![Send(200), Send(100), Receive(500)],
            answer(),
            10,
        )
        .far(8_000 + 1_000 * round)
        .plants(&["tcp.nagle.write-write-read"], &["tcp.nagle"]),
    ];
    for pause_ms in [20 + round, 40, 41 + round, 60 + 3 * round, 100] {
        let small = pause_ms < 30;
        let exchange = Exchange::new("two writes and a pause", ask(pause_ms), answer(), 12);
        // A short pause within the timer's time is mostly the algorithm's wait.
        all.push(match small {
            true => exchange.plants(&[], &["tcp.nagle.write-write-read"]),
            false => exchange,
        });
        all.push(Exchange::new("a pause and no Nagle", ask(pause_ms), answer(), 12).no_delay());
    }
    let push = |bytes, every_ms, count| {
        let mut steps = vec![Receive(10)];
        for _ in 0..count {
            steps.extend([Send(bytes), Sleep(every_ms)]);
        }
        (vec![Send(10), Receive(bytes * count)], steps)
    };
    for (name, (client, server), no_delay) in [
        ("updates every 100 ms", push(700, 100, 15), true),
        ("updates every 100 ms, Nagle", push(700, 100, 15), false),
        ("frames every 20 ms", push(90, 20, 60), true),
        ("frames every 50 ms, Nagle", push(90, 50, 30), false),
    ] {
        let exchange = Exchange::new(name, client, server, 1).far(1_000 * (1 + round));
        all.push(Exchange {
            no_delay,
            ..exchange
        });
    }
    all.extend([
        Exchange::new(
            "a pause in the response",
            vec![Send(300), Receive(1_300)],
            vec![Receive(300), Send(800), Sleep(50 + 10 * round), Send(500)],
            10,
        ),
        Exchange::new(
            "a second line when the file is there",
            vec![Send(25), Receive(100), Sleep(30)],
            vec![Receive(25), Send(60), Sleep(90 + 37 * round), Send(40)],
            6,
        ),
        Exchange::new(
            "keystrokes",
            vec![Send(36), Receive(36), Sleep(90 + 7 * round)],
            vec![Receive(36), Send(36)],
            20,
        )
        .far(3_000)
        .no_delay(),
        Exchange::new(
            "a round trip of half a second",
            vec![Send(300), Receive(900)],
            vec![Receive(300), Sleep(10), Send(900)],
            3,
        )
        .far(250_000),
        Exchange::new(
            "a second between polls",
            vec![Send(90), Receive(120), Sleep(1_000)],
            vec![Receive(90), Send(120)],
            4,
        )
        .far(2_000),
        Exchange::new(
            "small pieces",
            vec![Send(100), Receive(1_500)],
            [vec![Receive(100)], vec![Send(50); 30]].concat(),
            3,
        )
        .no_delay()
        .plants(&["app.tiny-writes"], &[]),
    ]);
    all.extend(transfers(round));
    // The same at the hosts' usual settings and seen from between them.
    let hosts =
        exchanges_by_name(&all, |exchange| exchange.wire.is_direct()).map(Exchange::offloaded);
    let between =
        exchanges_by_name(&all, |exchange| !exchange.wire.is_direct()).map(Exchange::halved);
    let more: Vec<Exchange> = hosts.chain(between).collect();
    all.extend(more);
    all
}

/// One exchange of each name.
fn exchanges_by_name(
    exchanges: &[Exchange],
    wanted: fn(&Exchange) -> bool,
) -> impl Iterator<Item = Exchange> {
    let mut seen = HashSet::new();
    let kept = exchanges.iter().filter(|s| wanted(s)).cloned();
    kept.filter(move |exchange| seen.insert(exchange.name))
        .collect::<Vec<_>>()
        .into_iter()
}

/// Exchanges with much to send.
fn transfers(round: u64) -> Vec<Exchange> {
    let bulk = |bytes| {
        (
            vec![Send(100), Receive(bytes)],
            vec![Receive(100), Send(bytes)],
        )
    };
    let exchange = |name, bytes, repeat| {
        let (client, server) = bulk(bytes);
        Exchange::new(name, client, server, repeat)
    };
    let mut slow = exchange("slow start", 200_000, 1)
        .far(20_000 + 3_000 * round)
        .plants(&["tcp.slow-start"], &["tcp.window.full"]);
    slow.wire.server.initcwnd = Some(4);
    let mut small = exchange("segments of 512 bytes", 6_000, 3)
        .far(2_000)
        .plants(&["tcp.mss.small"], &["tcp.slow-start"]);
    small.wire.server = Route {
        mtu: Some(552),
        ..Route::default()
    };
    let mut tail = Exchange::new(
        "a lost request",
        vec![Send(800), Receive(500)],
        vec![Receive(800), Send(500)],
        3,
    )
    .far(5_000);
    // SYN, ACK, then the request.
    tail.wire.to_server.lose = vec![2];
    tail.planted = &[];
    tail.allowed = &["tcp.rto"];
    let mut lossy = exchange("losses", 400_000, 1).far(10_000);
    lossy.wire.to_client.loss = 0.02;
    lossy.allowed = &[
        "tcp.retransmit.fast",
        "tcp.rto",
        "tcp.retransmit.spurious",
        "tcp.congestion-window",
        "tcp.slow-start",
        "tcp.reordering",
        "tcp.syn.lost",
    ];
    let (client, server) = (
        vec![
            Send(100),
            Sleep(400),
            Receive(40_000),
            Sleep(400),
            Receive(260_000),
        ],
        vec![Receive(100), Send(300_000)],
    );
    let closed = Exchange {
        client_buffer: Some(16_384),
        ..Exchange::new("a client that does not read", client, server, 1)
    };
    let reset = Exchange {
        resets: true,
        ..Exchange::new(
            "a reset",
            vec![Send(100), Receive(1)],
            vec![Receive(40), Sleep(20)],
            1,
        )
    };
    vec![
        slow,
        small,
        tail,
        lossy,
        closed
            .far(1_000)
            .plants(&["tcp.window.zero"], &["tcp.window.full", "tcp.slow-start"]),
        reset.plants(&["tcp.reset"], &[]),
        exchange("a quick transfer", 300_000, 2),
    ]
}

/// Plays a exchange; the captures at the client, at the server and, where the
/// path has a middle, there.
fn play(exchange: &Exchange, seed: u64) -> Result<Vec<Vec<u8>>> {
    let wire = Wire::new(&exchange.wire, seed + 1)?;
    if let Some(bytes) = exchange.client_buffer {
        wire.client
            .set("ipv4/tcp_rmem", &format!("4096 {bytes} {bytes}"))?;
    }
    let record = |interface: &str| {
        let setup = Setup {
            interface: interface.into(),
            filter: Filter::default(),
            snap_bytes: 200,
            limits: Limits::default(),
        };
        Recorder::start(setup, Vec::new())
    };
    let mut recorders = vec![
        wire.client.run(|| record("eth0"))??,
        wire.server.run(|| record("eth0"))??,
    ];
    if let Some(middle) = &wire.middle {
        recorders.push(middle.run(|| record("middle"))??);
    }
    let listener = wire
        .server
        .run(|| TcpListener::bind(SocketAddr::from((SERVER, PORT))))??;
    let server = wire.server.run(|| {
        let (steps, repeat) = (exchange.server.clone(), exchange.repeat);
        let (no_delay, resets) = (exchange.no_delay, exchange.resets);
        thread::spawn(move || -> io::Result<()> {
            let (stream, _) = listener.accept()?;
            act(&stream, &steps, repeat, no_delay)?;
            match resets {
                // Unread data makes the kernel reset.
                true => Ok(()),
                false => (&stream).read_to_end(&mut Vec::new()).map(|_| ()),
            }
        })
    })?;
    let done = wire.client.run(|| -> io::Result<()> {
        let stream = TcpStream::connect(SocketAddr::from((SERVER, PORT)))?;
        stream.set_read_timeout(Some(PATIENCE))?;
        match act(
            &stream,
            &exchange.client,
            exchange.repeat,
            exchange.no_delay,
        ) {
            Err(_) if exchange.resets => Ok(()),
            outcome => outcome,
        }
    })?;
    let served = server
        .join()
        .map_err(|_| anyhow::anyhow!("the server panicked"))?;
    done.with_context(|| format!("the client at {CLIENT}"))?;
    served.context("the server")?;
    let captures = recorders.into_iter().map(|r| Ok(r.stop()?.file));
    let captures = captures.collect::<Result<Vec<_>>>()?;
    wire.close();
    Ok(captures)
}

fn act(mut stream: &TcpStream, steps: &[Step], repeat: usize, no_delay: bool) -> io::Result<()> {
    stream.set_nodelay(no_delay)?;
    for _ in 0..repeat {
        for step in steps {
            match *step {
                Send(bytes) => stream.write_all(&vec![b'x'; bytes])?,
                Receive(bytes) => stream.read_exact(&mut vec![0; bytes])?,
                Sleep(ms) => thread::sleep(Duration::from_millis(ms)),
            }
        }
    }
    Ok(())
}

/// No exchange waits longer for a byte.
const PATIENCE: Duration = Duration::from_secs(30);
