//! Peers that send wrong lengths, flood, vanish or send invalid data: each gets its answer, and
//! nothing else is disturbed.

use crate::harness::{Pair, lu};
use base::SeededRandom;
use bytes::Bytes;
use proptest::prelude::*;
use sna::wire::bind::Repr as Bind;
use sna::wire::piu::Packet;
use sna::wire::{cnos, dfc, fmh5, fmh7, gds, ipm, ps_header, security, th, unbind, user_data};
use sna::{
    DeallocateType, Fill, LinkConfig, LinkRole, MonotonicTime, Node, NodeConfig, NodeEvent,
    ReturnCode, SessionOutage, TpDefinition,
};
use std::task::Poll;

/// Runs a small dialogue in which side 0's PIUs pass through `change`.
fn dialogue(max_btu: usize, mut change: impl FnMut(&mut Pair, Vec<u8>) -> Vec<Vec<u8>>) -> Pair {
    let mut pair = Pair::new(max_btu);
    let wish = pair.allocate_parameters(0, "#INTER");
    let now = pair.now;
    let id = pair.nodes[0].allocate(wish, now);
    let mut sent = false;
    let mut buffer = [0; 100];
    for _ in 0..300 {
        if !sent && pair.nodes[0].allocated(id).is_ready() {
            sent = true;
            let _ = pair.nodes[0].send(id, &[5; 9000]);
            let _ = pair.nodes[0].deallocate(id, DeallocateType::Flush);
        }
        pair.drain();
        while let Some((_, piu)) = pair.wire[1].pop_front() {
            let link = pair.links[1].unwrap();
            for piu in change(&mut pair, piu) {
                let now = pair.now;
                pair.nodes[1].handle_piu(link, Bytes::from(piu), now);
            }
        }
        while let Some((_, piu)) = pair.wire[0].pop_front() {
            let (link, now) = (pair.links[0].unwrap(), pair.now);
            pair.nodes[0].handle_piu(link, Bytes::from(piu), now);
        }
        for at in 0..pair.events[1].len() {
            if let NodeEvent::Attached(attached) = pair.events[1][at].clone() {
                pair.nodes[1].accept(attached.conversation);
                let _ = pair.nodes[1].receive(attached.conversation, &mut buffer, Fill::Ll);
            }
        }
    }
    while pair.expire() {}
    pair
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, ..ProptestConfig::default() })]

    #[test]
    fn flipped_bits_repeats_and_gaps_never_panic(seed in any::<u64>(), one_in in 2u64..40) {
        let mut rng = SeededRandom::new(seed);
        dialogue(265, |_, mut piu| {
            if rng.below(one_in) > 0 {
                return vec![piu];
            }
            match rng.below(5) {
                0 => vec![],
                1 => vec![piu.clone(), piu],
                2 => {
                    piu.truncate(rng.below(piu.len() as u64 + 1) as usize);
                    vec![piu]
                }
                3 => {
                    piu.extend((0..rng.below(300)).map(|i| i as u8));
                    vec![piu]
                }
                _ => {
                    let at = rng.below(piu.len().min(40) as u64) as usize;
                    piu[at] ^= 1 << rng.below(8);
                    vec![piu]
                }
            }
        });
    }

    #[test]
    fn arbitrary_pius_never_panic(pius in proptest::collection::vec(
        (any::<[u8; 3]>(), 0u8..4, 0u8..4, any::<u16>(), proptest::collection::vec(any::<u8>(), 0..60)),
        1..60,
    )) {
        let mut node = Node::new(NodeConfig::default());
        node.define_lu(lu(1));
        node.set_default_tp(Some(TpDefinition::new("ANY".parse().unwrap())));
        let now = MonotonicTime::ZERO;
        let link = node.link_up(LinkConfig::new(LinkRole::Secondary, 265), now);
        for (rh, daf, oaf, sequence, ru) in pius {
            let mut piu = vec![0x2C | rh[2] & 3 | rh[1] & 0x0C, 0, daf, oaf];
            piu.extend_from_slice(&sequence.to_be_bytes());
            piu.extend_from_slice(&rh);
            piu.extend_from_slice(&ru);
            node.handle_piu(link, Bytes::from(piu), now);
            while node.poll_transmit().is_some() {}
        }
    }

    #[test]
    fn no_parser_panics(bytes in proptest::collection::vec(any::<u8>(), 0..200), head in 0u8..8) {
        let mut bytes = bytes;
        if let Some(first) = bytes.first_mut() {
            *first = [0x31, 0x32, 0x04, 0xC9, 0x07, *first, 0x2C, bytes_len(head)][usize::from(head)];
        }
        let _ = Packet::parse(&bytes);
        let _ = th::Packet::new_checked(&bytes).map(|p| th::Repr::parse(&p));
        if let Ok(bind) = Bind::parse(&bytes) {
            prop_assert!(Bind::parse(&bind.emit()).is_ok());
        }
        let _ = user_data::UserData::parse(&bytes);
        let _ = unbind::Repr::parse(&bytes);
        let _ = dfc::Repr::parse(&bytes);
        let _ = ipm::Repr::parse(&bytes);
        if let Ok((attach, len)) = fmh5::Repr::parse(&bytes) {
            prop_assert!(len <= bytes.len());
            let _ = attach.emit();
        }
        let _ = fmh7::Repr::parse(&bytes);
        let _ = gds::Packet::parse(&bytes);
        let _ = gds::parse_pip(&bytes);
        let _ = cnos::Repr::parse(&bytes);
        let _ = ps_header::Repr::parse(&bytes);
        let _ = security::AccessSecurity::parse(&bytes);
    }
}

