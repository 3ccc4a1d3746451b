//! The gateway as an operator handles it: APIs and operations stopped, started
//! and redeployed, the console's page, shutdown, and HTTPS clients that do
//! not continue.

use crate::client::{connect, read, send};
use crate::fake::Fake;
use crate::{config, example};
use gateway::{Gateway, GatewayConfig, LoadError, LoadedApi, ProjectLoader, TlsConfig, constant};
use std::io::{Read, Write};
use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;
use tokio::sync::Semaphore;

const OPERATOR: &str = "x-tupelo-operator: 1\r\n";

fn serve(change: impl FnOnce(&mut GatewayConfig), fake: Fake) -> Gateway<Fake> {
    let mut config = config();
    change(&mut config);
    let apis = LoadedApi::load_all(&example("bank/apis")).unwrap();
    Gateway::start(config, apis, fake).unwrap()
}

fn post(admin: SocketAddr, path: &str) -> (u16, serde_json::Value) {
    let answer = send(admin, "POST", path, OPERATOR, "");
    (answer.status, answer.json())
}

#[test]
fn one_operation_is_stopped_and_the_others_go_on() {
    let bank = serve(|_| {}, Fake::default());
    let admin = bank.admin_address().unwrap();
    let path = "/bank/accounts/10000001";
    let stop = "/apis/accounts/stop?operation=GET%20/accounts/%7Bnumber%7D";
    let (status, said) = post(admin, stop);
    assert_eq!((status, &said["state"]), (200, &"stopped".into()), "{said}");
    let reported = send(bank.address(), "GET", path, "", "");
    assert_eq!(reported.status, 503);
    assert_eq!(reported.json()["title"], "The operation is stopped");
    // Requests to the others fail because their programs do not exist.
    let other = send(bank.address(), "GET", "/bank/accounts", "", "");
    assert_ne!(other.status, 503);
    let listed = send(admin, "GET", "/apis/accounts", "", "").json();
    let states: Vec<_> = listed["operations"].as_array().unwrap().iter().collect();
    let stopped = states.iter().filter(|o| o["state"] == "stopped").count();
    assert_eq!((stopped, &listed["state"]), (1, &"started".into()));
    assert_eq!(post(admin, &stop.replace("stop?", "start?")).0, 200);
    assert_ne!(send(bank.address(), "GET", path, "", "").status, 503);
    let (status, said) = post(admin, "/apis/accounts/stop?operation=GET%20/nothing");
    assert_eq!(status, 404);
    assert!(said["error"].as_str().unwrap().contains("no operation"));
    assert_eq!(post(admin, "/apis/unknown/stop").0, 404);
}

#[test]
fn a_port_without_authentication_answers_to_no_other_host_name() {
    let ask = |gateway: &Gateway<Fake>, request: &str, host: &str| {
        let mut stream = connect(gateway.admin_address().unwrap());
        let text = format!("{request} HTTP/1.1\r\nhost: {host}\r\n{OPERATOR}\r\n");
        stream.write_all(text.as_bytes()).unwrap();
        read(&mut stream, false).unwrap().status
    };
    let open = serve(|_| {}, Fake::default());
    for host in [
        "evil.example",
        "evil.example:9080",
        "127.0.0.1.evil.example",
    ] {
        assert_eq!(ask(&open, "GET /apis", host), 421, "{host}");
        assert_eq!(ask(&open, "POST /apis/accounts/stop", host), 421, "{host}");
        assert_eq!(ask(&open, "GET /health", host), 200, "{host}");
    }
    for host in ["127.0.0.1:9080", "[::1]", "localhost:9080", "box"] {
        assert_eq!(ask(&open, "GET /apis", host), 200, "{host}");
    }
}

