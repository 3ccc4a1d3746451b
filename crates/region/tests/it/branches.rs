//! Branches: units of work that are prepared here and decided elsewhere. A
//! prepared branch outlives its task and the region.

use std::sync::mpsc::channel;

use cics::resp::Condition;
use link::CallOperation;
use region::{
    BranchId, Handle, OpenTask, Order, ParticipantVote, PrepareOutcome, Region, TaskOutcome,
    UnitParticipant,
};
use region::{ParticipantId, PreparedUnit, block_on};
use store::{FileId, FileName};

use crate::files::start;
use crate::harness::{call_now, request, text};

const MAP: u64 = 1 << 26;

fn branch(name: &str) -> BranchId {
    BranchId::new(name.as_bytes()).unwrap()
}

async fn begin(region: &Region) -> OpenTask {
    let handle = region.handle();
    let port = handle.default_port();
    let begun = handle.begin_open(&port, request("LINKED"));
    begun.await.expect("it is admitted")
}

/// A task that adds a record, prepared.
fn prepare(region: &Region, name: &str, record: &str) -> PrepareOutcome {
    block_on(async {
        let mut task = begin(region).await;
        let added = task.call(CallOperation::Write, [0; 8], record.into()).await;
        assert_eq!(added.condition, Condition::Normal);
        assert!(task.holds_unit());
        let prepared = task.prepare(branch(name)).await;
        let (outcome, _) = task.end(None, 0).await;
        assert_eq!(outcome, TaskOutcome::Ok);
        prepared
    })
}

fn settle(handle: &Handle, name: &str, commit: bool) -> bool {
    let (done, outcome) = channel();
    handle.settle(branch(name), commit, move |yes| done.send(yes).unwrap());
    outcome.recv().unwrap()
}

fn names(handle: &Handle) -> Vec<String> {
    let all = handle.prepared_units().into_iter();
    all.map(|unit| unit.branch.to_string()).collect()
}

fn read(region: &Region, key: &str) -> String {
    text(&call_now(region, "FILES", &format!("read 0 {key}"))).to_owned()
}

/// Whether a task has the lock of a record.
fn is_locked(region: &Region, key: &str) -> bool {
    let found = region.handle().with_store(|store| {
        let name: FileName = "ACCTS".parse().unwrap();
        store.reader().unwrap().find(&name).unwrap().unwrap().id
    });
    let file: FileId = found.unwrap();
    block_on(async {
        let mut task = begin(region).await;
        let answer = task
            .record(CallOperation::Read, file, false, key.as_bytes(), &[])
            .await;
        task.end(None, 0).await;
        answer.condition == Condition::RecordBusy
    })
}

#[test]
fn a_prepared_unit_waits_with_its_locks_until_the_commit_order() {
    let folder = tempfile::tempdir().unwrap();
    let region = start(folder.path(), MAP);
    let handle = region.handle();
    assert_eq!(prepare(&region, "one", "KEY00001-a"), PrepareOutcome::Yes);
    assert_eq!(prepare(&region, "two", "KEY00002-b"), PrepareOutcome::Yes);
    let units: Vec<PreparedUnit> = handle.prepared_units();
    assert_eq!(names(&handle), ["one", "two"]);
    assert!(units[0].records == 1 && units[0].locks.len() == 1);
    assert!(is_locked(&region, "KEY00001"));
    assert_eq!(read(&region, "KEY00001"), "13 \n");
    assert!(settle(&handle, "one", true));
    assert!(settle(&handle, "two", false));
    assert_eq!(read(&region, "KEY00001"), "0 KEY00001-a\n");
    assert_eq!(read(&region, "KEY00002"), "13 \n");
    assert!(!is_locked(&region, "KEY00001") && !is_locked(&region, "KEY00002"));
    // It was carried out: a repeated order changes nothing.
    assert!(settle(&handle, "one", true) && settle(&handle, "two", false));
    assert_eq!(names(&handle), [""; 0]);
    block_on(region.shutdown());
}

