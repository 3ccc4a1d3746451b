//! A SOAP provider against REST: one program called through a pipeline of web
//! services and through an OpenAPI project, both made of its copybook by Tupelo's
//! own commands, with every field in and out on either side.
//!
//! Both doors are one region under the same load, alternating; a bare hyper
//! server that gives an answer of the same size is measured with them.

use std::fs;
use std::net::TcpListener;
use std::path::Path;
use std::process::Command;

use anyhow::{Context, Result, bail};

use super::gateway::{Server, medians};
use super::web::serve;
use super::{BenchEntry, BenchSettings, BudgetRow, RowBound, program};

/// The bench of the provider.
pub const BENCHES: &[BenchEntry] = &[BenchEntry {
    name: "web-soap-provider",
    about: "a SOAP provider against REST for the same program and copybook",
    run: provider,
}];

fn provider(setting: &BenchSettings) -> Result<Vec<BudgetRow>> {
    let folder = tempfile::tempdir()?;
    let load = ["-c", "50", "-t", "4s", "--warmup", "1s"];
    let (json, xml) = (json(), xml());
    let post = |media, body| ["-X", "POST", "-H", media, "-d", body];
    let (rest_request, soap_request) = (
        post("content-type: application/json", json.as_str()),
        post("content-type: text/xml", xml.as_str()),
    );
    let mut rows = Vec::new();
    for (attach, what) in [(true, "with an attach task"), (false, "attached directly")] {
        let app = folder.path().join(what.replace(' ', "-"));
        let base = format!("http://{}", application(&app, attach)?);
        let server = serve(&app)?;
        let mut constant = Command::new(program::example("constant")?);
        constant.args(["127.0.0.1:0", &xml.len().to_string(), "1"]);
        let constant = Server::start(constant)?;
        let (mut soap, mut rest, mut bare) = (Vec::new(), Vec::new(), Vec::new());
        for _ in 0..setting.rounds {
            soap.push(server.drive_at(&base, "/soap/orders", &soap_request, &load)?);
            rest.push(server.drive("/orders", &rest_request, &load)?);
            bare.push(constant.drive("/", &soap_request, &load)?);
        }
        let (soap, rest, bare) = (medians(soap), medians(rest), medians(bare));
        let label = format!("{LINES} lines, 50 connections, {what}");
        let row = |label: String, value, peer, bound| {
            BudgetRow::judged("web-soap-provider", label, value, peer, bound)
        };
        rows.push(row(
            format!("{label}: CPU"),
            (soap.cpu_us, "us/request"),
            ("REST gateway", Some(rest.cpu_us)),
            RowBound::RatioAtMost(2.0),
        ));
        rows.push(row(
            label.clone(),
            (soap.throughput, "requests/s"),
            ("REST gateway", Some(rest.throughput)),
            RowBound::ComparisonOnly,
        ));
        rows.push(row(
            format!("{label}: CPU of a server alone"),
            (soap.cpu_us, "us/request"),
            ("bare hyper server", Some(bare.cpu_us)),
            RowBound::ComparisonOnly,
        ));
    }
    Ok(rows)
}

/// Starts the application. Returns the address of its TCPIPSERVICE.
fn application(app: &Path, attach: bool) -> Result<String> {
    let port = TcpListener::bind("127.0.0.1:0")?.local_addr()?.port();
    let write = |name: &str, text: &str| -> Result<()> {
        let path = app.join(name);
        fs::create_dir_all(path.parent().context("a file has a folder")?)?;
        fs::write(path, text).context("the application")
    };
    write("copybooks/ORDER.cpy", COPYBOOK)?;
    write(
        "resources.csd",
        &DEFINITIONS.replace("(PORT)", &format!("({port})")),
    )?;
    write(
        "tupelo.toml",
        &format!("[gateway]\nthreads = 1\n[web]\nattach_task = {attach}\n"),
    )?;
    let copybook = app.join("copybooks/ORDER.cpy");
    // Before the program is there: then all fields go in and out.
    made(
        Command::new(program::tupelo()?)
            .args(["api", "import", "orders", "--program", "ORDERS"])
            .args(["--transid", "ORDR", "--request"])
            .arg(&copybook)
            .arg("--app")
            .arg(app),
    )?;
    made(
        Command::new(program::tupelo()?)
            .args(["web", "service", "wsdl", "--program", "ORDERS"])
            .args(["--uri", "/soap/orders", "--request"])
            .arg(&copybook)
            .arg("--to")
            .arg(app.join("services")),
    )?;
    write("cobol/ORDERS.cbl", PROGRAM)?;
    Ok(format!("127.0.0.1:{port}"))
}

