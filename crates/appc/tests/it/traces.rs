//! tshark reads the node's trace without a malformed field.

use crate::support::{client_with, server_with};
use appc::aping::{self, ApingOptions};
use appc::config::DlswConnections;
use appc::{AppcConfig, NodeHost};
use std::collections::BTreeSet;
use std::net::SocketAddr;
use std::path::Path;
use std::process::Command;

/// tshark's lines.
pub fn tshark(file: &Path, arguments: &[&str]) -> Vec<String> {
    let output = Command::new("tshark")
        .arg("-r")
        .arg(file)
        .args(arguments)
        .output()
        .expect("tshark is needed: scripts/setup test installs it");
    assert!(
        output.status.success(),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    text.lines().map(str::to_owned).collect()
}

struct Traced {
    file: std::path::PathBuf,
    decode: String,
}

fn traced(folder: &Path, max_btu_bytes: u16, user: Option<(String, Option<String>)>) -> Traced {
    let file = folder.join("aping.pcapng");
    let mut config = AppcConfig::named("NET.SERVER").unwrap();
    config.max_btu_bytes = max_btu_bytes;
    config.users.insert("ALICE".into(), "SECRET".into());
    let server = server_with(config.clone());
    config.lu = "NET.CLIENT".into();
    config.trace = Some(file.clone());
    let client = client_with(config, &server);
    let mut options = ApingOptions::new("NET.SERVER");
    options.size = 3000;
    options.call.user = user;
    aping::run(&client, &options, |_| true).unwrap();
    client.stop();
    let port = server.listening().unwrap().port();
    Traced {
        file,
        // The nodes of these tests do not listen on DLSw's own port.
        decode: format!("tcp.port=={port},dlsw"),
    }
}

#[test]
fn piu_and_dlsw_messages_decode_without_a_malformed_field() {
    let folder = tempfile::tempdir().unwrap();
    for max_btu_bytes in [17_749, 265] {
        let Traced { file, decode } = traced(folder.path(), max_btu_bytes, None);
        let bad = "_ws.malformed || _ws.expert.severity >= 6291456";
        let wrong = tshark(&file, &["-d", &decode, "-Y", bad]);
        assert!(wrong.is_empty(), "{wrong:#?}");
        let pius = tshark(
            &file,
            &[
                "-Y",
                "sna.th.fid == 2",
                "-T",
                "fields",
                "-e",
                "sna.th.mpf",
                "-e",
                "sna.rh.rri",
                "-e",
                "sna.rh.bbi",
            ],
        );
        assert!(pius.len() > 10, "{pius:?}");
        let whole = pius.iter().filter(|line| line.starts_with('3')).count();
        assert_eq!(whole == pius.len(), max_btu_bytes > 3000, "{pius:?}");
        let kinds = tshark(
            &file,
            &[
                "-d",
                &decode,
                "-Y",
                "dlsw",
                "-T",
                "fields",
                "-e",
                "dlsw.message_type",
            ],
        );
        let all = kinds.join(",");
        for kind in [
            "0x20", "0x03", "0x04", "0x05", "0x07", "0x08", "0x0a", "0x0e",
        ] {
            assert!(all.contains(kind), "{kind} in {all}");
        }
    }
}

#[test]
fn piu_fields_are_the_intended_ones() {
    let folder = tempfile::tempdir().unwrap();
    let Traced { file, .. } = traced(folder.path(), 17_749, None);
    let fields = [
        "-T",
        "fields",
        "-e",
        "sna.rh.ru_category",
        "-e",
        "sna.rh.rri",
        "-e",
        "sna.th.efi",
        "-e",
        "sna.rh.bbi",
        "-e",
        "sna.rh.cdi",
        "-e",
        "sna.rh.cebi",
    ];
    let arguments: Vec<&str> = ["-Y", "sna.th.fid == 2"]
        .into_iter()
        .chain(fields)
        .collect();
    let lines = tshark(&file, &arguments);
    let number = |text: &str| match text {
        "True" | "1" => 1,
        "False" | "0" => 0,
        "" => -1,
        other => i64::from_str_radix(other.trim_start_matches("0x"), 16).unwrap(),
    };
    let rows: Vec<Vec<i64>> = lines
        .iter()
        .map(|line| line.split('\t').map(number).collect())
        .collect();
    // The first is a BIND: session control, a request, expedited.
    assert_eq!(rows[0][..3], [3, 0, 1], "{rows:?}");
    let begins = rows
        .iter()
        .filter(|row| row[0] == 0 && row[1] == 0 && row[3] == 1)
        .count();
    let ends = rows.iter().filter(|row| row[1] == 0 && row[5] == 1).count();
    assert_eq!(begins, ends, "every bracket that begins ends: {rows:?}");
    assert!(rows.iter().any(|row| row[4] == 1), "the turn changes");
}

#[test]
fn no_password_stands_in_a_trace() {
    let folder = tempfile::tempdir().unwrap();
    let user = Some(("ALICE".to_owned(), Some("SECRET".to_owned())));
    let Traced { file, .. } = traced(folder.path(), 17_749, user);
    let bytes = std::fs::read(&file).unwrap();
    let find = |text: &str| {
        let wanted = sna::ebcdic::from_str(text);
        bytes
            .windows(wanted.len())
            .filter(|window| *window == wanted)
            .count()
    };
    assert!(
        find("ALICE") >= 2,
        "the user is in the PIU and in the DLSw message"
    );
    assert_eq!(find("SECRET"), 0);
}

#[test]
fn initialisation_parameters_decode_as_the_variable_they_are() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("pip.pcapng");
    let server = server_with(AppcConfig::named("NET.SERVER").unwrap());
    let tp = sna::TpDefinition {
        pip: true,
        ..sna::TpDefinition::new("PIPS".parse().unwrap())
    };
    let run = |mut incoming: appc::IncomingAttach| {
        incoming.conversation.accept().unwrap();
        let mut buffer = [0; 10];
        incoming.conversation.receive(&mut buffer).unwrap();
        incoming.conversation.confirmed().unwrap();
    };
    server.define_program(tp, std::sync::Arc::new(run));
    let mut config = AppcConfig::named("NET.CLIENT").unwrap();
    config.trace = Some(file.clone());
    let client = client_with(config, &server);
    let mut call = appc::AllocateRequest::new("NET.SERVER", "PIPS");
    call.pip = vec![b"ONE".to_vec(), b"THREE".to_vec()];
    client.allocate(&call).unwrap().confirm().unwrap();
    client.stop();
    let wrong = tshark(&file, &["-Y", "_ws.malformed"]);
    assert!(wrong.is_empty(), "{wrong:#?}");
    // tshark leaves FM headers and what follows them as bytes.
    let attach = tshark(
        &file,
        &["-Y", "sna.rh.bbi == 1", "-T", "fields", "-e", "data.data"],
    );
    let expected = concat!(
        "0f0502ff0803d1004004d7c9d7e20000",
        "1412f5000712e24f4e45000912e25448524545"
    );
    assert!(attach.iter().any(|ru| ru == expected), "{attach:#?}");
}

