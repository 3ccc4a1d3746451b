//! EXEC SQL of batch programs.
//!
//! The session is connected and set up before the step starts; the process inherits
//! its descriptor. COMMIT and ROLLBACK of the program end one unit of work over its SQL and
//! its files of the store; the end of the program commits, and an abnormal one rolls back.
//! What is committed where, and in which order, is in [`unit`].
//!
//! Invariant: no panic crosses the C side.

mod unit;

use std::cell::RefCell;
use std::ffi::c_int;
use std::fs::File;
use std::io::{self, ErrorKind, Read, Write};
use std::os::fd::FromRawFd;

use runtime::sql::{
    Session, SessionOptions, SqlAreas, SqlTransport, StatementOutcome, UnitOwner, dsntiac, dsntiar,
};
use sql::code::{SQLCA_BYTES, Sqlca};
use sql::temporal::DateStyle;

use crate::dd::SqlAt;
use crate::markup::Field;
use crate::stored::StoreRecords;
use crate::unit_host::UnitHost;

/// The function that the C side calls: 0 for a statement, 1 for DSNTIAR, 2 for
/// DSNTIAC. The result is the RETURN-CODE.
pub(crate) type SqlCall = unsafe extern "C" fn(c_int, *const *mut Field, c_int) -> c_int;

thread_local! {
    static CONNECTION: RefCell<Option<Connection>> = const { RefCell::new(None) };
}

struct Connection {
    file: File,
    session: Session,
    host: UnitHost,
    /// The server, which a region compares with its own.
    server: String,
    lend_files: LendFiles,
    /// Files of the store are part of the program's units.
    holds_files: bool,
}

/// Lends the program's files of the store, if it has some.
pub(crate) type LendFiles = fn(&mut dyn FnMut(&mut StoreRecords));

/// Takes over the descriptors of a step.
pub(crate) fn open(at: &SqlAt, lend_files: LendFiles) {
    // SAFETY: the descriptor was left open for this process, and no other code
    // uses it.
    let file = unsafe { File::from_raw_fd(at.descriptor) };
    // SAFETY: as above.
    let host = unsafe { UnitHost::inherited(at.host) };
    let options = SessionOptions {
        owner: UnitOwner::Process,
        rolls_back: true,
        dates: DateStyle::from_name(&at.dates).unwrap_or(DateStyle::Iso),
        decimal_digits: if at.decimal_digits == 31 { 31 } else { 15 },
        qualifier: at.qualifier.clone(),
        ..SessionOptions::default()
    };
    let mut connection = Connection {
        file,
        session: Session::new(options),
        host,
        server: at.server.clone(),
        lend_files,
        holds_files: false,
    };
    if at.holds_files {
        connection.hold_files();
    }
    CONNECTION.set(Some(connection));
}

/// Ends the program's unit of work by commit or rollback. Returns the error if it
/// could not be committed.
pub(crate) fn end(commit: bool) -> Option<String> {
    let mut connection = CONNECTION.take()?;
    let ended = connection.end_program(commit);
    ended.err().map(|ca| {
        let text = sql::code::message_text(&ca);
        format!("SQLCODE {}: {text}", ca.sqlcode)
    })
}

/// Whether the SQL of the unit of work has changes.
fn has_changes() -> bool {
    CONNECTION.with_borrow(|connection| {
        let connection = connection.as_ref();
        connection.is_some_and(|connection| connection.session.has_changes())
    })
}

struct FileTransport<'f>(&'f mut File);

impl SqlTransport for FileTransport<'_> {
    fn send(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.0.write_all(bytes)
    }

    fn receive(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        loop {
            match self.0.read(buffer) {
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                other => return other,
            }
        }
    }
}

/// Operands of the program in control.
struct BatchAreas<'a>(&'a [*mut Field]);

impl BatchAreas<'_> {
    fn part(&self, at: usize) -> Option<(*mut u8, usize)> {
        // SAFETY: libcob's fields of this CALL, null for those omitted.
        let field = unsafe { self.0.get(at)?.as_ref() }?;
        let (data, size) = field.storage();
        (!data.is_null()).then_some((data, size))
    }
}

impl SqlAreas for BatchAreas<'_> {
    fn count(&self) -> usize {
        self.0.len()
    }

    fn address(&self, at: usize) -> usize {
        self.part(at).map_or(0, |(data, _)| data.addr())
    }

    fn bytes(&self, at: usize) -> &[u8] {
        match self.part(at) {
            // SAFETY: the program's storage of that size; the program waits.
            Some((data, size)) => unsafe { std::slice::from_raw_parts(data, size) },
            None => &[],
        }
    }

    fn bytes_mut(&mut self, at: usize) -> &mut [u8] {
        match self.part(at) {
            // SAFETY: as above; no other code reads it during the call.
            Some((data, size)) => unsafe { std::slice::from_raw_parts_mut(data, size) },
            None => &mut [],
        }
    }

    fn pointed_at(&mut self, address: usize, bytes: usize) -> &mut [u8] {
        if address == 0 {
            return &mut [];
        }
        let data = std::ptr::with_exposed_provenance_mut(address);
        // SAFETY: the program says that its storage is there; it waits. A wrong pointer
        // ends this process, which runs nothing but the program.
        unsafe { std::slice::from_raw_parts_mut(data, bytes) }
    }
}

/// # Safety
/// Called by the C side with the operands of a CALL of the program in control.
pub(crate) unsafe extern "C" fn call(
    what: c_int,
    params: *const *mut Field,
    count: c_int,
) -> c_int {
    let served = std::panic::catch_unwind(|| {
        let count = usize::try_from(count).unwrap_or(0);
        let fields = if params.is_null() {
            &[]
        } else {
            // SAFETY: so many operands, by the contract.
            unsafe { std::slice::from_raw_parts(params, count) }
        };
        let mut areas = BatchAreas(fields);
        match what {
            1 => dsntiar(&mut areas),
            2 => dsntiac(&mut areas),
            _ => {
                statement(&mut areas);
                0
            }
        }
    });
    // A panic must not cross the C side.
    served.unwrap_or_else(|_| std::process::abort())
}

fn statement(areas: &mut BatchAreas<'_>) {
    CONNECTION.with_borrow_mut(|connection| match connection {
        Some(open) => open.statement(areas),
        // The step was started without a data base.
        None => write(areas, &Sqlca::of(-924, &["the step has no connection"])),
    });
}

impl Connection {
    fn statement(&mut self, areas: &mut BatchAreas<'_>) {
        self.hold_files();
        let transport = &mut FileTransport(&mut self.file);
        match self.session.execute(transport, areas) {
            StatementOutcome::UnitEnds { commit } => {
                let ended = self.end_unit(commit);
                let ca = ended.map_or_else(|ca| *ca, |()| Sqlca::success(0));
                self.session.report(areas, ca);
            }
            // The SQL of the unit is rolled back, so its files are.
            StatementOutcome::UnitRolledBack | StatementOutcome::Lost => self.back_out_files(),
            StatementOutcome::Done | StatementOutcome::Cancelled => {}
        }
    }
}

fn write(areas: &mut BatchAreas<'_>, ca: &Sqlca) {
    if let Some(area) = areas.bytes_mut(1).first_chunk_mut::<SQLCA_BYTES>() {
        ca.write(area);
    }
}
