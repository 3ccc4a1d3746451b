//! Bad input: findings or errors, never a panic, and bounded memory.

use crate::build::{RAW, pcap, segment};
use capture::{AnalysisOptions, ReadError};
use proptest::prelude::*;
use synth::{BulkKind, Conversation, Exchange, FileFormat, bulk, capture_file};

fn sample(format: FileFormat) -> Vec<u8> {
    let conversation = Conversation {
        exchanges: vec![Exchange::new(700, 2_000, 9_000); 3],
        ..Conversation::default()
    };
    capture_file(&[conversation], format)
}

proptest! {
    #[test]
    fn any_bytes_are_read_without_panic(bytes in proptest::collection::vec(any::<u8>(), 0..2_000)) {
        let _ = capture::explain(&bytes[..], &AnalysisOptions::default());
    }

    #[test]
    fn a_damaged_capture_is_read_without_panic(
        ng in any::<bool>(),
        damage in proptest::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..40),
        cut in any::<prop::sample::Index>(),
        threads in 1usize..4,
    ) {
        let mut bytes = sample(if ng { FileFormat::Pcapng } else { FileFormat::Pcap });
        for (at, byte) in damage {
            let at = at.index(bytes.len());
            bytes[at] = byte;
        }
        bytes.truncate(cut.index(bytes.len()).max(bytes.len() / 2));
        let _ = capture::explain(&bytes[..], &AnalysisOptions { threads, ..AnalysisOptions::default() });
    }

    #[test]
    fn any_segments_are_followed_without_panic(
        segments in proptest::collection::vec(
            (any::<bool>(), any::<u16>(), any::<u16>(), any::<u8>(), 0usize..60, any::<u32>()),
            0..200,
        ),
        far in any::<bool>(),
    ) {
        let texts: [&[u8]; 5] = [
            b"GET /x HTTP/1.1\r\nContent-Length: 9\r\n\r\n", b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\n",
            b"\x16\x03\x01\x00\x20\x01\x00\x00\x1c\x03\x03", b"\x00\x00\x00\x10abc", b"",
        ];
        let frames: Vec<_> = (segments.into_iter())
            .map(|(client, seq, ack, flags, len, time)| {
                let ports = if client { (40_000, 80) } else { (80, 40_000) };
                let scale = if far { 65_521 } else { 7 };
                let mut payload = texts[len % 5].to_vec();
                payload.resize(len, b'x');
                let (seq, ack) = (seq as u32 * scale, ack as u32 * scale);
                (time % 5_000_000, segment(ports, seq, ack, flags, &payload))
            })
            .collect();
        let bytes = pcap(RAW, &frames);
        let explanation = capture::explain(&bytes[..], &AnalysisOptions::default()).unwrap();
        prop_assert_eq!(explanation.capture.packets, frames.len() as u64);
        prop_assert_eq!(explanation.totals.segments, frames.len() as u64);
        for exchange in &explanation.exchanges {
            prop_assert!(exchange.total_ns() <= exchange.end_ns - exchange.start_ns);
        }
    }
}

#[test]
fn a_cut_file_is_read_up_to_the_cut() {
    for format in [FileFormat::Pcap, FileFormat::Pcapng] {
        let whole = sample(format);
        let all = capture::explain(&whole[..], &AnalysisOptions::default()).unwrap();
        let cut = &whole[..whole.len() - 7];
        let explanation = capture::explain(cut, &AnalysisOptions::default()).unwrap();
        assert_eq!(explanation.capture.packets, all.capture.packets - 1);
        let problem = &explanation.capture.problems[0];
        assert_eq!(problem.id, "file.truncated");
        assert!(problem.offset > 0 && (problem.offset as usize) < cut.len());
    }
}

#[test]
fn absurd_lengths_stop_the_reading_with_an_offset() {
    let mut bytes = sample(FileFormat::Pcap);
    let second = 24 + 16 + u32::from_le_bytes(bytes[32..36].try_into().unwrap()) as usize;
    bytes[second + 8..second + 12].copy_from_slice(&u32::MAX.to_le_bytes());
    let explanation = capture::explain(&bytes[..], &AnalysisOptions::default()).unwrap();
    assert_eq!(explanation.capture.packets, 1);
    let problem = &explanation.capture.problems[0];
    assert_eq!(
        (problem.id, problem.offset),
        ("file.corrupt", second as u64)
    );
}

#[test]
fn what_is_no_capture_is_refused_with_a_remedy() {
    assert!(matches!(
        capture::explain(&b""[..], &AnalysisOptions::default()),
        Err(ReadError::Empty)
    ));
    let error =
        capture::explain(&b"No. Time Source\n"[..], &AnalysisOptions::default()).unwrap_err();
    assert!(error.to_string().contains("text2pcap"), "{error}");
    let head = &sample(FileFormat::Pcap)[..20];
    let error = capture::explain(head, &AnalysisOptions::default()).unwrap_err();
    assert!(error.to_string().contains("offset 20"), "{error}");
}

