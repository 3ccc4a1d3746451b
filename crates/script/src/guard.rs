//! Which pages of a snapshot are written: they alone have to be put back.
//!
//! The pages of a fresh snapshot are read-only. The first write to one causes a
//! signal, whose handler notes the page and makes it writable; it stays
//! writable, and is restored after every request from then on. A script writes
//! nearly the same pages with each request, so after the first few there are no
//! more signals, and a request costs a copy of the pages that requests write,
//! not of all.
//!
//! If the system refuses, or too many engines have guards, the engine has no
//! guard and the whole snapshot is restored.
//!
//! Invariant: a page of the snapshot that is not noted has not been written.
//!
//! Reference: Linux, mprotect(2), sigaction(2): SEGV_ACCERR.

use std::mem::MaybeUninit;
use std::ptr::NonNull;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};

/// Bytes of a page.
pub const PAGE: usize = 4096;
/// Guards at a time. Each open page may split the mapping in three, and a
/// process may have some 65 000 parts.
const MOST: usize = 256;
/// Words of bits for the pages of one guard: 16 MiB.
const WORDS: usize = 64;

/// The guard of one snapshot.
pub struct SnapshotGuard(&'static GuardEntry);

/// The state of the signal handler. The entry is never freed, so that the handler of
/// one thread may read those of others.
struct GuardEntry {
    /// An engine uses this entry.
    taken: AtomicBool,
    /// Address of the first page; 0 while nothing is watched.
    base: AtomicUsize,
    pages: AtomicUsize,
    /// Pages that were written, by bit.
    written: [AtomicU64; WORDS],
}

static GUARDS: [GuardEntry; MOST] = [const {
    GuardEntry {
        taken: AtomicBool::new(false),
        base: AtomicUsize::new(0),
        pages: AtomicUsize::new(0),
        written: [const { AtomicU64::new(0) }; WORDS],
    }
}; MOST];
/// The handler that was installed before this one.
static BEFORE: OnceLock<Option<libc::sigaction>> = OnceLock::new();

impl SnapshotGuard {
    /// Watches so many bytes, whole pages; `None` if that cannot be.
    pub fn new(base: NonNull<u8>, bytes: usize) -> Option<SnapshotGuard> {
        BEFORE.get_or_init(install).as_ref()?;
        let pages = bytes / PAGE;
        if pages > WORDS * 64 {
            return None;
        }
        let free = |w: &&GuardEntry| !w.taken.swap(true, Ordering::SeqCst);
        let watched = GUARDS.iter().find(free)?;
        for word in &watched.written {
            word.store(0, Ordering::Relaxed);
        }
        watched.pages.store(pages, Ordering::SeqCst);
        watched.base.store(base.as_ptr() as usize, Ordering::SeqCst);
        let guard = SnapshotGuard(watched);
        // SAFETY: pages of the arena; a write to one of them reaches the
        // handler.
        let rc = unsafe { libc::mprotect(base.as_ptr().cast(), bytes, libc::PROT_READ) };
        // On a failure the guard removes the protection when it is dropped.
        (rc == 0).then_some(guard)
    }

    /// Bytes that are watched.
    pub fn bytes(&self) -> usize {
        self.0.pages.load(Ordering::Relaxed) * PAGE
    }

    /// Bytes of the pages that were written.
    pub fn written(&self) -> usize {
        let mut bytes = 0;
        self.each_written(|_, run| bytes += run);
        bytes
    }

    /// Gives each run of pages that were written: where it begins, and its
    /// bytes.
    pub fn each_written(&self, mut act: impl FnMut(usize, usize)) {
        let mut run = (0, 0);
        let words = self.0.pages.load(Ordering::Relaxed).div_ceil(64);
        for (i, word) in self.0.written[..words].iter().enumerate() {
            let mut bits = word.load(Ordering::Relaxed);
            while bits != 0 {
                let skip = bits.trailing_zeros();
                let long = (bits >> skip).trailing_ones();
                let from = i * 64 + skip as usize;
                if run.0 + run.1 == from {
                    run.1 += long as usize;
                } else {
                    if run.1 > 0 {
                        act(run.0 * PAGE, run.1 * PAGE);
                    }
                    run = (from, long as usize);
                }
                let done = skip + long;
                bits = if done >= 64 { 0 } else { bits >> done << done };
            }
        }
        if run.1 > 0 {
            act(run.0 * PAGE, run.1 * PAGE);
        }
    }
}

impl Drop for SnapshotGuard {
    fn drop(&mut self) {
        let both = libc::PROT_READ | libc::PROT_WRITE;
        // SAFETY: pages of the arena that this guard closed. Opening them is not
        // expected to fail: it only joins parts of the mapping.
        unsafe {
            let base = self.0.base.load(Ordering::Relaxed) as *mut libc::c_void;
            libc::mprotect(base, self.bytes(), both);
        }
        self.0.base.store(0, Ordering::SeqCst);
        self.0.taken.store(false, Ordering::SeqCst);
    }
}

/// Ends the guard of pages that begin here, which is never dropped.
pub fn forget(base: usize) {
    let of = |w: &&GuardEntry| base != 0 && w.base.load(Ordering::SeqCst) == base;
    if let Some(watched) = GUARDS.iter().find(of) {
        watched.base.store(0, Ordering::SeqCst);
        watched.taken.store(false, Ordering::SeqCst);
    }
}

/// Installs our handler before the current one and returns the current one.
fn install() -> Option<libc::sigaction> {
    let mut before = MaybeUninit::<libc::sigaction>::zeroed();
    // SAFETY: whole structures of our own; the handler does what a handler may.
    unsafe {
        let mut ours: libc::sigaction = std::mem::zeroed();
        ours.sa_sigaction = on_fault as *const () as usize;
        ours.sa_flags = libc::SA_SIGINFO | libc::SA_ONSTACK | libc::SA_NODEFER;
        libc::sigemptyset(&mut ours.sa_mask);
        // The watchdog's signal waits until the page is noted.
        libc::sigaddset(&mut ours.sa_mask, libc::SIGURG);
        match libc::sigaction(libc::SIGSEGV, &ours, before.as_mut_ptr()) {
            0 => Some(before.assume_init()),
            _ => None,
        }
    }
}

/// Notes the page that was to be written and makes it writable; other faults go
/// to the handler before.
extern "C" fn on_fault(
    signal: libc::c_int,
    info: *mut libc::siginfo_t,
    context: *mut libc::c_void,
) {
    // SAFETY: the system passes valid pointers to the handler.
    let (at, code) = unsafe { ((*info).si_addr() as usize, (*info).si_code) };
    if code == SEGV_ACCERR && opened(at) {
        return;
    }
    // SAFETY: the handler that was there is called as the system would.
    unsafe {
        match BEFORE.get() {
            Some(Some(before)) if before.sa_sigaction == libc::SIG_IGN => {}
            Some(Some(before)) if before.sa_sigaction != libc::SIG_DFL => {
                if before.sa_flags & libc::SA_SIGINFO != 0 {
                    let handler: extern "C" fn(
                        libc::c_int,
                        *mut libc::siginfo_t,
                        *mut libc::c_void,
                    ) = std::mem::transmute(before.sa_sigaction);
                    handler(signal, info, context);
                } else {
                    let handler: extern "C" fn(libc::c_int) =
                        std::mem::transmute(before.sa_sigaction);
                    handler(signal);
                }
            }
            // The access comes again, and ends the process.
            _ => drop(libc::signal(signal, libc::SIG_DFL)),
        }
    }
}

/// `si_code` of an access that the mapping does not permit.
const SEGV_ACCERR: libc::c_int = 2;

/// Opens a page of a guard; false when it is of none.
fn opened(at: usize) -> bool {
    for watched in &GUARDS {
        let base = watched.base.load(Ordering::SeqCst);
        let pages = watched.pages.load(Ordering::SeqCst);
        let page = at.wrapping_sub(base) / PAGE;
        if base == 0 || page >= pages {
            continue;
        }
        let from = base + page * PAGE;
        let both = libc::PROT_READ | libc::PROT_WRITE;
        // SAFETY: errno is this thread's; the pages belong to the arena that
        // this thread writes to, so its guard is not removed meanwhile.
        let rc = unsafe {
            let errno = *libc::__errno_location();
            let mut rc = libc::mprotect(from as *mut libc::c_void, PAGE, both);
            if rc != 0 {
                // No more parts: everything is opened, and all put back.
                rc = libc::mprotect(base as *mut libc::c_void, pages * PAGE, both);
                for page in 0..pages {
                    watched.written[page / 64].fetch_or(1 << (page % 64), Ordering::Relaxed);
                }
            }
            *libc::__errno_location() = errno;
            rc
        };
        watched.written[page / 64].fetch_or(1 << (page % 64), Ordering::Relaxed);
        return rc == 0;
    }
    false
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::ptr;

    /// Writable pages, mapped for a test.
    fn pages(count: usize) -> NonNull<u8> {
        // SAFETY: a fresh private mapping.
        let at = unsafe {
            libc::mmap(
                ptr::null_mut(),
                count * PAGE,
                libc::PROT_READ | libc::PROT_WRITE,
                libc::MAP_PRIVATE | libc::MAP_ANONYMOUS,
                -1,
                0,
            )
        };
        NonNull::new(at.cast()).unwrap()
    }

    #[test]
    fn the_pages_that_are_written_are_known_and_no_others() {
        let base = pages(200);
        let guard = SnapshotGuard::new(base, 200 * PAGE).unwrap();
        assert_eq!(guard.written(), 0);
        for page in [0, 1, 2, 63, 64, 127, 199] {
            // SAFETY: within the mapping.
            unsafe { base.as_ptr().add(page * PAGE + 17).write_volatile(1) };
        }
        let mut runs = Vec::new();
        guard.each_written(|from, bytes| runs.push((from / PAGE, bytes / PAGE)));
        assert_eq!(runs, [(0, 3), (63, 2), (127, 1), (199, 1)]);
        assert_eq!(guard.written(), 7 * PAGE);
        drop(guard);
        // SAFETY: open again.
        unsafe { base.as_ptr().add(5 * PAGE).write_volatile(1) };
    }

    #[test]
    fn many_guards_do_not_disturb_each_other() {
        let all: Vec<(NonNull<u8>, Option<SnapshotGuard>)> = (0..20)
            .map(|_| pages(2))
            .map(|base| (base, SnapshotGuard::new(base, 2 * PAGE)))
            .collect();
        for (base, guard) in &all {
            // SAFETY: within the mapping.
            unsafe { base.as_ptr().add(PAGE).write_volatile(7) };
            let written = guard.as_ref().map(SnapshotGuard::written);
            assert!(written.is_none_or(|w| w == PAGE), "{written:?}");
        }
    }
}
