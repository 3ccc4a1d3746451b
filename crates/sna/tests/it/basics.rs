//! Conversations between two well-behaved nodes.

use crate::harness::{Pair, lu};
use sna::{
    AllocateParameters, ConversationId, ConversationType, DataReceived, DeallocateType,
    ErrorDirection, Fill, PrepareToReceiveType, ReceiveStatus, ReturnCode, State, StatusReceived,
    SyncLevel,
};

fn receive(
    pair: &mut Pair,
    side: usize,
    id: ConversationId,
    max: usize,
) -> (ReceiveStatus, Vec<u8>) {
    let mut buffer = vec![0; max];
    let got = pair.until("receive", |p| {
        p.nodes[side].receive(id, &mut buffer, Fill::Ll)
    });
    buffer.truncate(got.len);
    (got, buffer)
}

fn start(
    pair: &mut Pair,
    wish: AllocateParameters,
    first: &[u8],
) -> (ConversationId, ConversationId) {
    let a = pair.allocate(0, wish);
    let sent = pair.until("send", |p| p.nodes[0].send(a, first));
    assert_eq!(sent.code, ReturnCode::Ok);
    assert_eq!(pair.nodes[0].flush(a), ReturnCode::Ok);
    let b = pair.accept(1).conversation;
    (a, b)
}

#[test]
fn a_request_and_its_reply() {
    let mut pair = Pair::new(265);
    let wish = pair.allocate_parameters(0, "#INTER");
    let a = pair.allocate(0, wish);
    let request: Vec<u8> = (0..3000u32).map(|i| i as u8).collect();
    let sent = pair.until("send", |p| p.nodes[0].send(a, &request));
    assert_eq!(sent.code, ReturnCode::Ok);
    let code = pair.until("turn", |p| {
        p.nodes[0].prepare_to_receive(a, PrepareToReceiveType::Flush)
    });
    assert_eq!(code, ReturnCode::Ok);
    let attached = pair.accept(1);
    assert_eq!(attached.partner, lu(0));
    assert_eq!(attached.tp.to_string(), "SERVER");
    let b = attached.conversation;
    let (got, data) = receive(&mut pair, 1, b, 4000);
    assert_eq!(got.data, DataReceived::Complete);
    assert_eq!(got.status, StatusReceived::Send);
    assert_eq!(pair.nodes[1].state(b), State::SendPending);
    assert_eq!(data, request);
    pair.until("reply", |p| p.nodes[1].send(b, b"fine"));
    let code = pair.until("end", |p| p.nodes[1].deallocate(b, DeallocateType::Flush));
    assert_eq!(code, ReturnCode::Ok);
    let (got, data) = receive(&mut pair, 0, a, 100);
    assert_eq!((got.code, &data[..]), (ReturnCode::Ok, &b"fine"[..]));
    let (got, _) = receive(&mut pair, 0, a, 100);
    assert_eq!(got.code, ReturnCode::DeallocatedNormal);
    assert_eq!(pair.nodes[0].state(a), State::Reset);
    pair.run();
    for node in &pair.nodes {
        assert_eq!(node.conversation_count(), 0);
        // One session of the mode, and the two that set its limits.
        assert!(node.sessions().count() <= 3);
    }
}

#[test]
fn confirm_and_deallocate_confirm() {
    let mut pair = Pair::new(1033);
    let wish = pair.allocate_parameters(0, "#BATCH");
    let (a, b) = start(&mut pair, wish, b"one");
    let (got, _) = receive(&mut pair, 1, b, 100);
    assert_eq!(got.data, DataReceived::Complete);
    assert!(pair.nodes[0].confirm(a).is_pending());
    let (got, _) = receive(&mut pair, 1, b, 100);
    assert_eq!(got.status, StatusReceived::Confirm);
    assert_eq!(pair.nodes[1].confirmed(b), ReturnCode::Ok);
    let sent = pair.until("confirm", |p| p.nodes[0].confirm(a));
    assert_eq!(sent.code, ReturnCode::Ok);
    let end = DeallocateType::SyncLevel;
    assert!(pair.nodes[0].deallocate(a, end).is_pending());
    let (got, _) = receive(&mut pair, 1, b, 100);
    assert_eq!(got.status, StatusReceived::ConfirmDeallocate);
    assert_eq!(pair.nodes[1].confirmed(b), ReturnCode::Ok);
    let code = pair.until("end", |p| p.nodes[0].deallocate(a, end));
    assert_eq!(code, ReturnCode::Ok);
    // The session serves the next conversation.
    let sessions = pair.nodes[0].sessions().count();
    let wish = pair.allocate_parameters(0, "#BATCH");
    let (a, _) = start(&mut pair, wish, b"two");
    assert_eq!(pair.nodes[0].sessions().count(), sessions);
    assert_eq!(pair.nodes[0].state(a), State::Send);
}

