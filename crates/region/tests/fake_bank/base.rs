//! A data base of rows that are numbers: a log file, flushed at each commit.
//!
//! A message is a line. `ROW NUMBER` adds to the connection's transaction, `COMMIT
//! TOKEN` commits it with the token, `ASK TOKEN` says `yes` if a transaction with
//! that token is committed, else `no`, after which none can be.

use std::collections::BTreeSet;
use std::fs::{File, OpenOptions};
use std::io::{BufRead, BufReader, Read, Write};
use std::os::unix::net::{UnixListener, UnixStream};
use std::path::Path;
use std::sync::Mutex;

struct BankLog {
    file: File,
    tokens: BTreeSet<String>,
    refused: BTreeSet<String>,
}

/// Serves until it is killed.
pub fn run(socket: &Path, path: &Path) {
    let log = Mutex::new(open(path));
    let _ = std::fs::remove_file(socket);
    let listener = UnixListener::bind(socket).expect("a socket");
    println!("ready");
    std::thread::scope(|scope| {
        for stream in listener.incoming().flatten() {
            scope.spawn(|| serve(stream, &log));
        }
    });
}

/// The log, without a last line that was not written to its end.
fn open(path: &Path) -> BankLog {
    let mut file = OpenOptions::new()
        .read(true)
        .append(true)
        .create(true)
        .open(path)
        .expect("a file");
    let mut text = String::new();
    file.read_to_string(&mut text).expect("the log");
    let whole = text.rfind('\n').map_or(0, |at| at + 1);
    file.set_len(whole as u64).expect("the log cut");
    let first = |line: &str| line.split(' ').next().map(str::to_owned);
    let tokens = text[..whole].lines().filter_map(first).collect();
    BankLog {
        file,
        tokens,
        refused: BTreeSet::new(),
    }
}

fn serve(stream: UnixStream, log: &Mutex<BankLog>) {
    let mut pending: Vec<String> = Vec::new();
    let Ok(mut answers) = stream.try_clone() else {
        return;
    };
    for line in BufReader::new(stream).lines() {
        let Ok(line) = line else {
            return;
        };
        let answer = match line.split_once(' ') {
            Some(("ROW", number)) => {
                pending.push(number.to_owned());
                "row"
            }
            Some(("COMMIT", token)) => {
                let mut log = log.lock().expect("the log");
                if log.refused.contains(token) {
                    return;
                }
                let record = format!("{token} {}\n", pending.join(" "));
                pending.clear();
                log.file.write_all(record.as_bytes()).expect("room");
                log.file.sync_data().expect("a flush");
                log.tokens.insert(token.to_owned());
                "done"
            }
            Some(("ASK", token)) => {
                let mut log = log.lock().expect("the log");
                if log.tokens.contains(token) {
                    "yes"
                } else {
                    log.refused.insert(token.to_owned());
                    "no"
                }
            }
            _ => return,
        };
        if writeln!(answers, "{answer}").is_err() {
            return;
        }
    }
}