fn bytes_len(head: u8) -> u8 {
    head * 9
}

/// Lets the PIUs of a dialogue pass but one change to data RUs; returns the senses
/// that side 1 found.
fn faults(mut change: impl FnMut(&mut Vec<u8>)) -> Vec<u32> {
    let pair = dialogue(1033, |_, mut piu| {
        let data = Packet::parse(&piu).is_ok_and(|p| {
            let th = p.th;
            !th.expedited && th.sequence > 1 && p.rh.is_some()
        });
        if data {
            change(&mut piu);
        }
        vec![piu]
    });
    let found = pair.events[1].iter().filter_map(|e| match e {
        NodeEvent::PeerFault { sense, .. } => Some(sense.0),
        _ => None,
    });
    found.collect()
}

/// A change of a PIU.
type Change = fn(&mut Vec<u8>);

#[test]
fn each_breach_is_named_in_the_unbind() {
    let cases: [(&str, Change, u32); 20] = [
        ("sequence", |piu| piu[5] ^= 0x40, 0x2001_0000),
        ("chain begun twice", |piu| piu[6] |= 0x02, 0x2002_0000),
        ("code", |piu| piu[8] |= 0x08, 0x4010_0000),
        ("response", |piu| piu[7] &= 0x4F, 0x4014_0000),
        ("header type", |piu| piu[6] |= 0x08, 0x1008_4001),
        ("bracket inside a chain", |piu| piu[8] |= 0x80, 0x4003_0000),
        (
            "bracket without an Attach",
            |piu| {
                piu[6] |= 0x02;
                piu[8] |= 0x80;
            },
            0x4000_3000,
        ),
        (
            "bracket inside a bracket",
            |piu| {
                piu[6] |= 0x0B;
                piu[8] |= 0xA0;
                piu.splice(
                    9..,
                    [0x0D, 0x05, 0x02, 0xFF, 0, 3, 0xD0, 0, 0, 2, 6, 0xF1, 0],
                );
            },
            0x2002_0000,
        ),
        ("end of bracket", |piu| piu[8] |= 0x40, 0x4004_0000),
        (
            "turn inside a chain",
            |piu| turn(piu, 0x00, 0x20),
            0x4009_0000,
        ),
        (
            "end inside a chain",
            |piu| turn(piu, 0x00, 0x01),
            0x4004_0000,
        ),
        (
            "turn and end at once",
            |piu| turn(piu, 0x01, 0x21),
            0x4004_0000,
        ),
        (
            "end of chain for nothing",
            |piu| turn(piu, 0x01, 0x00),
            0x4019_0000,
        ),
        (
            "confirmation inside a chain",
            |piu| {
                turn(piu, 0x00, 0x00);
                piu[7] = piu[7] & 0x4F | 0x20;
            },
            0x4007_0000,
        ),
        ("network control", |piu| piu[6] = 0x2B, 0x4011_0000),
        (
            "data on the expedited flow",
            |piu| piu[0] |= 0x01,
            0x4011_0000,
        ),
        (
            "data flow control of no kind",
            |piu| dfc(piu, 0x99),
            0x1001_0003,
        ),
        (
            "SIGNAL on the normal flow",
            |piu| dfc(piu, 0xC9),
            0x1003_0000,
        ),
        ("a middle segment alone", |piu| piu[0] &= !0x0C, 0x8007_0000),
        (
            "an RU beyond its size",
            |piu| piu.resize(9 + 1025, 0),
            0x1002_0000,
        ),
    ];
    for (what, change, sense) in cases {
        let found = faults(change);
        assert!(found.contains(&sense), "{what}: {found:08X?}");
    }
}

/// Makes of a request one that ends its chain or not, with these indicators.
fn turn(piu: &mut [u8], end: u8, last: u8) {
    piu[6] = piu[6] & !0x01 | end;
    piu[8] = last;
}

