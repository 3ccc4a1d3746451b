//! Units of work over a file, a queue and tables, while workers, the region and its
//! private PostgreSQL are killed.
//!
//! Each request adds one thing with a number of its own: a record and a count in a file,
//! an item of a recoverable queue, and a row and a count in tables. Afterwards a thing
//! must be everywhere or nowhere: everywhere if its request was acknowledged, nowhere if
//! it was refused. The counts must be those of the things, and no unit may be in doubt.

use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};

use super::Args;
use super::served::ServedApplication;
use super::things::{self, AddedThing, KnownOutcome, ThingServer};
use base::SeededRandom;

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
    let server = ThingServer {
        address: shop.address(),
        body: |operation, id, client| {
            format!("{{\"operation\":\"{operation}\",\"id\":{id},\"client\":{client}}}")
        },
    };
    let (things, killed, took) = server.add_during(args.clients, || kill(args, &mut shop))?;
    let wrong = match compare(&shop, &server, &things) {
        Ok(wrong) => wrong,
        Err(error) => bail!("{error:#}; {}", shop.exit_report()),
    };
    let kills = format!(
        "{} workers, {} regions and {} SQL servers killed in {:.0} s",
        killed.workers,
        killed.regions,
        killed.servers,
        took.as_secs_f64()
    );
    Ok(things::report(&kills, &things, &wrong))
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
    let mut random = SeededRandom::new(args.seed);
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

/// What is there of a thing: in the file, the queue and the table, and its client's counts
/// in the file and the table.
fn count(server: &ThingServer, id: u32, client: u32) -> Result<[u64; 5]> {
    let reply = server.ask_until("C", id, client)?;
    let names = ["file", "queue", "table", "file_total", "table_total"];
    Ok(names.map(|name| reply[name].as_u64().unwrap_or(u64::MAX)))
}

/// The rules that are broken.
fn compare(
    shop: &ServedApplication,
    server: &ThingServer,
    added: &[AddedThing],
) -> Result<Vec<String>> {
    let mut wrong = Vec::new();
    let mut totals = std::collections::BTreeMap::<u32, (u64, u64, u64)>::new();
    for AddedThing { id, client, known } in added {
        let [file, queue, table, file_total, table_total] = count(server, *id, *client)?;
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
