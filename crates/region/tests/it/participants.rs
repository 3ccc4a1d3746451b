//! A participant in units of work that is reached over a connection, as a data
//! base is: its prepared units outlive the connection and the region.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::{Arc, Mutex};

use link::CallOperation;
use region::{
    Handle, OpenTask, Order, ParticipantId, ParticipantVote, Region, RegionConfig, StoreEntry,
    TaskOutcome, UnitId, UnitParticipant, block_on,
};

use crate::harness::{config, request};

/// The state of a transaction in the data base.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum TransactionStage {
    Prepared,
    Committed,
    BackedOut,
}

#[derive(Default)]
struct DataBase {
    units: BTreeMap<UnitId, TransactionStage>,
    /// The connection is lost when this order comes, before it is carried out.
    breaks_at: Option<Order>,
    /// The answer to this order is lost with the connection.
    loses_answer_to: Option<Order>,
    away: bool,
}

/// A data base, by its connection.
#[derive(Clone)]
struct Connection {
    name: &'static str,
    base: Arc<Mutex<DataBase>>,
}

impl Connection {
    fn new(name: &'static str) -> Connection {
        let base = Arc::default();
        Connection { name, base }
    }

    /// Takes part in the units of a region.
    fn join_region(&self, handle: &Handle) -> ParticipantId {
        handle.add_participant(Arc::new(self.clone()))
    }

    /// Connects again, and reports its prepared units.
    fn reconnect(&self, handle: &Handle, id: ParticipantId) {
        let in_doubt: Vec<UnitId> = {
            let mut base = self.base.lock().unwrap();
            (base.away, base.breaks_at, base.loses_answer_to) = (false, None, None);
            let units = base.units.iter();
            let prepared = units.filter(|(_, stage)| **stage == TransactionStage::Prepared);
            prepared.map(|(unit, _)| *unit).collect()
        };
        handle.in_doubt(id, &in_doubt);
    }

    fn stage(&self, unit: UnitId) -> Option<TransactionStage> {
        self.base.lock().unwrap().units.get(&unit).copied()
    }
}

impl UnitParticipant for Connection {
    fn name(&self) -> &str {
        self.name
    }

    fn order(&self, unit: UnitId, order: Order, vote: ParticipantVote) {
        {
            let mut base = self.base.lock().unwrap();
            base.away |= base.breaks_at == Some(order);
            if base.away {
                return;
            }
            let stage = match order {
                Order::Prepare => TransactionStage::Prepared,
                Order::Commit | Order::CommitOnePhase => TransactionStage::Committed,
                Order::BackOut => TransactionStage::BackedOut,
            };
            base.units.insert(unit, stage);
            base.away |= base.loses_answer_to == Some(order);
            if base.away {
                return;
            }
        }
        vote.yes();
    }
}

fn with_store(folder: &Path) -> RegionConfig {
    RegionConfig {
        store: Some(StoreEntry {
            path: folder.join("store"),
            map_bytes: 1 << 26,
            max_readers: 64,
            ..StoreEntry::default()
        }),
        ..config()
    }
}

async fn begin(region: &Region) -> OpenTask {
    let handle = region.handle();
    let port = handle.default_port();
    let begun = handle.begin_open(&port, request("SQL")).await;
    begun.expect("it is admitted")
}

/// Runs a task that changes two data bases. Returns its end, and its unit.
fn transfer(region: &Region, both: [ParticipantId; 2]) -> (TaskOutcome, UnitId) {
    block_on(async {
        let task = begin(region).await;
        let units = both.map(|id| task.join(id).expect("it goes on"));
        assert_eq!(units[0], units[1]);
        let (outcome, _) = task.end(None, 0).await;
        (outcome, units[0])
    })
}

fn asp7(outcome: &TaskOutcome) -> bool {
    matches!(outcome, TaskOutcome::Abend(abend) if abend.code() == "ASP7")
}