/// A node that traces, and listens.
fn listening(
    lu: &str,
    at: SocketAddr,
    connections: DlswConnections,
    trace: Option<&Path>,
) -> NodeHost {
    let host = NodeHost::start(AppcConfig {
        listen: Some(at),
        tcp_connections: connections,
        trace: trace.map(Path::to_owned),
        ..AppcConfig::named(lu).unwrap()
    })
    .unwrap();
    aping::define(&host).unwrap();
    host
}

/// The TCP segments with a DLSw message: conversation, ports of sender and
/// receiver, kinds of the messages.
fn segments(file: &Path, ports: &[u16]) -> Vec<[String; 4]> {
    let decode: Vec<String> = ports
        .iter()
        .flat_map(|port| ["-d".to_owned(), format!("tcp.port=={port},dlsw")])
        .collect();
    let mut arguments: Vec<&str> = decode.iter().map(String::as_str).collect();
    let wrong = [&arguments[..], &["-Y", "_ws.malformed"]].concat();
    assert_eq!(tshark(file, &wrong), [""; 0]);
    let lost = [&arguments[..], &["-Y", "tcp.analysis.flags"]].concat();
    assert_eq!(tshark(file, &lost), [""; 0]);
    arguments.extend(["-Y", "dlsw", "-T", "fields"]);
    for field in [
        "tcp.stream",
        "tcp.srcport",
        "tcp.dstport",
        "dlsw.message_type",
    ] {
        arguments.extend(["-e", field]);
    }
    let line = |line: &String| {
        let fields: Vec<String> = line.split('\t').map(str::to_owned).collect();
        <[String; 4]>::try_from(fields).unwrap()
    };
    tshark(file, &arguments).iter().map(line).collect()
}

