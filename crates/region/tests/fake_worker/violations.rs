//! Ways in which a worker can damage its shared memory.

use link::layout::{CALL_HEADER_IN_PAGE, CALL_OFFSET, CallHeader, SLOT_OFFSET};
use link::{CallOperation, SlotResults, TaskIn, WorkerSide};

/// Commits the protocol violation that the COMMAREA names.
pub fn perform_violation(worker: &mut WorkerSide, task: &TaskIn, results: &mut SlotResults) {
    match super::text(worker, task).as_str() {
        "commarea" => {
            results.commarea = u64::MAX - 4;
            results.commarea_bytes = 100;
        }
        "directory" => damage_directory(worker, task),
        "call" => {
            // The header of the call is overwritten while the region reads it:
            // an operation that does not exist.
            worker.call(CallOperation::Log, [u64::MAX; 8], &[b"about to violate"]);
            call_nonsense(worker);
        }
        "state" => state_nonsense(worker, task),
        "everything" => scribble(worker),
        _ => {}
    }
}

/// Memory of this worker from its start; the arenas follow the call area.
fn memory(worker: &WorkerSide) -> *mut u8 {
    // SAFETY: the arena of slot 0 is at that offset of the mapping.
    unsafe { worker.arena(0).sub(link::layout::ARENA_OFFSET) }
}

/// A container whose bytes end far outside, by a directory written by hand and
/// results that are finished by hand, as a wild store would.
fn damage_directory(worker: &mut WorkerSide, task: &TaskIn) {
    finish_by_hand(worker, task, |results| {
        results.directory = 8;
        results.containers = u64::MAX / 40;
    });
}

fn finish_by_hand(worker: &WorkerSide, task: &TaskIn, change: impl Fn(&mut SlotResults)) {
    let mut results = SlotResults::default();
    change(&mut results);
    // SAFETY: inside of this worker's memory.
    unsafe {
        let page = memory(worker).add(SLOT_OFFSET + task.slot * link::PAGE);
        page.add(link::layout::RESULTS_IN_SLOT)
            .cast::<SlotResults>()
            .write(results);
        let header = memory(worker).cast::<link::layout::Header>();
        let word = &(*header).slots.0[task.slot];
        let sequence = word.load(std::sync::atomic::Ordering::SeqCst) >> 32;
        word.store(
            sequence << 32 | u64::from(link::layout::slot_state::DONE),
            std::sync::atomic::Ordering::SeqCst,
        );
    }
    // The slow scan finds it; this process does nothing more.
    loop {
        std::thread::park();
    }
}

fn state_nonsense(worker: &WorkerSide, task: &TaskIn) {
    // SAFETY: inside of this worker's memory.
    unsafe {
        let header = memory(worker).cast::<link::layout::Header>();
        (*header).slots.0[task.slot].store(u64::MAX, std::sync::atomic::Ordering::SeqCst);
    }
    loop {
        std::thread::park();
    }
}

fn call_nonsense(worker: &mut WorkerSide) {
    let violation = CallHeader {
        op: 999,
        slot: u16::MAX,
        bytes: u32::MAX,
        args: [u64::MAX; 8],
    };
    // SAFETY: inside of this worker's memory.
    unsafe {
        memory(worker)
            .add(CALL_OFFSET + CALL_HEADER_IN_PAGE)
            .cast::<CallHeader>()
            .write(violation);
        let area = memory(worker)
            .add(CALL_OFFSET)
            .cast::<link::layout::CallArea>();
        (*area).state.0.store(
            link::layout::call_state::CALL,
            std::sync::atomic::Ordering::SeqCst,
        );
    }
    worker.ring(0);
    loop {
        std::thread::park();
    }
}

/// All of the control area becomes 0xA5.
fn scribble(worker: &mut WorkerSide) {
    // SAFETY: inside of this worker's memory.
    unsafe { memory(worker).write_bytes(0xA5, link::layout::ARENA_OFFSET) };
    worker.ring(0);
    loop {
        std::thread::park();
    }
}
