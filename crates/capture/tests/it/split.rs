//! The parts of an exchange's time add up to the whole, whatever happened.

use capture::{AnalysisOptions, CaptureExplanation, ConnectionSide, EvidenceKind};
use proptest::prelude::*;
use synth::{
    AppWrite, CloseStyle, Conversation, DelayedAck, Exchange, Fault, FaultAction, FileFormat,
    PacketSelector, PayloadKind, capture_file,
};

use crate::build::{RAW, pcap, segment};

/// Checks every kept exchange, each connection, and the sums.
fn check(explanation: &CaptureExplanation) -> Result<(), TestCaseError> {
    for exchange in &explanation.exchanges {
        prop_assert!(exchange.slices.0.iter().all(|ns| *ns >= 0));
        prop_assert_eq!(
            exchange.end_ns - exchange.start_ns,
            exchange.total_ns(),
            "{:#?}",
            exchange
        );
    }
    for connection in &explanation.connections {
        let own = (explanation.exchanges.iter()).filter(|e| e.connection == connection.id);
        let (count, total) = own.fold((0, 0), |(n, sum), e| (n + 1, sum + e.total_ns()));
        prop_assert_eq!(count, connection.exchanges);
        prop_assert_eq!(total, connection.slices.total_ns());
    }
    let services = explanation.services.iter().map(|s| s.slices.total_ns());
    prop_assert_eq!(services.sum::<i64>(), explanation.totals.slices.total_ns());
    let slices: f64 = explanation.slices.iter().map(|slice| slice.share).sum();
    prop_assert!(explanation.slices.is_empty() || (slices - 1.0).abs() < 1e-6);
    Ok(())
}

fn exchange() -> impl Strategy<Value = Exchange> {
    let writes = |most: u32| {
        proptest::collection::vec((0u64..30_000, 1..most), 1..4).prop_map(|writes| {
            (writes.into_iter())
                .map(|(after_us, bytes)| AppWrite { after_us, bytes })
                .collect::<Vec<_>>()
        })
    };
    (0u64..400_000, writes(4_000), 0u64..300_000, writes(60_000)).prop_map(
        |(client_think_us, request, server_think_us, response)| Exchange {
            client_think_us,
            request,
            server_think_us,
            response,
        },
    )
}

fn fault() -> impl Strategy<Value = Fault> {
    let side = prop_oneof![Just(ConnectionSide::Client), Just(ConnectionSide::Server)];
    let select = prop_oneof![
        (0u32..2).prop_map(PacketSelector::Syn),
        (0u32..40).prop_map(PacketSelector::Data),
        (0u32..40).prop_map(PacketSelector::Ack),
    ];
    let action = prop_oneof![
        Just(FaultAction::Lose),
        (100u64..300_000).prop_map(FaultAction::DelayUs),
        Just(FaultAction::Duplicate),
    ];
    (side, select, action).prop_map(|(from, select, action)| Fault {
        from,
        select,
        action,
    })
}

prop_compose! {
    fn conversation()(
        exchanges in proptest::collection::vec(exchange(), 1..5),
        faults in proptest::collection::vec(fault(), 0..4),
        payload in prop_oneof![
            Just(PayloadKind::Http), Just(PayloadKind::Framed), Just(PayloadKind::Opaque),
            Just(PayloadKind::Tls { resumed: false }),
        ],
        close in prop_oneof![Just(CloseStyle::Open), Just(CloseStyle::Client), Just(CloseStyle::ResetByServer)],
        one_way_us in 10u64..60_000,
        delayed in any::<bool>(),
        nagle in any::<bool>(),
        without_handshake in any::<bool>(),
        seed in any::<u64>(),
    ) -> Conversation {
        let mut conversation = Conversation {
            exchanges, payload, close, without_handshake, seed, ..Conversation::default()
        };
        conversation.path.one_way_us = one_way_us;
        conversation.path.faults = faults;
        for end in &mut conversation.ends {
            end.nagle = nagle;
            if delayed {
                end.delayed_ack = DelayedAck::FixedUs(40_000);
            }
        }
        conversation
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(96))]

    #[test]
    fn slices_add_up_to_the_nanosecond(conversation in conversation()) {
        let bytes = capture_file(&[conversation], FileFormat::Pcap);
        let explanation = capture::explain(&bytes[..], &AnalysisOptions::default()).unwrap();

        check(&explanation)?;
    }
}

#[test]
fn a_long_transfer_judged_in_pieces_adds_up() {
    let mut conversation = Conversation {
        exchanges: vec![Exchange::new(500, 3_000, 6_000_000); 2],
        ..Conversation::default()
    };
    conversation.path.one_way_us = 10_000;
    conversation.path.loss_one_in = 150;
    let bytes = capture_file(&[conversation], FileFormat::Pcap);
    let explanation = capture::explain(&bytes[..], &AnalysisOptions::default()).unwrap();
    assert_eq!(explanation.totals.exchanges, 2);
    assert!(explanation.exchanges[0].segments_omitted > 1_000);
    assert!(explanation.exchanges[0].segments.len() <= AnalysisOptions::default().keep_segments);
    check(&explanation).unwrap();
}

#[test]
fn pipelined_requests_that_wait_at_once_lose_the_time_each_and_the_verdict_once() {
    let (client, server) = ((50_000, 80), (80, 50_000));
    let asked = b"GET /a HTTP/1.1\r\n\r\nGET /b HTTP/1.1\r\n\r\n";
    let (first, rest) = (
        b"HTTP/1.1 200 OK\r\nContent-Length: 20\r\n\r\n0123456789",
        b"0123456789HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok",
    );
    let next = 1 + asked.len() as u32;
    let sent = 1 + first.len() as u32;
    let frames = [
        (1_000, segment(client, 1, 1, 0x18, asked)),
        (2_000, segment(server, 1, next, 0x18, first)),
        // No end answers, and the server's timer sends it again.
        (302_000, segment(server, 1, next, 0x18, first)),
        (303_000, segment(client, next, sent, 0x10, b"")),
        (304_000, segment(server, sent, next, 0x18, rest)),
        (
            305_000,
            segment(client, next, sent + rest.len() as u32, 0x10, b""),
        ),
    ];
    let bytes = pcap(RAW, &frames);
    let explanation = capture::explain(&bytes[..], &AnalysisOptions::default()).unwrap();
    assert_eq!(explanation.totals.exchanges, 2);
    let verdict = explanation.verdict.as_ref().expect("there is one");
    assert_eq!(verdict.kind.name(), "retransmission");
    assert!((300.0..303.0).contains(&verdict.lost_ms), "{verdict:#?}");
    for exchange in &explanation.exchanges {
        assert_eq!(exchange.end_ns - exchange.start_ns, exchange.total_ns());
        let waited_ns = exchange.slices.of(EvidenceKind::Retransmission);
        assert!((300_000_000..303_000_000).contains(&waited_ns));
    }
}
