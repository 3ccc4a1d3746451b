//! Units of work over a file, a queue and tables, while workers, the region and its
//! private PostgreSQL are killed.
//!
//! Each request adds one thing with a number of its own: a record and a count in a file,
//! an item of a recoverable queue, and a row and a count in tables. Afterwards a thing
//! must be everywhere or nowhere: everywhere if its request was acknowledged, nowhere if
//! it was refused. The counts must be those of the things, and no unit may be in doubt.

use std::net::TcpStream;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};
use serde_json::Value;

use super::served::{ServedApplication, WAIT, current, exchange};
use super::{Args, SeededRandom};

/// The program, its COMMAREA, definitions and settings.
const FILES: [(&str, &str); 5] = [
    ("cobol/ADDER.cbl", include_str!("ADDER.cbl")),
    ("copybooks/ADDCA.cpy", include_str!("ADDCA.cpy")),
    (
        "resources.csd",
        "DEFINE PROGRAM(ADDER) GROUP(SHOP)\nDEFINE TSMODEL(RQ) GROUP(SHOP) PREFIX(RQ) RECOVERY(YES)\n\
         DEFINE FILE(ADDED) GROUP(SHOP) KEYLENGTH(9) RECORDSIZE(17) RECORDFORMAT(F) ADD(YES)\n\
         READ(YES) UPDATE(YES) BROWSE(YES) RECOVERY(BACKOUTONLY) STATUS(ENABLED)\n",
    ),
    (
        "tupelo.toml",
        "[region]\nsandbox = \"required\"\n[sql]\nqualifier = \"SHOP\"\nthread_wait_ms = 5000\n\
         [files.ADDED]\nkey_offset = 0\n",
    ),
    (
        "tables.sql",
        "CREATE TABLE SHOP.DONE (ID INTEGER NOT NULL PRIMARY KEY, CLIENT INTEGER NOT NULL);\n\
         CREATE TABLE SHOP.TOTALS (CLIENT INTEGER NOT NULL PRIMARY KEY, N INTEGER NOT NULL);\n",
    ),
];

/// What is known of a request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum KnownOutcome {
    /// The region said that it was done.
    Done,
    /// The region said that it was not done.
    Refused,
    /// No answer says either.
    Unknown,
}

/// A request: its number, its client and what is known.
type Request = (u32, u32, KnownOutcome);

#[derive(Default)]
struct ShopClients {
    address: Arc<Mutex<String>>,
    requests: Mutex<Vec<Request>>,
    next: AtomicU32,
    is_over: AtomicBool,
}

/// What was killed.
#[derive(Default)]
struct KillCounts {
    workers: u32,
    regions: u32,
    servers: u32,
}

/// Kills, and looks at what is left; false when something is wrong.
pub fn run(args: &Args) -> Result<bool> {
    let mut shop = open(args)?;
    let clients = Arc::new(ShopClients {
        address: shop.address(),
        ..ShopClients::default()
    });
    let threads: Vec<_> = (1..=args.clients as u32)
        .map(|client| {
            let clients = clients.clone();
            std::thread::spawn(move || clients.work(client))
        })
        .collect();
    let began = Instant::now();
    let killed = kill(args, &mut shop);
    clients.is_over.store(true, Ordering::SeqCst);
    for thread in threads {
        if thread.join().is_err() {
            bail!("a client panicked");
        }
    }
    let killed = killed?;
    let took = began.elapsed();
    let requests = clients
        .requests
        .lock()
        .map_or_else(|e| e.into_inner().clone(), |r| r.clone());
    let wrong = match compare(&shop, &requests) {
        Ok(wrong) => wrong,
        Err(error) => bail!("{error:#}; {}", shop.exit_report()),
    };
    wrong.iter().for_each(|line| println!("{line}"));
    let count = |known| requests.iter().filter(|(_, _, k)| *k == known).count();
    println!(
        "{} workers, {} regions and {} SQL servers killed in {:.0} s",
        killed.workers,
        killed.regions,
        killed.servers,
        took.as_secs_f64()
    );
    println!(
        "{} units acknowledged, {} without an answer, {} refused",
        count(KnownOutcome::Done),
        count(KnownOutcome::Unknown),
        count(KnownOutcome::Refused)
    );
    println!("{} rules broken", wrong.len());
    Ok(wrong.is_empty())
}

/// Serves the application with its tables.
fn open(args: &Args) -> Result<ServedApplication> {
    let mut shop = ServedApplication::new(args.tupelo.as_deref(), "shop")?;
    for (name, text) in FILES {
        let path = shop.folder().join(name);
        std::fs::create_dir_all(path.parent().context("a folder")?)?;
        std::fs::write(path, text)?;
    }
    let rows: String = (1..=args.clients)
        .map(|client| format!("INSERT INTO SHOP.TOTALS VALUES ({client}, 0);\n"))
        .collect();
    let tables = shop.folder().join("tables.sql");
    let text = std::fs::read_to_string(&tables)? + &rows;
    std::fs::write(tables, text)?;
    let state = shop.state().display().to_string();
    shop.run(&[
        "sql",
        "apply",
        "tables.sql",
        "--app",
        ".",
        "--state",
        &state,
        "--stop",
    ])?;
    shop.run(&[
        "api",
        "import",
        "add",
        "--program",
        "ADDER",
        "--transid",
        "ADDR",
        "--request",
        "copybooks/ADDCA.cpy",
        "--strip-prefix",
        "CA",
        "--app",
        ".",
    ])?;
    shop.start()?;
    Ok(shop)
}