/// Makes of a request one of data flow control with this code.
fn dfc(piu: &mut Vec<u8>, code: u8) {
    piu[6] = 0x4B;
    piu.truncate(9);
    piu.extend([code, 0, 0, 0, 1]);
}

/// Confirms a record of side 0, with a change to the response; returns what the
/// confirmation resulted in and the sense that side 0 found.
fn answered(change: Change) -> (ReturnCode, Option<u32>) {
    let mut pair = Pair::new(1033);
    let wish = pair.allocate_parameters(0, "#INTER");
    let a = pair.allocate(0, wish);
    pair.until("send", |p| p.nodes[0].send(a, b"record"));
    assert!(pair.nodes[0].confirm(a).is_pending());
    let b = pair.accept(1).conversation;
    let mut buffer = [0; 100];
    pair.until("receive", |p| p.nodes[1].receive(b, &mut buffer, Fill::Ll));
    pair.run();
    let _ = pair.nodes[1].receive(b, &mut buffer, Fill::Ll);
    assert_eq!(pair.nodes[1].confirmed(b), ReturnCode::Ok);
    pair.drain();
    let response = pair.wire[0].iter_mut().find(|(_, piu)| {
        let header = Packet::parse(piu).unwrap().rh.unwrap();
        header.is_response() && !header.is_isolated_pacing()
    });
    change(&mut response.expect("the confirmation is on its way").1);
    let code = pair.until("confirm", |p| p.nodes[0].confirm(a)).code;
    pair.run();
    let sense = pair.events[0].iter().find_map(|e| match e {
        NodeEvent::PeerFault { sense, .. } => Some(sense.0),
        _ => None,
    });
    (code, sense)
}

#[test]
fn an_answer_out_of_order_or_of_no_kind_ends_the_session() {
    assert_eq!(answered(|_| {}), (ReturnCode::Ok, None));
    let failed = ReturnCode::ResourceFailureNoRetry;
    let cases: [(&str, Change, u32); 4] = [
        ("of another request", |piu| piu[5] += 1, 0x200E_0000),
        ("of a request to come", |piu| piu[4] = 0x7F, 0x200E_0000),
        (
            "negative without sense",
            |piu| {
                piu[6] |= 0x04;
                piu[7] |= 0x10;
            },
            0x1002_0000,
        ),
        (
            "negative with a sense that ends everything",
            |piu| {
                piu[6] |= 0x04;
                piu[7] |= 0x10;
                piu.extend([0x10, 0x08, 0x60, 0x00]);
            },
            0x1008_6000,
        ),
    ];
    for (what, change, sense) in cases {
        assert_eq!(answered(change), (failed, Some(sense)), "{what}");
    }
}

#[test]
fn a_second_answer_to_one_request_ends_the_session() {
    let mut pair = Pair::new(1033);
    let wish = pair.allocate_parameters(0, "#INTER");
    let a = pair.allocate(0, wish);
    pair.until("send", |p| p.nodes[0].send(a, b"record"));
    assert!(pair.nodes[0].confirm(a).is_pending());
    let b = pair.accept(1).conversation;
    let mut buffer = [0; 100];
    pair.until("receive", |p| p.nodes[1].receive(b, &mut buffer, Fill::Ll));
    pair.run();
    let _ = pair.nodes[1].receive(b, &mut buffer, Fill::Ll);
    pair.nodes[1].confirmed(b);
    pair.drain();
    let twice = pair.wire[0].back().unwrap().clone();
    pair.wire[0].push_back(twice);
    pair.run();
    let found = pair.events[0].iter().any(|e| match e {
        NodeEvent::PeerFault { sense, .. } => sense.0 == 0x200E_0000,
        _ => false,
    });
    assert!(found, "{:?}", pair.events[0]);
}

#[test]
fn windows_that_were_not_requested_end_the_session() {
    // The response to the first RU with a pacing indicator, and what is made
    // of it.
    let cases: [(&str, Change, u32); 4] = [
        ("a window of none", |piu| piu[11] = 0, 0x1001_0003),
        ("a format of no kind", |piu| piu[10] |= 0x80, 0x1001_0003),
        ("an answer to no reset", |piu| piu[9] = 0x80, 0x2011_0001),
        ("cut", |piu| piu.truncate(10), 0x1001_0003),
    ];
    for (what, change, sense) in cases {
        let mut pair = Pair::new(1033);
        let wish = pair.allocate_parameters(0, "#INTER");
        let a = pair.allocate(0, wish);
        let _ = pair.nodes[0].send(a, &[5; 9000]);
        let mut changed = false;
        for _ in 0..200 {
            pair.drain();
            for (_, piu) in &mut pair.wire[0] {
                let packet = Packet::parse(piu).unwrap();
                let message = packet.rh.is_some_and(|h| h.is_isolated_pacing());
                if message && packet.ru.len() == 3 && !changed {
                    changed = true;
                    change(piu);
                }
            }
            if !pair.step() {
                break;
            }
        }
        assert!(changed, "{what}");
        let found: Vec<u32> = pair.events[0]
            .iter()
            .filter_map(|e| match e {
                NodeEvent::PeerFault { sense, .. } => Some(sense.0),
                _ => None,
            })
            .collect();
        assert!(found.contains(&sense), "{what}: {found:08X?}");
    }
}

