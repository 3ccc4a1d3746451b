//! Both ends of the link in one process: a thread is the worker.

use std::os::fd::AsFd;
use std::thread;

use link::layout::{ARENA_OFFSET, CALL_BYTES, CALL_OUT_OFFSET, SLOTS};
use link::{
    AnswerHeader, CallAnswer, CallAreaState, CallEvent, CallOperation, ConfigText, ContainerEntry,
    ContainerName, ContainerType, ProgramEntry, RegionPage, RegionSide, Request, SlotResults,
    SlotState, WorkerCall, WorkerConfig, WorkerEvent, WorkerSide,
};
use proptest::prelude::*;

const ARENA: usize = 1 << 20;

fn pair(page: &RegionPage) -> (RegionSide, WorkerSide) {
    let config = ConfigText::new(&WorkerConfig::default()).unwrap();
    let (region, socket) = RegionSide::create(3, ARENA, page, &config).unwrap();
    let (worker, _) = WorkerSide::attach(socket).unwrap();
    (region, worker)
}

fn task(worker: &mut WorkerSide) -> u64 {
    match worker.next_task(None) {
        WorkerEvent::Task(task) => task.request.task,
        other => panic!("{other:?}"),
    }
}

/// Looks until there is something; half a minute means never.
fn until<T>(what: &str, mut look: impl FnMut() -> Option<T>) -> T {
    let begin = std::time::Instant::now();
    loop {
        if let Some(found) = look() {
            return found;
        }
        assert!(begin.elapsed().as_secs() < 30, "waited for {what}");
        thread::yield_now();
    }
}

fn wait_for_call(region: &RegionSide) -> WorkerCall {
    until("a call", || match region.take_call() {
        CallAreaState::Call(call) => Some(call),
        CallAreaState::Nothing => None,
        other => panic!("{other:?}"),
    })
}

#[test]
fn the_configuration_arrives_as_it_was_sent() {
    let page = RegionPage::create().unwrap();
    let sent = WorkerConfig {
        generation: 7,
        programs: vec![ProgramEntry {
            threadsafe: true,
            ..ProgramEntry::default()
        }],
        ..WorkerConfig::default()
    };
    let config = ConfigText::new(&sent).unwrap();
    let (_region, socket) = RegionSide::create(3, ARENA, &page, &config).unwrap();
    let (worker, got) = WorkerSide::attach(socket).unwrap();
    assert_eq!(got, sent);
    assert_eq!(worker.worker(), 3);
}

#[test]
fn slots_run_in_the_order_in_which_they_were_queued() {
    let page = RegionPage::create().unwrap();
    let (region, mut worker) = pair(&page);
    // The numbers pass their end on the way.
    for (i, slot) in (0..SLOTS).rev().enumerate() {
        let request = Request {
            task: i as u64,
            ..Request::default()
        };
        region.submit(slot, (u32::MAX - 3).wrapping_add(i as u32), &request);
    }
    for i in 0..SLOTS as u64 {
        assert_eq!(task(&mut worker), i);
        worker.finish(SlotResults::default(), "", &[]).unwrap();
    }
}

#[test]
fn a_slot_taken_back_is_not_run() {
    let page = RegionPage::create().unwrap();
    let (region, mut worker) = pair(&page);
    for slot in 0..2 {
        let request = Request {
            task: slot as u64,
            ..Request::default()
        };
        region.submit(slot, slot as u32, &request);
    }
    assert!(region.take_back(0, 0));
    assert!(!region.take_back(0, 0));
    assert_eq!(task(&mut worker), 1);
    assert!(!region.take_back(1, 1));
    assert_eq!(region.state(1, 1), SlotState::Running);
}

#[test]
fn a_sleeping_worker_wakes_for_work_and_for_its_retirement() {
    let page = RegionPage::create().unwrap();
    let (region, mut worker) = pair(&page);
    let thread = thread::spawn(move || {
        let first = task(&mut worker);
        worker.finish(SlotResults::default(), "", &[]).unwrap();
        (first, matches!(worker.next_task(None), WorkerEvent::Retire))
    });
    until("sleep", || region.is_sleeping().then_some(()));
    let request = Request {
        task: 9,
        ..Request::default()
    };
    region.submit(0, 1, &request);
    region.wake();
    until("the slot", || {
        (region.state(0, 1) == SlotState::Done).then_some(())
    });
    region.retire();
    assert_eq!(thread.join().unwrap(), (9, true));
}

#[test]
fn news_reaches_the_port_before_the_worker_sleeps() {
    let page = RegionPage::create().unwrap();
    let (region, mut worker) = pair(&page);
    let request = Request {
        port: 5,
        ..Request::default()
    };
    region.submit(0, 1, &request);
    task(&mut worker);
    worker.finish(SlotResults::default(), "", &[]).unwrap();
    let mut workers = Vec::new();
    page.drain(5, |w| workers.push(w));
    assert_eq!(workers, [3]);
}

