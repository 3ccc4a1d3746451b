//! Task lists, traces and formatted packet traces: any text is read or rejected
//! line by line, never a panic; a trace printed as text has the same explanation as the
//! capture it was printed from.

use std::fmt::Write;

use capture::ipcs::{Body, is_packet_trace, parse, to_pcap};
use capture::join::{parse_tasks, parse_trace, reconcile};
use capture::{AnalysisOptions, ConnectionSide, explain};
use proptest::prelude::*;
use synth::{AppWrite as Wrote, Conversation, DelayedAck, Exchange, simulate};

/// A conversation as the SUMMARY report prints it.
fn summary_of(conversation: &Conversation) -> String {
    let mut text = String::from(
        "**** 2018/06/15\n\
         DP   Nr hh:mm:ss.mmmmmm IpId    Seq_num    Ack_num  Wndw Flags            DatLn Source/Destination\n",
    );
    let (segments, _) = simulate(conversation);
    for (n, s) in segments.iter().enumerate() {
        let (direction, from, to) = match s.from {
            ConnectionSide::Client => ("IT", conversation.client, conversation.server),
            ConnectionSide::Server => ("OT", conversation.server, conversation.client),
        };
        let names = [
            (0x10, "ACK "),
            (0x08, "PSH "),
            (0x02, "SYN "),
            (0x01, "FIN "),
            (0x04, "RST "),
        ];
        let flags: String = names
            .iter()
            .filter(|f| s.flags & f.0 != 0)
            .map(|f| f.1)
            .collect();
        let us = s.at_ns / 1000;
        let _ = writeln!(
            text,
            "{direction} {:>4} 14:18:{:02}.{:06} {:04X} {:>10} {:>10} {:>5} {flags:<16} {:>5} {}-{}\n{:80}{}-{}",
            n + 1,
            us / 1_000_000,
            us % 1_000_000,
            s.id,
            s.seq,
            if s.flags & 0x10 != 0 { s.ack } else { 0 },
            s.window,
            s.len,
            from.ip(),
            from.port(),
            "",
            to.ip(),
            to.port()
        );
    }
    text
}

#[test]
fn a_packet_trace_in_text_is_explained_like_a_capture() {
    let mut conversation = Conversation {
        exchanges: vec![
            Exchange {
                request: vec![Wrote::of(200), Wrote::of(100)],
                ..Exchange::new(0, 2_000, 500)
            };
            3
        ],
        ..Conversation::default()
    };
    for end in &mut conversation.ends {
        end.options = false;
        end.receive_bytes = 32_768;
    }
    conversation.client_end().nagle = true;
    conversation.client_end().rto_min_us = 400_000;
    conversation.server_end().delayed_ack = DelayedAck::FixedUs(200_000);
    let text = summary_of(&conversation);
    assert!(is_packet_trace(text.as_bytes()));
    let trace = parse(&text);
    assert!(trace.unread.is_empty(), "{:?}", trace.unread);
    let explanation =
        explain(to_pcap(&trace).as_slice(), &AnalysisOptions::default()).expect("a capture");
    assert_eq!(explanation.totals.undecodable_frames, 0);
    let verdict = explanation.verdict.expect("there is one");
    assert_eq!((verdict.kind.name(), verdict.waits), ("waited-for-ack", 3));
}

/// Lines near enough to the real ones to get past their first words.
fn lines() -> impl Strategy<Value = String> {
    let words = prop::sample::select(vec![
        "OT",
        "IT",
        "1",
        "232",
        "14:18:00.447462",
        "11:15:39.9522577656",
        "19E6",
        "4294967295",
        "SYN",
        "ACK",
        "10.7.1.61-3470",
        "::1-1",
        "**** 2004/01/26",
        "**** 2199/12/31",
        "Packet Trace",
        "TCP",
        "SENDs",
        "18",
        "6F=18+57",
        "received",
        "socket RECEIVE wait",
        "exit RECEIVE wait",
        "TASK-00163",
        "TIME-16:31:52.5",
        "INTERVAL-99.9",
        "Tod Clock : 2002/02/12 19:49:42.1",
        "Source : 10.1.1.1",
        "Destination : 10.1.1.2",
        "Source Port : 1",
        "Destination Port : 2",
        "Sequence Number : 1",
        "Header Length : 4294967295",
        "Packet Length : 3",
        "Flags : Syn",
        "Window Size : 70000",
        "IP Header : 20",
        "Data : 9 Data Length: 9",
        "000000 45000034 00004000 3E065914 0A000001 0A000002",
        "10/27",
        "CWXN",
        "0.3006",
        "-1",
        "1e308",
        "nan",
        "SO 0201 SOCK ENTRY RECEIVE",
        "DS 0005 DSSR EXIT WAIT_MVS",
        "\u{e9}\u{4e2d}",
    ]);
    let line = prop::collection::vec(words, 0..9).prop_map(|w| w.join(" "));
    prop::collection::vec(line, 0..30).prop_map(|l| l.join("\n"))
}

fn read_all(text: &str) {
    let (list, trace) = (parse_tasks(text), parse_trace(text));
    if let Some(account) = reconcile(&list.tasks, &trace.receives, None, &[]) {
        let _ = account.to_string();
    }
    let _ = is_packet_trace(text.as_bytes());
    let packets = parse(text);
    for packet in &packets.packets {
        if let Body::Bytes(bytes, length) = &packet.body {
            assert!(bytes.len() <= *length as usize);
        }
    }
    let _ = explain(to_pcap(&packets).as_slice(), &AnalysisOptions::default());
}

proptest! {
    #[test]
    fn any_text_is_read_without_a_panic(text in "\\PC{0,400}") {
        read_all(&text);
    }

    #[test]
    fn text_that_is_nearly_right_is_read_without_a_panic(text in lines()) {
        read_all(&text);
    }
}
