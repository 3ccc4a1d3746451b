//! The process of one batch program: libcob, the handler, and its end.
//!
//! The C object is loaded with global symbols before libcob, so that its functions
//! override libcob's. The program runs with the rights of the user, without a
//! sandbox.

use std::cell::RefCell;
use std::ffi::{CStr, CString, c_char, c_int, c_void};
use std::io::Write;
use std::os::fd::{AsRawFd, FromRawFd, OwnedFd};
use std::path::Path;

use store::{DiskReader, DiskStore, OpenError};

use crate::conversion::StepConversions;
use crate::dd::ProgramStep;
use crate::handler::{
    ClosePhrase, FileHandler, FileOperation, FileOrganization, FileStatement, Key, LineAdvance,
    Mode, StartRelation, StoreRecords,
};
use crate::output::{self, PrintBytes, print_message, print_out};
use crate::region_files::Region;
use crate::{markup, services, sql};

/// Why a program could not be started.
#[derive(Debug, thiserror::Error)]
pub enum RunError {
    /// The C object, libcob, or an entry of one.
    #[error("GnuCOBOL's run-time library cannot be used (install libcob4): {0}")]
    Libcob(String),
    /// The program is not among the modules.
    #[error("program {program} cannot be loaded: {reason}")]
    Program {
        /// Its name.
        program: String,
        /// The message of the library.
        reason: String,
    },
    /// The store cannot be opened.
    #[error(transparent)]
    Store(#[from] OpenError),
    /// The outcome could not be written.
    #[error("the outcome cannot be written: {0}")]
    Result(std::io::Error),
}

const SHIM: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/batch.so"));
const MOST_KEYS: usize = 64;
/// Marks an abnormal end in a step's result. The abend code of the program follows
/// it.
const ABEND: &str = "abend";

/// A key, as the C side has it.
#[derive(Clone, Copy)]
#[repr(C)]
struct RawKey {
    offset: u32,
    length: u32,
}

/// A statement, as the C side has it.
#[repr(C)]
struct Request {
    op: u32,
    org: u32,
    access: u32,
    optional: u32,
    variable: u32,
    min: u32,
    max: u32,
    length: u32,
    options: u32,
    ref_key: u32,
    key_length: u32,
    nkeys: u32,
    name_length: u32,
    area: u32,
    rrn: u64,
    max_rrn: u64,
    file: usize,
    name: *const c_char,
    record: *mut u8,
    keys: [RawKey; MOST_KEYS],
    status: [u8; 2],
    opened: u8,
    split: u8,
}

#[repr(C)]
struct HandlerTable {
    serve: unsafe extern "C" fn(*mut Request),
    stop: unsafe extern "C" fn(c_int, c_int),
    statement: markup::Statement,
    sql: sql::SqlCall,
    service: services::ServiceFunction,
}

type StartProgram = unsafe extern "C" fn(*mut c_void, *const HandlerTable) -> c_int;
type RunProgram = unsafe extern "C" fn(
    *mut c_void,
    *const c_char,
    *mut c_void,
    *mut c_int,
    *mut *const c_char,
) -> c_int;

/// The state of the process: it has one thread, so one of each.
struct ProcessState {
    handler: FileHandler,
    step: ProgramStep,
}

thread_local! {
    static STATE: RefCell<Option<ProcessState>> = const { RefCell::new(None) };
}

static HANDLERS: HandlerTable = HandlerTable {
    serve,
    stop,
    statement: markup::statement,
    sql: sql::call,
    service: services::service,
};

/// Runs the step's program to its end, writes its result and exits the process.
/// Returns only if the program could not be started.
pub fn run(step: ProgramStep, conversions: StepConversions) -> RunError {
    match start(step, conversions) {
        Ok(never) => match never {},
        Err(error) => error,
    }
}

fn start(
    step: ProgramStep,
    conversions: StepConversions,
) -> Result<std::convert::Infallible, RunError> {
    let shim = load_shim().map_err(RunError::Libcob)?;
    let libcob = open(c"libcob.so.4").map_err(RunError::Libcob)?;
    // SAFETY: before libcob starts there is one thread, so no other thread
    // reads the environment.
    unsafe { std::env::set_var("COB_LIBRARY_PATH", &step.modules) };
    // SAFETY: batch.c gives these entries these types.
    let (begin, run_program, print) = unsafe {
        (
            std::mem::transmute::<*mut c_void, StartProgram>(entry(shim, c"tb_start")?),
            std::mem::transmute::<*mut c_void, RunProgram>(entry(shim, c"tb_run")?),
            std::mem::transmute::<*mut c_void, PrintBytes>(entry(shim, c"tb_print")?),
        )
    };
    markup::bind(entry(shim, c"tb_get_int")?, entry(shim, c"tb_set_int")?);
    let (records, denied) = open_store(&step)?;
    let dds = step.dds.clone();
    let handler = FileHandler::new(dds, conversions, records, denied, print_out, print_message);
    let failed = |reason: String| RunError::Program {
        program: step.program.clone(),
        reason,
    };
    let program = CString::new(step.program.as_str()).map_err(|e| failed(e.to_string()))?;
    let mut parm = parameter(step.parm.as_deref().unwrap_or_default());
    output::bind(print);
    let state = ProcessState {
        handler,
        step: step.clone(),
    };
    STATE.with(|cell| *cell.borrow_mut() = Some(state));
    if let Some(at) = &step.sql {
        sql::open(at, lend_files);
    }
    // SAFETY: the handle is libcob's, the handlers live as long as the process.
    if unsafe { begin(libcob, &HANDLERS) } == 0 {
        return Err(RunError::Libcob("a function is missing".to_owned()));
    }
    reset_signals();
    let (mut code, mut why) = (0, std::ptr::null());
    // SAFETY: all pointers live through the call; nothing of the state is
    // borrowed when the program calls back.
    let ran = unsafe {
        run_program(
            libcob,
            program.as_ptr(),
            parm.as_mut_ptr().cast(),
            &mut code,
            &mut why,
        )
    };
    if ran == 0 {
        return Err(failed(text(why)));
    }
    leave(code, None)
}

/// PARM as the program receives it: its length in two bytes, then the text. The
/// area after it is blank.
fn parameter(parm: &str) -> Vec<u8> {
    let length = parm.len().min(usize::from(u16::MAX));
    let mut bytes = (length as u16).to_be_bytes().to_vec();
    bytes.extend_from_slice(&parm.as_bytes()[..length]);
    bytes.resize(bytes.len() + 4096, b' ');
    bytes
}

/// The store, changed by this process or by the region that owns it. Returns the
/// reason without a store.
fn open_store(step: &ProgramStep) -> Result<(Option<StoreRecords>, String), RunError> {
    let Some(at) = &step.store else {
        return Ok((None, "the application has no store".to_owned()));
    };
    let options = at.options();
    let writer = match DiskStore::open(&at.path, &options) {
        Ok(store) => store,
        Err(OpenError::Held { pid, .. }) => {
            let holder = pid.map_or("a process".to_owned(), |pid| format!("process {pid}"));
            let region = Region::new(at.state.clone(), &step.program, holder);
            let reader = DiskReader::open(&at.path, &options)?;
            let records = StoreRecords::with_region(Box::new(reader), region);
            return Ok((Some(records), String::new()));
        }
        Err(error) => return Err(error.into()),
    };
    let reader = writer.disk_reader().map_err(|source| OpenError::Storage {
        path: at.path.clone(),
        source,
    })?;
    let records = StoreRecords::new(Box::new(reader), Box::new(writer));
    Ok((Some(records), String::new()))
}

/// Lends the files of the store to the end of a unit of work.
fn lend_files(work: &mut dyn FnMut(&mut StoreRecords)) {
    STATE.with(|cell| {
        if let Some(store) = cell.borrow_mut().as_mut().and_then(|s| s.handler.store()) {
            work(store);
        }
    });
}

/// Ends the unit of work, writes the result and exits the process without
/// libcob's exit handlers: the files are closed already.
fn leave(code: i32, abend: Option<String>) -> ! {
    let is_normal = abend.is_none();
    let mut outcome = abend.unwrap_or_else(|| code.to_string());
    if let Some(fault) = sql::end(is_normal) {
        print_message(&format!("the last unit of work was not committed: {fault}"));
        outcome = ABEND.to_owned();
    }
    let result = STATE.with(|cell| {
        let mut state = cell.borrow_mut();
        let state = state.as_mut()?;
        if let Err(fault) = state.handler.finish() {
            print_message(&format!("the last changes were not stored: {}", fault.text));
            outcome = ABEND.to_owned();
        }
        Some(state.step.result.clone())
    });
    if let Some(path) = result
        && let Err(error) = write_result(&path, &outcome)
    {
        print_message(&RunError::Result(error).to_string());
    }
    STATE.with(|cell| drop(cell.borrow_mut().take()));
    // SAFETY: flushes the C library's streams, then ends the process.
    unsafe {
        libc::fflush(std::ptr::null_mut());
        libc::_exit(code & 0xFF)
    }
}

fn write_result(path: &Path, outcome: &str) -> std::io::Result<()> {
    std::fs::File::create(path)?.write_all(outcome.as_bytes())
}

unsafe extern "C" fn stop(status: c_int, why: c_int) {
    match why {
        0 => leave(status, None),
        2 => leave(status, Some(format!("abend U{status:04}"))),
        _ => leave(status, Some(ABEND.to_owned())),
    }
}

unsafe extern "C" fn serve(request: *mut Request) {
    // SAFETY: the C side's own block, which no other code uses during the call.
    let request = unsafe { &mut *request };
    let served = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
        STATE.with(|cell| {
            if let Some(state) = cell.borrow_mut().as_mut() {
                serve_request(&mut state.handler, request);
            }
        });
    }));
    if served.is_err() {
        // A panic must not cross the C side.
        std::process::abort();
    }
}

