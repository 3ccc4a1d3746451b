//! libcob in this process: loading it, taking its signals away, calling in.
//!
//! The C object is loaded first and for all later objects, so that its entries
//! are found before libcob's. The object is part of this library as bytes: a worker needs
//! no compiler, no header and no file of Tupelo except the executable.

use std::ffi::{CStr, CString, c_char, c_int, c_uint, c_void};
use std::mem::MaybeUninit;
use std::os::fd::AsRawFd;

use super::field::Field;
use super::module::{loader_error, memory_file};
use crate::print;

/// The next action of the C side.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(C)]
pub struct Flow {
    code: i32,
    depth: i32,
}

impl Flow {
    /// Go on with the next statement.
    pub const NEXT: Flow = Flow { code: 0, depth: 0 };

    /// Go on with the next statement, with this in RETURN-CODE.
    pub const fn returning(code: i32) -> Flow {
        Flow {
            code: 0,
            depth: code,
        }
    }

    /// Leave everything down to the frame of that depth and its `tw_run`.
    pub const fn leave(depth: i32) -> Flow {
        Flow {
            code: RunCode::Leave as i32,
            depth,
        }
    }

    /// Leave everything above the frame of that depth and enter its program
    /// again at its top.
    pub const fn reenter(depth: i32) -> Flow {
        Flow {
            code: RunCode::Reenter as i32,
            depth,
        }
    }
}

/// How [`CobolRuntime::run`] came back.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(i32)]
pub enum RunCode {
    /// The program ended by itself.
    Returned = 0,
    /// A handler asked to leave it.
    Leave = 1,
    /// A handler asked to enter it again.
    Reenter = 2,
}

/// The worker's side of the C object.
#[repr(C)]
pub struct WorkerHandlers {
    /// EXEC CICS: the calling module's parameter fields and their number.
    pub exec: unsafe extern "C" fn(*const *const Field, c_int) -> Flow,
    /// A translated program begins: as `exec`.
    pub start: unsafe extern "C" fn(*const *const Field, c_int) -> Flow,
    /// CALL and CANCEL: the entry of a name. The third argument is 0 when the
    /// program handles a missing one, 1 when not, 2 for CANCEL.
    pub resolve: unsafe extern "C" fn(*const u8, usize, c_int, *mut Flow) -> *mut c_void,
    /// STOP RUN (first argument 0) or a run-time error with its message.
    pub stop: unsafe extern "C" fn(c_int, *const c_char) -> Flow,
    /// CALL of a library routine that is not for programs here.
    pub refuse: unsafe extern "C" fn(*const c_char) -> Flow,
    /// A data or decimal exception, with its message.
    pub fault: unsafe extern "C" fn(*const c_char) -> Flow,
    /// Number of the Language Environment service of that name, or -1.
    pub service_named: unsafe extern "C" fn(*const u8, usize) -> c_int,
    /// CALL of a Language Environment service: its number, then as `exec`.
    pub service: unsafe extern "C" fn(c_int, *const *const Field, c_int) -> Flow,
}

/// libcob's module structure, as an identity only.
#[repr(C)]
pub struct CobModule {
    _opaque: [u8; 0],
}

/// Entry points of the C object, as it fills them in.
#[derive(Clone, Copy)]
#[repr(C)]
struct EntryPoints {
    run: unsafe extern "C" fn(*mut c_void, *mut c_void, *mut c_void) -> c_int,
    cancel_from: unsafe extern "C" fn(usize),
    started: unsafe extern "C" fn() -> usize,
    depth: unsafe extern "C" fn() -> i32,
    serial: unsafe extern "C" fn() -> u64,
    module: unsafe extern "C" fn() -> *const CobModule,
    line: unsafe extern "C" fn(*mut *const c_char) -> c_uint,
    print_to: unsafe extern "C" fn(PrintHandler) -> c_int,
    flush: unsafe extern "C" fn(),
    end_task: unsafe extern "C" fn(),
    has_ebcdic_sign: unsafe extern "C" fn() -> c_int,
}

/// Takes what a stream printed: 0 is standard output, 1 standard error.
type PrintHandler = unsafe extern "C" fn(c_int, *const c_char, usize);

type StartFunction =
    unsafe extern "C" fn(*mut c_void, *const WorkerHandlers, *mut EntryPoints) -> c_int;

/// libcob, started, and the way into it.
#[derive(Clone, Copy)]
pub struct CobolRuntime {
    libcob: *mut c_void,
    c: EntryPoints,
}

/// Why libcob could not be started.
#[derive(Debug, thiserror::Error)]
pub enum StartError {
    /// The C object could not be loaded.
    #[error("the worker's own object cannot be loaded: {0}")]
    Shim(String),
    /// libcob is not installed, or damaged.
    #[error("GnuCOBOL's run-time library cannot be loaded (install libcob4): {0}")]
    Libcob(String),
    /// libcob is there and is not one this worker knows.
    #[error("GnuCOBOL's run-time library lacks an entry; versions 3.1 and 3.2 are supported")]
    Foreign,
}

const SHIM: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/shim.so"));

