//! Modes and partners that change while the node runs.

use crate::harness::{Pair, lu};
use bytes::Bytes;
use sna::{
    ConversationId, DeallocateType, Fill, LinkConfig, LinkId, LinkRole, Mode, Node, NodeEvent,
    ReturnCode,
};
use std::task::Poll;

/// A conversation from side 0, with the other end of it.
fn converse(pair: &mut Pair) -> (ConversationId, ConversationId) {
    let wish = pair.allocate_parameters(0, "#INTER");
    let a = pair.allocate(0, wish);
    assert_eq!(pair.nodes[0].flush(a), ReturnCode::Ok);
    (a, pair.accept(1).conversation)
}

fn end(pair: &mut Pair, a: ConversationId, b: ConversationId) {
    let mut buffer = [0; 10];
    let code = pair.until("end", |p| p.nodes[0].deallocate(a, DeallocateType::Flush));
    assert_eq!(code, ReturnCode::Ok);
    let got = pair.until("receive", |p| p.nodes[1].receive(b, &mut buffer, Fill::Ll));
    assert_eq!(got.code, ReturnCode::DeallocatedNormal);
    pair.run();
}

fn user_sessions(pair: &Pair) -> Vec<usize> {
    let user = pair.nodes[0].sessions();
    user.filter(|s| s.mode.as_str() == "#INTER")
        .map(|s| s.send_ru_bytes)
        .collect()
}

#[test]
fn a_changed_mode_holds_for_sessions_once_their_conversations_have_ended() {
    let mut pair = Pair::new(4105);
    let (a, b) = converse(&mut pair);
    let before = user_sessions(&pair);
    let mode = Mode::new("#INTER".parse().unwrap())
        .with_ru_bytes(2048)
        .with_sessions(4, 2);
    for side in 0..2 {
        let now = pair.now;
        let renewed = pair.nodes[side].change_mode(mode.clone(), now);
        assert_eq!((renewed.busy, side), (1, side));
    }
    pair.run();
    // The conversation continues over the session that it has.
    assert!(user_sessions(&pair).contains(&before[0]));
    end(&mut pair, a, b);
    assert!(!user_sessions(&pair).contains(&before[0]), "{before:?}");
    let (a, b) = converse(&mut pair);
    assert_eq!(user_sessions(&pair), [2048]);
    let name = "#INTER".parse().unwrap();
    let limits = pair.nodes[0].limits(&lu(0), &lu(1), &name).unwrap();
    assert_eq!(limits.sessions, 4);
    end(&mut pair, a, b);
    // A repetition changes nothing.
    let now = pair.now;
    assert_eq!(pair.nodes[0].change_mode(mode, now), Default::default());
}

#[test]
fn the_sessions_with_a_partner_end_as_their_conversations_do() {
    let mut pair = Pair::new(1033);
    let (a, b) = converse(&mut pair);
    let now = pair.now;
    let renewed = pair.nodes[0].renew_sessions(&lu(1), now);
    assert_eq!(renewed.busy, 1);
    pair.run();
    assert!(pair.nodes[0].has_sessions(&lu(1)));
    end(&mut pair, a, b);
    for side in 0..2 {
        assert!(!pair.nodes[side].has_sessions(&lu(1 - side)));
    }
    let (a, b) = converse(&mut pair);
    end(&mut pair, a, b);
}

#[test]
fn no_session_is_begun_under_a_mode_that_was_taken_away() {
    let mut pair = Pair::new(1033);
    let own = Mode::new("OWN".parse().unwrap());
    for side in 0..2 {
        let now = pair.now;
        pair.nodes[side].change_mode(own.clone(), now);
    }
    let wish = pair.allocate_parameters(0, "OWN");
    let a = pair.allocate(0, wish);
    pair.nodes[0].flush(a);
    let b = pair.accept(1).conversation;
    let now = pair.now;
    assert_eq!(pair.nodes[0].remove_mode(&own.name, now).busy, 1);
    end(&mut pair, a, b);
    let of_mode = pair.nodes[0]
        .sessions()
        .filter(|s| s.mode.as_str() == "OWN");
    assert_eq!(of_mode.count(), 0);
    // Neither side gets another one.
    for side in 0..2 {
        let (wish, now) = (pair.allocate_parameters(side, "OWN"), pair.now);
        let id = pair.nodes[side].allocate(wish, now);
        let code = pair.until("allocate", |p| p.nodes[side].allocated(id));
        assert_ne!(code, ReturnCode::Ok, "{side}");
    }
    // Until it is there again.
    let now = pair.now;
    pair.nodes[0].change_mode(own, now);
    let wish = pair.allocate_parameters(1, "OWN");
    pair.allocate(1, wish);
}

#[test]
fn limits_are_negotiated_again_with_a_restarted_partner() {
    let mut pair = Pair::new(1033);
    let (a, b) = converse(&mut pair);
    end(&mut pair, a, b);
    pair.cut();
    // Side 1 has lost its state; side 0 has not.
    let mut fresh = Pair::new(1033);
    std::mem::swap(&mut pair.nodes[1], &mut fresh.nodes[1]);
    pair.links[1] = fresh.links[1];
    let now = pair.now;
    let config = LinkConfig::new(LinkRole::Primary, 1033);
    let link = pair.nodes[0].link_up(config, now);
    pair.nodes[0].define_route(lu(1), link);
    pair.links[0] = Some(link);
    let (a, b) = converse(&mut pair);
    end(&mut pair, a, b);
}