#[test]
fn the_end_of_a_task_with_changes_is_reported_at_port_0() {
    let page = RegionPage::create().unwrap();
    let (region, mut worker) = pair(&page);
    let mut ports = Vec::new();
    for (slot, commits) in [(0, true), (1, false), (2, true), (3, false)] {
        let request = Request {
            port: 5,
            ..Request::default()
        };
        region.submit(slot, 1, &request);
        task(&mut worker);
        region.set_commits(!commits);
        region.set_commits(commits);
        worker.finish(SlotResults::default(), "", &[]).unwrap();
        for port in [0, 5] {
            page.drain(port, |_| ports.push(port));
        }
    }
    assert_eq!(ports, [0, 5, 0, 5]);
}

#[test]
fn containers_and_an_abend_come_back() {
    let page = RegionPage::create().unwrap();
    let (region, mut worker) = pair(&page);
    region.submit(2, 1, &Request::default());
    task(&mut worker);
    let offset = worker.heap().alloc(5).unwrap();
    // SAFETY: just allocated in the slot's arena.
    unsafe { worker.arena(2).add(offset).copy_from(b"bytes".as_ptr(), 5) };
    let entry = ContainerEntry {
        name: ContainerName::new("C").unwrap(),
        offset,
        bytes: 5,
        kind: ContainerType::Bit,
        ccsid: 0,
    };
    let results = SlotResults {
        abend: link::Name::from_bytes(*b"ASRA"),
        line: 12,
        ..SlotResults::default()
    };
    let long = "\u{e9}".repeat(1000);
    worker.finish(results, &long, &[entry]).unwrap();
    let (mut back, mut containers) = (SlotResults::default(), Vec::new());
    region.results(2, &mut back, &mut containers).unwrap();
    assert_eq!(containers, [entry]);
    assert_eq!((back.abend.as_str(), back.line), ("ASRA", 12));
    assert_eq!(region.message(2, &back), "\u{e9}".repeat(128));
    region.free(2, back.high_water);
}

#[test]
fn nothing_of_a_task_can_be_read_in_its_arena_once_its_slot_is_free() {
    let page = RegionPage::create().unwrap();
    let (region, mut worker) = pair(&page);
    let written = |slot: usize, at: usize| {
        // SAFETY: inside the arena of the slot; no other thread is there.
        unsafe { region.arena(slot).add(at).read_volatile() }
    };
    let write = |slot: usize, at: usize| {
        // SAFETY: as above.
        unsafe { region.arena(slot).add(at).write_bytes(b'S', 64) }
    };
    // A request and what its program put after it.
    write(2, 0);
    let request = Request {
        used: 64,
        ..Request::default()
    };
    region.submit(2, 1, &request);
    task(&mut worker);
    let block = worker.heap().alloc(64).unwrap();
    write(2, block);
    worker.finish(SlotResults::default(), "", &[]).unwrap();
    let (mut back, mut containers) = (SlotResults::default(), Vec::new());
    region.results(2, &mut back, &mut containers).unwrap();
    region.free(2, back.high_water);
    assert_eq!((written(2, 0), written(2, block + 63)), (0, 0));
    // A task that was taken back before a worker began it.
    write(3, 0);
    region.submit(3, 2, &request);
    assert!(region.take_back(3, 2));
    region.free(3, 0);
    assert_eq!(written(3, 63), 0);
    // A request that was given up while it was written, somewhere.
    let last = region.arena_bytes() - 64;
    write(4, last);
    region.free(4, 0);
    assert_eq!(written(4, last), 0);
}

#[test]
fn a_call_is_answered_and_a_program_may_be_run_before_that() {
    let page = RegionPage::create().unwrap();
    let (region, mut worker) = pair(&page);
    region.submit(1, 1, &Request::default());
    let thread = thread::spawn(move || {
        task(&mut worker);
        let event = worker.call(CallOperation::Link, [7; 8], &[b"SCRIPT  ", b"area"]);
        let CallEvent::Run(run) = event else {
            panic!("{event:?}")
        };
        assert_eq!(worker.call_data(&run), b"COBPROG input");
        let done = AnswerHeader {
            resp: 0,
            ..AnswerHeader::default()
        };
        let event = worker.nested_done(done, &[b"output"]);
        let CallEvent::Answer(answer) = event else {
            panic!("{event:?}")
        };
        assert_eq!((answer.resp, worker.call_data(&answer)), (27, &b"late"[..]));
        worker.finish(SlotResults::default(), "", &[]).unwrap();
    });
    let call = wait_for_call(&region);
    assert_eq!(
        (call.op, call.slot, call.args),
        (CallOperation::Link, 1, [7; 8])
    );
    assert_eq!(call.data, b"SCRIPT  area");
    region.run_nested(&CallAnswer {
        data: b"COBPROG input".to_vec(),
        ..CallAnswer::default()
    });
    let nested = until("the nested run", || match region.take_call() {
        CallAreaState::NestedDone(done) => Some(done),
        _ => None,
    });
    assert_eq!(nested.data, b"output");
    region.answer(&CallAnswer {
        condition: cics::resp::Condition::PgmIdErr,
        data: b"late".to_vec(),
        ..CallAnswer::default()
    });
    thread.join().unwrap();
}

