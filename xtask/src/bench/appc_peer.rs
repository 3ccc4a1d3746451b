//! The other process of the APPC benches: a node with the transactions' servers,
//! and the same two exchanges over plain TCP.

use anyhow::Result;
use appc::config::{AppcConfig, ModeConfig};
use appc::{Host, transactions};
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
    let host = Host::start(config)?;
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

/// One connection: eight bytes say how many bytes come and how many go back,
/// again and again.
fn exchange(mut stream: TcpStream) -> std::io::Result<()> {
    stream.set_nodelay(true)?;
    let mut sizes = [0; 8];
    stream.read_exact(&mut sizes)?;
    let [a, b, c, d, e, f, g, h] = sizes;
    let request = u32::from_be_bytes([a, b, c, d]) as usize;
    let reply = vec![0; u32::from_be_bytes([e, f, g, h]) as usize];
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
