//! Scripts: a service of one LINK against the same program through the REST
//! gateway, records by copybook object against JavaScript by hand, and what a
//! request costs before its handler does anything.
//!
//! Gateway and script are served by one region with the same program and the
//! same load, alternating. Engine figures come from the example program
//! `engine` of the crate; by hand is `examples/hand.js`, in the same engine
//! and, where it is installed, in Node.

use std::fs;
use std::path::Path;
use std::process::Command;

use anyhow::{Context, Result, bail};

use super::gateway::{MeasuredRun, Server, copy, medians};
use super::{BenchEntry, BenchSettings, BudgetRow, RowBound, median, program};

/// The benches of scripts.
pub const BENCHES: &[BenchEntry] = &[
    BenchEntry {
        name: "script-link",
        about: "a script with one LINK against the same program through the gateway",
        run: link,
    },
    BenchEntry {
        name: "script-engine",
        about: "a request's fresh realm, and records by copybook object against by hand",
        run: engine,
    },
];

const SCRIPT: &str = r#"
const Length = new Copybook("LENGTH");
const ask = (size) => new Channel("PFCHAN", { "LEN-TO-RETURN": Length.from({ LEN_TO_RETURN: size }) });
export function PUT(request) {
  const { channel } = cics.link("PFPADCON", { channel: ask(Number(request.params.size)) });
  return { ALPHA_DATA: channel.text("RESPONSE-DATA") };
}
const given = (request) => [request.query.get("program"), { channel: ask(Number(request.params.size)) }];
export function GET(request) {
  for (let i = 0; i < 3; i++) cics.link(...given(request));
  return "";
}
export async function POST(request) {
  await Promise.all([1, 2, 3].map(() => cics.run(...given(request))));
  return "";
}
"#;
/// A program that waits for others, as one that reads a disk does.
const WAITING: &str = "       IDENTIFICATION DIVISION.
       PROGRAM-ID. PFWAIT.
       PROCEDURE DIVISION.
           EXEC CICS DELAY FOR MILLISECS(2) END-EXEC
           EXEC CICS RETURN END-EXEC.
";
const WAITS: &str = "\nDEFINE PROGRAM(PFWAIT) GROUP(PERF) LANGUAGE(COBOL)\n";
const LENGTH: &str = "       01  LENGTH-AREA.\n           05  LEN-TO-RETURN PIC S9(9) COMP.\n";
const SETTINGS: &str = "[gateway]\nthreads = 1\n[script.routes]\n\"/script/{size}\" = \"one.js\"\n";

fn link(setting: &BenchSettings) -> Result<Vec<BudgetRow>> {
    let folder = tempfile::tempdir()?;
    let app = folder.path().join("app");
    copy(Path::new("examples/perfchannel"), &app)?;
    fs::write(app.join("tupelo.toml"), SETTINGS)?;
    fs::create_dir_all(app.join("scripts"))?;
    fs::create_dir_all(app.join("copybooks"))?;
    fs::write(app.join("scripts/one.js"), SCRIPT)?;
    fs::write(app.join("copybooks/LENGTH.cpy"), LENGTH)?;
    fs::write(app.join("cobol/PFWAIT.cbl"), WAITING)?;
    let definitions = app.join("resources.csd");
    let with_waits = fs::read_to_string(&definitions)? + WAITS;
    fs::write(definitions, with_waits)?;
    let mut serve = Command::new(program::tupelo()?);
    serve.arg("serve").arg(&app);
    serve.args([
        "--listen",
        "127.0.0.1:0",
        "--admin",
        "127.0.0.1:0",
        "--no-reload",
    ]);
    let server = Server::start(serve)?;
    let body = r#"{"request":"as many characters as the path says"}"#;
    let put = [
        "-X",
        "PUT",
        "-H",
        "content-type: application/json",
        "-d",
        body,
    ];
    let load = ["-c", "50", "-t", "4s", "--warmup", "1s"];
    let (mut ours, mut peer) = (Vec::new(), Vec::new());
    for _ in 0..setting.rounds {
        ours.push(server.drive("/script/1000", &put, &load)?);
        peer.push(server.drive("/perfchannel/response/1000", &put, &load)?);
    }
    let (ours, peer) = (medians(ours), medians(peer));
    let mut rows = vec![
        BudgetRow::judged(
            "script-link",
            "1 LINK, 1 KB, 50 connections",
            (ours.throughput, "requests/s"),
            ("gateway", Some(peer.throughput)),
            RowBound::RatioAtLeast(0.6),
        ),
        BudgetRow::judged(
            "script-link",
            "1 LINK, 1 KB, saturated: CPU",
            (ours.cpu_us, "us/request"),
            ("gateway", Some(peer.cpu_us)),
            RowBound::RatioAtMost(1.7),
        ),
    ];
    let alone = ["-c", "1", "-t", "2s"];
    let times = |method: &str, program: &str| -> Result<f64> {
        let path = format!("/script/1000?program={program}");
        let runs: Result<Vec<MeasuredRun>> = (0..setting.rounds)
            .map(|_| server.drive(&path, &["-X", method], &alone))
            .collect();
        let mut us: Vec<f64> = runs?.iter().map(|m| 1e6 / m.throughput).collect();
        Ok(median(&mut us))
    };
    for (program, what, bound) in [
        (
            "PFPADCON",
            "3 brief programs together",
            RowBound::ComparisonOnly,
        ),
        (
            "PFWAIT",
            "3 programs that wait 2 ms together",
            RowBound::RatioAtMost(0.5),
        ),
    ] {
        rows.push(BudgetRow::judged(
            "script-link",
            format!("{what}, 1 connection"),
            (times("POST", program)?, "us/request"),
            ("one after the other", Some(times("GET", program)?)),
            bound,
        ));
    }
    Ok(rows)
}

