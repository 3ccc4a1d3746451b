//! Program initialisation parameters of an Attach.

use crate::harness::Pair;
use sna::{
    AllocateParameters, ConversationId, DeallocateType, Fill, ReturnCode, StatusReceived,
    TpDefinition,
};

/// Two nodes whose side 1 has a program that takes parameters.
fn pair(max_btu: usize) -> Pair {
    let mut pair = Pair::new(max_btu);
    pair.nodes[1].define_tp(TpDefinition {
        pip: true,
        ..TpDefinition::new("SERVER".parse().unwrap())
    });
    pair
}

fn allocate_parameters(pair: &Pair, pip: Vec<Vec<u8>>) -> AllocateParameters {
    AllocateParameters {
        pip,
        ..pair.allocate_parameters(0, "#INTER")
    }
}

fn end(pair: &mut Pair, a: ConversationId, b: ConversationId) {
    let mut buffer = [0; 100];
    pair.until("send", |p| p.nodes[0].send(a, b"after them"));
    let code = pair.until("end", |p| p.nodes[0].deallocate(a, DeallocateType::Flush));
    assert_eq!(code, ReturnCode::Ok);
    let got = pair.until("receive", |p| p.nodes[1].receive(b, &mut buffer, Fill::Ll));
    assert_eq!(&buffer[..got.len], b"after them");
    let got = pair.until("receive", |p| p.nodes[1].receive(b, &mut buffer, Fill::Ll));
    assert_eq!(got.code, ReturnCode::DeallocatedNormal);
    assert_eq!(got.status, StatusReceived::None);
}

#[test]
fn parameters_reach_the_program_whatever_their_length_and_the_rus() {
    let most = sna::wire::gds::MAX_PIP - 4;
    for fields in [
        vec![b"ONE".to_vec()],
        vec![vec![], b"TWO".to_vec(), vec![0; 1]],
        vec![vec![1; 5000], vec![], vec![2; 20_000]],
        vec![vec![3; most]],
    ] {
        for max_btu in [265, 1033, 4105] {
            let mut pair = pair(max_btu);
            let wish = allocate_parameters(&pair, fields.clone());
            let a = pair.allocate(0, wish);
            pair.nodes[0].flush(a);
            let attached = pair.accept(1);
            assert!(attached.pip == fields, "{max_btu}");
            end(&mut pair, a, attached.conversation);
        }
    }
}

#[test]
fn more_parameters_than_a_record_holds_are_not_taken() {
    let mut pair = pair(1033);
    let wish = allocate_parameters(&pair, vec![vec![0; 16_384], vec![0; 16_384]]);
    let now = pair.now;
    let id = pair.nodes[0].allocate(wish, now);
    let code = pair.until("allocate", |p| p.nodes[0].allocated(id));
    assert_eq!(code, ReturnCode::ParameterError);
}

#[test]
fn parameters_that_lie_in_their_lengths_are_refused_with_their_sense() {
    /// Changes the bytes from the GDS variable on: `LL 12F5 LL 12E2 ABCD`.
    type Change = fn(&mut [u8]);
    let changes: [(&str, Change); 7] = [
        ("a parameter longer than the list", |b| b[5] += 1),
        ("a parameter shorter than its header", |b| b[5] = 3),
        ("a parameter that leaves a rest", |b| b[5] -= 1),
        ("no parameter's identifier", |b| b[7] = 0xE1),
        ("no list's identifier", |b| b[3] = 0xF6),
        ("a list shorter than its header", |b| b[1] = 2),
        ("a list that continues after the chain", |b| b[0] = 0x40),
    ];
    for (what, change) in changes {
        let mut pair = pair(1033);
        let wish = allocate_parameters(&pair, vec![b"ABCD".to_vec()]);
        let a = pair.allocate(0, wish);
        let answer = pair.until(what, |p| {
            let confirmed = p.nodes[0].confirm(a);
            p.drain();
            for (_, piu) in &mut p.wire[1] {
                if let Some(at) = piu.windows(2).position(|w| w == [0x12, 0xF5]) {
                    change(&mut piu[at - 2..]);
                }
            }
            confirmed
        });
        assert_eq!(answer.code, ReturnCode::PipNotSpecifiedCorrectly, "{what}");
        let sense = pair.nodes[0].error_sense(a);
        assert_eq!(sense.map(|s| s.0), Some(0x1008_6032), "{what}");
        // The session can be used again.
        let wish = self::allocate_parameters(&pair, Vec::new());
        let a = pair.allocate(0, wish);
        pair.nodes[0].flush(a);
        let b = pair.accept(1).conversation;
        end(&mut pair, a, b);
    }
}
