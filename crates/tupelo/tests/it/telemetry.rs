//! Audit records and traces of a whole server.

use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpListener;

use serde_json::Value;

use crate::operator::copy;
use crate::program::{run, text};
use crate::server::{Server, example};

/// One request of a client: its body.
fn received(listener: &TcpListener) -> Value {
    let (mut stream, _) = listener.accept().unwrap();
    let mut reader = BufReader::new(stream.try_clone().unwrap());
    let mut length = 0;
    loop {
        let mut line = String::new();
        reader.read_line(&mut line).unwrap();
        match line.strip_prefix("content-length: ") {
            Some(value) => length = value.trim().parse().unwrap(),
            None if line == "\r\n" => break,
            None => {}
        }
    }
    let mut body = vec![0; length];
    reader.read_exact(&mut body).unwrap();
    let answer = b"HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\n{}";
    stream.write_all(answer).unwrap();
    serde_json::from_slice(&body).unwrap()
}

#[test]
fn a_request_is_audited_and_traced_down_to_its_commands() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let folder = tempfile::tempdir().unwrap();
    copy(&example("bank"), folder.path());
    let settings = folder.path().join("tupelo.toml");
    let mut text = fs::read_to_string(&settings).unwrap();
    let collector = listener.local_addr().unwrap();
    text += &format!(
        "\n[audit]\npath = \"audit.jsonl\"\n[traces]\nendpoint = \"http://{collector}\"\nratio = 1.0\n"
    );
    fs::write(&settings, text).unwrap();
    let bank = Server::start(folder.path());
    assert_eq!(bank.get("/bank/accounts/10000001").status, 200);
    let body = received(&listener);
    let spans = body["resourceSpans"][0]["scopeSpans"][0]["spans"].as_array();
    let names: Vec<&str> = spans
        .unwrap()
        .iter()
        .map(|span| span["name"].as_str().unwrap())
        .collect();
    let wanted = [
        "GET /bank/accounts/{number}",
        "BINQ ACCTINQ",
        "EXEC CICS READ",
        "EXEC CICS RETURN",
    ];
    assert_eq!(names, wanted);
    let cpu = "tupelo_gateway_program_cpu_seconds_total{api=\"accounts\",method=\"GET\",\
        path=\"/bank/accounts/{number}\"} 0.0";
    let metrics = crate::http::send(&bank.admin, "GET", "/metrics", None);
    let metrics = String::from_utf8_lossy(&metrics.body).into_owned();
    assert!(metrics.contains(cpu), "{metrics}");
    let state = bank.stop();
    let records = fs::read_to_string(state.path().join("audit.jsonl")).unwrap();
    let record: Value = serde_json::from_str(records.lines().next().unwrap()).unwrap();
    assert_eq!(record["SMF123S1_SOR_RESOURCE"], "BINQ,ACCTINQ");
    assert_eq!(record["SMF123S1_USER_NAME"], "");
    let token = record["SMF123S1_TRACKING_TOKEN"].as_str().unwrap();
    assert!(token.starts_with(spans.unwrap()[0]["traceId"].as_str().unwrap()));
}

#[test]
fn a_policy_that_is_wrong_is_reported_with_its_line() {
    let folder = tempfile::tempdir().unwrap();
    copy(&example("bank"), folder.path());
    let settings = folder.path().join("tupelo.toml");
    let mut text_of = fs::read_to_string(&settings).unwrap();
    text_of += "\n[gateway]\npolicy = \"rules.xml\"\n";
    fs::write(&settings, &text_of).unwrap();
    let rules = "<ruleset>\n<rule name=\"r\"><conditions><path value=\"/*\"/></conditions>\n\
        <actions><set property=\"cicsConnectionRef\" value=\"nowhere\"/></actions></rule>\n</ruleset>";
    fs::write(folder.path().join("rules.xml"), rules).unwrap();
    let checked = run(&["check", folder.path().to_str().unwrap()]);
    assert_eq!(checked.status.code(), Some(1));
    let check_output = text(&checked.stdout);
    assert!(check_output.contains("rules.xml:3:10"), "{check_output}");
    assert!(
        check_output.contains("no connection or group nowhere"),
        "{check_output}"
    );
}

