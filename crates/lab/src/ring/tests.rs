//! The simulation, checked with invariants for any parameters and with computed
//! times.

use super::*;
use proptest::prelude::*;

/// A machine whose work costs nothing except a little time a frame.
fn fast() -> RingMachine {
    machine(ProcessorCost {
        frame_in_ns: 1_000,
        frame_out_ns: 1_000,
        verb_ns: 1_000,
        ..ProcessorCost::default()
    })
}

/// A machine of the guide's time.
fn slow() -> RingMachine {
    machine(workstation().cost)
}

fn machine(cost: ProcessorCost) -> RingMachine {
    RingMachine {
        cost,
        adapter: AdapterCard::shared_memory(128 * 1024),
        link: Link::new(8, 2, 4_105),
        session: Session::new(4096, Pacing::Adaptive, 8),
    }
}

fn pair(ring: TokenRing, machine: RingMachine) -> RingNetwork {
    RingNetwork {
        ring,
        client: machine.clone(),
        server: Server::OnRing(machine),
    }
}

/// A front end with a host, and a client of the same session.
fn mainframe(channel: Channel, session: Session, client: RingMachine) -> RingNetwork {
    let host = RingHost {
        cost: slow().cost,
        channel_program_ns: 1_000_000,
        session,
    };
    let front = FrontEnd {
        cost: fast().cost,
        path_control: PathControl {
            piu_in_ns: 3_000_000,
            piu_out_ns: 500_000,
            segment_ns: 500_000,
            buffer_ns: 500_000,
            buffer_bytes: 240,
        },
        acknowledges: AcknowledgePoint::OnArrival,
        adapter: AdapterCard {
            transfer: AdapterTransfer::BusMaster {
                frame_ns: 100_000,
                byte_ps: 250_000,
            },
            ..AdapterCard::shared_memory(16_240)
        },
        link: Link::new(2, 1, 4_060),
        channel,
        host,
    };
    RingNetwork {
        ring: TokenRing::at_4_mbit(),
        client: RingMachine { session, ..client },
        server: Server::WithFrontEnd(Box::new(front)),
    }
}

fn channel(delay_ms: u64) -> Channel {
    Channel {
        unit_bytes: 4000,
        max_units: 2,
        inbound_delay_ns: delay_ms * 1_000_000,
        outbound_delay_ns: delay_ms * 1_000_000,
        start_ns: 1_000_000,
        byte_ps: 333_000,
    }
}

fn whole(outcome: &RunOutcome, transactions: usize, sent: usize, answered: usize) {
    assert_eq!(outcome.client_sent_bytes, transactions * sent);
    assert_eq!(outcome.server_received_bytes, transactions * sent);
    assert_eq!(outcome.server_sent_bytes, transactions * answered);
    assert_eq!(outcome.client_received_bytes, transactions * answered);
    assert_eq!(outcome.faults, 0);
}

#[test]
fn the_same_seed_gives_the_same_trace() {
    let network = pair(
        TokenRing {
            loss_one_in: 200,
            ..TokenRing::at_16_mbit()
        },
        slow(),
    );
    let run = |seed| run(&network, RingWorkload::file(100_000, 1, 5), seed).unwrap();
    assert_eq!(run(7), run(7));
    assert_ne!(run(7).trace, run(8).trace);
}

#[test]
fn a_file_on_fast_machines_takes_the_time_of_its_bits() {
    for (ring, floor_s) in [
        (TokenRing::at_4_mbit(), 0.2018),
        (TokenRing::at_16_mbit(), 0.0504),
    ] {
        let outcome = run(&pair(ring, fast()), RingWorkload::file(100_000, 1, 3), 1).unwrap();
        let seconds = outcome.mean_s();
        assert!((floor_s..floor_s * 1.03).contains(&seconds), "{seconds}");
        assert!(outcome.ring_share() > 0.95);
        whole(&outcome, 4, 100_000, 0);
    }
}

#[test]
fn an_inquiry_is_two_frames_and_the_work_at_both_ends() {
    let outcome = run(
        &pair(TokenRing::at_16_mbit(), slow()),
        RingWorkload::inquiry(4, 40),
        1,
    )
    .unwrap();
    // Two verbs a side, a dispatch a side, two RUs through two machines.
    let verbs = 4.0 * 0.4;
    let work = 2.0 * (0.3 + 0.3 + 0.8) + 4.0 * 115.0 * 0.65e-3;
    let wire = 2.0 * 0.07;
    let expected_s = (verbs + work + wire) * 1e-3;
    let off = outcome.mean_s() / expected_s - 1.0;
    assert!(off.abs() < 0.1, "{} {expected_s}", outcome.mean_s());
    whole(&outcome, 44, 100, 100);
}

