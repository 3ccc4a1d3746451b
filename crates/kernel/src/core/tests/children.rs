//! Children, STARTs and the places that they may use: waiting parents, queues, and
//! transactions that are disabled while requests for them wait.

use super::*;

impl CoreHistory {
    /// Begins a child, or another start, as the kernel asks.
    fn begin_start(&mut self, number: u64, is_child: bool) -> TaskKey {
        let spec = TaskSpec {
            transid: Name::from_bytes(*b"HIGH"),
            start: Some(number),
            is_child,
            ..TaskSpec::default()
        };
        self.call(|c, cx| c.begin(cx, &spec))
            .expect("it waits at least")
    }

    fn runs(&mut self, key: TaskKey) -> bool {
        self.stage(key) == Some(TaskStage::Building)
    }
}

#[test]
fn parents_that_wait_let_a_few_children_in_and_no_more() {
    let mut w = narrow(0);
    w.call(|c, cx| c.set_mxt(cx, 2));
    let mut parents = vec![w.begin_as(b"HIGH"), w.begin_as(b"HIGH")];
    // Each child is a parent too, as deep as the region allows.
    for number in 1..50 {
        for parent in parents.clone() {
            w.call(|c, cx| c.lend(cx, parent, true));
        }
        let child = w.begin_start(number, true);
        if w.runs(child) {
            parents.push(child);
        }
        w.core.check_books();
    }
    assert_eq!(parents.len(), 2 + CHILD_PLACES);
    assert_eq!(w.core.held_by_parents(), 2);
    let workers = w.core.workers().iter().filter(|w| w.is_live()).count();
    assert!(workers <= 2 + CHILD_PLACES, "{workers} workers");
    // After a parent is purged the next child begins.
    let first = parents[0];
    w.call(|c, cx| c.lend(cx, first, false));
    w.call(|c, cx| c.cancel(cx, first));
    assert_eq!(w.core.held_by_parents(), 0);
}

#[test]
fn places_of_children_are_not_given_to_other_tasks() {
    let mut w = narrow(0);
    let parent = w.begin_as(b"HIGH");
    let (client, start) = (w.begin_as(b"HIGH"), w.begin_start(1, false));
    w.call(|c, cx| c.lend(cx, parent, true));
    assert!(!w.runs(client) && !w.runs(start));
    let child = w.begin_start(2, true);
    assert!(w.runs(child), "the parent waits for it");
}

#[test]
fn starts_and_children_without_end_leave_places_to_requests() {
    let mut w = narrow(0);
    w.call(|c, cx| c.set_mxt(cx, 20));
    let starts: Vec<TaskKey> = (1..=30).map(|n| w.begin_start(n, false)).collect();
    let running = starts.iter().filter(|start| w.runs(**start)).count();
    assert_eq!(running, 18, "a tenth of the places is kept");
    // While parents wait, a few children begin, which use no place of requests.
    for start in &starts[..10] {
        w.call(|c, cx| c.lend(cx, *start, true));
    }
    let children: Vec<TaskKey> = (31..=60).map(|n| w.begin_start(n, true)).collect();
    let running = children.iter().filter(|child| w.runs(**child)).count();
    assert_eq!(running, CHILD_PLACES);
    let requests: Vec<TaskKey> = (0..3).map(|_| w.begin_as(b"HIGH")).collect();
    assert!(w.runs(requests[0]) && w.runs(requests[1]) && !w.runs(requests[2]));
    assert_eq!(w.core.held_by_parents(), 0, "other starts run");
    for key in starts[10..18].iter().chain(&children[..CHILD_PLACES]) {
        w.call(|c, cx| c.lend(cx, *key, true));
    }
    assert_eq!(w.core.held_by_parents(), 1, "no child can begin");
    w.core.check_books();
    w.call(|c, cx| c.cancel(cx, requests[0]));
    assert!(w.runs(requests[2]), "requests are served all the same");
    assert_eq!(w.core.held_by_parents(), 1);
    w.core.check_books();
}

#[test]
fn starts_that_wait_leave_the_queue_of_clients_alone() {
    let mut w = narrow(0);
    w.begin_as(b"HIGH");
    let starts: Vec<TaskKey> = (1..=100).map(|n| w.begin_start(n, false)).collect();
    for _ in 0..QUEUE {
        w.begin_as(b"HIGH");
    }
    let spec = TaskSpec {
        transid: Name::from_bytes(*b"HIGH"),
        ..TaskSpec::default()
    };
    let refused = w.call(|c, cx| c.begin(cx, &spec));
    assert_eq!(refused, Err(StartRefusal::TooManyTasks));
    w.core.check_books();
    // The transaction is disabled: its waiting requests are rejected.
    let transid = Name::from_bytes(*b"HIGH");
    w.call(|c, cx| c.refuse_transaction(cx, transid, StartRefusal::Disabled(transid)));
    assert_eq!(w.core.waiting, 0);
    for start in starts {
        assert_eq!(
            w.stage(start),
            None,
            "it was refused, and the shell took that in"
        );
    }
    w.core.check_books();
}

#[test]
fn a_definition_that_is_disabled_by_a_reload_empties_its_queue() {
    let mut w = narrow(0);
    w.begin_as(b"HIGH");
    let (low, high) = (w.begin_as(b"LOWP"), w.begin_as(b"HIGH"));
    let mut transactions: Vec<TransactionDef> = Vec::new();
    transactions.extend(w.core.defs().transactions.iter().map(|t| t.def.clone()));
    transactions.retain(|t| t.name.as_str() != "LOWP");
    let defs = RegionDefinitions {
        transactions,
        programs: definitions().programs,
        ..RegionDefinitions::default()
    };
    w.call(|c, cx| c.reload(cx, CompiledDefinitions::build(2, &defs).unwrap()));
    assert_eq!(
        w.stage(low),
        None,
        "it was refused, and the shell took that in"
    );
    assert_eq!(w.stage(high), Some(TaskStage::WaitMxt));
}