#[test]
fn a_partner_is_reached_over_the_older_link_when_the_newer_goes() {
    let mut pair = Pair::new(4105);
    let now = pair.now;
    let newer = pair.nodes[0].link_up(LinkConfig::new(LinkRole::Primary, 265), now);
    pair.nodes[0].define_route(lu(1), newer);
    pair.nodes[0].link_down(newer, now);
    let (a, b) = converse(&mut pair);
    end(&mut pair, a, b);
}

/// A second node of side 1's name, reached from side 0 over a link of its own.
struct MovedPartner {
    node: Node,
    /// The link at side 0, and at the node.
    links: [LinkId; 2],
}

impl MovedPartner {
    fn new(pair: &mut Pair) -> MovedPartner {
        let mut fresh = Pair::new(1033);
        let link = fresh.links[1].unwrap();
        let node = std::mem::replace(&mut fresh.nodes[1], Node::new(Default::default()));
        let config = LinkConfig::new(LinkRole::Primary, 1033);
        let here = pair.nodes[0].link_up(config, pair.now);
        pair.nodes[0].define_route(lu(1), here);
        MovedPartner {
            node,
            links: [here, link],
        }
    }

    /// Delivers PIUs over both links until nothing is on its way.
    fn run(&mut self, pair: &mut Pair) {
        let former = pair.links.map(Option::unwrap);
        let now = pair.now;
        loop {
            if let Some((link, piu)) = pair.nodes[0].poll_transmit() {
                let piu = Bytes::from(piu);
                if link == former[0] {
                    pair.nodes[1].handle_piu(former[1], piu, now);
                } else {
                    self.node.handle_piu(self.links[1], piu, now);
                }
            } else if let Some((_, piu)) = pair.nodes[1].poll_transmit() {
                pair.nodes[0].handle_piu(former[0], Bytes::from(piu), now);
            } else if let Some((_, piu)) = self.node.poll_transmit() {
                pair.nodes[0].handle_piu(self.links[0], Bytes::from(piu), now);
            } else {
                return;
            }
        }
    }
}

#[test]
fn no_session_is_begun_over_the_link_to_a_partners_former_address() {
    let mut pair = Pair::new(1033);
    let (held, there) = converse(&mut pair);
    let former = pair.links[0].unwrap();
    // A verb that waits while the partner moves fails, and may be repeated.
    let wish = pair.allocate_parameters(0, "#INTER");
    let waits = pair.nodes[0].allocate(wish.clone(), pair.now);
    assert_eq!(pair.nodes[0].allocated(waits), Poll::Pending);
    let (changed, links) = pair.nodes[0].withdraw_routes(&lu(1), pair.now);
    assert_eq!((changed.busy, links), (1, vec![former]));
    let retry = Poll::Ready(ReturnCode::AllocateFailureRetry);
    assert_eq!(pair.nodes[0].allocated(waits), retry);
    // Until the new link is up, the partner has none.
    let early = pair.nodes[0].allocate(wish.clone(), pair.now);
    assert_eq!(pair.nodes[0].allocated(early), retry);
    // Its former node may begin none either.
    let (back, now) = (pair.allocate_parameters(1, "#INTER"), pair.now);
    pair.nodes[1].allocate(back, now);
    pair.run();
    let over = |pair: &Pair, link: LinkId| {
        let user = pair.nodes[0].sessions();
        let user = user.filter(|s| s.mode.as_str() == "#INTER" && s.link == link);
        user.count()
    };
    assert_eq!(over(&pair, former), 1, "the conversation's own");

    let mut moved = MovedPartner::new(&mut pair);
    let next = pair.nodes[0].allocate(wish, pair.now);
    moved.run(&mut pair);
    assert_eq!(pair.nodes[0].allocated(next), Poll::Ready(ReturnCode::Ok));
    assert_eq!(pair.nodes[0].flush(next), ReturnCode::Ok);
    moved.run(&mut pair);
    let attached = std::iter::from_fn(|| moved.node.poll_event());
    let attached = attached.filter(|event| matches!(event, NodeEvent::Attached(_)));
    assert_eq!(attached.count(), 1);
    assert_eq!((over(&pair, former), over(&pair, moved.links[0])), (1, 1));

    // The conversation continues, and takes its session with it at its end.
    let code = pair.nodes[0].deallocate(held, DeallocateType::Flush);
    assert_eq!(code, Poll::Ready(ReturnCode::Ok));
    moved.run(&mut pair);
    let got = pair.nodes[1].receive(there, &mut [0; 10], Fill::Ll);
    assert!(matches!(got, Poll::Ready(got) if got.code == ReturnCode::DeallocatedNormal));
    moved.run(&mut pair);
    assert_eq!(
        pair.nodes[0]
            .sessions()
            .filter(|s| s.link == former)
            .count(),
        0
    );
    assert_eq!(over(&pair, moved.links[0]), 1);
}
