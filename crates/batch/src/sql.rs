//! EXEC SQL of batch programs.
//!
//! The session is connected and set up before the step starts; the process inherits
//! its descriptor. The program ends its units of work itself, by COMMIT and
//! ROLLBACK; the end of the program commits, and an abnormal one rolls back.
//!
//! Invariant: no panic crosses the C side.

use std::cell::RefCell;
use std::ffi::c_int;
use std::fs::File;
use std::io::{self, ErrorKind, Read, Write};
use std::os::fd::FromRawFd;

use runtime::sql::{Session, SessionOptions, SqlAreas, SqlTransport, UnitOwner, dsntiac, dsntiar};
use sql::StatementKind;
use sql::code::{SQLCA_BYTES, Sqlca};
use sql::temporal::DateStyle;

use crate::dd::SqlAt;
use crate::markup::Field;

/// The function that the C side calls: 0 for a statement, 1 for DSNTIAR, 2 for
/// DSNTIAC. The result is the RETURN-CODE.
pub(crate) type SqlCall = unsafe extern "C" fn(c_int, *const *mut Field, c_int) -> c_int;

/// Where a statement block has its kind.
const KIND_AT: usize = 3;

thread_local! {
    static CONNECTION: RefCell<Option<Connection>> = const { RefCell::new(None) };
}

struct Connection {
    file: File,
    session: Session,
    commit_files: CommitFiles,
}

/// Commits the program's changes to files of the store; why that failed.
pub(crate) type CommitFiles = fn() -> Option<String>;

/// Takes over the descriptor of a step.
pub(crate) fn open(at: &SqlAt, commit_files: CommitFiles) {
    // SAFETY: the descriptor was left open for this process, and no other code
    // uses it.
    let file = unsafe { File::from_raw_fd(at.descriptor) };
    let options = SessionOptions {
        owner: UnitOwner::Program,
        rolls_back: true,
        dates: DateStyle::from_name(&at.dates).unwrap_or(DateStyle::Iso),
        decimal_digits: if at.decimal_digits == 31 { 31 } else { 15 },
        qualifier: at.qualifier.clone(),
        ..SessionOptions::default()
    };
    let session = Session::new(options);
    CONNECTION.set(Some(Connection {
        file,
        session,
        commit_files,
    }));
}

/// Ends the program's unit of work by commit or rollback. Returns the error if it
/// could not be committed.
pub(crate) fn end(commit: bool) -> Option<String> {
    let mut connection = CONNECTION.take()?;
    let Connection { file, session, .. } = &mut connection;
    let ended = session.end_program(&mut FileTransport(file), commit);
    ended.err().map(|ca| {
        let text = sql::code::message_text(&ca);
        format!("SQLCODE {}: {text}", ca.sqlcode)
    })
}

struct FileTransport<'f>(&'f File);

impl SqlTransport for FileTransport<'_> {
    fn send(&mut self, bytes: &[u8]) -> io::Result<()> {
        let mut file = self.0;
        file.write_all(bytes)
    }

    fn receive(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let mut file = self.0;
        loop {
            match file.read(buffer) {
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
    // Files of the store are committed before the SQL: after a kill a restart finds the
    // records of all units that it does not repeat.
    let is_commit = areas.bytes(0).get(KIND_AT) == Some(&(StatementKind::Commit as u8));
    CONNECTION.with_borrow_mut(|connection| match connection {
        Some(open) => {
            let fault = if is_commit {
                (open.commit_files)()
            } else {
                None
            };
            if let Some(why) = fault {
                let ca = Sqlca::of(-904, &["00D31024", "00000100", &why]);
                write(areas, &ca);
            } else {
                let Connection { file, session, .. } = open;
                session.execute(&mut FileTransport(file), areas);
            }
        }
        // The step was started without a data base.
        None => write(areas, &Sqlca::of(-924, &["the step has no connection"])),
    });
}

fn write(areas: &mut BatchAreas<'_>, ca: &Sqlca) {
    if let Some(area) = areas.bytes_mut(1).first_chunk_mut::<SQLCA_BYTES>() {
        ca.write(area);
    }
}