#[test]
fn slow_machines_hardly_notice_a_faster_ring() {
    let at = |ring| run(&pair(ring, slow()), RingWorkload::file(100_000, 1, 5), 1).unwrap();
    let (four, sixteen) = (at(TokenRing::at_4_mbit()), at(TokenRing::at_16_mbit()));
    assert!(four.mean_s() > sixteen.mean_s());
    assert!(four.mean_s() < 4.0 * sixteen.mean_s());
    assert!(sixteen.cpu_share(0) > sixteen.ring_share());
}

#[test]
fn delay_is_paid_with_every_fixed_window_and_once_with_adaptive_ones() {
    let at = |pacing, delay_ms| {
        let session = Session {
            max_adaptive_window: 63,
            ..Session::new(960, pacing, 3)
        };
        let narrow = Channel {
            unit_bytes: 384,
            max_units: 40,
            ..channel(delay_ms)
        };
        let network = mainframe(narrow, session, slow());
        run(&network, RingWorkload::file(100_000, 1, 1), 1)
            .unwrap()
            .mean_s()
    };
    // 105 RUs in windows of 3, and two holds for each of the 35.
    let fixed = at(Pacing::Fixed, 100) - at(Pacing::Fixed, 0);
    assert!((6.0..7.5).contains(&fixed), "{fixed}");
    let adaptive = at(Pacing::Adaptive, 100) - at(Pacing::Adaptive, 0);
    assert!(adaptive < 0.5, "{adaptive}");
}

#[test]
fn segments_cost_the_front_end_more_than_whole_rus() {
    let path = PathControl {
        piu_in_ns: 3_000_000,
        piu_out_ns: 0,
        segment_ns: 1_000_000,
        buffer_ns: 500_000,
        buffer_bytes: 240,
    };
    assert_eq!(path.in_ns(480, false), 4_000_000);
    assert_eq!(path.in_ns(481, true), 5_500_000);
    let at = |segment_ns, ru| {
        let session = Session::new(ru, Pacing::Adaptive, 8);
        let mut network = mainframe(channel(0), session, slow());
        if let Server::WithFrontEnd(front) = &mut network.server {
            front.path_control.segment_ns = segment_ns;
        }
        run(&network, RingWorkload::file(100_000, 1, 1), 1)
            .unwrap()
            .mean_s()
    };
    assert_eq!(at(0, 3840), at(1_000_000, 3840));
    assert!(at(0, 8192) + 0.02 < at(1_000_000, 8192));
}

#[test]
fn a_piu_longer_than_all_buffers_ends_its_session() {
    let session = Session::new(3840, Pacing::Adaptive, 8);
    let one = Channel {
        max_units: 1,
        unit_bytes: 3000,
        ..channel(0)
    };
    let outcome = run(
        &mainframe(one, session, slow()),
        RingWorkload::file(100_000, 0, 1),
        1,
    );
    assert!(matches!(outcome, Err(RingError::PiuTooLong { .. })));
}

#[test]
fn frames_that_find_no_room_are_sent_again() {
    let mut crowded = slow();
    crowded.adapter.receive_bytes = 5_000;
    let network = pair(TokenRing::at_16_mbit(), crowded);
    let outcome = run(&network, RingWorkload::file(100_000, 0, 2), 1).unwrap();
    assert!(outcome.overrun > 0 && outcome.resent > 0);
    whole(&outcome, 2, 100_000, 0);
    let roomy = run(
        &pair(TokenRing::at_16_mbit(), slow()),
        RingWorkload::file(100_000, 0, 2),
        1,
    )
    .unwrap();
    assert!(outcome.mean_s() > 2.0 * roomy.mean_s());
}

#[test]
fn a_session_prepares_the_next_frames_while_the_window_is_closed() {
    let with = |transmit_frames: usize| {
        let mut m = slow();
        m.link = Link::new(1, 1, 4_105);
        m.adapter.transmit_frames = transmit_frames;
        m.cost.ru_out_ns = 3_000_000;
        let network = pair(TokenRing::at_4_mbit(), m);
        let outcome = run(&network, RingWorkload::file(100_000, 1, 3), 1).unwrap();
        assert_eq!(outcome.most_outstanding[0], 1);
        outcome.mean_s()
    };
    // 25 RUs, each with 3 ms that need not wait for the acknowledgement of
    // the one before.
    let fast = TokenRing::at_4_mbit().frame_ns(4_109) as f64 * 25e-9;
    assert!(with(2) < fast + 25.0 * 0.0085, "{}", with(2));
}