fn serve_request(handler: &mut FileHandler, request: &mut Request) {
    if request.split != 0 {
        print_message("a key of several parts: the store's keys have one");
        request.status = crate::status::Status::CONFLICT.0;
        return;
    }
    let keys: Vec<Key> = request.keys[..(request.nkeys as usize).min(MOST_KEYS)]
        .iter()
        .map(|key| Key {
            offset: key.offset,
            length: key.length,
        })
        .collect();
    let name = if request.name.is_null() {
        String::new()
    } else {
        // SAFETY: libcob gives a name of so many bytes.
        let bytes = unsafe {
            std::slice::from_raw_parts(request.name.cast::<u8>(), request.name_length as usize)
        };
        String::from_utf8_lossy(bytes).into_owned()
    };
    let area: &mut [u8] = if request.record.is_null() {
        &mut []
    } else {
        // SAFETY: the program's record area has room for its longest record,
        // and the program waits for this call.
        unsafe { std::slice::from_raw_parts_mut(request.record, request.area as usize) }
    };
    let op = operation(request.op, request.options);
    let mut call = FileStatement {
        op,
        file: request.file,
        assign: &name,
        org: match request.org {
            0 => FileOrganization::Lines,
            2 => FileOrganization::Indexed,
            3 => FileOrganization::Relative,
            _ => FileOrganization::Sequential,
        },
        is_sequential: request.access == 0,
        is_optional: request.optional != 0,
        is_variable: request.variable != 0,
        min: request.min as usize,
        max: request.max as usize,
        area,
        length: request.length as usize,
        number: u32::try_from(request.rrn).unwrap_or(0),
        greatest: request.max_rrn,
        keys: &keys,
        key: request.ref_key as usize,
        key_bytes: request.key_length as usize,
    };
    let status = handler.serve(&mut call);
    let (length, number) = (call.length, call.number);
    request.status = status.0;
    request.length = length as u32;
    request.rrn = u64::from(number);
    request.opened = match (handler.is_open(request.file), op) {
        (true, FileOperation::Open(Mode::Input)) => 0,
        (true, FileOperation::Open(Mode::Output)) => 1,
        (true, FileOperation::Open(Mode::Update)) => 2,
        (true, FileOperation::Open(Mode::Extend)) => 3,
        (true, _) => request.opened,
        (false, _) => 128,
    };
}