#[test]
fn an_api_is_redeployed_and_one_that_is_wrong_is_not() {
    let load = |name: &str| match name {
        "accounts" => Ok(Arc::new(
            LoadedApi::load(&example("bank/apis/accounts")).unwrap(),
        )),
        "other" => Ok(Arc::new(
            LoadedApi::load(&example("perfchannel/apis/perfchannel")).unwrap(),
        )),
        "wrong" => Err(LoadError::Wrong(vec!["a.yaml:3:1: error: it is".into()])),
        _ => Err(LoadError::Absent),
    };
    let loader = ProjectLoader(Arc::new(load));
    let bank = serve(|config| config.loader = Some(loader), Fake::default());
    let admin = bank.admin_address().unwrap();
    assert_eq!(post(admin, "/apis/accounts/stop").0, 200);
    let (status, said) = post(admin, "/apis/accounts/redeploy");
    assert_eq!(
        (status, &said["state"]),
        (200, &"redeployed".into()),
        "{said}"
    );
    assert_eq!(bank.apis().len(), 1);
    let path = "/bank/accounts/10000001";
    assert_eq!(
        send(bank.address(), "GET", path, "", "").status,
        503,
        "what was stopped stays stopped"
    );
    assert_eq!(post(admin, "/apis/accounts/start").0, 200);
    // A new API is served from now on.
    assert_eq!(
        send(bank.address(), "PUT", "/perfchannel/response/3", "", "").status,
        404
    );
    assert_eq!(post(admin, "/apis/other/redeploy").0, 200);
    assert_ne!(
        send(bank.address(), "PUT", "/perfchannel/response/3", "", "").status,
        404
    );
    let (status, said) = post(admin, "/apis/wrong/redeploy");
    assert_eq!(status, 422);
    assert_eq!(said["faults"][0], "a.yaml:3:1: error: it is");
    assert_eq!(post(admin, "/apis/none/redeploy").0, 404);
    assert_eq!(
        send(admin, "POST", "/apis/accounts/redeploy", "", "").status,
        403
    );
}

#[test]
fn the_console_and_the_ports_own_document_are_served() {
    let bank = serve(|_| {}, Fake::default());
    let admin = bank.admin_address().unwrap();
    let get = |path: &str| send(admin, "GET", path, "", "");
    assert_eq!(get("/").header("location"), Some("/console/"));
    for (path, kind) in [
        ("/console/", "text/html; charset=utf-8"),
        ("/console/tokens.css", "text/css; charset=utf-8"),
        ("/console/console.css", "text/css; charset=utf-8"),
        ("/console/console.js", "text/javascript; charset=utf-8"),
    ] {
        let answer = get(path);
        assert_eq!(
            (answer.status, answer.header("content-type")),
            (200, Some(kind))
        );
        let policy = answer.header("content-security-policy").unwrap();
        assert!(policy.starts_with("default-src 'none'"), "{policy}");
    }
    assert_eq!(get("/console/../../etc/passwd").status, 404);
    let who = get("/whoami").json();
    assert_eq!(
        (&who["user"], &who["mayChange"]),
        (&().into(), &true.into())
    );
    let document = get("/openapi.json").json();
    assert_eq!(document["openapi"], "3.0.3");
    // The APIs' own addresses have no such path.
    assert_eq!(send(bank.address(), "GET", "/whoami", "", "").status, 404);
    assert_eq!(send(bank.address(), "GET", "/console/", "", "").status, 404);
    for (path, methods) in document["paths"].as_object().unwrap() {
        let of_the_region = [
            "/tasks",
            "/transactions",
            "/top",
            "/locks",
            "/uow",
            "/limits",
            "/messages",
            "/partners",
            "/connections",
            "/logs",
            "/trace",
            "/sockets",
            "/terminals",
            // With the tokens of a region.
            "/operator",
        ];
        if of_the_region.iter().any(|front| path.starts_with(front)) {
            continue;
        }
        let path = path.replace("{name}", "accounts");
        if methods.get("get").is_some() {
            assert_eq!(get(&path).status, 200, "{path}");
        } else if !path.ends_with("redeploy") {
            assert_eq!(post(admin, &path).0, 200, "{path}");
        }
    }
}

#[test]
fn a_gateway_with_one_region_of_two_is_impaired_and_ready() {
    let mut fake = Fake::default();
    fake.limps = true;
    let busy = fake.busy.clone();
    let bank = serve(|_| {}, fake);
    let get = |path: &str| {
        let answer = send(bank.address(), "GET", path, "", "");
        (answer.status, answer.json()["status"].clone())
    };
    assert_eq!(get("/health"), (503, "DEGRADED".into()));
    assert_eq!(get("/health/ready"), (200, "DEGRADED".into()));
    assert_eq!(get("/health/live"), (200, "UP".into()));
    busy.store(true, std::sync::atomic::Ordering::Relaxed);
    assert_eq!(get("/health/ready"), (503, "DEGRADED".into()));
}