#[test]
fn a_call_is_returned_once_however_long_its_answer_takes() {
    let page = RegionPage::create().unwrap();
    let (region, mut worker) = pair(&page);
    region.submit(1, 1, &Request::default());
    let thread = thread::spawn(move || {
        task(&mut worker);
        for round in 1..=100 {
            let CallEvent::Answer(answer) = worker.call(CallOperation::Converse, [round; 8], &[])
            else {
                panic!("no program was to be run")
            };
            assert_eq!(answer.args, [round; 8], "the answer to this call");
        }
        worker.finish(SlotResults::default(), "", &[]).unwrap();
    });
    for round in 1..=100 {
        assert_eq!(wait_for_call(&region).args, [round; 8]);
        // A worker rings for other reasons, too.
        for _ in 0..3 {
            assert!(
                matches!(region.take_call(), CallAreaState::Nothing),
                "returned before"
            );
        }
        region.answer(&CallAnswer {
            args: [round; 8],
            ..CallAnswer::default()
        });
    }
    thread.join().unwrap();
}

#[test]
fn the_largest_call_fits() {
    let page = RegionPage::create().unwrap();
    let (region, mut worker) = pair(&page);
    region.submit(0, 1, &Request::default());
    let thread = thread::spawn(move || {
        task(&mut worker);
        let CallEvent::Answer(answer) =
            worker.call(CallOperation::Write, [0; 8], &[&vec![9; CALL_BYTES]])
        else {
            panic!("no program was to be run")
        };
        assert_eq!(worker.call_data(&answer).len(), CALL_BYTES);
        worker.finish(SlotResults::default(), "", &[]).unwrap();
    });
    assert_eq!(wait_for_call(&region).data.len(), CALL_BYTES);
    region.answer(&CallAnswer {
        data: vec![1; CALL_BYTES],
        ..CallAnswer::default()
    });
    thread.join().unwrap();
}

proptest! {
    #[test]
    fn whatever_a_worker_writes_the_region_reads_it_safely(
        bytes in proptest::collection::vec(any::<u8>(), 64..4096),
        small in any::<bool>(),
    ) {
        let page = RegionPage::create().unwrap();
        let (region, worker) = pair(&page);
        region.submit(1, 1, &Request::default());
        // The control pages with the beginning of a call's data, and the
        // beginning of an arena.
        for (from, to) in [(0, CALL_OUT_OFFSET + 4096), (ARENA_OFFSET, ARENA_OFFSET + 4096)] {
            // SAFETY: the worker's own memory.
            let memory = unsafe {
                let start = worker.arena(0).sub(ARENA_OFFSET);
                std::slice::from_raw_parts_mut(start.add(from), to - from)
            };
            for (to, from) in memory.iter_mut().zip(bytes.iter().cycle()) {
                // Small numbers come closer to what is valid.
                *to = if small { from % 5 } else { *from };
            }
        }
        let (mut results, mut containers) = (SlotResults::default(), Vec::new());
        for slot in 0..SLOTS {
            region.state(slot, 1);
            if region.results(slot, &mut results, &mut containers).is_ok() {
                prop_assert!(results.commarea + results.commarea_bytes <= ARENA as u64);
                for c in &containers {
                    prop_assert!(c.offset + c.bytes <= ARENA);
                }
                region.message(slot, &results);
                region.free(slot, results.high_water);
            }
            region.take_back(slot, 1);
        }
        region.take_call();
        region.progress();
        region.wake();
    }
}

#[test]
fn descriptors_pass_both_ways() {
    let page = RegionPage::create().unwrap();
    let (region, worker) = pair(&page);
    let (reader, _writer) = std::io::pipe().unwrap();
    region.send_fd(1, reader.as_fd()).unwrap();
    let (tag, fds) = worker.receive_fds().unwrap();
    assert_eq!((tag, fds.len()), (1, 1));
    worker.send_fd(2, fds[0].as_fd()).unwrap();
    let (tag, fds) = region.receive_fds().unwrap();
    assert_eq!((tag, fds.len()), (2, 1));
}