/// The operation of an operation code of the interface.
fn operation(code: u32, options: u32) -> FileOperation {
    match code {
        0xFA00 | 0xFA04 | 0xFA08 => FileOperation::Open(Mode::Input),
        0xFA01 | 0xFA05 => FileOperation::Open(Mode::Output),
        0xFA02 => FileOperation::Open(Mode::Update),
        0xFA03 => FileOperation::Open(Mode::Extend),
        // libcob has the phrase in the options.
        0xFA80 => match options {
            1 => FileOperation::Close(ClosePhrase::Lock),
            2 => FileOperation::Close(ClosePhrase::NoRewind),
            3 | 4 => FileOperation::Close(ClosePhrase::Reel),
            _ => FileOperation::Close(ClosePhrase::None),
        },
        0xFA81 => FileOperation::Close(ClosePhrase::Lock),
        0xFA82 => FileOperation::Close(ClosePhrase::NoRewind),
        0xFA84..=0xFA86 => FileOperation::Close(ClosePhrase::Reel),
        0xFA8D | 0xFAD8 | 0xFAD9 | 0xFAF5 => FileOperation::Next,
        0xFA8C | 0xFADE | 0xFADF | 0xFAF9 => FileOperation::Previous,
        0xFA8E | 0xFADA | 0xFADB | 0xFAF6 => FileOperation::Read,
        0xFAF3 => FileOperation::Write(advance(options)),
        0xFAF4 => FileOperation::Rewrite,
        0xFAF7 => FileOperation::Delete,
        0xFAE8 | 0xFAE9 => FileOperation::Start(StartRelation::Equal),
        0xFAEA => FileOperation::Start(StartRelation::Greater),
        0xFAEB => FileOperation::Start(StartRelation::NotLess),
        0xFAFE => FileOperation::Start(StartRelation::Less),
        0xFAFF => FileOperation::Start(StartRelation::NotGreater),
        0xFAED => FileOperation::Start(StartRelation::First),
        0xFAEC => FileOperation::Start(StartRelation::Last),
        other => FileOperation::Unknown(other as u16),
    }
}

