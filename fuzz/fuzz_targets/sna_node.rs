//! A node that is fed arbitrary PIUs: each is a length byte and its bytes. A
//! BIND that works comes first, so that sessions are reached.
#![no_main]

use libfuzzer_sys::fuzz_target;
use sna::wire::rh::{RequestedResponse, RuCategory, Rh};
use sna::wire::th::{Address, Repr as Th, Segment};
use sna::{
    NodeEvent, Fill, MonotonicTime, LinkConfig, LinkRole, LuName, Mode, Node, NodeConfig, TpDefinition,
};

fuzz_target!(|bytes: &[u8]| {
    let (local, partner): (LuName, LuName) = match ("NET.A".parse(), "NET.B".parse()) {
        (Ok(a), Ok(b)) => (a, b),
        _ => return,
    };
    let Ok(mode) = "SNASVCMG".parse() else { return };
    let Ok(any) = "ANY".parse() else { return };
    let mut node = Node::new(NodeConfig::default());
    node.define_lu(local.clone());
    node.set_default_tp(Some(TpDefinition::new(any)));
    let now = MonotonicTime::ZERO;
    let config = LinkConfig::new(LinkRole::Secondary, 265);
    let link = node.link_up(config.clone(), now);
    let bind = sna::node::negotiate::request(&sna::node::negotiate::BindProposal {
        mode: &Mode::new(mode),
        local: &partner,
        partner: &local,
        link: &config,
        parallel: true,
        winner: true,
        trusts: false,
        instance: 1,
    });
    let th = Th {
        segment: Segment::Whole,
        address: Address {
            odai: false,
            daf: 1,
            oaf: 2,
        },
        expedited: true,
        sequence: 1,
    };
    let mut piu = th.emit().to_vec();
    let rh = Rh::request(RuCategory::Sc).with_answer(RequestedResponse::Definite1);
    piu.extend_from_slice(&rh.emit());
    piu.extend_from_slice(&bind.emit());
    node.handle_piu(link, piu.into(), now);
    let mut rest = bytes;
    let mut buffer = [0; 64];
    while let Some((&len, after)) = rest.split_first() {
        let (piu, after) = after.split_at(usize::from(len).min(after.len()));
        rest = after;
        node.handle_piu(link, piu.to_vec().into(), now);
        while node.poll_transmit().is_some() {}
        while let Some(event) = node.poll_event() {
            if let NodeEvent::Attached(attached) = event {
                node.accept(attached.conversation);
                let _ = node.receive(attached.conversation, &mut buffer, Fill::Ll);
            }
        }
    }
});
