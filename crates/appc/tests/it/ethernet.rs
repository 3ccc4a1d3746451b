//! LLC2 over a raw socket on the loopback interface; skipped without CAP_NET_RAW.

use crate::traces::tshark;
use appc::aping::{self, ApingOptions};
use appc::config::PartnerConfig;
use appc::{AppcConfig, Error, NodeHost};
use std::path::Path;

/// A node on the loopback interface; `None` where no raw socket may be opened.
fn on_loopback(lu: &str, mac: &str, trace: Option<&Path>) -> Option<NodeHost> {
    let mut config = AppcConfig::named(lu).unwrap();
    config.interface = Some("lo".into());
    config.mac = Some(mac.into());
    config.trace = trace.map(Path::to_owned);
    match NodeHost::start(config) {
        Ok(host) => Some(host),
        Err(Error::Socket(why)) => {
            assert!(why.contains("CAP_NET_RAW"), "{why}");
            skipped::lacking("packet-socket", why);
            None
        }
        Err(other) => panic!("{other}"),
    }
}

/// A server and a client that knows it; tests of one process and of others at
/// once keep apart by `number`.
fn pair(number: u8, trace: Option<&Path>) -> Option<Pair> {
    // Token-ring order; the frames carry the bits of each byte turned round.
    let process = std::process::id() as u16;
    let (here, there) = (
        format!("4000{process:04x}{number:02x}01"),
        format!("4000{process:04x}{number:02x}02"),
    );
    let server = on_loopback("NET.SERVER", &there, None)?;
    let client = on_loopback("NET.CLIENT", &here, trace)?;
    aping::define(&server).unwrap();
    let partner = PartnerConfig {
        ethernet: true,
        mac: Some(turned(&there)),
        ..PartnerConfig::default()
    };
    client.define_partner_as("NET.SERVER", partner).unwrap();
    Some(Pair {
        server,
        client,
        macs: [turned(&here), turned(&there)],
    })
}

struct Pair {
    server: NodeHost,
    client: NodeHost,
    /// Both stations in Ethernet bit order, the client's first.
    macs: [String; 2],
}

/// A LAN address in the other bit order.
fn turned(mac: &str) -> String {
    (0..6)
        .map(|at| u8::from_str_radix(&mac[2 * at..2 * at + 2], 16).unwrap())
        .map(|byte| format!("{:02x}", byte.reverse_bits()))
        .collect()
}

#[test]
fn aping_goes_over_llc2() {
    let Some(pair) = pair(1, None) else { return };
    let mut options = ApingOptions::new("NET.SERVER");
    options.size = 20_000;
    options.iterations = 5;
    let report = aping::run(&pair.client, &options, |_| true).unwrap();
    assert_eq!(report.total().bytes, 200_000);
    let status = pair.client.status();
    assert!(status.links[0].kind.starts_with("llc2"), "{status:?}");
    assert!(status.links[0].up);
}

/// One frame as tshark reads it: numbers, and -1 for a field that is not there.
#[derive(Debug)]
struct Frame {
    interface: i64,
    from_client: bool,
    /// Both SAPs, the format of the control field and its number, when it has one.
    llc: [i64; 4],
    /// The command or response of an unnumbered frame.
    unnumbered: (i64, i64),
    /// Format, mapping, addresses and sequence number of the transmission header.
    header: [i64; 5],
}

const FIELDS: [&str; 14] = [
    "frame.interface_id",
    "eth.src",
    "eth.dst",
    "llc.dsap",
    "llc.ssap.sap",
    "llc.control.ftype",
    "llc.control.n_s",
    "llc.control.u_modifier_cmd",
    "llc.control.u_modifier_resp",
    "sna.th.fid",
    "sna.th.mpf",
    "sna.th.daf",
    "sna.th.oaf",
    "sna.th.snf",
];

fn frames(file: &Path, macs: &[String; 2]) -> Vec<Frame> {
    let mut arguments = vec!["-T", "fields"];
    for field in FIELDS {
        arguments.extend(["-e", field]);
    }
    let number = |text: &str| match text.strip_prefix("0x") {
        Some(digits) => i64::from_str_radix(digits, 16).unwrap(),
        None if text.is_empty() => -1,
        None => text.parse().unwrap(),
    };
    let lines = tshark(file, &arguments);
    let frame = |line: &String| {
        let columns: Vec<&str> = line.split('\t').collect();
        let at = |at: usize| number(columns[at]);
        let ends = [columns[1].replace(':', ""), columns[2].replace(':', "")];
        if at(0) == 1 {
            let both = [[&macs[0], &macs[1]], [&macs[1], &macs[0]]];
            assert!(both.contains(&[&ends[0], &ends[1]]), "{line}");
        }
        Frame {
            interface: at(0),
            from_client: ends[0] == macs[0],
            llc: [at(3), at(4), at(5), at(6)],
            unnumbered: (at(7), at(8)),
            header: [at(9), at(10), at(11), at(12), at(13)],
        }
    };
    lines.iter().map(frame).collect()
}

