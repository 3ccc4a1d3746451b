//! The other process of the APPC benches: a node with the transactions' servers,
//! and the same two exchanges over plain TCP.

use anyhow::Result;
use appc::config::{AppcConfig, ModeConfig};
use appc::{NodeHost, transactions};
use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};

/// The node's name.
pub const LU: &str = "BENCH.SERVER";
/// Sessions of the mode [`MANY`].
pub const SESSIONS: u16 = 10_000;
/// The mode of the sessions that are counted.
pub const MANY: &str = "MANY";

/// A node's configuration: `#BATCH` tuned for large transfers, and [`MANY`].
pub fn configuration(lu: &str) -> AppcConfig {
    let mut config = AppcConfig {
        lu: lu.into(),
        ..AppcConfig::default()
    };
    let batch = ModeConfig {
        ru_bytes: Some(16_384),
        pacing: Some(63),
        ..ModeConfig::default()
    };
    let many = ModeConfig {
        sessions: Some(SESSIONS),
        winners: Some(SESSIONS),
        ..ModeConfig::default()
    };
    config.modes.insert("#BATCH".into(), batch);
    config.modes.insert(MANY.into(), many);
    config
}

/// Serves both until standard input ends.
pub fn serve() -> Result<bool> {
    let mut config = configuration(LU);
    if let Some(many) = config.modes.get_mut(MANY) {
        many.winners = Some(0);
    }
    config.listen = Some("127.0.0.1:0".parse()?);
    let host = NodeHost::start(config)?;
    transactions::define(&host)?;
    let listener = TcpListener::bind("127.0.0.1:0")?;
    let node = host.listening().map_or(String::new(), |at| at.to_string());
    println!("{node} {}", listener.local_addr()?);
    std::io::stdout().flush()?;
    std::thread::spawn(move || {
        for stream in listener.incoming().flatten() {
            std::thread::spawn(move || {
                let _ = exchange(stream);
            });
        }
    });
    std::io::copy(&mut std::io::stdin(), &mut std::io::sink())?;
    host.stop();
    Ok(true)
}

/// The bit of the reply's size by which a client asks for a side that spins.
pub const SPINS: u32 = 1 << 31;

/// A connection that asks again and again instead of sleeping.
pub struct SpinningReader(pub TcpStream);

impl Read for SpinningReader {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        loop {
            match self.0.read(buffer) {
                Err(e) if e.kind() == std::io::ErrorKind::WouldBlock => std::hint::spin_loop(),
                other => return other,
            }
        }
    }
}

impl Write for SpinningReader {
    fn write(&mut self, buffer: &[u8]) -> std::io::Result<usize> {
        loop {
            match self.0.write(buffer) {
                Err(e) if e.kind() == std::io::ErrorKind::WouldBlock => std::hint::spin_loop(),
                other => return other,
            }
        }
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

/// One connection: eight bytes say how many bytes come and how many go back,
/// again and again.
fn exchange(mut stream: TcpStream) -> std::io::Result<()> {
    stream.set_nodelay(true)?;
    let mut sizes = [0; 8];
    stream.read_exact(&mut sizes)?;
    let [a, b, c, d, e, f, g, h] = sizes;
    let request = u32::from_be_bytes([a, b, c, d]) as usize;
    let reply = u32::from_be_bytes([e, f, g, h]);
    if reply & SPINS == 0 {
        return answer(stream, request, reply);
    }
    stream.set_nonblocking(true)?;
    answer(SpinningReader(stream), request, reply & !SPINS)
}

fn answer(mut stream: impl Read + Write, request: usize, reply: u32) -> std::io::Result<()> {
    let reply = vec![0; reply as usize];
    let mut buffer = vec![0; 32_000];
    loop {
        let mut left = request;
        while left > 0 {
            let most = left.min(buffer.len());
            let read = stream.read(&mut buffer[..most])?;
            if read == 0 {
                return Ok(());
            }
            left -= read;
        }
        stream.write_all(&reply)?;
    }
}
