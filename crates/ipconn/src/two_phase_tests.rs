//! The guards of a unit's atomicity, each tested alone: histories rarely show a
//! missing one.

use std::cell::Cell;
use std::pin::pin;
use std::task::{Context, Poll, Waker};

use region::{Abend, BranchId, OnePhaseOutcome, Order, PrepareOutcome, UnitId};

use crate::coordinating::{BranchCoordinator, MessageSubject, OrderOutcome, ReplyOutcome};
use crate::serving::{BranchRegion, BranchServer, LinkOutcome, ServedPartner};
use crate::units::{BranchTable, CallerConnection};
use crate::wire::{
    InUnit, OfUnit, ReplyHead, ReplyMessage, Request, RequestBuilder, RequestEnding, RequestHead,
    UnitStep, WireName,
};
use region::CallFailure;

/// A region with three units, each of which has a LINK to the other region.
fn coordinating() -> BranchCoordinator {
    let mut coordinating = BranchCoordinator::new(region::Name::from_bytes(*b"PEER"), UnitId(0));
    for unit in 1..=3 {
        coordinating.join(unit);
        assert!(coordinating.linked(unit, 0, InUnit::Held));
    }
    coordinating
}

/// The outcomes that the other region receives with the commit of a unit.
fn finished_with(coordinating: &mut BranchCoordinator, unit: u64) -> Vec<u64> {
    match coordinating.order(unit, Order::CommitOnePhase) {
        OrderOutcome::Send(message) => match message.about {
            MessageSubject::CommitOnePhase(_, finished) => finished,
            other => panic!("{other:?}"),
        },
        OrderOutcome::No => panic!("unit {unit} cannot be committed"),
    }
}

#[test]
fn a_unit_is_reported_as_finished_only_when_its_end_is_known() {
    let mut coordinating = coordinating();
    assert!(finished_with(&mut coordinating, 1).is_empty());
    let lost = CallFailure::Lost("the connection has ended".into());
    let replied = coordinating.replied(MessageSubject::CommitOnePhase(1, Vec::new()), Err(&lost));
    assert!(matches!(replied, ReplyOutcome::Unsure(1, _)), "{replied:?}");
    assert!(finished_with(&mut coordinating, 2).is_empty());
    let committed = ReplyHead::default();
    let replied = coordinating.replied(MessageSubject::Outcome(1), Ok((&committed, &[])));
    assert!(
        matches!(replied, ReplyOutcome::Vote(1, true)),
        "{replied:?}"
    );
    assert_eq!(finished_with(&mut coordinating, 3), [1]);
}

#[test]
fn a_unit_that_has_lost_something_there_is_not_committed() {
    for order in [Order::Prepare, Order::CommitOnePhase] {
        let mut coordinating = coordinating();
        coordinating.join(1);
        assert!(coordinating.linked(1, 1, InUnit::Lost));
        let ordered = coordinating.order(1, order);
        assert!(
            matches!(ordered, OrderOutcome::No),
            "{order:?}: {ordered:?}"
        );
        coordinating.lost(2);
        let ordered = coordinating.order(2, order);
        assert!(
            matches!(ordered, OrderOutcome::No),
            "{order:?}: {ordered:?}"
        );
    }
}

#[test]
fn an_older_connection_does_not_speak_for_a_caller_and_a_newer_one_ends_its_units() {
    let units = BranchTable::<()>::default();
    let of = caller();
    assert!(units.enter(of, 1));
    let (working, _) = units.begin(of, 7, 0).unwrap();
    assert!(working.keep(Box::new(()), 1).is_none());
    assert!(units.is_there(of, 7));
    assert!(units.enter(of, 2));
    assert!(!units.is_there(of, 7));
    assert!(!units.enter(of, 1));
}

#[test]
fn the_outcome_of_a_unit_is_answered_when_its_work_is_over() {
    let units = BranchTable::<()>::default();
    let region = CommittingRegion::default();
    let serving = BranchServer {
        region: &region,
        units: &units,
    };
    let from = ServedPartner {
        applid: caller().applid,
        connection: 1,
    };
    assert!(units.enter(caller(), from.connection));
    let (working, _) = units.begin(caller(), 7, 0).unwrap();
    let unit = OfUnit {
        unit: 7,
        step: UnitStep::Outcome,
        link: caller().link,
    };
    let head = RequestHead {
        unit: Some(unit),
        ..RequestHead::default()
    };
    let request = Request::parse(RequestBuilder::new(head, 0).finish()).unwrap();
    let mut asked = pin!(serving.order(&request, from, unit));
    let mut cx = Context::from_waker(Waker::noop());
    for _ in 0..3 {
        assert!(asked.as_mut().poll(&mut cx).is_pending());
    }
    assert_eq!(region.query_count.get(), 0);
    working.close();
    let Poll::Ready(reply) = asked.as_mut().poll(&mut cx) else {
        panic!("no task works on it");
    };
    assert_eq!(
        ReplyMessage::parse(reply).unwrap().head.ending,
        RequestEnding::Normal
    );
    assert_eq!(region.query_count.get(), 1);
}

fn caller() -> CallerConnection {
    CallerConnection {
        applid: WireName::new("GATE").unwrap(),
        link: region::Name::from_bytes(*b"PEER"),
    }
}

/// A region that commits everything, and does nothing else.
#[derive(Default)]
struct CommittingRegion {
    query_count: Cell<u32>,
}

impl BranchRegion for CommittingRegion {
    type Task = ();

    async fn begin(&self, _: &Request<Vec<u8>>) -> Result<(), Vec<u8>> {
        Ok(())
    }

    async fn link(&self, (): &mut (), _: &Request<Vec<u8>>) -> LinkOutcome {
        unreachable!("nothing is linked to")
    }

    fn holds_unit(&self, (): &()) -> bool {
        false
    }

    async fn prepare(&self, (): &mut (), _: BranchId) -> PrepareOutcome {
        unreachable!("nothing is prepared")
    }

    async fn commit_one_phase(&self, (): &mut (), _: BranchId, _: &[BranchId]) -> OnePhaseOutcome {
        unreachable!("nothing is committed")
    }

    async fn end(&self, (): (), _: Option<Abend>) {}

    async fn settle(&self, _: BranchId, _: bool) -> bool {
        true
    }

    async fn outcome(&self, _: BranchId) -> Option<bool> {
        self.query_count.set(self.query_count.get() + 1);
        Some(true)
    }

    fn caller_returned(&self, _: &[u8], _: &[u8]) {}

    fn branches(&self) -> Vec<BranchId> {
        Vec::new()
    }

    async fn pause(&self) {
        let mut waited = false;
        std::future::poll_fn(|_| {
            if std::mem::replace(&mut waited, true) {
                Poll::Ready(())
            } else {
                Poll::Pending
            }
        })
        .await;
    }
}
