//! Gateways and regions in processes of their own, joined by `ipconn`: what a
//! client sees must be what it sees of a gateway with its region inside.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::sync::mpsc::{self, Receiver};
use std::time::Duration;

use crate::authority::TestAuthority;
use crate::http::{self, HttpAnswer};
use crate::program::{tupelo, until};
use crate::server::{Server, application, example};

/// A `tupelo serve` with options of its own, and the addresses that it prints.
pub struct ServerProcess {
    child: Child,
    lines: Receiver<String>,
    state: tempfile::TempDir,
    seen: Vec<String>,
}

impl ServerProcess {
    pub fn start(folder: &Path, options: &[&str]) -> ServerProcess {
        ServerProcess::over(tempfile::tempdir().unwrap(), folder, options)
    }

    /// One with a state of its own, which is the folder `state` of the one that is given.
    pub fn start_in(state: tempfile::TempDir, folder: &Path, options: &[&str]) -> ServerProcess {
        ServerProcess::over(state, folder, options)
    }

    /// A server that reloads changes of its folder.
    fn start_reloading(folder: &Path, options: &[&str]) -> ServerProcess {
        ServerProcess::with(tempfile::tempdir().unwrap(), folder, options)
    }

    /// Kills the server and starts it again over its state.
    pub fn restart(&mut self, folder: &Path, options: &[&str]) {
        self.kill();
        let state = std::mem::replace(&mut self.state, tempfile::tempdir().unwrap());
        *self = ServerProcess::over(state, folder, options);
    }

    fn over(state: tempfile::TempDir, folder: &Path, options: &[&str]) -> ServerProcess {
        ServerProcess::with(state, folder, &[&["--no-reload"], options].concat())
    }

    fn with(state: tempfile::TempDir, folder: &Path, options: &[&str]) -> ServerProcess {
        let log = std::fs::File::create(state.path().join("log")).unwrap();
        let mut child = tupelo()
            .arg("serve")
            .arg(folder)
            .arg("--state")
            .arg(state.path().join("state"))
            .args(["--admin", "127.0.0.1:0"])
            .args(options)
            .stdout(Stdio::piped())
            .stderr(log)
            .stdin(Stdio::null())
            .spawn()
            .unwrap();
        let stdout = child.stdout.take().unwrap();
        let (sender, lines) = mpsc::channel();
        std::thread::spawn(move || {
            for line in BufReader::new(stdout).lines().map_while(Result::ok) {
                let _ = sender.send(line);
            }
        });
        ServerProcess {
            child,
            lines,
            state,
            seen: Vec::new(),
        }
    }

    /// The address printed after a word.
    pub fn address(&mut self, word: &str) -> String {
        loop {
            let found = self.seen.iter().find_map(|line| {
                let mut words = line.split_whitespace();
                let rest = (words.next() == Some(word)).then(|| words.next())??;
                Some(rest.trim_start_matches("http://").to_owned())
            });
            if let Some(address) = found {
                return address;
            }
            match self.lines.recv_timeout(Duration::from_secs(120)) {
                Ok(line) => self.seen.push(line),
                Err(_) => panic!("no {word}: {}", self.log()),
            }
        }
    }

    pub fn log(&self) -> String {
        std::fs::read_to_string(self.state.path().join("log")).unwrap_or_default()
    }

