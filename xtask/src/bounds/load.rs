//! Requests at a constant rate over connections that stay open.
//!
//! Each request has its time, and its response time counts from then, so that a
//! server that stands still is not asked more gently. It is its own small client and
//! not the load driver: two servers are asked at once by the same means, next to
//! programs that take the processors.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use anyhow::Result;
use measure::Histogram;

/// Longest time to wait for an answer.
const PATIENCE: Duration = Duration::from_secs(10);

/// What became of the requests of a while.
#[derive(Debug)]
pub struct LoadWindow {
    /// Answers with 200.
    pub answered: u64,
    /// Answers with 503.
    pub refused: u64,
    /// Other answers, and requests without one.
    pub failed: u64,
    /// Response times of all of them, from the time that each was due.
    pub latency: Histogram,
}

impl Default for LoadWindow {
    fn default() -> LoadWindow {
        LoadWindow {
            answered: 0,
            refused: 0,
            failed: 0,
            latency: Histogram::new(),
        }
    }
}

impl LoadWindow {
    /// Requests that were not answered with 200.
    pub fn errors(&self) -> u64 {
        self.refused + self.failed
    }

    /// The response time that a share of the requests did not exceed, in
    /// milliseconds.
    pub fn quantile_ms(&self, share: f64) -> f64 {
        self.latency.quantile(share) as f64 / 1e6
    }
}

/// A load that runs until it is dropped.
pub struct ConstantLoad {
    is_over: Arc<AtomicBool>,
    window: Arc<Mutex<LoadWindow>>,
    clients: Vec<JoinHandle<()>>,
}

impl ConstantLoad {
    /// Sends `rate` requests a second to a path, by as many clients as may wait at
    /// once.
    pub fn start(address: &str, path: &str, rate: f64, clients: usize) -> Result<ConstantLoad> {
        let mut load = ConstantLoad {
            is_over: Arc::default(),
            window: Arc::default(),
            clients: Vec::new(),
        };
        let request = format!("GET {path} HTTP/1.1\r\nhost: {address}\r\n\r\n");
        let begin = Instant::now();
        for number in 0..clients {
            let client = LoadClient {
                address: address.to_owned(),
                request: request.clone(),
                connection: None,
            };
            let pace = Duration::from_secs_f64(clients as f64 / rate);
            let first = begin + pace.mul_f64(number as f64 / clients as f64);
            let (is_over, window) = (load.is_over.clone(), load.window.clone());
            let work = move || client.work(first, pace, &is_over, &window);
            load.clients.push(std::thread::Builder::new().spawn(work)?);
        }
        Ok(load)
    }

    /// What happened since the last call.
    pub fn take(&self) -> LoadWindow {
        let mut window = self.window.lock().unwrap_or_else(PoisonError::into_inner);
        std::mem::take(&mut window)
    }

    /// Ends the load; what happened since the last call.
    pub fn stop(mut self) -> LoadWindow {
        self.end();
        self.take()
    }

    fn end(&mut self) {
        self.is_over.store(true, Ordering::SeqCst);
        for client in self.clients.drain(..) {
            let _ = client.join();
        }
    }
}

impl Drop for ConstantLoad {
    fn drop(&mut self) {
        self.end();
    }
}

struct LoadClient {
    address: String,
    request: String,
    connection: Option<BufReader<TcpStream>>,
}

impl LoadClient {
    fn work(
        mut self,
        first: Instant,
        pace: Duration,
        is_over: &AtomicBool,
        window: &Mutex<LoadWindow>,
    ) {
        let mut due = first;
        while !is_over.load(Ordering::SeqCst) {
            std::thread::sleep(due.saturating_duration_since(Instant::now()));
            let status = self.send();
            if status.is_none() {
                self.connection = None;
            }
            let took = due.elapsed().as_nanos() as u64;
            let mut window = window.lock().unwrap_or_else(PoisonError::into_inner);
            window.latency.record(took);
            match status {
                Some(200) => window.answered += 1,
                Some(503) => window.refused += 1,
                _ => window.failed += 1,
            }
            due += pace;
        }
    }

    /// One request; its status, or `None` without an answer.
    fn send(&mut self) -> Option<u16> {
        if self.connection.is_none() {
            let stream = TcpStream::connect(&self.address).ok()?;
            stream.set_read_timeout(Some(PATIENCE)).ok()?;
            stream.set_nodelay(true).ok()?;
            self.connection = Some(BufReader::new(stream));
        }
        let reader = self.connection.as_mut()?;
        reader.get_mut().write_all(self.request.as_bytes()).ok()?;
        let mut line = String::new();
        reader.read_line(&mut line).ok()?;
        let status = line.split(' ').nth(1)?.parse().ok()?;
        let (mut length, mut closes) = (0, false);
        loop {
            line.clear();
            reader.read_line(&mut line).ok()?;
            let (name, value) = match line.trim_end().split_once(':') {
                Some((name, value)) => (name.to_ascii_lowercase(), value.trim().to_owned()),
                None if line.trim_end().is_empty() => break,
                None => return None,
            };
            match name.as_str() {
                "content-length" => length = value.parse().ok()?,
                "connection" => closes = value.eq_ignore_ascii_case("close"),
                _ => {}
            }
        }
        let mut body = vec![0; length];
        reader.read_exact(&mut body).ok()?;
        if closes {
            self.connection = None;
        }
        Some(status)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::net::TcpListener;

    #[test]
    fn every_request_of_a_rate_is_sent_and_counted_by_its_status() {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap().to_string();
        std::thread::spawn(move || {
            for (number, stream) in listener.incoming().enumerate() {
                std::thread::spawn(move || serve(stream.unwrap(), number));
            }
        });
        let load = ConstantLoad::start(&address, "/", 200.0, 2).unwrap();
        let mut seen = load.take();
        while seen.answered < 20 || seen.refused < 20 || seen.failed < 1 {
            let more = load.take();
            seen.answered += more.answered;
            seen.refused += more.refused;
            seen.failed += more.failed;
            seen.latency.merge(&more.latency);
        }
        let last = load.stop();
        seen.latency.merge(&last.latency);
        let all = seen.answered + seen.errors() + last.answered + last.errors();
        assert_eq!(seen.latency.count(), all);
    }

    /// Answers 200 on the first connection and 503 on the second, and ends the first
    /// after some.
    fn serve(stream: TcpStream, number: usize) {
        let mut reader = BufReader::new(stream);
        for count in 0.. {
            let mut line = String::new();
            while line != "\r\n" {
                line.clear();
                if reader.read_line(&mut line).unwrap_or(0) == 0 {
                    return;
                }
            }
            if number == 0 && count == 25 {
                return;
            }
            let status = [200, 503][number.min(1)];
            let answer = format!("HTTP/1.1 {status} x\r\ncontent-length: 2\r\n\r\nok");
            if reader.get_mut().write_all(answer.as_bytes()).is_err() {
                return;
            }
        }
    }
}
