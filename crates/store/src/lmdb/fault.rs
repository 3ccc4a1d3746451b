//! A mark that the process which wrote a store ended by a fault.
//!
//! Not every page of a large store is checked when it is opened for writing,
//! and a commit that uses a damaged one ends the process (SIGSEGV, SIGBUS or
//! SIGABRT). Because of the mark, `fault.txt` next to the data, the next start
//! checks all pages, so that it names the page instead of ending too. A fault
//! of another cause leaves the mark as well, and costs one such check.
//!
//! Invariant: the handler makes only calls that a handler may make.

use std::ffi::CString;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;
use std::ptr;
use std::sync::atomic::{AtomicPtr, Ordering};
use std::sync::{Mutex, OnceLock, PoisonError};

/// The mark's name.
const MARK: &str = "fault.txt";

/// The text of the mark.
const MARK_TEXT: &[u8] =
    b"The process that wrote this store ended by a fault. The next one checks all of its\npages \
        before it opens it, and deletes this file if they are whole.\n";

/// The message of the process.
const FAULT_MESSAGE: &[u8] =
    b"tupelo: a fault while a store was open for writing. If a page of it is \
    damaged, the next start names it; `tupelo file check` checks all\n";

/// Signals that a fault sends.
const FAULTS: [libc::c_int; 3] = [libc::SIGSEGV, libc::SIGBUS, libc::SIGABRT];

/// The path of the mark; null while no store is open for writing.
static PATH: AtomicPtr<libc::c_char> = AtomicPtr::new(ptr::null_mut());

/// All paths so far. A handler may be reading any of them, so none is ever freed.
static PATHS: Mutex<Vec<CString>> = Mutex::new(Vec::new());

/// The previous handler of each signal.
static BEFORE: OnceLock<[libc::sigaction; 3]> = OnceLock::new();

/// Whether there is a mark.
pub(super) fn is_marked(directory: &Path) -> bool {
    directory.join(MARK).exists()
}

/// Takes the mark away.
pub(super) fn unmark(directory: &Path) {
    // One that stays costs another look.
    let _ = std::fs::remove_file(directory.join(MARK));
}

/// From now on a fault of this process leaves the mark in a directory.
pub(super) fn watch(directory: &Path) {
    let Ok(path) = CString::new(directory.join(MARK).as_os_str().as_bytes()) else {
        return;
    };
    BEFORE.get_or_init(|| {
        // SAFETY: all zero is a value of this plain structure.
        let mut before: [libc::sigaction; 3] = unsafe { std::mem::zeroed() };
        for (signal, before) in FAULTS.into_iter().zip(&mut before) {
            // SAFETY: as above.
            let mut action: libc::sigaction = unsafe { std::mem::zeroed() };
            let handler: Handler = on_fault;
            action.sa_sigaction = handler as libc::sighandler_t;
            action.sa_flags = libc::SA_SIGINFO | libc::SA_ONSTACK;
            // SAFETY: both are valid places, and the handler may be called at
            // any time.
            unsafe { libc::sigaction(signal, &action, before) };
        }
        before
    });
    let mut paths = PATHS.lock().unwrap_or_else(PoisonError::into_inner);
    let at = paths.iter().position(|kept| *kept == path);
    let at = at.unwrap_or_else(|| {
        paths.push(path);
        paths.len() - 1
    });
    PATH.store(paths[at].as_ptr().cast_mut(), Ordering::Release);
}

/// No store is open for writing any more.
pub(super) fn unwatch() {
    PATH.store(ptr::null_mut(), Ordering::Release);
}

/// A signal handler.
type Handler = extern "C" fn(libc::c_int, *mut libc::siginfo_t, *mut libc::c_void);

extern "C" fn on_fault(
    signal: libc::c_int,
    info: *mut libc::siginfo_t,
    context: *mut libc::c_void,
) {
    // SAFETY: the system passes a valid pointer to the handler.
    let code = unsafe { (*info).si_code };
    // A write-protected page: the handler of its owner continues.
    if signal == libc::SIGSEGV && code == SEGV_ACCERR {
        return pass_on(signal, info, context);
    }
    leave_mark();
    pass_on(signal, info, context);
    // Where the one before waits for the access to come again, none does if
    // the signal was sent.
    // SAFETY: raise may be called in a handler.
    unsafe { libc::raise(signal) };
}

fn leave_mark() {
    let path = PATH.load(Ordering::Acquire);
    if path.is_null() {
        return;
    }
    let flags = libc::O_CREAT | libc::O_WRONLY | libc::O_CLOEXEC;
    // SAFETY: open, write and close may be called in a handler; the path is a C
    // string that is never freed, the texts are ours.
    unsafe {
        let mark = libc::open(path, flags, 0o640);
        if mark >= 0 {
            libc::write(mark, MARK_TEXT.as_ptr().cast(), MARK_TEXT.len());
            libc::close(mark);
        }
        libc::write(
            libc::STDERR_FILENO,
            FAULT_MESSAGE.as_ptr().cast(),
            FAULT_MESSAGE.len(),
        );
    }
}

/// Calls the handler that was installed before, as the system would.
fn pass_on(signal: libc::c_int, info: *mut libc::siginfo_t, context: *mut libc::c_void) {
    let at = FAULTS.iter().position(|fault| *fault == signal);
    let before = at.and_then(|at| BEFORE.get()?.get(at));
    // SAFETY: signal may be called in a handler; the handler that was there has
    // the form that its flags say.
    unsafe {
        match before {
            Some(before) if ![libc::SIG_DFL, libc::SIG_IGN].contains(&before.sa_sigaction) => {
                if before.sa_flags & libc::SA_SIGINFO != 0 {
                    let handler: Handler = std::mem::transmute(before.sa_sigaction);
                    handler(signal, info, context);
                } else {
                    let handler: extern "C" fn(libc::c_int) =
                        std::mem::transmute(before.sa_sigaction);
                    handler(signal);
                }
            }
            _ => drop(libc::signal(signal, libc::SIG_DFL)),
        }
    }
}

/// `si_code` of an access that the mapping does not permit.
const SEGV_ACCERR: libc::c_int = 2;
