//! Receivers whose clients speak TLS, and listeners that a reload changes.

use std::fs;
use std::io::{ErrorKind, Read, Write};
use std::net::TcpStream;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use crate::authority::TestAuthority;
use crate::program::until;
use crate::server::Server;
use crate::sockets::{ask, connect, listener, serve_by, talk};

type Client = rustls::StreamOwned<rustls::ClientConnection, TcpStream>;

/// A client that trusts the authority, with or without a certificate.
fn client(authority: &TestAuthority, shown: bool) -> rustls::ClientConfig {
    let mut roots = rustls::RootCertStore::empty();
    roots.add(authority.der.clone().into()).unwrap();
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let builder = rustls::ClientConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .unwrap()
        .with_root_certificates(roots);
    if !shown {
        return builder.with_no_client_auth();
    }
    let (certificate, key) = authority.sign();
    let key = rustls::pki_types::PrivatePkcs8KeyDer::from(key.serialize_der());
    builder
        .with_client_auth_cert(vec![certificate.der().clone()], key.into())
        .unwrap()
}

/// The example with a listener of TLS clients; `more` belongs to `[gateway]`.
fn serve(authority: &TestAuthority, more: &str) -> (Server, tempfile::TempDir) {
    // Long enough for a machine that is busy.
    serve_with_patience(authority, more, 60)
}

/// The same, where a handshake and then the first message have so many seconds.
fn serve_with_patience(
    authority: &TestAuthority,
    more: &str,
    seconds: u32,
) -> (Server, tempfile::TempDir) {
    let (certificate, key) = authority.sign();
    serve_by("native", |folder| {
        fs::write(folder.join("cert.pem"), certificate.pem()).unwrap();
        fs::write(folder.join("key.pem"), key.serialize_pem()).unwrap();
        fs::write(folder.join("clients.pem"), &authority.pem).unwrap();
        let settings = format!(
            "[gateway]\ntls_listen = \"127.0.0.1:0\"\ntls_certificate = \"cert.pem\"\n\
             tls_key = \"key.pem\"\n{more}\n\
             [sockets.listeners.CSKT]\nport = 0\ntls = true\nnumsock = 10\nreatime = {seconds}\n"
        );
        append(&folder.join("tupelo.toml"), &settings);
    })
}

fn append(path: &Path, text: &str) {
    let before = fs::read_to_string(path).unwrap();
    fs::write(path, before + "\n" + text).unwrap();
}

fn open(server: &Server, config: &rustls::ClientConfig) -> Client {
    let name = "localhost".try_into().unwrap();
    let session = rustls::ClientConnection::new(Arc::new(config.clone()), name).unwrap();
    rustls::StreamOwned::new(session, connect(server, "CSKT"))
}

/// The received bytes, up to the end or an error.
fn rest(client: &mut Client) -> String {
    let mut text = Vec::new();
    let _ = client.read_to_end(&mut text);
    String::from_utf8_lossy(&text).into_owned()
}

/// The received bytes; fails unless the connection ends with close_notify.
fn whole(client: &mut Client) -> String {
    let mut text = String::new();
    client.read_to_string(&mut text).unwrap();
    text
}

fn assert_answer(client: &mut Client, text: &str, answer: &str) {
    client.write_all(text.as_bytes()).unwrap();
    let mut got = vec![0; answer.len()];
    client.read_exact(&mut got).unwrap();
    assert_eq!(String::from_utf8_lossy(&got), answer, "to {text:?}");
}

#[test]
fn receivers_serve_clients_that_speak_tls() {
    let authority = TestAuthority::new();
    let (server, _folder) = serve(&authority, "");
    let config = client(&authority, false);
    let mut client = open(&server, &config);
    // The header and more in one record, then a message in several.
    assert_answer(&mut client, "LINE\none\ntwo\n", "ONE\nTWO\n");
    client.write_all(b"th").unwrap();
    client.flush().unwrap();
    assert_answer(&mut client, "ree\n", "THREE\n");
    // More than a record, in both directions.
    let many = format!("{}\n", "x".repeat(900)).repeat(60);
    assert_answer(&mut client, &many, &many.to_uppercase());
    client.conn.send_close_notify();
    client.flush().unwrap();
    assert_eq!(whole(&mut client), "");
    // Two connections of one client.
    let mut answers = open(&server, &config);
    answers.write_all(b"SEND,S001\n").unwrap();
    let mut messages = open(&server, &config);
    messages.write_all(b"RECV,S001\nover two\n").unwrap();
    assert_answer(&mut answers, "", "OVER TWO\n");
    messages.conn.send_close_notify();
    messages.flush().unwrap();
    assert_eq!(
        (whole(&mut messages), whole(&mut answers)),
        Default::default()
    );
    // Also when the region closes it.
    let mut stopped = open(&server, &config);
    assert_answer(&mut stopped, "LINE\nbefore\n", "BEFORE\n");
    ask(&server, &["stop", "LINE"]);
    assert_eq!(whole(&mut stopped), "");
    // A program cannot take such a socket.
    let mut refused = open(&server, &config);
    refused.write_all(b"ECHO,x\n").unwrap();
    let answer = rest(&mut refused);
    assert!(
        answer.contains("NO RECEIVER SERVES TRANID=ECHO"),
        "{answer}"
    );
}

