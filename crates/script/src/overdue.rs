//! Ends scripts that cannot be asked to end.
//!
//! QuickJS checks the limits between the steps of a script, but not within its
//! own functions: searching a long text in a longer one may take hours in a
//! single step. A watchdog thread checks that scripts make steps at all. A
//! script without a step for its CPU limit and one second is abandoned: a
//! signal interrupts its thread within the engine's code, and the handler
//! leaves the script's stack. The engine is discarded; the thread continues
//! with other scripts.
//!
//! Invariant: no native is left in its midst, since it may hold a lock: they
//! count as steps, and the handler does nothing within them, nor outside of
//! this program's own code.
//!
//! Reference: Linux, pthread_kill(3), signal-safety(7).

use std::cell::Cell;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering};
use std::thread::Thread;
use std::time::Duration;

use crate::fiber;

/// The signal that interrupts an overdue script's thread; any other thread
/// ignores it.
const SIGNAL: libc::c_int = libc::SIGURG;
/// Threads that run scripts at a time.
const MOST: usize = 128;
/// Between two looks while scripts run.
const CHECK_INTERVAL: Duration = Duration::from_millis(50);
/// Checks without a running script after which the watchdog sleeps until one
/// runs.
const CALM: u32 = 20;
/// CPU time beyond the script's limit before it is ended.
const GRACE_NS: u64 = 1_000_000_000;

/// A thread that runs scripts, as others see it.
struct ThreadBeat {
    taken: AtomicBool,
    thread: AtomicU64,
    /// A script runs.
    running: AtomicBool,
    /// Natives that the script is within.
    natives: AtomicU32,
    /// Changes with every step.
    steps: AtomicU64,
    /// CPU time without a step that is too much; 0 for no limit.
    limit_ns: AtomicU64,
    /// The step at which the script was found overdue.
    aim: AtomicU64,
}

static BEATS: [ThreadBeat; MOST] = [const {
    ThreadBeat {
        taken: AtomicBool::new(false),
        thread: AtomicU64::new(0),
        running: AtomicBool::new(false),
        natives: AtomicU32::new(0),
        steps: AtomicU64::new(1),
        limit_ns: AtomicU64::new(0),
        aim: AtomicU64::new(0),
    }
}; MOST];
static LOOKER: OnceLock<Option<Thread>> = OnceLock::new();
/// The looker rests until a script runs.
static RESTS: AtomicBool = AtomicBool::new(false);
/// The address range of this program's own code.
static CODE: OnceLock<(usize, usize)> = OnceLock::new();

thread_local! {
    static OWN: BeatGuard = const { BeatGuard(Cell::new(None)) };
}

/// The calling thread's beat, freed at its end.
struct BeatGuard(Cell<Option<&'static ThreadBeat>>);

impl Drop for BeatGuard {
    fn drop(&mut self) {
        if let Some(beat) = self.0.get() {
            beat.taken.store(false, Ordering::SeqCst);
        }
    }
}

fn own() -> Option<&'static ThreadBeat> {
    OWN.try_with(|own| {
        if own.0.get().is_none() {
            let beat = BEATS.iter().find(|b| !b.taken.swap(true, Ordering::SeqCst));
            if let Some(beat) = beat {
                // SAFETY: always there.
                let thread = unsafe { libc::pthread_self() };
                beat.thread.store(thread as u64, Ordering::SeqCst);
                beat.natives.store(0, Ordering::SeqCst);
                beat.running.store(false, Ordering::SeqCst);
            }
            own.0.set(beat);
        }
        own.0.get()
    })
    .ok()
    .flatten()
}

/// A script gets the calling thread; it may take so much CPU time between two
/// steps, 0 for as much as it likes.
pub fn enter(limit_ns: u64) {
    let Some(beat) = own() else {
        return;
    };
    beat.limit_ns.store(limit_ns, Ordering::Relaxed);
    add(&beat.steps);
    beat.running.store(true, Ordering::Release);
    if RESTS.load(Ordering::Relaxed) && RESTS.swap(false, Ordering::SeqCst) {
        LOOKER.get().into_iter().flatten().for_each(Thread::unpark);
    }
    LOOKER.get_or_init(begin);
}

/// The script leaves the thread.
pub fn leave() {
    if let Some(beat) = own() {
        beat.running.store(false, Ordering::Release);
        beat.natives.store(0, Ordering::Relaxed);
        add(&beat.steps);
    }
}

/// The script makes a step.
pub fn step() {
    if let Some(beat) = own() {
        add(&beat.steps);
    }
}

/// Only the thread itself writes its steps.
fn add(steps: &AtomicU64) {
    steps.store(steps.load(Ordering::Relaxed) + 1, Ordering::Release);
}

