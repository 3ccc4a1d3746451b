//! Peers that lie, flood, vanish and talk nonsense: each gets its answer, and
//! nothing else is disturbed.

use crate::harness::{Pair, Rng, lu};
use bytes::Bytes;
use proptest::prelude::*;
use sna::wire::bind::Repr as Bind;
use sna::wire::piu::Packet;
use sna::wire::{cnos, dfc, fmh5, fmh7, gds, ipm, ps_header, security, th, unbind, user_data};
use sna::{
    DeallocateType, Event, Fill, Instant, LinkConfig, LinkRole, Node, NodeConfig, Outage,
    ReturnCode, TpDefinition,
};
use std::task::Poll;

/// Runs a small dialogue in which side 0's PIUs pass through `change`.
fn dialogue(max_btu: usize, mut change: impl FnMut(&mut Pair, Vec<u8>) -> Vec<Vec<u8>>) -> Pair {
    let mut pair = Pair::new(max_btu);
    let wish = pair.wish(0, "#INTER");
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
            if let Event::Attached(attached) = pair.events[1][at].clone() {
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
        let mut rng = Rng::new(seed);
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
        let now = Instant::ZERO;
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
        let _ = security::Access::parse(&bytes);
    }
}

fn bytes_len(head: u8) -> u8 {
    head * 9
}

/// Lets the PIUs of a dialogue pass but one change to data RUs; gives the
/// senses that side 1 found.
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
        Event::PeerFault { sense, .. } => Some(sense.0),
        _ => None,
    });
    found.collect()
}

/// What is done to a PIU.
type Change = fn(&mut Vec<u8>);

#[test]
fn each_breach_is_named_in_the_unbind() {
    let cases: [(&str, Change, u32); 5] = [
        ("sequence", |piu| piu[5] ^= 0x40, 0x2001_0000),
        ("chain", |piu| piu[6] |= 0x02, 0x2002_0000),
        ("code", |piu| piu[8] |= 0x08, 0x4010_0000),
        ("response", |piu| piu[7] &= 0x4F, 0x4014_0000),
        ("header", |piu| piu[6] |= 0x08, 0x1008_4001),
    ];
    for (what, change, sense) in cases {
        let found = faults(change);
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
        // One RU becomes many, numbered on, none of them asking for a window.
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
        Event::PeerFault { sense, .. } => sense.code() == 0x2011,
        _ => false,
    });
    assert!(named, "{:?}", pair.events[1]);
}

#[test]
fn a_peer_that_vanishes_in_the_middle_of_a_bind_costs_one_timeout() {
    let mut pair = Pair::new(265);
    let wish = pair.wish(0, "#INTER");
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
        Event::SessionDown { cause, .. } => *cause == Outage::Timeout,
        _ => false,
    });
    assert!(timed_out);
    assert_eq!(pair.nodes[0].sessions().count(), 0);
    assert_eq!(pair.nodes[0].conversation_count(), 0);
}

#[test]
fn a_flood_of_binds_ends_at_the_limits() {
    let mut pair = Pair::with(265, |_, config| {
        config.max_sessions = 50;
        config.max_link_backlog = 100;
    });
    let wish = pair.wish(0, "#INTER");
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
