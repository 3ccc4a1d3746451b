//! Calls of scripts to servers over TLS: whom they trust, and whom not.

use std::path::Path;

use serde_json::Value;

use crate::authority::Authority;
use crate::script::{Bank, write};

/// A server of an authority that says hello. Its port.
fn server(authority: &Authority, name: &str, until: i32) -> u16 {
    let answer = b"HTTP/1.1 200 OK\r\ncontent-length: 5\r\n\r\nhello";
    authority.answering(name, until, answer)
}

fn bank(trusted: Option<&Authority>, ports: &[u16]) -> Bank {
    let allow: Vec<String> = ports
        .iter()
        .map(|port| format!("\"https://localhost:{port}\""))
        .collect();
    let file = trusted.map_or("", |_| "trusted = \"authority.pem\"\n");
    let settings = format!("[script.fetch]\nallow = [{}]\n{file}", allow.join(", "));
    let folder = Bank::folder(&settings, "");
    if let Some(authority) = trusted {
        write(folder.path(), "authority.pem", &authority.pem);
    }
    Bank::of(folder)
}

fn asked(bank: &Bank, port: u16) -> Value {
    bank.value(&format!(
        "try {{ const a = await fetch('https://localhost:{port}/x'); return a.status + ' ' + a.text() }}
         catch (e) {{ return e.name + ': ' + e.message }}"
    ))
}

#[test]
fn a_server_is_asked_whose_certificate_is_of_an_authority_that_is_trusted() {
    let (ours, theirs) = (Authority::new(), Authority::new());
    let good = server(&ours, "localhost", 2099);
    let refused = [
        ("another name", server(&ours, "rates.example", 2099)),
        ("expired", server(&ours, "localhost", 2021)),
        ("another authority", server(&theirs, "localhost", 2099)),
    ];
    let mut ports = vec![good];
    ports.extend(refused.map(|(_, port)| port));
    let bank = bank(Some(&ours), &ports);
    assert_eq!(asked(&bank, good), "200 hello");
    for (why, port) in refused {
        let told = asked(&bank, port);
        let told = told.as_str().unwrap_or_default();
        assert!(
            told.starts_with("FetchError: ") && told.contains("certificate"),
            "{why}: {told}"
        );
    }
    assert_eq!(
        asked(&bank, good),
        "200 hello",
        "nothing is left of the refusals"
    );
}

#[test]
fn without_an_authority_of_ones_own_the_systems_are_trusted_alone() {
    let ours = Authority::new();
    let port = server(&ours, "localhost", 2099);
    if !Path::new("/etc/ssl/certs/ca-certificates.crt").is_file() {
        skipped::lacking(
            "ca-certificates",
            "there is no file of trusted certificates",
        );
        return;
    }
    let bank = bank(None, &[port]);
    let told = asked(&bank, port);
    assert!(told.as_str().unwrap().contains("certificate"), "{told}");
}