#[test]
fn an_error_found_by_the_receiver_purges() {
    let mut pair = Pair::new(265);
    let wish = pair.allocate_parameters(0, "#INTER");
    let (a, b) = start(&mut pair, wish, &[7; 5000]);
    let (got, _) = receive(&mut pair, 1, b, 10);
    assert_eq!(got.data, DataReceived::Incomplete);
    let sent = pair.until("error", |p| {
        p.nodes[1].send_error(b, ErrorDirection::Receive)
    });
    assert_eq!(sent.code, ReturnCode::Ok);
    assert_eq!(pair.nodes[1].state(b), State::Send);
    let reported = pair.until("send", |p| p.nodes[0].send(a, b"more"));
    assert_eq!(reported.code, ReturnCode::ProgramErrorPurging);
    assert_eq!(pair.nodes[0].state(a), State::Receive);
    pair.until("send", |p| p.nodes[1].send(b, b"why"));
    pair.until("end", |p| p.nodes[1].deallocate(b, DeallocateType::Flush));
    let (got, data) = receive(&mut pair, 0, a, 10);
    assert_eq!((got.code, &data[..]), (ReturnCode::Ok, &b"why"[..]));
    let (got, _) = receive(&mut pair, 0, a, 10);
    assert_eq!(got.code, ReturnCode::DeallocatedNormal);
}

#[test]
fn an_error_in_send_state_truncates_or_not() {
    let mut pair = Pair::new(265);
    let mut wish = pair.allocate_parameters(0, "#INTER");
    wish.kind = ConversationType::Basic;
    let (a, b) = start(&mut pair, wish, &[0, 6, 1, 2, 3, 4, 0, 9, 5]);
    pair.nodes[0].set_log_data(a, b"went wrong");
    let sent = pair.until("error", |p| p.nodes[0].send_error(a, ErrorDirection::Send));
    assert_eq!(sent.code, ReturnCode::Ok);
    let (got, data) = receive(&mut pair, 1, b, 100);
    assert_eq!(got.data, DataReceived::Complete);
    assert_eq!(data, [0, 6, 1, 2, 3, 4]);
    let (got, data) = receive(&mut pair, 1, b, 100);
    assert_eq!((got.data, data.len()), (DataReceived::Incomplete, 3));
    let (got, _) = receive(&mut pair, 1, b, 100);
    assert_eq!(got.code, ReturnCode::ProgramErrorTrunc);
    pair.until("send", |p| p.nodes[0].send(a, &[0, 3, 9]));
    pair.until("end", |p| p.nodes[0].deallocate(a, DeallocateType::Flush));
    let (got, data) = receive(&mut pair, 1, b, 100);
    assert_eq!(
        (got.data, &data[..]),
        (DataReceived::Complete, &[0, 3, 9][..])
    );
}

#[test]
fn an_abend_reaches_the_partner() {
    for from in 0..2 {
        let mut pair = Pair::new(265);
        let wish = pair.allocate_parameters(0, "#INTER");
        let (a, b) = start(&mut pair, wish, b"hello");
        let ids = [a, b];
        let code = pair.until("abend", |p| {
            p.nodes[from].deallocate(ids[from], DeallocateType::Abend)
        });
        assert_eq!(code, ReturnCode::Ok);
        let to = 1 - from;
        let code = if to == 0 {
            pair.until("confirm", |p| p.nodes[0].confirm(a)).code
        } else {
            receive(&mut pair, 1, b, 100);
            receive(&mut pair, 1, b, 100).0.code
        };
        assert_eq!(code, ReturnCode::DeallocatedAbend);
        pair.run();
        assert!(pair.nodes.iter().all(|n| n.conversation_count() == 0));
    }
}