impl CobolRuntime {
    /// Loads and initialises libcob; once a process, on its only thread.
    pub fn start(handlers: &'static WorkerHandlers) -> Result<Self, StartError> {
        let shim_error = |e: String| StartError::Shim(e);
        let fd = memory_file(c"tupelo-shim", SHIM).map_err(|e| shim_error(e.to_string()))?;
        let path = format!("/proc/self/fd/{}", fd.as_raw_fd());
        let path = CString::new(path).map_err(|e| shim_error(e.to_string()))?;
        let shim = open(&path).map_err(shim_error)?;
        // The descriptor's path must not name another object later.
        std::mem::forget(fd);
        let libcob = open(c"libcob.so.4").map_err(StartError::Libcob)?;
        // SAFETY: the handle is open.
        let start = unsafe { libc::dlsym(shim, c"tw_start".as_ptr()) };
        if start.is_null() {
            return Err(shim_error(loader_error()));
        }
        // SAFETY: shim.c gives tw_start this type.
        let start = unsafe { std::mem::transmute::<*mut c_void, StartFunction>(start) };
        let mut entries = MaybeUninit::uninit();
        // SAFETY: the handlers live as long as the process; the entries are
        // filled in when the answer is not 0.
        if unsafe { start(libcob, handlers, entries.as_mut_ptr()) } == 0 {
            return Err(StartError::Foreign);
        }
        reset_signals();
        // SAFETY: as above.
        Ok(CobolRuntime {
            libcob,
            c: unsafe { entries.assume_init() },
        })
    }

    /// Enters a program with its EIB and COMMAREA.
    ///
    /// # Safety
    /// `entry` is a loaded program's entry, the pointers are what its LINKAGE
    /// SECTION expects, and no reference to the worker's state is used across
    /// the call except through the one that the handlers find.
    pub unsafe fn run(&self, entry: *mut c_void, eib: *mut u8, commarea: *mut u8) -> RunCode {
        // SAFETY: by the contract.
        match unsafe { (self.c.run)(entry, eib.cast(), commarea.cast()) } {
            0 => RunCode::Returned,
            2 => RunCode::Reenter,
            _ => RunCode::Leave,
        }
    }

    /// How many modules have storage set up.
    pub fn started(&self) -> usize {
        // SAFETY: reads a counter.
        unsafe { (self.c.started)() }
    }

    /// Gives back the storage of all modules but the first `from`.
    pub fn cancel_from(&self, from: usize) {
        // SAFETY: the C side keeps the list; none of these programs is active.
        unsafe { (self.c.cancel_from)(from) };
    }

    /// Depth of the innermost frame, and its serial number.
    pub fn frame(&self) -> (i32, u64) {
        // SAFETY: reads two values.
        unsafe { ((self.c.depth)(), (self.c.serial)()) }
    }

    /// The module in control.
    pub fn module(&self) -> *const CobModule {
        // SAFETY: reads a value.
        unsafe { (self.c.module)() }
    }

    /// Line and source file of the statement in control; line 0 when unknown.
    pub fn line(&self) -> (u32, String) {
        let mut source = std::ptr::null();
        // SAFETY: the text is in the module in control.
        let line = unsafe { (self.c.line)(&mut source) };
        let source = if source.is_null() {
            String::new()
        } else {
            // SAFETY: as above.
            unsafe { CStr::from_ptr(source) }
                .to_string_lossy()
                .into_owned()
        };
        (line, source)
    }

    /// Hands what programs print to [`print::printed`] from now on; false when
    /// there is no memory for it.
    pub fn print_lines(&self) -> bool {
        // SAFETY: the function lives as long as the process.
        let handed_on = unsafe { (self.c.print_to)(on_printed) != 0 };
        if handed_on {
            print::begin_records();
        }
        handed_on
    }

    /// Has everything that was printed so far handed on.
    pub fn flush(&self) {
        // SAFETY: the C library's own streams.
        unsafe { (self.c.flush)() };
    }

    /// Clears what programs shared with one another: EXTERNAL items and UPSI
    /// switches.
    pub fn end_task(&self) {
        // SAFETY: no program is active.
        unsafe { (self.c.end_task)() };
    }

    /// Whether zoned items of the module in control have the signs of EBCDIC.
    pub fn has_ebcdic_sign(&self) -> bool {
        // SAFETY: it reads the module in control.
        unsafe { (self.c.has_ebcdic_sign)() != 0 }
    }

    /// A function of libcob.
    pub fn libcob_symbol(&self, name: &CStr) -> *mut c_void {
        // SAFETY: the handle is open.
        unsafe { libc::dlsym(self.libcob, name.as_ptr()) }
    }
}

unsafe extern "C" fn on_printed(stream: c_int, text: *const c_char, bytes: usize) {
    // SAFETY: the C side hands on so many bytes.
    let text = unsafe { std::slice::from_raw_parts(text.cast::<u8>(), bytes) };
    print::printed(usize::try_from(stream).unwrap_or(0), text);
}

fn open(path: &CStr) -> Result<*mut c_void, String> {
    // SAFETY: neither object runs code of this crate when it is loaded.
    let handle = unsafe { libc::dlopen(path.as_ptr(), libc::RTLD_NOW | libc::RTLD_GLOBAL) };
    if handle.is_null() {
        Err(loader_error())
    } else {
        Ok(handle)
    }
}

/// Takes back what libcob's start does to signals: its handlers call exit()
/// and hide from the region what happened.
fn reset_signals() {
    let all = [
        libc::SIGHUP,
        libc::SIGINT,
        libc::SIGQUIT,
        libc::SIGTERM,
        libc::SIGSEGV,
        libc::SIGBUS,
        libc::SIGFPE,
        libc::SIGILL,
    ];
    for signal in all {
        // SAFETY: the default action of a signal.
        unsafe { libc::signal(signal, libc::SIG_DFL) };
    }
    // SAFETY: a reader that went away must not end the worker.
    unsafe { libc::signal(libc::SIGPIPE, libc::SIG_IGN) };
}