#[test]
fn a_sender_that_ignores_its_window_is_unbound() {
    let mut extra = 0;
    let pair = dialogue(1033, |_, piu| {
        let packet = Packet::parse(&piu).unwrap();
        let data = !packet.th.expedited && packet.th.sequence > 2;
        let Some(_) = packet.rh.filter(|h| data && !h.is_response()) else {
            return vec![piu];
        };
        // One RU becomes many with consecutive numbers, none of which requests a window.
        let mut out = vec![piu.clone()];
        for i in 1..20u16 {
            let mut next = piu.clone();
            let sequence = (packet.th.sequence + i).to_be_bytes();
            next[4..6].copy_from_slice(&sequence);
            next[0] |= 0x0C;
            next[6] = 0x00;
            next[7] = 0x90;
            next[8] = 0;
            out.push(next);
        }
        extra += 1;
        out
    });
    assert!(extra > 0);
    let named = pair.events[1].iter().any(|e| match e {
        NodeEvent::PeerFault { sense, .. } => sense.code() == 0x2011,
        _ => false,
    });
    assert!(named, "{:?}", pair.events[1]);
}

#[test]
fn a_peer_that_vanishes_in_the_middle_of_a_bind_costs_one_timeout() {
    let mut pair = Pair::new(265);
    let wish = pair.allocate_parameters(0, "#INTER");
    let now = pair.now;
    let id = pair.nodes[0].allocate(wish, now);
    pair.drain();
    assert_eq!(pair.wire[1].len(), 1, "the BIND is on its way");
    pair.wire[1].clear();
    assert!(pair.nodes[0].allocated(id).is_pending());
    while pair.expire() {
        pair.wire[1].clear();
    }
    let code = pair.nodes[0].allocated(id);
    assert_eq!(code, Poll::Ready(ReturnCode::AllocateFailureRetry));
    let timed_out = pair.events[0].iter().any(|e| match e {
        NodeEvent::SessionDown { cause, .. } => *cause == SessionOutage::Timeout,
        _ => false,
    });
    assert!(timed_out);
    assert_eq!(pair.nodes[0].sessions().count(), 0);
    assert_eq!(pair.nodes[0].conversation_count(), 0);
}

#[test]
fn a_silent_peer_costs_an_allocate_during_a_conversation_one_timeout() {
    let mut pair = Pair::new(265);
    let wish = pair.allocate_parameters(0, "#INTER");
    let first = pair.allocate(0, wish);
    pair.run();
    let wish = pair.allocate_parameters(0, "#INTER");
    let now = pair.now;
    let second = pair.nodes[0].allocate(wish, now);
    pair.drain();
    assert_eq!(pair.wire[1].len(), 1, "its BIND is on its way");
    pair.wire[1].clear();
    assert!(pair.nodes[0].allocated(second).is_pending());
    while pair.expire() {
        pair.wire[1].clear();
    }
    let code = pair.nodes[0].allocated(second);
    assert_eq!(code, Poll::Ready(ReturnCode::AllocateFailureRetry));
    assert_eq!(pair.nodes[0].state(first), sna::State::Send, "it goes on");
    assert_eq!(pair.nodes[0].conversation_count(), 1);
}

#[test]
fn a_flood_of_binds_ends_at_the_limits() {
    let mut pair = Pair::with(265, |_, config| {
        config.max_sessions = 50;
        config.max_link_backlog = 100;
    });
    let wish = pair.allocate_parameters(0, "#INTER");
    let now = pair.now;
    let _ = pair.nodes[0].allocate(wish, now);
    pair.drain();
    let (_, bind) = pair.wire[1].pop_front().unwrap();
    let link = pair.links[1].unwrap();
    for n in 0..20_000u32 {
        let mut copy = bind.clone();
        copy[2] = n as u8;
        copy[3] = (n >> 8) as u8;
        pair.nodes[1].handle_piu(link, Bytes::from(copy), now);
    }
    assert!(pair.nodes[1].sessions().count() <= 50);
    let answers = std::iter::from_fn(|| pair.nodes[1].poll_transmit()).count();
    assert!(answers <= 100, "{answers}");
}