#[test]
fn clients_that_do_not_speak_tls_or_are_silent_keep_no_other_out() {
    let authority = TestAuthority::new();
    let (server, _folder) = serve_with_patience(&authority, "", 8);
    let mut plain = connect(&server, "CSKT");
    plain.write_all(b"LINE\nhello\n").unwrap();
    let mut answer = Vec::new();
    match plain.read_to_end(&mut answer) {
        Ok(_) => {}
        Err(error) => assert_eq!(error.kind(), ErrorKind::ConnectionReset),
    }
    assert!(!answer.starts_with(b"HELLO"));
    // As many as the listener has numbers for, in the middle of a handshake.
    let silent: Vec<TcpStream> = (0..9).map(|_| connect(&server, "CSKT")).collect();
    for mut stream in &silent {
        stream.write_all(&[22, 3, 1, 2, 0, 1]).unwrap();
    }
    // They are closed after REATIME.
    let mut client = open(&server, &client(&authority, false));
    assert_answer(&mut client, "LINE\nstill here\n", "STILL HERE\n");
    // The plain listener was not affected.
    talk(&mut connect(&server, "CSKL"), "LINE\nplain\n", "PLAIN\n");
}

#[test]
fn clients_show_a_certificate_where_it_is_required() {
    let authority = TestAuthority::new();
    let more = "tls_client_ca = \"clients.pem\"\ntls_client_required = true";
    let (server, _folder) = serve(&authority, more);
    let mut without = open(&server, &client(&authority, false));
    let _ = without.write_all(b"LINE\nhello\n");
    assert_eq!(rest(&mut without), "");
    let mut with = open(&server, &client(&authority, true));
    assert_answer(&mut with, "LINE\nhello\n", "HELLO\n");
    let mut stranger = open(&server, &{
        let mut config = client(&TestAuthority::new(), true);
        config.enable_sni = true;
        config
    });
    // It does not trust the server either; whichever check fails first, nothing is served.
    let _ = stranger.write_all(b"LINE\nhello\n");
    assert_eq!(rest(&mut stranger), "");
}

#[test]
fn listeners_come_go_and_change_by_a_reload_while_connections_go_on() {
    let (server, folder) = serve_by("region", |folder| {
        append(
            &folder.join("tupelo.toml"),
            "[sockets.listeners.CSKA]\nport = 0\n[sockets.listeners.CSKB]\nport = 0\n",
        );
    });
    let mut before = connect(&server, "CSKA");
    talk(&mut before, "ECHO,one\n", "one\n");
    let of = |name: &str| {
        let overview = ask(&server, &["list"]);
        let all = overview["listeners"].as_array().unwrap().clone();
        all.into_iter().find(|l| l["listener"] == name)
    };
    let address = |name: &str| of(name).map(|l| l["address"].to_string());
    let (kept, changed) = (address("CSKL"), address("CSKB"));
    let settings = folder.path().join("tupelo.toml");
    let text = fs::read_to_string(&settings).unwrap();
    let text = text.replace("[sockets.listeners.CSKA]\nport = 0\n", "");
    let text = text.replace("CSKB]\nport = 0", "CSKB]\nport = 0\nnumsock = 7");
    fs::write(&settings, text + "[sockets.listeners.CSKC]\nport = 0\n").unwrap();
    until("the listeners are those of the settings", || {
        of("CSKA").is_none() && of("CSKC").is_some_and(|l| !l["address"].is_null())
    });
    assert_ne!(address("CSKB"), changed);
    assert_eq!(address("CSKL"), kept);
    // Accepted connections continue.
    talk(&mut before, "two", "two");
    talk(&mut connect(&server, "CSKC"), "ECHO,three\n", "three\n");
    assert_eq!(listener(&server, "CSKB")["started"], 0);
    let stream = connect(&server, "CSKB");
    stream
        .set_read_timeout(Some(Duration::from_secs(30)))
        .unwrap();
    let mut stream = stream;
    talk(&mut stream, "ECHO,four\n", "four\n");
}

#[test]
fn listeners_come_by_a_reload_where_there_were_none() {
    let (server, folder) = serve_by("region", |folder| {
        let settings = folder.join("tupelo.toml");
        let text = fs::read_to_string(&settings).unwrap();
        let text = text.replace("definitions = \"ezacicd.txt\"", "");
        fs::write(&settings, text).unwrap();
    });
    assert_eq!(ask(&server, &["list"])["listeners"], serde_json::json!([]));
    append(
        &folder.path().join("tupelo.toml"),
        "[sockets.listeners.CSKN]\nport = 0\n",
    );
    until("the listener", || {
        let overview = ask(&server, &["list"]);
        !overview["listeners"][0]["address"].is_null()
    });
    talk(&mut connect(&server, "CSKN"), "ECHO,new\n", "new\n");
}

#[test]
fn a_replaced_certificate_is_used_for_new_connections() {
    let authority = TestAuthority::new();
    let (server, folder) = serve(&authority, "");
    let old = client(&authority, false);
    let mut before = open(&server, &old);
    assert_answer(&mut before, "LINE\none\n", "ONE\n");
    let other = TestAuthority::new();
    let (certificate, key) = other.sign();
    fs::write(folder.path().join("key.pem"), key.serialize_pem()).unwrap();
    fs::write(folder.path().join("cert.pem"), certificate.pem()).unwrap();
    let new = client(&other, false);
    until("the new certificate", || {
        assert_answer(&mut before, "kept\n", "KEPT\n");
        let mut client = open(&server, &new);
        let sent = client.write_all(b"LINE\nnew\n");
        sent.is_ok() && client.read_exact(&mut [0; 4]).is_ok()
    });
    // Clients that trust only the old authority are rejected; connected ones are served.
    let mut stranger = open(&server, &old);
    let _ = stranger.write_all(b"LINE\nhello\n");
    assert_eq!(rest(&mut stranger), "");
    assert_answer(&mut before, "two\n", "TWO\n");
}