/// Kills until it was enough.
fn kill(args: &Args, shop: &mut ServedApplication) -> Result<KillCounts> {
    let until = args
        .seconds
        .map(|s| Instant::now() + Duration::from_secs(s));
    let mut random = SeededRandom(args.seed | 1);
    let mut killed = KillCounts::default();
    let mut kills = 0;
    while kills < args.kills && until.is_none_or(|until| Instant::now() < until) {
        std::thread::sleep(Duration::from_millis(random.below(args.pause.max(1))));
        let is_regions = (kills + 1) % args.region_every.max(1) == 0;
        let is_servers = !is_regions && random.below(3) == 0;
        if is_regions {
            shop.kill_region()?;
            shop.start()?;
            killed.regions += 1;
        } else if is_servers && shop.kill_sql_server()? {
            killed.servers += 1;
        } else if !is_servers && shop.kill_worker(random.below(u64::MAX))? {
            killed.workers += 1;
        } else {
            continue;
        }
        kills += 1;
        if kills % 50 == 0 {
            eprintln!("{kills} kills");
        }
    }
    Ok(killed)
}

impl ShopClients {
    fn work(&self, client: u32) {
        while !self.is_over.load(Ordering::SeqCst) {
            let id = self.next.fetch_add(1, Ordering::SeqCst) + 1;
            match ask(&current(&self.address), "A", id, client) {
                Some(known) => {
                    let known = known.0;
                    if let Ok(mut requests) = self.requests.lock() {
                        requests.push((id, client, known));
                    }
                    // Each is counted afterwards: a server that starts refuses thousands.
                    if known != KnownOutcome::Done {
                        std::thread::sleep(Duration::from_millis(100));
                    }
                }
                // The region is being started.
                None => std::thread::sleep(Duration::from_millis(5)),
            }
        }
    }
}

/// Sends a request; what is known of it, and the answer. `None` if nothing was sent.
fn ask(address: &str, operation: &str, id: u32, client: u32) -> Option<(KnownOutcome, Value)> {
    let stream = TcpStream::connect(address).ok()?;
    let body = format!("{{\"operation\":\"{operation}\",\"id\":{id},\"client\":{client}}}");
    let answer = exchange(stream, address, "POST", "/add", &body);
    Some(match answer {
        Ok((200, body)) => {
            let reply: Value = serde_json::from_str(&body).unwrap_or_default();
            let is_done = reply["code"].as_str().map(str::trim) == Some("0");
            (
                if is_done {
                    KnownOutcome::Done
                } else {
                    KnownOutcome::Refused
                },
                reply,
            )
        }
        Ok((400..=499 | 503, _)) => (KnownOutcome::Refused, Value::Null),
        // An abend backs out, but one that hit a commit may have come too late.
        _ => (KnownOutcome::Unknown, Value::Null),
    })
}

/// What is there of a thing: in the file, the queue and the table, and its client's counts
/// in the file and the table.
fn count(shop: &ServedApplication, id: u32, client: u32) -> Result<[u64; 5]> {
    let until = Instant::now() + WAIT;
    loop {
        let answer = ask(&current(&shop.address()), "C", id, client);
        if let Some((KnownOutcome::Done, reply)) = answer {
            let names = ["file", "queue", "table", "file_total", "table_total"];
            return Ok(names.map(|name| reply[name].as_u64().unwrap_or(u64::MAX)));
        }
        if Instant::now() > until {
            bail!("thing {id} cannot be counted: {answer:?}");
        }
        std::thread::sleep(Duration::from_millis(20));
    }
}

/// The rules that are broken.
fn compare(shop: &ServedApplication, requests: &[Request]) -> Result<Vec<String>> {
    let mut wrong = Vec::new();
    let mut totals = std::collections::BTreeMap::<u32, (u64, u64, u64)>::new();
    for (id, client, known) in requests {
        let [file, queue, table, file_total, table_total] = count(shop, *id, *client)?;
        let there = [file, queue, table];
        let is_whole = match known {
            KnownOutcome::Done => there == [1; 3],
            KnownOutcome::Refused => there == [0; 3],
            KnownOutcome::Unknown => there == [1; 3] || there == [0; 3],
        };
        if !is_whole {
            wrong.push(format!(
                "thing {id} ({known:?}) is in file, queue and table {there:?} times"
            ));
        }
        let total = totals.entry(*client).or_default();
        *total = (total.0 + table, file_total, table_total);
    }
    for (client, (things, file, table)) in totals {
        if (file, table) != (things, things) {
            wrong.push(format!(
                "client {client} has {things} things, the file counts {file} and the table {table}"
            ));
        }
    }
    let in_doubt = shop.units_in_doubt()?;
    if in_doubt > 0 {
        wrong.push(format!("{in_doubt} units of work are in doubt"));
    }
    let state = shop.state().display().to_string();
    let left = shop.run(&[
        "sql",
        "--app",
        ".",
        "--state",
        &state,
        "\\SELECT count(*) FROM pg_prepared_xacts",
    ])?;
    if left.lines().nth(1).map(str::trim) != Some("0") {
        wrong.push(format!("transactions are left prepared: {left}"));
    }
    Ok(wrong)
}