#[test]
fn a_user_store_that_no_server_starts_with_is_reported_by_check() {
    let folder = tempfile::tempdir().unwrap();
    copy(&example("bank"), folder.path());
    fs::write(
        folder.path().join("users"),
        "ada:hunter2:ADA::\nbob::B::\nbob::B::\n",
    )
    .unwrap();
    let checked = run(&["check", folder.path().to_str().unwrap()]);
    assert_eq!(checked.status.code(), Some(1));
    let check_output = text(&checked.stdout);
    assert!(
        check_output.contains("users: line 1: the password of ada"),
        "{check_output}"
    );
    assert!(
        check_output.contains("users: line 3: a user bob is defined before it"),
        "{check_output}"
    );
    assert!(!check_output.contains("hunter2"), "{check_output}");
}

#[test]
fn settings_of_tokens_that_no_server_starts_with_are_reported_by_check() {
    let folder = tempfile::tempdir().unwrap();
    copy(&example("bank"), folder.path());
    let settings = folder.path().join("tupelo.toml");
    let before = fs::read_to_string(&settings).unwrap();
    let of = |jwt: &str| {
        fs::write(&settings, format!("{before}\n[security.jwt]\n{jwt}\n")).unwrap();
        let checked = run(&["check", folder.path().to_str().unwrap()]);
        (checked.status.code(), text(&checked.stdout))
    };
    let named = "issuer = [\"https://issuer\"]\naudience = [\"bank\"]\n";
    fs::write(folder.path().join("empty.json"), "{\"keys\": []}").unwrap();
    for (jwt, expected) in [
        (named.to_owned(), "tokens need the keys of their issuer"),
        (
            format!("{named}jwks = \"none.json\""),
            "none.json: cannot be read",
        ),
        (
            format!("{named}jwks = \"empty.json\""),
            "it has no key for a supported signature",
        ),
        (
            format!("{named}jwks = \"http://far.example/keys\""),
            "must begin with https://",
        ),
        (
            format!("{named}jwks = \"https://far.example/keys\"\njwks_ca = \"gone.pem\""),
            "gone.pem",
        ),
        (
            format!("{named}jwks = \"https://i.example/k\"\nalgorithms = [\"RS265\"]"),
            "'RS265' is not a supported signature algorithm",
        ),
        (
            format!("{named}jwks = \"https://i.example/k\"\nleeway_s = 60000"),
            "a leeway of 60000 seconds is too large",
        ),
        (
            "jwks = \"https://i.example/k\"".to_owned(),
            "without an audience",
        ),
    ] {
        let (code, all) = of(&jwt);
        assert_eq!(code, Some(1), "{all}");
        assert!(all.contains(expected), "{expected}\n{all}");
    }
    let (_, all) = of("jwks = \"https://i.example/k\"");
    assert!(all.contains("without an issuer"), "all at once: {all}");
    let (code, all) = of(&format!("{named}jwks = \"https://i.example/k\""));
    assert_eq!(code, Some(0), "{all}");
}

