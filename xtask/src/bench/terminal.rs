//! 3270 terminals: what an interaction costs against the same work through REST,
//! how long users wait, what an idle terminal takes, the bytes of a screen, and
//! how long maps take to be read.
//!
//! The program is the teller of `examples/bank`: an inquiry receives a map, reads
//! an account, sends a map and returns with the next transaction. The API of the
//! same example reads the same account by the same program.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Instant;

use anyhow::{Context, Result, bail};
use bms::{
    CursorOption, EraseOption, MapContents, MapLayout, SendMap, TerminalPage, TerminalProfile,
};

use super::gateway::{Server, copy, serve};
use super::terminal_idle;
use super::{BenchEntry, BenchSettings, BudgetRow, RowBound, median, program};

/// The benches of terminals.
pub const BENCHES: &[BenchEntry] = &[
    BenchEntry {
        name: "terminal-cpu",
        about: "CPU of an interaction at a terminal, against the same work through REST",
        run: cpu,
    },
    BenchEntry {
        name: "terminal-rate",
        about: "response time at 1,000 interactions a second",
        run: rate,
    },
    BenchEntry {
        name: "terminal-idle",
        about: "memory of each of 10,000 terminals between two inputs",
        run: terminal_idle::run,
    },
    BenchEntry {
        name: "terminal-bytes",
        about: "bytes of a screen, against one SBA and SF or SFE a field",
        run: bytes,
    },
    BenchEntry {
        name: "terminal-maps",
        about: "time to read a map set of twelve maps with 380 fields each",
        run: maps,
    },
];

/// A server of the bank with terminals.
pub struct BankServer {
    /// The server.
    pub server: Server,
    /// Where terminals connect to.
    pub terminals: String,
    _folder: tempfile::TempDir,
}

impl BankServer {
    /// Starts the bank server with room for so many terminals. Silent ones stay: the idle ones of
    /// the benches do not read.
    pub fn start(terminals: usize) -> Result<BankServer> {
        let folder = tempfile::tempdir()?;
        let app = folder.path().join("bank");
        copy(Path::new("examples/bank"), &app)?;
        let port = free_port()?;
        let settings = app.join("tupelo.toml");
        let mut text = std::fs::read_to_string(&settings)?;
        write!(
            text,
            "\n[gateway]\nthreads = 1\n[terminal]\nlisten = \"127.0.0.1:{port}\"\nkeep_alive_s = 0\nmax_connections = {}\n",
            terminals + 100
        )?;
        std::fs::write(&settings, text)?;
        Ok(BankServer {
            server: Server::start(serve(&app, &[])?)?,
            terminals: format!("127.0.0.1:{port}"),
            _folder: folder,
        })
    }
}

fn free_port() -> Result<u16> {
    let listener = std::net::TcpListener::bind("127.0.0.1:0")?;
    Ok(listener.local_addr()?.port())
}

fn cpu(setting: &BenchSettings) -> Result<Vec<BudgetRow>> {
    let bank = BankServer::start(CLIENTS)?;
    let (mut terminal, mut rest) = (Vec::new(), Vec::new());
    for _ in 0..setting.rounds {
        terminal.push(interactions(&bank, CLIENTS, "")?.cpu_us);
        let load = ["-c", "20", "-t", "4s"];
        rest.push(bank.server.drive(ACCOUNT, &[], &load)?.cpu_us);
    }
    Ok(vec![BudgetRow::judged(
        "terminal-cpu",
        format!("inquiry, {CLIENTS} terminals, saturated"),
        (median(&mut terminal), "us/interaction"),
        ("REST", Some(median(&mut rest))),
        RowBound::RatioAtMost(1.3),
    )])
}