#[test]
fn an_unknown_link_type_is_a_problem_and_not_an_end() {
    let bytes = pcap(147, &[(0, vec![1, 2, 3]), (5, vec![4, 5, 6])]);
    let explanation = capture::explain(&bytes[..], &AnalysisOptions::default()).unwrap();
    assert_eq!(explanation.totals.undecodable_frames, 2);
    assert_eq!(explanation.capture.problems[0].id, "file.link-type");
}

#[test]
fn where_nothing_was_judged_nothing_is_advised() {
    let bytes = pcap(147, &[(0, vec![1, 2, 3])]);
    let explanation = capture::explain(&bytes[..], &AnalysisOptions::default()).unwrap();
    let verdict = explanation.verdict.expect("there is always one");
    assert_eq!((verdict.kind.name(), verdict.remedy), ("none", None));
}

#[test]
fn times_that_run_backwards_are_lifted_and_counted() {
    let frames = [
        (5_000, segment((40_000, 80), 0, 0, 0x02, b"")),
        (4_000, segment((80, 40_000), 0, 1, 0x12, b"")),
        (6_000, segment((40_000, 80), 1, 1, 0x18, b"question")),
        (1_000, segment((80, 40_000), 1, 9, 0x18, b"answer")),
    ];
    let explanation =
        capture::explain(&pcap(RAW, &frames)[..], &AnalysisOptions::default()).unwrap();
    assert_eq!(explanation.totals.backward_times, 2);
    // From the SYN to the request that completes the handshake, and the client's
    // round trip before it; the rest is lifted.
    assert_eq!(explanation.exchanges[0].total_ns(), 2_000_000);
}

#[test]
fn half_open_connections_do_not_exhaust_memory() {
    let frames: Vec<_> = (0..40_000u32)
        .map(|n| {
            let port = 1_024 + (n % 60_000) as u16;
            (n * 1_000, segment((port, 80), n, 0, 0x02, b""))
        })
        .collect();
    let options = AnalysisOptions {
        max_connections: 1_600,
        ..AnalysisOptions::default()
    };
    let explanation = capture::explain(&pcap(RAW, &frames)[..], &options).unwrap();
    let totals = &explanation.totals;
    assert_eq!(totals.connections, 40_000);
    assert_eq!(totals.unanswered_connections, 40_000);
    assert!(
        totals.evicted_connections >= 38_400,
        "{}",
        totals.evicted_connections
    );
}

#[test]
fn forged_overlaps_keep_the_first_bytes_seen() {
    let frames = [
        (0, segment((40_000, 80), 0, 0, 0x02, b"")),
        (10, segment((80, 40_000), 0, 1, 0x12, b"")),
        (
            20,
            segment((40_000, 80), 11, 1, 0x18, b"a HTTP/1.1\r\n\r\n"),
        ),
        (30, segment((40_000, 80), 9, 1, 0x18, b"/XXXXXXXX")),
        (40, segment((40_000, 80), 1, 1, 0x18, b"DELETE  /")),
        (
            50,
            segment(
                (80, 40_000),
                1,
                25,
                0x18,
                b"HTTP/1.1 204 No Content\r\n\r\n",
            ),
        ),
    ];
    let explanation =
        capture::explain(&pcap(RAW, &frames)[..], &AnalysisOptions::default()).unwrap();
    assert_eq!(explanation.exchanges[0].label, "DELETE  /Xa → 204");
}

#[test]
fn the_result_does_not_depend_on_the_number_of_threads() {
    for kind in [BulkKind::ManyFlows, BulkKind::Lossy] {
        let mut bytes = Vec::new();
        bulk(kind, 6 << 20, 3, &mut bytes).unwrap();
        let run = |threads| {
            let options = AnalysisOptions {
                threads,
                max_connections: 320,
                ..AnalysisOptions::default()
            };
            let explanation = capture::explain(&bytes[..], &options).unwrap();
            serde_json::to_string(&explanation).unwrap()
        };
        let alone = run(1);
        for threads in [2, 3, 16] {
            assert!(run(threads) == alone, "{kind:?} with {threads} threads");
        }
    }
}

#[test]
fn a_packet_of_the_year_2100_among_others_overflows_nothing() {
    let bytes = sample(FileFormat::Pcap);
    let mut records = Vec::new();
    let mut at = 24;
    while at + 16 <= bytes.len() {
        records.push(at);
        let length: [u8; 4] = bytes[at + 8..at + 12].try_into().unwrap();
        at += 16 + u32::from_le_bytes(length) as usize;
    }
    assert!(records.len() > 16, "{} packets", records.len());
    for packet in 1..12 {
        let mut bytes = bytes[..records[packet + 3]].to_vec();
        let seconds = 0xf48a_72ac_u32.to_le_bytes();
        bytes[records[packet]..records[packet] + 4].copy_from_slice(&seconds);
        let explanation = capture::explain(&bytes[..], &AnalysisOptions::default()).unwrap();
        assert_eq!(explanation.totals.segments as usize, packet + 3);
    }
}