#[test]
fn frames_on_the_ethernet_decode_to_what_was_meant() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("llc.pcapng");
    let Some(pair) = pair(2, Some(&file)) else {
        return;
    };
    let mut options = ApingOptions::new("NET.SERVER");
    options.size = 4000;
    options.iterations = 20;
    aping::run(&pair.client, &options, |_| true).unwrap();
    pair.client.stop();
    drop(pair.server);
    let bad = "_ws.malformed || _ws.expert.severity >= 6291456";
    let wrong = tshark(&file, &["-Y", bad]);
    assert!(wrong.is_empty(), "{wrong:#?}");

    let frames = frames(&file, &pair.macs);
    let on_link = || frames.iter().filter(|frame| frame.interface == 1);
    // Bring-up in order: TEST to the null SAP, XID, SABME and its UA. The
    // modifier bits of the control field as tshark prints them, without the two
    // low ones of an unnumbered frame.
    const TEST: i64 = 0xE3 >> 2;
    const XID: i64 = 0xAF >> 2;
    const SABME: i64 = 0x6F >> 2;
    const UA: i64 = 0x63 >> 2;
    let commands: Vec<i64> = on_link().map(|frame| frame.unnumbered.0).collect();
    let first = |wanted: i64| commands.iter().position(|got| *got == wanted);
    let (test, xid, sabme) = (first(TEST), first(XID), first(SABME));
    assert!(test.is_some() && test < xid && xid < sabme, "{frames:#?}");
    let asked = on_link().next().unwrap();
    assert_eq!((asked.llc[0], asked.from_client), (0, true), "{asked:?}");
    assert!(on_link().any(|frame| frame.unnumbered.1 == UA));

    // Numbered frames: SAP 04 to SAP 04, numbers without a gap, a PIU in each.
    for from_client in [true, false] {
        let numbered: Vec<&Frame> = on_link()
            .filter(|frame| frame.llc[2] == 0 && frame.from_client == from_client)
            .collect();
        assert!(numbered.len() > 40, "{frames:#?}");
        for (at, frame) in numbered.iter().enumerate() {
            // The source SAP is printed without its response bit.
            assert_eq!(frame.llc[..2], [0x04, 0x04 >> 1], "{frame:?}");
            assert_eq!(frame.llc[3], at as i64 % 128, "{frame:?}");
            assert_eq!(frame.header[0], 2, "{frame:?}");
        }
    }
    // The frames' contents equal the PIUs that the node sent and received.
    let carried: Vec<[i64; 5]> = on_link()
        .filter(|frame| frame.llc[2] == 0)
        .map(|frame| frame.header)
        .collect();
    let reported: Vec<[i64; 5]> = frames
        .iter()
        .filter(|frame| frame.interface == 0)
        .map(|frame| frame.header)
        .collect();
    assert_eq!(carried, reported);
}

#[test]
fn processes_that_share_an_address_have_links_of_their_own() {
    let Some(Pair { server, macs, .. }) = pair(3, None) else {
        return;
    };
    let [_, there] = macs;
    // The address of the third and fourth node is one.
    let shared = format!("4000{:04x}0303", std::process::id() as u16);
    let clients = ["NET.ONE", "NET.TWO"].map(|lu| {
        let client = on_loopback(lu, &shared, None).unwrap();
        client.define_partner_as("NET.SERVER", at(&there)).unwrap();
        client.connect("NET.SERVER").unwrap();
        client
    });
    for client in &clients {
        aping::run(client, &ApingOptions::new("NET.SERVER"), |_| true).unwrap();
    }
    let peers: Vec<String> = server.status().links.into_iter().map(|l| l.peer).collect();
    assert_eq!(peers.len(), 2, "{peers:?}");
    assert_ne!(peers[0], peers[1]);
}

#[test]
fn a_name_on_the_ethernet_is_its_first_nodes_while_that_answers() {
    let Some(Pair {
        server,
        client,
        macs,
    }) = pair(4, None)
    else {
        return;
    };
    client.connect("NET.SERVER").unwrap();
    let other = format!("4000{:04x}0403", std::process::id() as u16);
    let twin = on_loopback("NET.CLIENT", &other, None).unwrap();
    twin.define_partner_as("NET.SERVER", at(&macs[1])).unwrap();
    let reported = twin.connect("NET.SERVER").unwrap_err().to_string();
    assert!(
        reported.contains("another node called NET.CLIENT"),
        "{reported}"
    );
    aping::run(&client, &ApingOptions::new("NET.SERVER"), |_| true).unwrap();
    assert_eq!(server.status().links.len(), 1);
    client.stop();
    while !server.status().links.is_empty() {
        std::thread::yield_now();
    }
    twin.connect("NET.SERVER").unwrap();
}

#[test]
fn a_station_that_answers_no_poll_loses_its_name() {
    let Some(Pair {
        server,
        client,
        macs,
    }) = pair(5, None)
    else {
        return;
    };
    client.stop();
    let mac = format!("4000{:04x}0503", std::process::id() as u16);
    let twin = on_loopback("NET.CLIENT", &mac, None).unwrap();
    twin.define_partner_as("NET.SERVER", at(&macs[1])).unwrap();
    // Inside a verb nothing is received: the station is there and says nothing.
    let (is_silent, silent) = std::sync::mpsc::channel();
    let (end, over) = std::sync::mpsc::channel::<()>();
    let mac = format!("4000{:04x}0504", std::process::id() as u16);
    let first = on_loopback("NET.CLIENT", &mac, None).unwrap();
    first.define_partner_as("NET.SERVER", at(&macs[1])).unwrap();
    first.connect("NET.SERVER").unwrap();
    std::thread::scope(|scope| {
        scope.spawn(|| {
            first.once(move |_, _| {
                is_silent.send(()).unwrap();
                let _ = over.recv();
            });
        });
        silent.recv().unwrap();
        twin.connect("NET.SERVER").unwrap();
        let links = server.status().links;
        assert_eq!(links.iter().filter(|link| link.up).count(), 1);
        drop(end);
    });
}

/// The partner at this address.
fn at(mac: &str) -> PartnerConfig {
    PartnerConfig {
        ethernet: true,
        mac: Some(mac.to_owned()),
        ..PartnerConfig::default()
    }
}