fn rate(setting: &BenchSettings) -> Result<Vec<BudgetRow>> {
    let bank = BankServer::start(1_000)?;
    let (mut half, mut most, mut throughput) = (Vec::new(), Vec::new(), Vec::new());
    for _ in 0..setting.rounds {
        let run = interactions(&bank, 1_000, "think = \"1s\"\n")?;
        half.push(run.p50_ms);
        most.push(run.p99_ms);
        throughput.push(run.throughput);
    }
    let row = |name: &str, value: f64, unit, bound| {
        let load = format!("{name}, 1,000 terminals, think time 1 s");
        BudgetRow::judged("terminal-rate", load, (value, unit), ("none", None), bound)
    };
    let compared = RowBound::ComparisonOnly;
    Ok(vec![
        row("rate", median(&mut throughput), "interactions/s", compared),
        row("p50", median(&mut half), "ms", compared),
        row("p99", median(&mut most), "ms", compared),
    ])
}

/// What one run of interactions showed.
struct TerminalRun {
    throughput: f64,
    cpu_us: f64,
    p50_ms: f64,
    p99_ms: f64,
}

/// Has so many terminals inquire an account again and again: each goes to the
/// inquiry once and then presses ENTER for the whole run.
fn interactions(bank: &BankServer, clients: usize, keys: &str) -> Result<TerminalRun> {
    let folder = tempfile::tempdir()?;
    let mut text = format!(
        "warmup = \"2s\"\nduration = \"6s\"\nthreads = 1\n[[population]]\nname = \"tellers\"\n\
         clients = {clients}\n{keys}[population.terminal]\naddress = \"{}\"\n",
        bank.terminals
    );
    text.push_str("[[population.step]]\ntype = \"bank\"\nwait_for = \"TELLER MENU\"\n");
    text.push_str("[[population.step]]\nfields = { Option = \"1\" }\nwait_for = \"ONE ACCOUNT\"\n");
    for _ in 0..INQUIRIES {
        text.push_str("[[population.step]]\nname = \"inquiry\"\n");
        text.push_str("fields = { Account = \"10000001\" }\ncontains = \"Ada Byron\"\n");
    }
    text.push_str("[[population.step]]\nkey = \"pf3\"\n[[population.step]]\nkey = \"pf3\"\n");
    // The next iteration begins on an empty screen.
    text.push_str("[[population.step]]\nkey = \"clear\"\n");
    let file: PathBuf = folder.path().join("scenario.toml");
    std::fs::write(&file, text)?;
    let before = bank.server.cpu_us();
    let output = Command::new(program::tupelo()?)
        .args(["drive", "--json", "--scenario"])
        .arg(&file)
        .stderr(Stdio::inherit())
        .output()?;
    let cpu_us = bank.server.cpu_us() - before;
    let report: serde_json::Value =
        serde_json::from_slice(&output.stdout).context("the driver printed no report")?;
    let population = &report["populations"][0];
    let figure = |key: &str| population[key].as_f64().unwrap_or(0.0);
    if figure("failed") > 0.0 || figure("checks_failed") > 0.0 || figure("answered") == 0.0 {
        bail!("interactions failed: {population}");
    }
    // CPU is read around the whole run, warm-up included.
    let measured = report["measured_s"].as_f64().unwrap_or(1.0);
    let whole = measured + report["warmup_s"].as_f64().unwrap_or(0.0);
    let all = figure("answered") * whole / measured;
    let response = &population["response"];
    Ok(TerminalRun {
        throughput: report["throughput"].as_f64().context("no throughput")?,
        cpu_us: cpu_us / all,
        p50_ms: response["p50"].as_f64().context("no p50")?,
        p99_ms: response["p99"].as_f64().context("no p99")?,
    })
}