#[test]
fn while_it_drains_it_is_alive_and_not_ready() {
    let gate = Arc::new(Semaphore::new(0));
    let mut fake = Fake::default().program("ACCTINQ", |_| {});
    fake.gate = Some(gate.clone());
    let begun = fake.begun.clone();
    let bank = serve(|_| {}, fake);
    let (address, admin) = (bank.address(), bank.admin_address().unwrap());
    let mut waiting = connect(address);
    write!(
        waiting,
        "GET /bank/accounts/10000001 HTTP/1.1\r\nhost: x\r\n\r\n"
    )
    .unwrap();
    let ready = || send(admin, "GET", "/health/ready", "", "").json()["status"].clone();
    assert_eq!(ready(), "UP");
    // The request is at work before the end begins.
    while begun.load(Ordering::Acquire) == 0 {
        std::thread::yield_now();
    }
    std::thread::scope(|scope| {
        let end = scope.spawn(|| bank.shutdown(Duration::from_secs(60)));
        while ready() != "DOWN" {}
        assert_eq!(send(admin, "GET", "/health/live", "", "").status, 200);
        gate.add_permits(1);
        let last = read(&mut waiting, false).expect("what is under way ends");
        assert_eq!(last.status, 200);
        // The answer has the header if the connection was closing by then.
        assert!(read(&mut waiting, false).is_none(), "the connection ends");
        end.join().unwrap();
    });
    assert!(std::net::TcpStream::connect(admin).is_err());
}

#[test]
fn a_request_that_is_coming_while_it_drains_has_the_time_that_it_had() {
    let bank = serve(|_| {}, Fake::default().program("ACCTMOVE", |_| {}));
    let (address, admin) = (bank.address(), bank.admin_address().unwrap());
    let body = r#"{"kind":"DEPOSIT","amount":1.00}"#;
    let (begins, ends) = body.split_at(9);
    let mut coming = connect(address);
    write!(
        coming,
        "POST /bank/accounts/10000001/movements HTTP/1.1\r\nhost: x\r\n\
         content-type: application/json\r\ncontent-length: {}\r\n\r\n{begins}",
        body.len()
    )
    .unwrap();
    // Another request has ended: the first one's head has been read by then.
    assert_eq!(send(address, "GET", "/health", "", "").status, 200);
    std::thread::scope(|scope| {
        let end = scope.spawn(|| bank.shutdown(Duration::from_secs(60)));
        while send(admin, "GET", "/health/ready", "", "").json()["status"] != "DOWN" {}
        // The time limits continue: no data is sent in the next second.
        let second = Some(Duration::from_secs(1));
        coming.set_read_timeout(second).unwrap();
        let silent = coming.peek(&mut [0]).unwrap_err();
        assert_eq!(silent.kind(), std::io::ErrorKind::WouldBlock);
        coming.set_read_timeout(None).unwrap();
        coming.write_all(ends.as_bytes()).unwrap();
        let last = read(&mut coming, false).expect("what is under way ends");
        assert_ne!(last.status, 408, "{}", last.text());
        end.join().unwrap();
    });
}

#[test]
fn handshakes_that_do_not_go_on_are_bounded_and_cut() {
    let folder = tempfile::tempdir().unwrap();
    let made = rcgen::generate_simple_self_signed(["localhost".to_string()]).unwrap();
    let file = |name: &str, text: String| {
        let path = folder.path().join(name);
        std::fs::write(&path, text).unwrap();
        path
    };
    let tls = TlsConfig {
        listen: ([127, 0, 0, 1], 0).into(),
        files: tls::ServerFiles {
            certificate: file("cert.pem", made.cert.pem()),
            key: file("key.pem", made.signing_key.serialize_pem()),
            clients: None,
        },
    };
    let config = GatewayConfig {
        tls: Some(tls),
        max_connections: 100,
        request_timeout_ms: 1_500,
        ..config()
    };
    let gateway = constant::start(config, "\"hello\"".into()).unwrap();
    let address = gateway.tls_address().unwrap();
    let admin = gateway.admin_address().unwrap();
    let metric = |name: &str| {
        let text = send(admin, "GET", "/metrics", "", "").text();
        let name = format!("tupelo_gateway_connections_{name} ");
        let value = text.lines().find_map(|line| line.strip_prefix(&name));
        value.unwrap().trim().parse::<usize>().unwrap()
    };
    let open = || metric("open");
    // The first bytes of a ClientHello whose length field is 512.
    let half = [0x16, 3, 1, 2, 0, 1, 0, 1, 0xFC, 3, 3];
    let mut all: Vec<_> = (0..2_000)
        .map(|_| {
            let mut stream = connect(address);
            let _ = stream.write_all(&half);
            stream
        })
        .collect();
    assert!(open() <= 101, "{} are open", open());
    // Others are served meanwhile.
    assert_eq!(send(gateway.address(), "GET", "/", "", "").status, 200);
    // And each of them ends by itself.
    for stream in &mut all {
        let _ = stream.read_to_end(&mut Vec::new());
    }
    while open() > 0 {
        std::thread::yield_now();
    }
    // Connections that were closed for others did not reach their time limit.
    let (late, gave_way) = (metric("timed_out_total"), metric("gave_way_total"));
    assert!(late > 0, "{late} of 2,000 were late, {gave_way} gave way");
}
