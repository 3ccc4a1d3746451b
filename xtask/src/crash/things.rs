//! Clients whose requests each add one thing, with a number of its own, in one unit of
//! work, and what is known of each: what the tests over queues and over tables share.

use std::net::TcpStream;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use anyhow::{Result, bail};
use serde_json::Value;

use super::served::{WAIT, current, exchange};

/// What is known of a request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum KnownOutcome {
    /// The region said that it was done.
    Done,
    /// The region said that it was not done.
    Refused,
    /// No answer says either.
    Unknown,
}

/// A thing that a client asked for.
#[derive(Debug, Clone, Copy)]
pub struct AddedThing {
    pub id: u32,
    /// The client's number, from 1.
    pub client: u32,
    pub known: KnownOutcome,
}

/// The body of a request: of an operation, a thing's number and its client's.
pub type RequestBody = fn(&str, u32, u32) -> String;

/// The application that is asked.
#[derive(Clone)]
pub struct ThingServer {
    pub address: Arc<Mutex<String>>,
    pub body: RequestBody,
}

impl ThingServer {
    /// Has clients add things until `kill` returns. Returns the things, its result and
    /// how long it took.
    pub fn add_during<K>(
        &self,
        clients: usize,
        kill: impl FnOnce() -> Result<K>,
    ) -> Result<(Vec<AddedThing>, K, Duration)> {
        let things = Mutex::new(Vec::new());
        let (next, is_over) = (AtomicU32::new(0), AtomicBool::new(false));
        let began = Instant::now();
        let killed = std::thread::scope(|scope| {
            let (things, next, is_over) = (&things, &next, &is_over);
            for client in 1..=clients as u32 {
                scope.spawn(move || self.add(client, next, things, is_over));
            }
            let killed = kill();
            is_over.store(true, Ordering::SeqCst);
            killed
        });
        let took = began.elapsed();
        let things = things.into_inner().unwrap_or_else(PoisonError::into_inner);
        Ok((things, killed?, took))
    }

    fn add(
        &self,
        client: u32,
        next: &AtomicU32,
        things: &Mutex<Vec<AddedThing>>,
        is_over: &AtomicBool,
    ) {
        while !is_over.load(Ordering::SeqCst) {
            let id = next.fetch_add(1, Ordering::SeqCst) + 1;
            let Some((known, _)) = self.ask("A", id, client) else {
                // The region is being started.
                std::thread::sleep(Duration::from_millis(5));
                continue;
            };
            things
                .lock()
                .unwrap_or_else(PoisonError::into_inner)
                .push(AddedThing { id, client, known });
            // Each is counted afterwards: a region that cannot serve refuses thousands.
            if known != KnownOutcome::Done {
                std::thread::sleep(Duration::from_millis(100));
            }
        }
    }

    /// Asks until the application serves it.
    pub fn ask_until(&self, operation: &str, id: u32, client: u32) -> Result<Value> {
        let until = Instant::now() + WAIT;
        loop {
            let answer = self.ask(operation, id, client);
            if let Some((KnownOutcome::Done, reply)) = answer {
                return Ok(reply);
            }
            if Instant::now() > until {
                bail!("{operation} of thing {id}: {answer:?}");
            }
            std::thread::sleep(Duration::from_millis(20));
        }
    }

    /// Sends a request; what is known of it, and the answer. `None` if nothing was sent.
    fn ask(&self, operation: &str, id: u32, client: u32) -> Option<(KnownOutcome, Value)> {
        let address = current(&self.address);
        let stream = TcpStream::connect(&address).ok()?;
        let body = (self.body)(operation, id, client);
        Some(match exchange(stream, &address, "POST", "/add", &body) {
            Ok((200, body)) => {
                let reply: Value = serde_json::from_str(&body).unwrap_or_default();
                let is_done = reply["code"].as_str().map(str::trim) == Some("0");
                let known = if is_done {
                    KnownOutcome::Done
                } else {
                    KnownOutcome::Refused
                };
                (known, reply)
            }
            Ok((400..=499 | 503, _)) => (KnownOutcome::Refused, Value::Null),
            // An abend backs out, but one that hit a commit may have come too late.
            _ => (KnownOutcome::Unknown, Value::Null),
        })
    }
}

/// Prints the rules that are broken, the kills and the things; false when a rule is.
pub fn report(kills: &str, things: &[AddedThing], wrong: &[String]) -> bool {
    let count = |known| things.iter().filter(|t| t.known == known).count();
    wrong.iter().for_each(|line| println!("{line}"));
    println!("{kills}");
    println!(
        "{} units acknowledged, {} without an answer, {} refused",
        count(KnownOutcome::Done),
        count(KnownOutcome::Unknown),
        count(KnownOutcome::Refused)
    );
    println!("{} rules broken", wrong.len());
    wrong.is_empty()
}