fn engine(setting: &BenchSettings) -> Result<Vec<BudgetRow>> {
    let program = program::example("engine")?;
    let mut runs = Vec::new();
    for _ in 0..setting.rounds {
        let output = Command::new(&program).output()?;
        if !output.status.success() {
            bail!("{}", String::from_utf8_lossy(&output.stderr));
        }
        let run: serde_json::Value = serde_json::from_slice(&output.stdout)?;
        runs.push(run);
    }
    let of = |key: &str| -> Result<f64> {
        let values: Option<Vec<f64>> = runs.iter().map(|r| r[key].as_f64()).collect();
        Ok(median(&mut values.with_context(|| format!("no {key}"))?))
    };
    let mut rows = vec![BudgetRow::judged(
        "script-engine",
        "a request in a fresh realm",
        (of("request_us")?, "us"),
        ("limit", Some(50.0)),
        RowBound::ValueAtMost(50.0),
    )];
    for kind in [
        "read-number",
        "read-text",
        "read-packed",
        "write-number",
        "write-text",
    ] {
        let per_second = |who: &str| of(&format!("{kind}:{who}")).map(|ns| 1e9 / ns);
        rows.push(BudgetRow::judged(
            "script-engine",
            kind,
            (per_second("ours")?, "fields/s"),
            ("by hand", Some(per_second("hand")?)),
            RowBound::RatioAtLeast(2.0),
        ));
    }
    let per_second = |who: &str| of(&format!("to-json:{who}")).map(|ns| 1e9 / ns);
    rows.push(BudgetRow::judged(
        "script-engine",
        "740-byte record to JSON",
        (per_second("ours")?, "records/s"),
        ("by hand", Some(per_second("hand")?)),
        RowBound::RatioAtLeast(2.0),
    ));
    rows.push(BudgetRow::judged(
        "script-engine",
        "740-byte record to JSON",
        (per_second("ours")?, "records/s"),
        ("Node, by hand", node(setting.rounds)?),
        RowBound::ComparisonOnly,
    ));
    Ok(rows)
}

/// Records a second of the parser by hand in Node; none without it.
fn node(rounds: usize) -> Result<Option<f64>> {
    let Some(node) = program::on_path("node") else {
        return Ok(None);
    };
    let folder = tempfile::tempdir()?;
    let hand = folder.path().join("hand.mjs");
    fs::copy("crates/script/examples/hand.js", &hand)?;
    let main = folder.path().join("main.mjs");
    fs::write(&main, NODE)?;
    let mut values = Vec::new();
    for _ in 0..rounds {
        let output = Command::new(&node).arg(&main).output()?;
        let text = String::from_utf8_lossy(&output.stdout);
        values.push(
            text.trim()
                .parse::<f64>()
                .context("Node printed no number")?,
        );
    }
    Ok(Some(median(&mut values)))
}

const NODE: &str = r#"
import { toJson } from "./hand.mjs";
const bytes = new Uint8Array(740).fill(32);
const put = (at, s) => { for (let i = 0; i < s.length; i++) bytes[at + i] = s.charCodeAt(i); };
put(0, "00004711"); put(8, "Augusta Ada King, Countess of Lovelace"); put(48, "12 St James's Square");
put(88, "London"); put(118, "SW1Y 4JH"); put(128, "GB"); put(142, "18350708"); put(624, "Notes by the translator");
for (const at of [130, 136]) bytes.set([0, 0, 1, 0x23, 0x45, 0x6d], at);
for (let i = 0; i < 10; i++) {
  const at = 154 + 47 * i;
  put(at, "00000001punched cards"); bytes.set([0, 0, 1, 0x25, 0x0c], at + 38); put(at + 43, "0007");
}
const data = new DataView(bytes.buffer);
const run = (rounds) => { const began = performance.now(); for (let i = 0; i < rounds; i++) toJson(data); return rounds / (performance.now() - began) * 1000; };
run(20000);
console.log(run(100000));
"#;