fn bytes(_: &BenchSettings) -> Result<Vec<BudgetRow>> {
    let text = std::fs::read_to_string("examples/bank/bms/BANKSET.bms")?;
    let source = bms::parse(&text);
    let mut rows = Vec::new();
    for map in source.sets.iter().flat_map(|set| &set.maps) {
        let layout = MapLayout::new(map);
        let command = SendMap {
            contents: MapContents::MapOnly,
            erase: EraseOption::Default,
            control: map.control,
            cursor: CursorOption::Map,
        };
        let stream = bms::send_map(&layout, &command, &TerminalProfile::model_2(), &LatinPage)?;
        rows.push(BudgetRow::judged(
            "terminal-bytes",
            format!("{}, MAPONLY ERASE", map.name),
            (stream.to_bytes().len() as f64, "bytes"),
            ("one SBA and SF", Some(one_order_a_field(&layout) as f64)),
            RowBound::RatioAtMost(1.1),
        ));
    }
    Ok(rows)
}

/// Command, WCC and IC; for each field an SBA, an SF or SFE, and its data.
fn one_order_a_field(layout: &MapLayout) -> usize {
    let fields = layout.fields.iter().map(|field| {
        let pairs = field.extended.attributes().len();
        let start = if pairs == 0 { 2 } else { 4 + 2 * pairs };
        let parts = field.parts.iter().filter(|part| part.initial.is_some());
        let data: usize = parts.map(|part| usize::from(part.length)).sum();
        3 + start + data
    });
    3 + fields.sum::<usize>()
}

/// Bytes as they are; their number is what counts.
struct LatinPage;

impl TerminalPage for LatinPage {
    fn encode(&self, character: char) -> u8 {
        u8::try_from(character).map_or(0x6F, |byte| byte.max(0x40))
    }

    fn to_terminal(&self, byte: u8) -> u8 {
        byte
    }

    fn to_program(&self, byte: u8) -> u8 {
        byte
    }
}

fn maps(setting: &BenchSettings) -> Result<Vec<BudgetRow>> {
    let text = largest_set();
    let mut times = Vec::new();
    for _ in 0..setting.rounds {
        let begun = Instant::now();
        let source = bms::parse(&text);
        let set = source.sets.first().context("no map set was read")?;
        let layouts: Vec<MapLayout> = set.maps.iter().map(MapLayout::new).collect();
        let copybook = bms::cobol_copybook(set, bms::OccursForm::default());
        times.push(begun.elapsed().as_secs_f64() * 1e3);
        let fields: usize = layouts.iter().map(|layout| layout.fields.len()).sum();
        if source.has_errors() || fields != MAPS * FIELDS || copybook.lines().count() < fields {
            bail!("the set was not read: {:?}", source.diagnostics.first());
        }
    }
    Ok(vec![BudgetRow::judged(
        "terminal-maps",
        format!("{MAPS} maps, {FIELDS} fields each"),
        (median(&mut times), "ms"),
        ("none", None),
        RowBound::ComparisonOnly,
    )])
}

/// As many maps as the largest public set has, each as large as its largest.
fn largest_set() -> String {
    let mut text =
        String::from("BIGSET   DFHMSD TYPE=MAP,MODE=INOUT,LANG=COBOL,STORAGE=AUTO,TIOAPFX=YES\n");
    for map in 0..MAPS {
        let _ = writeln!(text, "MAP{map:02}    DFHMDI SIZE=(24,80)");
        for field in 0..FIELDS {
            let (line, column) = (1 + field / 20, 1 + field % 20 * 4);
            let _ = writeln!(
                text,
                "F{map:02}{field:03}   DFHMDF POS=({line},{column}),LENGTH=2,ATTRB=UNPROT,INITIAL='X'"
            );
        }
    }
    text.push_str("         DFHMSD TYPE=FINAL\n         END\n");
    text
}

/// Terminals of the saturated runs.
const CLIENTS: usize = 20;
/// Interactions between two sign-ons to the menu.
const INQUIRIES: usize = 100;
/// The request that does what an inquiry does.
const ACCOUNT: &str = "/bank/accounts/10000001";
/// Maps of the largest public set.
const MAPS: usize = 12;
/// Fields of the largest public map.
const FIELDS: usize = 380;
