//! What security costs a request: authentication with an API key and validation
//! by the document's schemas, and TLS, each against the same server without.
//! Metrics are always on.

use std::path::Path;
use std::process::{Command, Stdio};

use anyhow::{Context, Result, bail};

use super::gateway::{BODY, MeasuredRun, Server, application, medians, serve};
use super::{BenchEntry, BenchSettings, BudgetRow, RowBound, program};

/// The benches of the gateway's security.
pub const BENCHES: &[BenchEntry] = &[BenchEntry {
    name: "gateway-secure",
    about: "a request with authentication and validation, and over TLS, against one without",
    run,
}];

fn run(setting: &BenchSettings) -> Result<Vec<BudgetRow>> {
    let folder = tempfile::tempdir()?;
    let plain = application(folder.path(), "plain", "CONCURRENCY(THREADSAFE)")?;
    let checked = application(folder.path(), "checked", "CONCURRENCY(THREADSAFE)")?;
    let secure = application(folder.path(), "secure", "CONCURRENCY(THREADSAFE)")?;
    for app in [&plain, &secure] {
        without_schemas(app)?;
    }
    let key = user(&checked)?;
    let header = format!("x-api-key: {key}");
    add(&checked, "[security]\nrequire_auth = true\n")?;
    certificate(&secure)?;
    let plain = Server::start(serve(&plain, &[])?)?;
    let checked = Server::start(serve(&checked, &[])?)?;
    let secure = Server::start_at(serve(&secure, &[])?, "https")?;
    let (mut off, mut on, mut tls) = (Vec::new(), Vec::new(), Vec::new());
    for _ in 0..setting.rounds {
        off.push(ask(&plain, "http", &[])?);
        on.push(ask(&checked, "http", &["-H", &header])?);
        tls.push(ask(&secure, "https", &["--insecure"])?);
    }
    let (off, on, tls) = (medians(off), medians(on), medians(tls));
    let row = |name, measured: &MeasuredRun, bound| {
        let off = ("off", Some(off.cpu_us));
        let what = "CPU, 1 KB saturated, 50 connections";
        BudgetRow::judged(name, what, (measured.cpu_us, "us/request"), off, bound)
    };
    Ok(vec![
        row("auth-on", &on, RowBound::RatioAtMost(1.1)),
        row("tls-on", &tls, RowBound::ComparisonOnly),
    ])
}

fn ask(server: &Server, scheme: &str, more: &[&str]) -> Result<MeasuredRun> {
    let json = "content-type: application/json";
    let request = ["-X", "PUT", "-H", json, "-d", BODY];
    let request: Vec<&str> = request.iter().chain(more).copied().collect();
    let path = "/perfchannel/response/1000";
    let base = format!("{scheme}://{}", server.address());
    server.drive_at(&base, path, &request, &["-c", "50", "-t", "4s"])
}

/// Takes what is checked of a request out of an application's document.
fn without_schemas(app: &Path) -> Result<()> {
    let file = app.join("apis/perfchannel/src/main/api/openapi.yaml");
    let mut text = std::fs::read_to_string(&file)?;
    for (checks, nothing) in [
        ("minimum: 1, maximum: 8000000, ", ""),
        ("type: string, maxLength: 32000, ", ""),
    ] {
        let found = text.contains(checks).then_some(());
        found.with_context(|| format!("the document has no {checks}"))?;
        text = text.replace(checks, nothing);
    }
    std::fs::write(&file, text)?;
    Ok(())
}

/// A user with an API key; the key.
fn user(app: &Path) -> Result<String> {
    let run = |args: &[&str]| -> Result<String> {
        let mut command = Command::new(program::tupelo()?);
        let output = command
            .args(args)
            .arg("--app")
            .arg(app)
            .stdin(Stdio::null())
            .output()?;
        if !output.status.success() {
            bail!("{args:?}: {}", String::from_utf8_lossy(&output.stderr));
        }
        Ok(String::from_utf8_lossy(&output.stdout).into_owned())
    };
    run(&["user", "add", "bench", "--roles", "invoke", "--no-password"])?;
    let printed = run(&["user", "key", "bench"])?;
    let longest = printed.split_whitespace().max_by_key(|word| word.len());
    longest.map(str::to_owned).context("no key was printed")
}

/// A certificate of its own for HTTPS.
fn certificate(app: &Path) -> Result<()> {
    let made = Command::new("openssl")
        .args([
            "req",
            "-x509",
            "-newkey",
            "ec",
            "-pkeyopt",
            "ec_paramgen_curve:prime256v1",
        ])
        .args(["-nodes", "-days", "2", "-subj", "/CN=localhost"])
        .args(["-keyout", "key.pem", "-out", "cert.pem"])
        .current_dir(app)
        .stderr(Stdio::null())
        .status()?;
    if !made.success() {
        bail!("openssl made no certificate");
    }
    let keys = "[gateway]\nthreads = 1\ntls_certificate = \"cert.pem\"\ntls_key = \"key.pem\"\n\
                tls_listen = \"127.0.0.1:0\"\n";
    std::fs::write(app.join("tupelo.toml"), keys).context("tupelo.toml")
}

fn add(app: &Path, settings: &str) -> Result<()> {
    let file = app.join("tupelo.toml");
    let before = std::fs::read_to_string(&file)?;
    std::fs::write(&file, before + settings).context("tupelo.toml")
}