#[test]
fn a_participant_lost_between_prepare_and_commit_receives_the_decision_on_its_return() {
    let folder = tempfile::tempdir().unwrap();
    let region = Region::start(with_store(folder.path())).unwrap();
    let handle = region.handle();
    let (near, far) = (Connection::new("near"), Connection::new("far"));
    let ids = [near.join_region(&handle), far.join_region(&handle)];
    far.base.lock().unwrap().breaks_at = Some(Order::Commit);
    let (outcome, unit) = transfer(&region, ids);
    assert_eq!(outcome, TaskOutcome::Ok);
    let stages = |unit| [near.stage(unit), far.stage(unit)];
    assert_eq!(
        stages(unit),
        [
            Some(TransactionStage::Committed),
            Some(TransactionStage::Prepared)
        ]
    );
    far.reconnect(&handle, ids[1]);
    assert_eq!(stages(unit), [Some(TransactionStage::Committed); 2]);
    block_on(region.shutdown());
}

#[test]
fn a_decision_that_was_not_sent_is_sent_by_the_next_region() {
    let folder = tempfile::tempdir().unwrap();
    let (near, far) = (Connection::new("near"), Connection::new("far"));
    let (committed, undecided) = {
        let region = Region::start(with_store(folder.path())).unwrap();
        let handle = region.handle();
        let ids = [near.join_region(&handle), far.join_region(&handle)];
        far.base.lock().unwrap().breaks_at = Some(Order::Commit);
        let (outcome, committed) = transfer(&region, ids);
        assert_eq!(outcome, TaskOutcome::Ok);
        far.reconnect_silently();
        // The answer is lost, so the unit is backed out; so is the order to do so.
        far.base.lock().unwrap().loses_answer_to = Some(Order::Prepare);
        let (outcome, undecided) = transfer(&region, ids);
        assert!(asp7(&outcome), "{outcome:?}");
        block_on(region.shutdown());
        (committed, undecided)
    };
    assert_eq!(near.stage(undecided), Some(TransactionStage::BackedOut));
    let prepared = [committed, undecided].map(|unit| far.stage(unit));
    assert_eq!(prepared, [Some(TransactionStage::Prepared); 2]);
    let region = Region::start(with_store(folder.path())).unwrap();
    let handle = region.handle();
    // They connect in another order, and are recognised by their names.
    let far_id = far.join_region(&handle);
    far.reconnect(&handle, far_id);
    assert_eq!(far.stage(committed), Some(TransactionStage::Committed));
    assert_eq!(far.stage(undecided), Some(TransactionStage::BackedOut));
    block_on(region.shutdown());
}

#[test]
fn one_participant_alone_commits_in_one_phase_and_a_syncpoint_begins_a_new_unit() {
    let folder = tempfile::tempdir().unwrap();
    let region = Region::start(with_store(folder.path())).unwrap();
    let handle = region.handle();
    let base = Connection::new("base");
    let id = base.join_region(&handle);
    let units = block_on(async {
        let mut task = begin(&region).await;
        let first = task.join(id).expect("it goes on");
        let answer = task
            .call(CallOperation::Syncpoint, [0; 8], Vec::new())
            .await;
        assert_eq!(answer.condition, cics::resp::Condition::Normal);
        let second = task.join(id).expect("it goes on");
        let (outcome, _) = task.end(None, 0).await;
        assert_eq!(outcome, TaskOutcome::Ok);
        [first, second]
    });
    assert_ne!(units[0], units[1]);
    assert_eq!(
        units.map(|u| base.stage(u)),
        [Some(TransactionStage::Committed); 2]
    );
    block_on(region.shutdown());
}

#[test]
fn one_that_cannot_prepare_backs_all_out() {
    let folder = tempfile::tempdir().unwrap();
    let region = Region::start(with_store(folder.path())).unwrap();
    let handle = region.handle();
    let (near, far) = (Connection::new("near"), Connection::new("far"));
    let ids = [near.join_region(&handle), far.join_region(&handle)];
    far.base.lock().unwrap().breaks_at = Some(Order::Prepare);
    let (outcome, unit) = transfer(&region, ids);
    assert!(asp7(&outcome), "{outcome:?}");
    assert_eq!(near.stage(unit), Some(TransactionStage::BackedOut));
    assert_eq!(far.stage(unit), None);
    far.reconnect(&handle, ids[1]);
    assert_eq!(far.stage(unit), None);
    block_on(region.shutdown());
}

impl Connection {
    /// Connects again, and has not reported its prepared units.
    fn reconnect_silently(&self) {
        let mut base = self.base.lock().unwrap();
        (base.away, base.breaks_at) = (false, None);
    }
}