#[test]
fn a_prepared_unit_is_there_with_its_locks_when_the_region_comes_back() {
    let folder = tempfile::tempdir().unwrap();
    {
        let region = start(folder.path(), MAP);
        assert_eq!(prepare(&region, "kept", "KEY00001-a"), PrepareOutcome::Yes);
        assert_eq!(
            prepare(&region, "undone", "KEY00002-b"),
            PrepareOutcome::Yes
        );
        block_on(region.shutdown());
    }
    {
        let region = start(folder.path(), MAP);
        let handle = region.handle();
        assert_eq!(names(&handle), ["kept", "undone"]);
        assert!(is_locked(&region, "KEY00001") && is_locked(&region, "KEY00002"));
        assert!(settle(&handle, "kept", true));
        assert!(settle(&handle, "undone", false));
        assert_eq!(read(&region, "KEY00001"), "0 KEY00001-a\n");
        assert_eq!(read(&region, "KEY00002"), "13 \n");
        block_on(region.shutdown());
    }
    let region = start(folder.path(), MAP);
    assert_eq!(names(&region.handle()), [""; 0]);
    assert!(!is_locked(&region, "KEY00001") && !is_locked(&region, "KEY00002"));
    assert_eq!(read(&region, "KEY00001"), "0 KEY00001-a\n");
    block_on(region.shutdown());
}

#[test]
fn a_unit_without_changes_needs_no_second_phase() {
    let folder = tempfile::tempdir().unwrap();
    let region = start(folder.path(), MAP);
    let prepared = block_on(async {
        let mut task = begin(&region).await;
        assert!(!task.holds_unit());
        let prepared = task.prepare(branch("none")).await;
        task.end(None, 0).await;
        prepared
    });
    assert_eq!(prepared, PrepareOutcome::NothingToCommit);
    assert_eq!(names(&region.handle()), [""; 0]);
    block_on(region.shutdown());
}

/// A participant in addition to the region's store.
struct ScriptedParticipant {
    orders: std::sync::Mutex<Vec<Order>>,
    prepares: bool,
}

impl UnitParticipant for ScriptedParticipant {
    fn name(&self) -> &str {
        "far"
    }

    fn order(&self, _: region::UnitId, order: Order, vote: ParticipantVote) {
        self.orders.lock().unwrap().push(order);
        if self.prepares || order != Order::Prepare {
            vote.yes();
        }
    }
}

fn far(handle: &Handle, prepares: bool) -> (std::sync::Arc<ScriptedParticipant>, ParticipantId) {
    let far = std::sync::Arc::new(ScriptedParticipant {
        orders: std::sync::Mutex::default(),
        prepares,
    });
    let id = handle.add_participant(far.clone());
    (far, id)
}

/// A task that adds a record and has a participant, prepared.
fn prepare_with(region: &Region, name: &str, record: &str, far: ParticipantId) -> PrepareOutcome {
    block_on(async {
        let mut task = begin(region).await;
        task.join(far).expect("it goes on");
        task.call(CallOperation::Write, [0; 8], record.into()).await;
        let prepared = task.prepare(branch(name)).await;
        task.end(None, 0).await;
        prepared
    })
}

#[test]
fn participants_below_prepare_first_and_the_next_region_sends_them_the_outcome_too() {
    let folder = tempfile::tempdir().unwrap();
    {
        let region = start(folder.path(), MAP);
        let (below, id) = far(&region.handle(), true);
        let prepared = prepare_with(&region, "tree", "KEY00001-a", id);
        assert_eq!(prepared, PrepareOutcome::Yes);
        assert_eq!(*below.orders.lock().unwrap(), [Order::Prepare]);
        block_on(region.shutdown());
    }
    let region = start(folder.path(), MAP);
    let handle = region.handle();
    let (below, _) = far(&handle, true);
    assert!(settle(&handle, "tree", true));
    assert_eq!(*below.orders.lock().unwrap(), [Order::Commit]);
    assert_eq!(read(&region, "KEY00001"), "0 KEY00001-a\n");
    block_on(region.shutdown());
}

#[test]
fn one_below_that_cannot_prepare_backs_the_branch_out() {
    let folder = tempfile::tempdir().unwrap();
    let region = start(folder.path(), MAP);
    let (below, id) = far(&region.handle(), false);
    let prepared = prepare_with(&region, "tree", "KEY00001-a", id);
    assert_eq!(prepared, PrepareOutcome::BackedOut);
    let orders = below.orders.lock().unwrap().clone();
    assert_eq!(orders, [Order::Prepare, Order::BackOut]);
    assert_eq!(names(&region.handle()), [""; 0]);
    assert!(!is_locked(&region, "KEY00001"));
    block_on(region.shutdown());
}