/// While this is held the script is within a native.
pub struct NativeCallGuard(Option<&'static ThreadBeat>);

/// The script enters a native.
pub fn native() -> NativeCallGuard {
    let beat = own();
    if let Some(beat) = beat {
        beat.natives.fetch_add(1, Ordering::Relaxed);
        add(&beat.steps);
    }
    NativeCallGuard(beat)
}

impl Drop for NativeCallGuard {
    fn drop(&mut self) {
        if let Some(beat) = self.0 {
            add(&beat.steps);
            let natives = beat.natives.load(Ordering::Relaxed);
            beat.natives
                .store(natives.saturating_sub(1), Ordering::Relaxed);
        }
    }
}

/// Installs the handler and begins to look.
fn begin() -> Option<Thread> {
    CODE.get_or_init(code);
    // SAFETY: an own, complete structure; the handler is async-signal-safe.
    let rc = unsafe {
        let mut ours: libc::sigaction = std::mem::zeroed();
        ours.sa_sigaction = on_signal as *const () as usize;
        // On the script's own stack, and open for the next one.
        ours.sa_flags = libc::SA_SIGINFO | libc::SA_NODEFER | libc::SA_RESTART;
        libc::sigemptyset(&mut ours.sa_mask);
        libc::sigaction(SIGNAL, &ours, std::ptr::null_mut())
    };
    if rc != 0 {
        return None;
    }
    let looker = std::thread::Builder::new().name("tupelo-script-limit".into());
    let looker = looker.spawn(run_watchdog).ok()?;
    Some(looker.thread().clone())
}

/// The thread that looks.
fn run_watchdog() {
    // The step that each was seen at, and the CPU time of its thread then.
    let mut seen = [(0u64, 0u64); MOST];
    let mut calm = 0;
    loop {
        let mut runs = false;
        for (beat, seen) in BEATS.iter().zip(&mut seen) {
            if !beat.taken.load(Ordering::Acquire) || !beat.running.load(Ordering::Acquire) {
                continue;
            }
            runs = true;
            let steps = beat.steps.load(Ordering::Acquire);
            let Some(cpu) = cpu_of(beat.thread.load(Ordering::Relaxed)) else {
                continue;
            };
            if seen.0 != steps {
                *seen = (steps, cpu);
            }
            let limit = beat.limit_ns.load(Ordering::Relaxed);
            if limit > 0 && cpu.saturating_sub(seen.1) > limit + GRACE_NS {
                beat.aim.store(steps, Ordering::SeqCst);
                // SAFETY: the thread takes its beat back before it ends, and
                // it has run a script since.
                unsafe { libc::pthread_kill(beat.thread.load(Ordering::Relaxed) as _, SIGNAL) };
            }
        }
        calm = if runs { 0 } else { calm + 1 };
        if calm < CALM {
            std::thread::sleep(CHECK_INTERVAL);
            continue;
        }
        calm = 0;
        RESTS.store(true, Ordering::SeqCst);
        if BEATS.iter().any(|b| b.running.load(Ordering::SeqCst)) {
            RESTS.store(false, Ordering::SeqCst);
        }
        while RESTS.load(Ordering::SeqCst) {
            std::thread::park();
        }
    }
}

/// CPU time of a thread in nanoseconds.
fn cpu_of(thread: u64) -> Option<u64> {
    let mut clock = 0;
    let mut time = libc::timespec {
        tv_sec: 0,
        tv_nsec: 0,
    };
    // SAFETY: a thread that has its beat lives; locals of our own.
    let rc = unsafe {
        match libc::pthread_getcpuclockid(thread as _, &mut clock) {
            0 => libc::clock_gettime(clock, &mut time),
            rc => rc,
        }
    };
    (rc == 0).then(|| time.tv_sec as u64 * 1_000_000_000 + time.tv_nsec as u64)
}

/// Leaves the script's stack when it is still where it was found overdue.
extern "C" fn on_signal(_: libc::c_int, _: *mut libc::siginfo_t, context: *mut libc::c_void) {
    let beat = OWN.try_with(|own| own.0.get());
    let Ok(Some(beat)) = beat else {
        return;
    };
    let same = beat.aim.load(Ordering::SeqCst) == beat.steps.load(Ordering::SeqCst);
    let within = beat.natives.load(Ordering::SeqCst) > 0;
    let Some((from, to)) = CODE.get() else {
        return;
    };
    // SAFETY: the system gives the handler a context.
    let at = unsafe { place(context.cast()) };
    if same && !within && beat.running.load(Ordering::SeqCst) && (*from..*to).contains(&at) {
        // SAFETY: the thread is in the engine's code, which holds no lock; the
        // engine's half-written memory is never used again.
        unsafe { fiber::leave_for_good() };
    }
}

/// The address of the interrupted code.
///
/// # Safety
/// The context is that of a signal handler.
unsafe fn place(context: *const libc::ucontext_t) -> usize {
    #[cfg(target_arch = "x86_64")]
    // SAFETY: the caller guarantees that it is the signal's context.
    return unsafe { (*context).uc_mcontext.gregs[libc::REG_RIP as usize] as usize };
    #[cfg(target_arch = "aarch64")]
    // SAFETY: the caller guarantees that it is the signal's context.
    return unsafe { (*context).uc_mcontext.pc as usize };
}

/// The mapped code that this function is part of.
fn code() -> (usize, usize) {
    extern "C" fn each(
        info: *mut libc::dl_phdr_info,
        _: libc::size_t,
        found: *mut libc::c_void,
    ) -> libc::c_int {
        let own = code as *const () as usize;
        // SAFETY: the loader gives the headers of a loaded object, and our own
        // pair back.
        unsafe {
            let headers = std::slice::from_raw_parts((*info).dlpi_phdr, (*info).dlpi_phnum.into());
            for header in headers {
                let from = (*info).dlpi_addr as usize + header.p_vaddr as usize;
                let to = from + header.p_memsz as usize;
                if header.p_type == libc::PT_LOAD && (from..to).contains(&own) {
                    *found.cast::<(usize, usize)>() = (from, to);
                    return 1;
                }
            }
        }
        0
    }
    let mut found = (0usize, 0usize);
    // SAFETY: the callback gets our own pair.
    unsafe { libc::dl_iterate_phdr(Some(each), (&raw mut found).cast()) };
    found
}