fn made(command: &mut Command) -> Result<()> {
    let output = command.output()?;
    if !output.status.success() {
        bail!("{}", String::from_utf8_lossy(&output.stderr));
    }
    Ok(())
}

/// Item, quantity and price of each line.
fn lines() -> impl Iterator<Item = (String, u32, String)> {
    (0..LINES).map(|n| (format!("ITEM-{n:05}"), n + 1, format!("{}.99", n * 37)))
}

fn json() -> String {
    let lines: Vec<String> = lines()
        .map(|(item, qty, price)| format!(r#"{{"item":"{item}","qty":{qty},"price":{price}}}"#))
        .collect();
    format!(
        r#"{{"cust_no":4711,"cust_name":"Customer of the bench","country":"GB","total":0,"ordered":[{}]}}"#,
        lines.join(",")
    )
}

fn xml() -> String {
    let lines: String = lines()
        .map(|(item, qty, price)| {
            format!("<ORDERED><ITEM>{item}</ITEM><QTY>{qty}</QTY><PRICE>{price}</PRICE></ORDERED>")
        })
        .collect();
    format!(
        "<s:Envelope xmlns:s=\"http://schemas.xmlsoap.org/soap/envelope/\"><s:Body>\
         <ORDERSOperation xmlns=\"http://www.ORDERS.Request.com\"><CUST_NO>4711</CUST_NO>\
         <CUST_NAME>Customer of the bench</CUST_NAME><COUNTRY>GB</COUNTRY><TOTAL>0</TOTAL>\
         {lines}</ORDERSOperation></s:Body></s:Envelope>"
    )
}

/// Lines of an order.
const LINES: u32 = 20;

const COPYBOOK: &str = "
       01  ORDER-AREA.
           05  CUST-NO             PIC 9(8).
           05  CUST-NAME           PIC X(40).
           05  COUNTRY             PIC X(2).
           05  TOTAL               PIC S9(9)V99 COMP-3.
           05  ORDERED             OCCURS 20.
               10  ITEM            PIC X(12).
               10  QTY             PIC S9(4) COMP.
               10  PRICE           PIC S9(7)V99 COMP-3.
";

const PROGRAM: &str = "
       IDENTIFICATION DIVISION.
       PROGRAM-ID. ORDERS.
       DATA DIVISION.
       WORKING-STORAGE SECTION.
       01  WS-LINE                 PIC S9(4) COMP.
       LINKAGE SECTION.
       01  DFHCOMMAREA             PIC X.
       COPY ORDER.
       PROCEDURE DIVISION.
           SET ADDRESS OF ORDER-AREA TO ADDRESS OF DFHCOMMAREA
           MOVE 0 TO TOTAL
           PERFORM VARYING WS-LINE FROM 1 BY 1 UNTIL WS-LINE > 20
               COMPUTE TOTAL = TOTAL + QTY(WS-LINE) * PRICE(WS-LINE)
           END-PERFORM
           EXEC CICS RETURN END-EXEC.
";

const DEFINITIONS: &str = "
DEFINE TRANSACTION(ORDR) GROUP(B) PROGRAM(ORDERS)
DEFINE PROGRAM(ORDERS) GROUP(B) CONCURRENCY(THREADSAFE)
DEFINE TCPIPSERVICE(BENCH) GROUP(B) PORTNUMBER(PORT)
DEFINE PIPELINE(ORDPROV) GROUP(B) CONFIGFILE(basicsoap11provider.xml)
DEFINE WEBSERVICE(ORDERS) GROUP(B) PIPELINE(ORDPROV) WSBIND(ORDERS.wsbind)
DEFINE URIMAP(ORDERS) GROUP(B) USAGE(PIPELINE) PATH(/soap/orders)
       PIPELINE(ORDPROV) WEBSERVICE(ORDERS)
";
