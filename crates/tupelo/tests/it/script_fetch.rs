//! Calls of scripts to servers: which are allowed, and which certificates they trust.

use std::path::Path;

use serde_json::{Value, json};

use crate::authority::TestAuthority;
use crate::script::{ScriptBank, write};
use crate::server::{Server, example};

/// A TLS server with a certificate of an authority; it answers "hello". Returns its port.
fn server(authority: &TestAuthority, name: &str, until: i32) -> u16 {
    let answer = b"HTTP/1.1 200 OK\r\ncontent-length: 5\r\n\r\nhello";
    authority.answering(name, until, answer)
}

fn bank(trusted: Option<&TestAuthority>, ports: &[u16]) -> ScriptBank {
    let allow: Vec<String> = ports
        .iter()
        .map(|port| format!("\"https://localhost:{port}\""))
        .collect();
    let file = trusted.map_or("", |_| "trusted = \"authority.pem\"\n");
    let settings = format!("[script.fetch]\nallow = [{}]\n{file}", allow.join(", "));
    let folder = ScriptBank::folder(&settings, "");
    if let Some(authority) = trusted {
        write(folder.path(), "authority.pem", &authority.pem);
    }
    ScriptBank::of(folder)
}

fn fetch_result(bank: &ScriptBank, port: u16) -> Value {
    bank.value(&format!(
        "try {{ const a = await fetch('https://localhost:{port}/x'); return a.status + ' ' + a.text() }}
         catch (e) {{ return e.name + ': ' + e.message }}"
    ))
}

#[test]
fn a_server_is_asked_whose_certificate_is_of_an_authority_that_is_trusted() {
    let (ours, theirs) = (TestAuthority::new(), TestAuthority::new());
    let good = server(&ours, "localhost", 2099);
    let refused = [
        ("another name", server(&ours, "rates.example", 2099)),
        ("expired", server(&ours, "localhost", 2021)),
        ("another authority", server(&theirs, "localhost", 2099)),
    ];
    let mut ports = vec![good];
    ports.extend(refused.map(|(_, port)| port));
    let bank = bank(Some(&ours), &ports);
    assert_eq!(fetch_result(&bank, good), "200 hello");
    for (why, port) in refused {
        let result = fetch_result(&bank, port);
        let result = result.as_str().unwrap_or_default();
        assert!(
            result.starts_with("FetchError: ") && result.contains("certificate"),
            "{why}: {result}"
        );
    }
    assert_eq!(
        fetch_result(&bank, good),
        "200 hello",
        "nothing is left of the refusals"
    );
}

#[test]
fn without_an_own_authority_only_those_of_the_system_are_trusted() {
    let ours = TestAuthority::new();
    let port = server(&ours, "localhost", 2099);
    if !Path::new("/etc/ssl/certs/ca-certificates.crt").is_file() {
        skipped::lacking(
            "ca-certificates",
            "there is no file of trusted certificates",
        );
        return;
    }
    let bank = bank(None, &[port]);
    let result = fetch_result(&bank, port);
    assert!(result.as_str().unwrap().contains("certificate"), "{result}");
}

#[test]
fn a_script_asks_the_servers_that_are_allowed_and_no_others() {
    let other = Server::start(&example("bank"));
    let settings = format!(
        "[script.fetch]\nallow = [\"http://{}/bank\"]\nmax_kib = 1\n",
        other.gateway
    );
    let bank = ScriptBank::start(&settings);
    let address = other.gateway.clone();
    let url = |path: &str| format!("http://{address}{path}");
    let asked = bank.value(&format!(
        "const a = await fetch('{}'); return [a.status, a.ok, a.headers.get('content-type'), a.json().holder ?? Object.keys(a.json())]",
        url("/bank/accounts/10000001")
    ));
    assert_eq!(asked[0], 200, "{asked}");
    let both = bank.value(&format!(
        "const all = await Promise.all([1, 2, 3].map(() => fetch('{}'))); return all.map((a) => a.status)",
        url("/bank/overview/99999999")
    ));
    assert_eq!(both, json!([404, 404, 404]));
    for (path, why) in [
        ("/probe", "is not allowed"),
        ("/bank/../probe", "must not contain . or .."),
    ] {
        let result = bank.value(&format!(
            "try {{ await fetch('{}') }} catch (e) {{ return [e.name, e.message] }}",
            url(path)
        ));
        assert_eq!(result[0], "FetchError");
        assert!(result[1].as_str().unwrap().contains(why), "{result}");
    }
    assert_eq!(bank.abend("await fetch('http://127.0.0.1:1/bank')"), "AJST");
    drop(other);
    let gone = bank.value(&format!(
        "try {{ await fetch('{}') }} catch (e) {{ return e.message }}",
        url("/bank/accounts/10000001")
    ));
    assert!(gone.as_str().unwrap().contains("cannot connect"), "{gone}");
}