/// ADVANCING, in libcob's own bits.
fn advance(options: u32) -> LineAdvance {
    const PAGE: u32 = 0x0002_0000;
    const AFTER: u32 = 0x0010_0000;
    const BEFORE: u32 = 0x0020_0000;
    let lines = options & 0xFFFF;
    match (
        options & BEFORE != 0,
        options & AFTER != 0,
        options & PAGE != 0,
    ) {
        (true, _, true) => LineAdvance::BeforePage,
        (true, _, false) => LineAdvance::Before(lines),
        (_, true, true) => LineAdvance::AfterPage,
        (_, true, false) => LineAdvance::After(lines),
        _ => LineAdvance::None,
    }
}

fn entry(handle: *mut c_void, name: &CStr) -> Result<*mut c_void, RunError> {
    // SAFETY: the handle is open.
    let found = unsafe { libc::dlsym(handle, name.as_ptr()) };
    if found.is_null() {
        return Err(RunError::Libcob(loader_error()));
    }
    Ok(found)
}

fn load_shim() -> Result<*mut c_void, String> {
    // SAFETY: the result is checked.
    let raw = unsafe { libc::memfd_create(c"tupelo-batch".as_ptr(), libc::MFD_CLOEXEC) };
    if raw < 0 {
        return Err(std::io::Error::last_os_error().to_string());
    }
    // SAFETY: a fresh descriptor.
    let fd = unsafe { OwnedFd::from_raw_fd(raw) };
    let path = format!("/proc/self/fd/{}", fd.as_raw_fd());
    let mut file = std::fs::File::from(fd);
    file.write_all(SHIM).map_err(|e| e.to_string())?;
    let path = CString::new(path).map_err(|e| e.to_string())?;
    let handle = open(&path)?;
    // The path must not change to another object before it is loaded.
    std::mem::forget(file);
    Ok(handle)
}

fn open(path: &CStr) -> Result<*mut c_void, String> {
    // SAFETY: neither object runs code of this process when it is loaded.
    let handle = unsafe { libc::dlopen(path.as_ptr(), libc::RTLD_NOW | libc::RTLD_GLOBAL) };
    if handle.is_null() {
        Err(loader_error())
    } else {
        Ok(handle)
    }
}

fn loader_error() -> String {
    // SAFETY: the text stays until the next call of the loader.
    text(unsafe { libc::dlerror() })
}

fn text(at: *const c_char) -> String {
    if at.is_null() {
        return "no reason given".to_owned();
    }
    // SAFETY: the caller guarantees a C string.
    unsafe { CStr::from_ptr(at) }.to_string_lossy().into_owned()
}

/// Resets libcob's signal handlers, which call exit() and hide the cause.
fn reset_signals() {
    for signal in [
        libc::SIGHUP,
        libc::SIGINT,
        libc::SIGQUIT,
        libc::SIGTERM,
        libc::SIGSEGV,
        libc::SIGBUS,
        libc::SIGFPE,
        libc::SIGILL,
    ] {
        // SAFETY: the default action of a signal.
        unsafe { libc::signal(signal, libc::SIG_DFL) };
    }
    // SAFETY: a region that has ended, or a reader of the output that went away, must not
    // end the program: statements on its files get a status.
    unsafe { libc::signal(libc::SIGPIPE, libc::SIG_IGN) };
}