#[test]
fn what_a_server_would_not_listen_with_is_reported_by_check() {
    let folder = tempfile::tempdir().unwrap();
    copy(&example("bank"), folder.path());
    let settings = folder.path().join("tupelo.toml");
    let before = fs::read_to_string(&settings).unwrap();
    fs::write(folder.path().join("no.pem"), "no certificate\n").unwrap();
    let files = "certificate = \"no.pem\"\nkey = \"no.pem\"\nauthorities = \"no.pem\"";
    for (more, expected) in [
        (
            "[admin]\nlisten = \"0.0.0.0:9080\"".to_owned(),
            "[admin] listen: other machines can reach 0.0.0.0:9080",
        ),
        (
            "[gateway]\ntls_certificate = \"no.pem\"\ntls_key = \"no.pem\"".to_owned(),
            "[gateway] tls_certificate: ",
        ),
        (
            "[gateway]\ntls_certificate = \"no.pem\"".to_owned(),
            "needs both tls_certificate and tls_key",
        ),
        ("[admin]\ntls = true".to_owned(), "[admin] tls uses"),
        (
            format!("[ipconn]\nlisten = \"127.0.0.1:0\"\n[ipconn.tls]\n{files}"),
            "[ipconn.tls] certificate: ",
        ),
        (
            format!(
                "[ipconn.connections.AA]\naddress = \"a:1\"\n[ipconn.connections.AA.tls]\n{files}"
            ),
            "[ipconn.connections.AA.tls] certificate: ",
        ),
    ] {
        fs::write(&settings, format!("{before}\n{more}\n")).unwrap();
        let output = run(&["check", folder.path().to_str().unwrap()]);
        let all = text(&output.stdout);
        assert_eq!(output.status.code(), Some(1), "{more}\n{all}");
        assert!(all.contains(expected), "{expected}\n{all}");
    }
}

#[test]
fn a_policy_that_never_counts_is_warned_of() {
    let folder = tempfile::tempdir().unwrap();
    copy(&example("bank"), folder.path());
    let settings = folder.path().join("tupelo.toml");
    let text_of = fs::read_to_string(&settings).unwrap();
    let text_of = text_of + "\n[gateway.policies]\nacounts = \"rules.xml\"\n";
    fs::write(&settings, &text_of).unwrap();
    let rules = "<ruleset><rule name=\"r\"><conditions><user value=\"ada\"/></conditions>\
        <actions><set property=\"cicsTransId\" value=\"AB\"/></actions></rule>\
        <rule name=\"s\"><conditions><path value=\"/bonk/*, /bank/accounts/*\"/></conditions>\
        <actions><set property=\"cicsTransId\" value=\"AB\"/></actions></rule></ruleset>";
    fs::write(folder.path().join("rules.xml"), rules).unwrap();
    let all = format!("{text_of}\n[gateway]\npolicy = \"rules.xml\"\n");
    let changed = if text_of.contains("\n[gateway]") {
        text_of.replacen("\n[gateway]", "\n[gateway]\npolicy = \"rules.xml\"", 1)
    } else {
        all
    };
    fs::write(&settings, changed).unwrap();
    let checked = run(&["check", folder.path().to_str().unwrap()]);
    let check_output = text(&checked.stdout);
    assert!(
        check_output.contains("no operation matches the path /bonk/*"),
        "{check_output}"
    );
    assert!(
        !check_output.contains("no operation matches the path /bank"),
        "{check_output}"
    );
    assert!(
        check_output.contains("[gateway.policies] acounts: there is no API with this name"),
        "{check_output}"
    );
    assert!(
        check_output.contains("the rule r never holds"),
        "{check_output}"
    );
}

#[test]
fn a_policy_that_settings_begin_to_name_is_loaded_once() {
    let folder = tempfile::tempdir().unwrap();
    copy(&example("bank"), folder.path());
    let rules = "<ruleset>\n<rule name=\"r\"><conditions><path value=\"/*\"/></conditions>\n\
        <actions><set property=\"cicsTransId\" value=\"BINQ\"/></actions></rule>\n</ruleset>";
    fs::write(folder.path().join("rules.xml"), rules).unwrap();
    let log = tempfile::NamedTempFile::new().unwrap();
    let server = Server::start_logging(folder.path(), log.reopen().unwrap());
    let loads = || {
        let said = fs::read_to_string(log.path()).unwrap();
        said.matches("loaded again").count()
    };
    let settings = folder.path().join("tupelo.toml");
    let text = fs::read_to_string(&settings).unwrap();
    fs::write(&settings, text + "\n[gateway]\npolicy = \"rules.xml\"\n").unwrap();
    let pause = std::time::Duration::from_millis(100);
    for _ in 0..600 {
        if loads() > 0 {
            break;
        }
        std::thread::sleep(pause);
    }
    // Longer than it takes to look three times.
    std::thread::sleep(20 * pause);
    assert_eq!(loads(), 1);
    drop(server);
}