#[test]
fn a_program_that_is_not_there_is_refused() {
    let mut pair = Pair::new(265);
    let mut wish = pair.allocate_parameters(0, "#INTER");
    wish.tp = "NOSUCH".parse().unwrap();
    let a = pair.allocate(0, wish);
    pair.until("send", |p| p.nodes[0].send(a, b"anyone?"));
    let code = pair.until("turn", |p| {
        p.nodes[0].prepare_to_receive(a, PrepareToReceiveType::Flush)
    });
    assert_eq!(code, ReturnCode::Ok);
    let (got, _) = receive(&mut pair, 0, a, 100);
    assert_eq!(got.code, ReturnCode::TpnNotRecognized);
    pair.run();
    assert!(pair.nodes.iter().all(|n| n.conversation_count() == 0));
}

#[test]
fn the_right_to_send_can_be_requested() {
    let mut pair = Pair::new(265);
    let wish = pair.allocate_parameters(0, "#INTER");
    let (a, b) = start(&mut pair, wish, b"hello");
    assert_eq!(pair.nodes[1].request_to_send(b), ReturnCode::Ok);
    pair.run();
    let sent = pair.until("send", |p| p.nodes[0].send(a, b"more"));
    assert!(sent.request_to_send);
    assert!(!pair.nodes[0].test_request_to_send(a));
}

#[test]
fn a_cut_link_fails_both_sides() {
    let mut pair = Pair::new(265);
    let wish = pair.allocate_parameters(0, "#INTER");
    let (a, b) = start(&mut pair, wish, b"hello");
    pair.cut();
    let sent = pair.until("send", |p| p.nodes[0].send(a, b"more"));
    assert_eq!(sent.code, ReturnCode::ResourceFailureRetry);
    let (got, data) = receive(&mut pair, 1, b, 100);
    assert_eq!((got.code, &data[..]), (ReturnCode::Ok, &b"hello"[..]));
    let (got, _) = receive(&mut pair, 1, b, 100);
    assert_eq!(got.code, ReturnCode::ResourceFailureRetry);
    assert!(pair.nodes.iter().all(|n| n.conversation_count() == 0));
    assert!(pair.nodes.iter().all(|n| n.sessions().count() == 0));
}

#[test]
fn losers_bid_and_winners_begin() {
    let mut pair = Pair::with(1033, |_, config| {
        let mode = sna::Mode::new("TWO".parse().unwrap()).with_sessions(2, 1);
        config.modes.define(mode);
    });
    // Three conversations each way on two sessions, one winner each.
    let mut open: Vec<(usize, ConversationId)> = Vec::new();
    for _ in 0..3 {
        for side in 0..2 {
            let mut wish = pair.allocate_parameters(side, "TWO");
            wish.sync = SyncLevel::None;
            let now = pair.now;
            open.push((side, pair.nodes[side].allocate(wish, now)));
        }
    }
    for (side, id) in open {
        let code = pair.until("allocate", |p| p.nodes[side].allocated(id));
        assert_eq!(code, ReturnCode::Ok);
        pair.until("send", |p| p.nodes[side].send(id, &[1; 100]));
        pair.until("end", |p| {
            p.nodes[side].deallocate(id, DeallocateType::Flush)
        });
    }
    for _ in 0..3 {
        for side in 0..2 {
            let id = pair.accept(side).conversation;
            let (got, _) = receive(&mut pair, side, id, 200);
            assert_eq!(got.len, 100);
        }
    }
    let sessions = |side: usize| {
        let all = pair.nodes[side].sessions();
        all.filter(|s| s.mode.as_str() == "TWO").count()
    };
    assert_eq!((sessions(0), sessions(1)), (2, 2));
}