#[test]
fn a_processor_that_waits_for_its_card_sends_slower() {
    let mut waiting = slow();
    waiting.adapter.waits_for_send = true;
    let at = |m| {
        run(
            &pair(TokenRing::at_4_mbit(), m),
            RingWorkload::file(100_000, 1, 3),
            1,
        )
        .unwrap()
    };
    assert!(at(waiting).mean_s() > 1.2 * at(slow()).mean_s());
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn all_bytes_arrive_within_all_windows(
        seed: u64,
        ring in prop_oneof![Just(4_000_000u64), Just(16_000_000)],
        loss in prop_oneof![Just(0u64), 20..400u64],
        ru in 256usize..20_000,
        frame in 265usize..4_400,
        window in 1u8..16,
        ack_every in 1u8..10,
        pacing in 1u8..64,
        adaptive: bool,
        busmaster: bool,
        waits_for_send: bool,
        transmit_frames in 1usize..4,
        file in 1usize..150_000,
        inquiry: bool,
    ) {
        let mut m = slow();
        m.adapter.transmit_frames = transmit_frames;
        m.link = Link { t1_ns: 500_000_000, ..Link::new(window, ack_every, frame) };
        m.session = Session::new(ru, if adaptive { Pacing::Adaptive } else { Pacing::Fixed }, pacing);
        m.adapter.waits_for_send = waits_for_send;
        if busmaster {
            m.adapter.transfer = AdapterTransfer::BusMaster { frame_ns: 10_000, byte_ps: 100_000 };
        }
        let ring = TokenRing { bits_per_s: ring, loss_one_in: loss, ..TokenRing::at_4_mbit() };
        let workload = if inquiry { RingWorkload::inquiry(1, 9) } else { RingWorkload::file(file, 1, 2) };
        let outcome = run(&pair(ring, m), workload, seed).unwrap();
        if inquiry { whole(&outcome, 10, 100, 100) } else { whole(&outcome, 3, file, 0) }
        prop_assert!(outcome.most_outstanding.iter().all(|most| *most <= usize::from(window)));
        prop_assert!(outcome.elapsed_ns() > 0);
    }

    #[test]
    fn a_host_with_a_front_end_gets_every_byte(
        seed: u64,
        delay_ms in 0u64..300,
        unit in 256usize..5_000,
        units in 20usize..60,
        ru in 256usize..8_000,
        pacing in 1u8..64,
        adaptive: bool,
        window in 1u8..128,
        ack in 1u8..3,
        inquiry: bool,
    ) {
        let session = Session::new(ru, if adaptive { Pacing::Adaptive } else { Pacing::Fixed }, pacing);
        let channel = Channel { unit_bytes: unit, max_units: units, ..channel(delay_ms) };
        let mut client = slow();
        client.link.send_window = window;
        let mut network = mainframe(channel, session, client);
        if let Server::WithFrontEnd(front) = &mut network.server {
            front.link.ack_every = ack;
        }
        let workload = if inquiry { RingWorkload::inquiry(0, 5) } else { RingWorkload::file(60_000, 0, 2) };
        let outcome = run(&network, workload, seed).unwrap();
        if inquiry { whole(&outcome, 5, 100, 100) } else { whole(&outcome, 2, 60_000, 0) }
        prop_assert!(outcome.most_outstanding[0] <= usize::from(window));
    }
}

#[test]
fn a_front_end_that_acknowledges_late_makes_the_link_window_matter() {
    let session = Session {
        max_adaptive_window: 63,
        ..Session::new(3840, Pacing::Adaptive, 63)
    };
    let seconds = |acknowledges, send_window| {
        let mut network = mainframe(channel(0), session, fast());
        network.client.link = Link::new(send_window, 8, 4_060);
        if let Server::WithFrontEnd(front) = &mut network.server {
            front.acknowledges = acknowledges;
        }
        let outcome = run(&network, RingWorkload::file(1_000_000, 1, 2), 1).unwrap();
        whole(&outcome, 3, 1_000_000, 0);
        outcome.mean_s()
    };
    let (early, late) = (AcknowledgePoint::OnArrival, AcknowledgePoint::WhenPassedOn);
    let slowed = |acknowledges| seconds(acknowledges, 1) / seconds(acknowledges, 8);
    let (early, late) = (slowed(early), slowed(late));
    // As it comes: the next frame travels while path control is busy. When
    // passed on: path control waits for it.
    assert!(early < 1.2 && late > early + 0.3, "{early} {late}");
}
