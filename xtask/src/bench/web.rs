//! Web support: an EXEC CICS WEB echo against a program of the same size of
//! answer through the REST gateway, and against a bare hyper server; CONVERSE
//! over a persistent session against a bare hyper client.
//!
//! Echo, program and gateway are one region under the same load, alternating;
//! the bare server is the gateway's example `constant`, the bare client the
//! example `client` of the crate `web`.

use std::fs;
use std::net::TcpListener;
use std::path::Path;
use std::process::Command;

use anyhow::{Context, Result, bail};

use super::gateway::{Server, copy, medians};
use super::{BenchEntry, BenchSettings, BudgetRow, RowBound, median, program};

/// The benches of web support.
pub const BENCHES: &[BenchEntry] = &[
    BenchEntry {
        name: "web-echo",
        about: "EXEC CICS WEB echo against a program through the gateway and a bare server",
        run: echo,
    },
    BenchEntry {
        name: "web-converse",
        about: "WEB CONVERSE over a persistent session against a bare client",
        run: converse,
    },
];

/// Bytes of a body.
const BYTES: usize = 1_000;
/// Requests of one run of the client: two seconds, of which the program's clock
/// counts hundredths.
const REQUESTS: usize = 20_000;

/// The test application's echo, next to the gateway's own benchmark program.
fn application(app: &Path, attach: bool) -> Result<String> {
    copy(Path::new("examples/perfchannel"), app)?;
    let web = Path::new("crates/tupelo/testdata/web/cobol");
    for name in ["WEBECHO.cbl", "WEBCONV.cbl"] {
        fs::copy(web.join(name), app.join("cobol").join(name)).context("the programs")?;
    }
    let port = TcpListener::bind("127.0.0.1:0")?.local_addr()?.port();
    let csd = app.join("resources.csd");
    let before = fs::read_to_string(&csd).unwrap_or_default();
    let own = format!(
        "\nDEFINE TCPIPSERVICE(BENCH) GROUP(B) PORTNUMBER({port})\n\
         DEFINE URIMAP(ECHO) GROUP(B) PATH(/echo) PROGRAM(WEBECHO)\n\
         DEFINE PROGRAM(WEBECHO) GROUP(B) CONCURRENCY(THREADSAFE)\n\
         DEFINE TRANSACTION(CONV) GROUP(B) PROGRAM(WEBCONV)\n"
    );
    fs::write(csd, before + &own)?;
    let settings = format!("[gateway]\nthreads = 1\n[web]\nattach_task = {attach}\n");
    fs::write(app.join("tupelo.toml"), settings)?;
    Ok(format!("127.0.0.1:{port}"))
}

/// Serves an application on ports that are free.
pub fn serve(app: &Path) -> Result<Server> {
    let mut serve = Command::new(program::tupelo()?);
    serve.arg("serve").arg(app).args([
        "--listen",
        "127.0.0.1:0",
        "--admin",
        "127.0.0.1:0",
        "--no-reload",
    ]);
    Server::start(serve)
}

fn echo(setting: &BenchSettings) -> Result<Vec<BudgetRow>> {
    let folder = tempfile::tempdir()?;
    let body = "x".repeat(BYTES);
    let post = ["-X", "POST", "-H", "content-type: text/plain", "-d", &body];
    let json = r#"{"request":"as many characters as the path says"}"#;
    let put = [
        "-X",
        "PUT",
        "-H",
        "content-type: application/json",
        "-d",
        json,
    ];
    let load = ["-c", "50", "-t", "4s", "--warmup", "1s"];
    let mut rows = Vec::new();
    for (attach, what) in [(true, "with an attach task"), (false, "attached directly")] {
        let app = folder.path().join(what.replace(' ', "-"));
        let base = format!("http://{}", application(&app, attach)?);
        let server = serve(&app)?;
        let mut constant = Command::new(program::example("constant")?);
        constant.args(["127.0.0.1:0", &BYTES.to_string(), "1"]);
        let constant = Server::start(constant)?;
        let (mut ours, mut rest, mut bare) = (Vec::new(), Vec::new(), Vec::new());
        for _ in 0..setting.rounds {
            ours.push(server.drive_at(&base, "/echo", &post, &load)?);
            let path = format!("/perfchannel/response/{BYTES}");
            rest.push(server.drive(&path, &put, &load)?);
            bare.push(constant.drive("/", &post, &load)?);
        }
        let (ours, rest, bare) = (medians(ours), medians(rest), medians(bare));
        rows.push(BudgetRow::judged(
            "web-echo",
            format!("1 KB, 50 connections, {what}: CPU"),
            (ours.cpu_us, "us/request"),
            ("REST gateway", Some(rest.cpu_us)),
            RowBound::RatioAtMost(1.3),
        ));
        rows.push(BudgetRow::judged(
            "web-echo",
            format!("1 KB, 50 connections, {what}"),
            (ours.throughput, "requests/s"),
            ("REST gateway", Some(rest.throughput)),
            RowBound::ComparisonOnly,
        ));
        rows.push(BudgetRow::judged(
            "web-echo",
            format!("1 KB, 50 connections, {what}: CPU of a server alone"),
            (ours.cpu_us, "us/request"),
            ("bare hyper server", Some(bare.cpu_us)),
            RowBound::ComparisonOnly,
        ));
    }
    Ok(rows)
}

fn converse(setting: &BenchSettings) -> Result<Vec<BudgetRow>> {
    let folder = tempfile::tempdir()?;
    let app = folder.path().join("app");
    application(&app, false)?;
    let mut constant = Command::new(program::example("constant")?);
    constant.args(["127.0.0.1:0", &BYTES.to_string(), "1"]);
    let server = Server::start(constant)?;
    let port = server.port()?;
    let (mut ours, mut bare) = (Vec::new(), Vec::new());
    for _ in 0..setting.rounds {
        ours.push(by_program(&app, port)?);
        bare.push(by_client(port)?);
    }
    Ok(vec![BudgetRow::judged(
        "web-converse",
        "1 KB, one persistent session, POST and its answer",
        (median(&mut ours), "us/request"),
        ("bare hyper client", Some(median(&mut bare))),
        RowBound::ComparisonOnly,
    )])
}

/// Microseconds a request of a program that converses.
fn by_program(app: &Path, port: u16) -> Result<f64> {
    let output = Command::new(program::tupelo()?)
        .args(["run", "CONV"])
        .arg(app)
        .args(["--json", "--length", "24", "--commarea"])
        .arg(format!("{port:05}{REQUESTS:05}"))
        .output()?;
    let reply: serde_json::Value =
        serde_json::from_slice(&output.stdout).context("the transaction gave no answer")?;
    let shown = reply["commarea"].as_str().unwrap_or_default();
    let us: f64 = shown
        .get(10..22)
        .unwrap_or_default()
        .trim()
        .parse()
        .with_context(|| format!("{reply} {}", String::from_utf8_lossy(&output.stderr)))?;
    Ok(us / REQUESTS as f64)
}

/// The same of a client of hyper alone.
fn by_client(port: u16) -> Result<f64> {
    let output = Command::new(program::example("client")?)
        .args([port.to_string(), REQUESTS.to_string(), BYTES.to_string()])
        .output()?;
    if !output.status.success() {
        bail!("{}", String::from_utf8_lossy(&output.stderr));
    }
    let us: f64 = String::from_utf8_lossy(&output.stdout).trim().parse()?;
    Ok(us / REQUESTS as f64)
}