    pub fn kill(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

impl Drop for ServerProcess {
    fn drop(&mut self) {
        self.kill();
    }
}

/// A region that listens for gateways on a free port, or on this one.
fn region(folder: &Path, port: &str) -> (ServerProcess, String) {
    let mut region = ServerProcess::start(folder, &["--region-only", "--ipconn", port]);
    let address = region.address("ipconn");
    (region, address)
}

/// A gateway for the APIs of an application, in front of these regions.
struct GatewayProcess {
    process: ServerProcess,
    http: String,
    admin: String,
    _folder: tempfile::TempDir,
}

fn gateway(apis: &Path, settings: &str) -> GatewayProcess {
    let folder = tempfile::tempdir().unwrap();
    copy(&apis.join("apis"), &folder.path().join("apis"));
    std::fs::write(folder.path().join("tupelo.toml"), settings).unwrap();
    let options = ["--gateway-only", "--listen", "127.0.0.1:0"];
    let mut process = ServerProcess::start(folder.path(), &options);
    let http = process.address("gateway");
    let admin = process.address("admin");
    GatewayProcess {
        process,
        http,
        admin,
        _folder: folder,
    }
}

impl GatewayProcess {
    fn send(&self, method: &str, path: &str, body: Option<&str>) -> HttpAnswer {
        http::send(&self.http, method, path, body)
    }

    fn connections(&self) -> serde_json::Value {
        http::send(&self.admin, "GET", "/connections", None).json()
    }

    fn acquired(&self, count: usize) {
        until("the regions are connected", || {
            let all = self.connections();
            let all = all["connections"].as_array().unwrap().clone();
            all.iter().filter(|c| c["state"] == "ACQUIRED").count() == count
        });
    }
}

/// Two gateways of one folder, as replicas are: only their names differ.
#[test]
fn gateways_of_one_application_connect_under_different_names() {
    let bank = example("bank");
    let (_region, address) = region(&bank, "127.0.0.1:0");
    let folder = tempfile::tempdir().unwrap();
    copy(&bank.join("apis"), &folder.path().join("apis"));
    let settings = format!(
        "[region]\napplid = \"GATES\"\n[ipconn.connections.BNKA]\naddress = \"{address}\"\n"
    );
    std::fs::write(folder.path().join("tupelo.toml"), settings).unwrap();
    let started = ["GATE1", "GATE2"].map(|name| {
        let options = [
            "--gateway-only",
            "--listen",
            "127.0.0.1:0",
            "--applid",
            name,
        ];
        let mut process = ServerProcess::start(folder.path(), &options);
        let http = process.address("gateway");
        (process, http)
    });
    for (_process, http) in &started {
        until("the region is connected", || {
            http::send(http, "GET", "/bank/accounts/10000001", None).status == 200
        });
    }
}

pub fn copy(from: &Path, to: &Path) {
    std::fs::create_dir_all(to).unwrap();
    for entry in std::fs::read_dir(from).unwrap().flatten() {
        let (path, to) = (entry.path(), to.join(entry.file_name()));
        if path.is_dir() {
            copy(&path, &to)
        } else {
            std::fs::copy(&path, to).unwrap();
        }
    }
}

fn connection(name: &str, address: &str) -> String {
    format!("[ipconn.connections.{name}]\naddress = \"{address}\"\n")
}

/// The requests of a client of the bank with their answers: the same for every provider.
fn conforms(gateway: &str) -> Vec<(u16, String)> {
    let ask = |method: &str, path: &str, body: Option<&str>| {
        let answer = http::send(gateway, method, path, body);
        let body = if answer.body.is_empty() {
            String::new()
        } else {
            answer.json().to_string()
        };
        (answer.status, body)
    };
    let account = Some(r#"{"number": 77000001, "holder": "Ann", "kind": "CURRENT"}"#);
    let transfer = Some(r#"{"from": 10000001, "to": 10000008, "amount": 1.25}"#);
    vec![
        ask("GET", "/bank/accounts/10000001", None),
        ask("GET", "/bank/accounts?limit=3", None),
        ask("GET", "/bank/accounts/99999999", None),
        ask("GET", "/bank/accounts/abc", None),
        ask("POST", "/bank/accounts", account),
        ask("POST", "/bank/accounts", account),
        ask("GET", "/bank/accounts/77000001", None),
        ask("POST", "/bank/transfers", transfer),
        ask("GET", "/bank/accounts/10000001", None),
        ask("DELETE", "/bank/accounts/10000001", None),
    ]
}

#[test]
fn a_remote_region_gives_the_same_responses_as_a_local_region() {
    let bank = example("bank");
    let inside = crate::server::Server::start(&bank);
    let expected = conforms(&inside.gateway);
    let (_region, address) = region(&bank, "127.0.0.1:0");
    let one = gateway(&bank, &connection("BANKA", &address));
    one.acquired(1);
    assert_eq!(conforms(&one.http), expected);
    // Another gateway with the same name is rejected with the reason.
    let mut two = gateway(&bank, &connection("BANKA", &address));
    let answer = two.send("GET", "/bank/accounts/10000001", None);
    assert_eq!(answer.status, 502, "{answer:?}");
    let text = String::from_utf8_lossy(&answer.body).into_owned();
    assert!(text.contains("TUPELO is connected"), "{text}");
    two.process.kill();
    let settings = format!(
        "[region]\napplid = \"GATE2\"\n{}",
        connection("BANKA", &address)
    );
    let three = gateway(&bank, &settings);
    three.acquired(1);
    let (first, third) = (conforms(&one.http), conforms(&three.http));
    assert_eq!((first[0].0, third[0].0), (200, 200));
}

#[test]
fn a_gateway_without_a_region_uses_a_policy_after_a_reload() {
    // None of these needs a region.
    let connected = connection("BANKA", "127.0.0.1:1");
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    copy(&example("bank").join("apis"), &folder.join("apis"));
    std::fs::write(folder.join("tupelo.toml"), &connected).unwrap();
    let options = ["--gateway-only", "--listen", "127.0.0.1:0"];
    let mut gateway = ServerProcess::start_reloading(folder, &options);
    gateway.address("gateway");
    let logs = |line: &str, times: usize| {
        until(line, || gateway.log().matches(line).count() >= times);
    };
    let rules = |transaction: &str| {
        let rules = format!(
            "<ruleset>\n<rule name=\"r\"><conditions><path value=\"/*\"/></conditions>\n\
             <actions><set property=\"cicsTransId\" value=\"{transaction}\"/></actions></rule>\n\
             </ruleset>"
        );
        std::fs::write(folder.join("rules.xml"), rules).unwrap();
    };
    rules("BINQ");
    let named = format!("{connected}[gateway]\npolicy = \"rules.xml\"\n");
    std::fs::write(folder.join("tupelo.toml"), &named).unwrap();
    logs("loaded again", 1);
    rules("BNQ2");
    logs("loaded again", 2);
    rules("much too long");
    logs("a policy of [gateway] cannot be used", 1);
    rules("BNQ2");
    let fewer = format!("{named}max_connections = 7\n");
    std::fs::write(folder.join("tupelo.toml"), fewer).unwrap();
    logs(
        "restart the server to apply the change of [gateway] max_connections",
        1,
    );
}

#[test]
fn large_answers_come_whole_and_abends_are_reported() {
    let perf = example("perfchannel");
    let (_region, address) = region(&perf, "127.0.0.1:0");
    let front = gateway(&perf, &connection("CICSA", &address));
    front.acquired(1);
    let body = Some(r#"{"request":"as many characters as the path says"}"#);
    for bytes in [1, 1000, 131_072, 300_000, 5_000_000] {
        let answer = front.send("PUT", &format!("/perfchannel/response/{bytes}"), body);
        assert_eq!(answer.status, 200, "{bytes}");
        let length = answer.body.len();
        assert!(length >= bytes && length < bytes + 400, "{bytes}: {length}");
    }
    let all = front.connections();
    assert_eq!(all["connections"][0]["applid"], "TUPELO");
    assert_eq!(all["connections"][0]["lost"], 0);
}

#[test]
fn an_unreachable_region_is_502_and_a_restarted_one_is_found_again() {
    let bank = example("bank");
    let (mut first, address) = region(&bank, "127.0.0.1:0");
    let front = gateway(&bank, &connection("BANKA", &address));
    front.acquired(1);
    assert_eq!(
        front.send("GET", "/bank/accounts/10000001", None).status,
        200
    );
    first.kill();
    until("the loss is noticed", || {
        front.connections()["connections"][0]["state"] == "OBTAINING"
    });
    let answer = front.send(
        "POST",
        "/bank/transfers",
        Some(r#"{"from": 10000001, "to": 10000008, "amount": 1.25}"#),
    );
    assert_eq!(answer.status, 502, "{answer:?}");
    let health = http::send(&front.admin, "GET", "/health", None);
    assert!(
        String::from_utf8_lossy(&health.body).contains("BANKA"),
        "{health:?}"
    );
    let (_second, _) = region(&bank, &address);
    front.acquired(1);
    assert_eq!(
        front.send("GET", "/bank/accounts/10000001", None).status,
        200
    );
}

#[test]
fn one_of_two_regions_killed_under_load_loses_only_its_active_requests() {
    let bank = example("bank");
    let (mut doomed, a) = region(&bank, "127.0.0.1:0");
    let (_other, b) = region(&bank, "127.0.0.1:0");
    let settings = format!("{}{}", connection("BANKA", &a), connection("BANKB", &b));
    let front = gateway(&bank, &settings);
    front.acquired(2);
    let (stop, address) = (AtomicBool::new(false), front.http.as_str());
    let counts: [AtomicU32; 4] = Default::default();
    let [read, read_failed, wrote, write_failed] = &counts;
    let transfer = Some(r#"{"from": 10000001, "to": 10000008, "amount": 0.01}"#);
    std::thread::scope(|scope| {
        for client in 0..8 {
            let stop = &stop;
            scope.spawn(move || {
                while !stop.load(Ordering::Relaxed) {
                    let send = |method, path, body| http::send(address, method, path, body);
                    let (answer, good, bad) = match client % 2 {
                        0 => (
                            send("GET", "/bank/accounts/10000001", None),
                            read,
                            read_failed,
                        ),
                        _ => (
                            send("POST", "/bank/transfers", transfer),
                            wrote,
                            write_failed,
                        ),
                    };
                    match answer.status {
                        200..300 => good.fetch_add(1, Ordering::Relaxed),
                        502 => bad.fetch_add(1, Ordering::Relaxed),
                        _ => panic!("{answer:?}"),
                    };
                }
            });
        }
        let good = || {
            read.load(Ordering::Relaxed)
                .min(wrote.load(Ordering::Relaxed))
        };
        until("both work", || good() >= 50);
        doomed.kill();
        let then = good();
        until("the other goes on", || good() >= then + 50);
        stop.store(true, Ordering::Relaxed);
    });
    let counts = counts.map(AtomicU32::into_inner);
    println!("read, failed, wrote, failed: {counts:?}");
    // Reads are sent again; only writes that were under way fail.
    assert_eq!(counts[1], 0, "{counts:?}");
    assert!(counts[3] <= 4, "{counts:?}");
}

#[test]
fn partners_that_do_not_keep_to_the_format_disturb_no_other() {
    let bank = example("bank");
    let (_region, address) = region(&bank, "127.0.0.1:0");
    let front = gateway(&bank, &connection("BANKA", &address));
    front.acquired(1);
    let mut open = Vec::new();
    for bytes in [
        &b"GET / HTTP/1.1\r\nhost: x\r\n\r\n"[..],
        b"\x00\x00\x00\x04\x01\x00\x00\x00\x00\x00\x00\x00TXIP",
        b"\xFF\xFF\xFF\xFF\x01\x00\x00\x00\x00\x00\x00\x00",
        b"\x00\x00\x00\x00\x08\x00\x00\x00\x00\x00\x00\x00",
    ] {
        let mut stream = TcpStream::connect(&address).unwrap();
        stream
            .set_read_timeout(Some(Duration::from_secs(30)))
            .unwrap();
        stream.write_all(bytes).unwrap();
        let mut answer = Vec::new();
        stream.read_to_end(&mut answer).unwrap();
        let answer = String::from_utf8_lossy(&answer).into_owned();
        assert!(answer.contains("frame "), "{bytes:?}: {answer:?}");
        // A client that sends nothing, and one that stops in the middle.
        let silent = TcpStream::connect(&address).unwrap();
        let mut half = TcpStream::connect(&address).unwrap();
        half.write_all(&bytes[..3]).unwrap();
        half.shutdown(std::net::Shutdown::Write).unwrap();
        open.extend([silent, half]);
    }
    assert_eq!(
        front.send("GET", "/bank/accounts/10000001", None).status,
        200
    );
}

#[test]
fn partners_that_never_greet_lock_no_partner_out_and_take_no_memory() {
    let bank = example("bank");
    let (mut region, address) = region(&bank, "127.0.0.1:0");
    let memory_kib = |region: &ServerProcess| {
        let status = format!("/proc/{}/status", region.child.id());
        let status = std::fs::read_to_string(status).unwrap();
        let line = status.lines().find_map(|l| l.strip_prefix("RssAnon:"));
        let kib = line.unwrap().split_whitespace().next().unwrap();
        kib.parse::<u64>().unwrap()
    };
    let before = memory_kib(&region);
    let silent: Vec<TcpStream> = (0..600)
        .map(|_| TcpStream::connect(&address).unwrap())
        .collect();
    let front = gateway(&bank, &connection("BANKA", &address));
    front.acquired(1);
    assert_eq!(
        front.send("GET", "/bank/accounts/10000001", None).status,
        200
    );
    let grown = memory_kib(&region).saturating_sub(before);
    assert!(grown < 20 << 10, "{grown} KiB for silent partners");
    drop(silent);
    region.kill();
}

#[test]
fn a_process_without_its_connection_reports_the_missing_definition() {
    let folder = tempfile::tempdir().unwrap();
    let serve = |settings: &str, options: &[&str]| {
        std::fs::write(folder.path().join("tupelo.toml"), settings).unwrap();
        let mut command: Command = tupelo();
        command.arg("serve").arg(folder.path()).args(options);
        let output = command.stdin(Stdio::null()).output().unwrap();
        assert!(!output.status.success());
        String::from_utf8_lossy(&output.stderr).into_owned()
    };
    let error_text = serve("", &["--gateway-only"]);
    assert!(error_text.contains("ipconn.connections"), "{error_text}");
    let error_text = serve("[ipconn]\nlisten = \"0.0.0.0:0\"\n", &["--region-only"]);
    assert!(error_text.contains("[ipconn.tls]"), "{error_text}");
    let error_text = serve("[gateway]\nconnection = \"NONE\"\n", &[]);
    assert!(error_text.contains("NONE"), "{error_text}");
}

/// A region with these programs, to which others link, and its listener.
fn far(programs: &[(&str, &str)]) -> (tempfile::TempDir, ServerProcess, String) {
    let app = application(programs);
    let (process, address) = region(app.path(), "127.0.0.1:0");
    (app, process, address)
}

/// A region whose program HELLO links to SYSID PEER, called by `/hello/{name}`.
fn near(program: &str, address: &str) -> (tempfile::TempDir, Server) {
    let settings = format!(
        "[region]\napplid = \"NEAR\"\nsysid = \"NEAR\"\n{}",
        connection("PEER", address)
    );
    let app = application(&[
        ("cobol/HELLO.cbl", program),
        ("tupelo.toml", &settings),
        (
            "resources.csd",
            "DEFINE TRANSACTION(HELO) GROUP(A) PROGRAM(HELLO)\n\
             DEFINE PROGRAM(ROUND) GROUP(A) REMOTESYSTEM(PEER)\n\
             DEFINE PROGRAM(ALIAS) GROUP(A) REMOTESYSTEM(PEER) REMOTENAME(FAR)\n",
        ),
    ]);
    let server = Server::start(app.path());
    until("the region is connected", || {
        let all = http::send(&server.admin, "GET", "/connections", None).json();
        all["connections"][0]["state"] == "ACQUIRED"
    });
    (app, server)
}

fn greeting(server: &Server, name: &str) -> String {
    let answer = server.get(&format!("/hello/{name}"));
    let text = answer.json()["greeting"].as_str().map(str::to_owned);
    text.unwrap_or_else(|| format!("{answer:?}"))
}

#[test]
fn a_commarea_is_sent_to_a_program_of_another_region_and_returned() {
    let (_app, mut region, address) = far(&[
        ("cobol/ROUND.cbl", crate::appc::ROUND),
        (
            "cobol/STOPPED.cbl",
            &crate::appc::ROUND.replace("ROUND", "STOPPED"),
        ),
        ("resources.csd", crate::appc::NOT_RUN),
        ("tupelo.toml", "[script.programs]\nGREET = \"greet.js\"\n"),
        (
            "scripts/greet.js",
            "export function LINK(call) { call.commarea.set([72, 73], 29980); }",
        ),
    ]);
    let (_near_app, near) = near(crate::appc::LINKING, &address);
    assert_eq!(greeting(&near, "olleh"), "0000 0000 hello");
    assert_eq!(greeting(&near, "defined"), "0000 0000 denifed");
    assert_eq!(greeting(&near, "none"), "0027 0001");
    assert_eq!(greeting(&near, "stopped"), "0027 0002");
    assert_eq!(greeting(&near, "missing"), "0027 0003");
    assert_eq!(greeting(&near, "script"), "0000 0000 HI");
    assert_eq!(greeting(&near, "fail"), "OOPS");
    region.kill();
    until("the loss is reported", || {
        greeting(&near, "olleh") == "0053 0018"
    });
}

#[test]
fn a_channel_is_sent_over_ipconn_as_over_appc() {
    let (_app, _region, address) = far(&[("cobol/FAR.cbl", crate::appc_channels::FAR)]);
    let (_near_app, near) = near(crate::appc_channels::NEAR, &address);
    assert_eq!(greeting(&near, "plain"), "0000/00 0819 05 KMGW");
    assert_eq!(greeting(&near, "defined"), "0000/00 0819 05 KMGW");
    assert_eq!(greeting(&near, "many"), "0000/00 0819 06 KMGW");
    assert_eq!(greeting(&near, "none"), "0027/01 1140 04 K");
    assert_eq!(greeting(&near, "abend"), "9999/00 1140 04 K");
    assert_eq!(greeting(&near, "toomany"), "0022/11 1140 05 K");
    assert_eq!(greeting(&near, "grow"), "0022/11 1140 04 K");
}

/// Writes to a recoverable queue, or takes a syncpoint, or returns the number of items and how
/// it was started.
const KEEPS: &str = include_str!("../../testdata/programs/ipconn/KEEPS.cbl");

/// LINKs to that program: with SYNCONRETURN if the name ends with S.
const LINKING_PROGRAM: &str = include_str!("../../testdata/programs/ipconn/LINKS.cbl");

#[test]
fn a_link_without_synconreturn_may_change_a_queue_and_end_no_unit() {
    let (_app, _region, address) = far(&[
        ("cobol/KEEPS.cbl", KEEPS),
        (
            "resources.csd",
            "DEFINE TSMODEL(RECQ) GROUP(A) PREFIX(REC) RECOVERY(YES)\n",
        ),
    ]);
    let (_near_app, near) = near(LINKING_PROGRAM, &address);
    assert_eq!(greeting(&near, "read"), "000/000 D 000");
    assert_eq!(greeting(&near, "keep"), "000/000 D 000");
    assert_eq!(greeting(&near, "read"), "000/000 D 001");
    assert_eq!(greeting(&near, "keepS"), "000/000 DS 000");
    assert_eq!(greeting(&near, "readS"), "000/000 DS 002");
    assert_eq!(greeting(&near, "sync"), "000/000 D 200 000");
    assert_eq!(greeting(&near, "syncS"), "000/000 DS 000 000");
}

/// Writes a certificate, its key and an authority that is to be trusted;
/// the keys of a section that names them.
fn files(own: &TestAuthority, folder: &Path, trusted: &TestAuthority) -> String {
    let (certificate, key) = own.sign();
    std::fs::create_dir_all(folder).unwrap();
    let write = |name: &str, pem: String| {
        let file = folder.join(name);
        std::fs::write(&file, pem).unwrap();
        file.display().to_string()
    };
    format!(
        "certificate = \"{}\"\nkey = \"{}\"\nauthorities = \"{}\"\n",
        write("cert.pem", certificate.pem()),
        write("key.pem", key.serialize_pem()),
        write("ca.pem", trusted.pem.clone())
    )
}

#[test]
fn over_tls_both_sides_show_a_certificate_of_an_authority_that_is_trusted() {
    let (ours, theirs) = (TestAuthority::new(), TestAuthority::new());
    let keys = tempfile::tempdir().unwrap();
    let bank = tempfile::tempdir().unwrap();
    copy(&example("bank"), bank.path());
    let file = bank.path().join("tupelo.toml");
    let settings = std::fs::read_to_string(&file).unwrap_or_default();
    let tls = files(&ours, &keys.path().join("region"), &ours);
    std::fs::write(&file, format!("{settings}\n[ipconn.tls]\n{tls}")).unwrap();
    let (_region, address) = region(bank.path(), "127.0.0.1:0");
    let with = |tls: String| {
        let connection = connection("BANKA", &address);
        format!("{connection}[ipconn.connections.BANKA.tls]\nname = \"localhost\"\n{tls}")
    };
    let good = gateway(
        bank.path(),
        &with(files(&ours, &keys.path().join("a"), &ours)),
    );
    good.acquired(1);
    assert_eq!(
        good.send("GET", "/bank/accounts/10000001", None).status,
        200
    );
    // The region does not trust the authority of the gateway's certificate; the
    // gateway does not trust that of the region's; the gateway uses no TLS.
    let stranger = with(files(&theirs, &keys.path().join("b"), &ours));
    let doubting = with(files(&ours, &keys.path().join("c"), &theirs));
    for settings in [stranger, doubting, connection("BANKA", &address)] {
        let settings = format!("[region]\napplid = \"OTHER\"\n{settings}");
        let front = gateway(bank.path(), &settings);
        let answer = front.send("GET", "/bank/accounts/10000001", None);
        assert_eq!(answer.status, 502, "{answer:?}");
    }
    assert_eq!(
        good.send("GET", "/bank/accounts/10000001", None).status,
        200
    );
}

/// STARTs a transaction of another region, now and later, and one that is not
/// there.
const STARTS: &str = include_str!("../../testdata/programs/ipconn/STARTS.cbl");

/// Retrieves its START data and writes it to a queue for the test.
const TAKE: &str = include_str!("../../testdata/programs/ipconn/TAKE.cbl");

#[test]
fn a_start_for_another_region_begins_its_task_there() {
    let far_app = application(&[
        ("cobol/TAKE.cbl", TAKE),
        ("cobol/KEEPS.cbl", KEEPS),
        (
            "resources.csd",
            "DEFINE TRANSACTION(TAKE) GROUP(A) PROGRAM(TAKE)\n",
        ),
    ]);
    let (_region, address) = region(far_app.path(), "127.0.0.1:0");
    let (_app, starter) = near(STARTS, &address);
    assert_eq!(greeting(&starter, "none"), "028");
    assert_eq!(greeting(&starter, "protect"), "053");
    assert_eq!(greeting(&starter, "wrong"), "016");
    assert_eq!(greeting(&starter, "now"), "000 MINE");
    drop(starter);
    let (_app, reader) = near(LINKING_PROGRAM, &address);
    until("the task has kept what it got", || {
        greeting(&reader, "read") == "000/000 D 001"
    });
}