#[test]
fn two_connections_of_a_link_are_two_conversations_of_one_direction_each() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("two.pcapng");
    let any = SocketAddr::from(([127, 0, 0, 1], 0));
    let server = listening("NET.SERVER", any, DlswConnections::Two, None);
    let client = listening("NET.CLIENT", any, DlswConnections::Two, Some(&file));
    let (to, back) = (server.listening().unwrap(), client.listening().unwrap());
    client
        .define_partner("NET.SERVER", &to.to_string())
        .unwrap();
    server
        .define_partner("NET.CLIENT", &back.to_string())
        .unwrap();
    aping::run(&client, &ApingOptions::new("NET.SERVER"), |_| true).unwrap();
    client.stop();
    let segments = segments(&file, &[to.port(), back.port()]);
    let mut ways = BTreeSet::new();
    for [conversation, from, to, kinds] in &segments {
        ways.insert((conversation.clone(), from.clone(), to.clone()));
        // The circuit is asked for on one and answered on the other.
        if kinds.contains("0x03") {
            assert_eq!(*to, server.listening().unwrap().port().to_string());
        }
        if kinds.contains("0x04") {
            assert_eq!(*to, back.port().to_string());
        }
    }
    assert_eq!(ways.len(), 2, "{ways:?}");
    let ends: BTreeSet<&str> = ways.iter().map(|(_, _, to)| to.as_str()).collect();
    let expected = [to.port().to_string(), back.port().to_string()];
    assert_eq!(ends, expected.iter().map(String::as_str).collect());
}

#[test]
fn a_connection_of_ipv6_stands_with_its_own_addresses() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("six.pcapng");
    let any: SocketAddr = "[::1]:0".parse().unwrap();
    let server = listening("NET.SERVER", any, DlswConnections::One, None);
    let mut config = AppcConfig::named("NET.CLIENT").unwrap();
    config.trace = Some(file.clone());
    let client = client_with(config, &server);
    aping::run(&client, &ApingOptions::new("NET.SERVER"), |_| true).unwrap();
    client.stop();
    let port = server.listening().unwrap().port();
    assert!(segments(&file, &[port]).len() > 10);
    let decode = format!("tcp.port=={port},dlsw");
    let arguments = [
        "-d", &decode, "-Y", "dlsw", "-T", "fields", "-e", "ipv6.src", "-e", "ipv6.dst",
    ];
    let ends: BTreeSet<String> = tshark(&file, &arguments).into_iter().collect();
    assert_eq!(ends, BTreeSet::from(["::1\t::1".to_owned()]));
}

#[test]
fn a_trace_is_whole_while_its_node_runs() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("open.pcapng");
    let server = server_with(AppcConfig::named("NET.SERVER").unwrap());
    let mut config = AppcConfig::named("NET.CLIENT").unwrap();
    config.trace = Some(file.clone());
    let client = client_with(config, &server);
    let mut ended = 0;
    aping::run(&client, &ApingOptions::new("NET.SERVER"), |report| {
        ended = report.exchanges.len();
        true
    })
    .unwrap();
    // The trace was not stopped: everything sent so far is in the file.
    assert_eq!(ended, 2);
    let port = server.listening().unwrap().port();
    let segments = segments(&file, &[port]);
    assert!(segments.iter().filter(|s| s[3].contains("0x0a")).count() > 8);
}
