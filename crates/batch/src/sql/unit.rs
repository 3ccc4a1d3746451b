//! The end of a unit of work over SQL and files of the store.
//!
//! ```text
//!   changes in      COMMIT
//!   SQL alone       the SQL server commits
//!   files alone     the SQL server ends its transaction, then the files are committed
//!   both            the store keeps the unit as prepared, the SQL server commits with a row
//!                   of the unit's token, the store applies
//! ```
//!
//! Cursors WITH HOLD are read before a commit (`Session::settle`). A unit that cannot be
//! committed is rolled back in both.

use kernel::UnitToken;
use sql::code::Sqlca;

use super::{Connection, FileTransport, has_changes};
use crate::output::print_message;
use crate::stored::{Fault, StoreRecords};

/// Reason code and type of resource of an SQLCODE about files.
const REASON: [&str; 2] = ["00D31024", "00000100"];

impl Connection {
    /// Files of the store are part of units from now on.
    pub(super) fn hold_files(&mut self) {
        if std::mem::replace(&mut self.holds_files, true) {
            return;
        }
        // A region that has ended is reported by the next statement on a file.
        self.with_files(|files| files.hold_changes(has_changes));
    }

    /// Something with the files; `None` if the program has none.
    fn with_files<T>(&mut self, work: impl FnOnce(&mut StoreRecords) -> T) -> Option<T> {
        let (mut work, mut done) = (Some(work), None);
        (self.lend_files)(&mut |files| {
            if let Some(work) = work.take() {
                done = Some(work(files));
            }
        });
        done
    }

    /// Backs out the files' part of the unit.
    pub(super) fn back_out_files(&mut self) {
        self.with_files(StoreRecords::back_out);
    }

    /// The program is over.
    pub(super) fn end_program(&mut self, commit: bool) -> Result<(), Box<Sqlca>> {
        if !self.holds_files {
            // No statement of SQL ran.
            return Ok(());
        }
        let closed = self
            .session
            .close_cursors(&mut FileTransport(&mut self.file));
        let ended = closed.and_then(|()| self.end_unit(commit));
        if ended.is_err() {
            self.back_out_files();
        }
        ended
    }

    /// COMMIT or ROLLBACK.
    pub(super) fn end_unit(&mut self, commit: bool) -> Result<(), Box<Sqlca>> {
        if !commit {
            let ended = self.end_sql(false);
            self.back_out_files();
            return ended;
        }
        if !self
            .with_files(|files| files.has_changes())
            .unwrap_or(false)
        {
            return self.end_sql(true);
        }
        if !self.session.has_changes() {
            return self.commit_files();
        }
        self.settle()?;
        let server = self.server.clone();
        match self.with_files(|files| files.prepare(&server)) {
            Some(Ok(Some(token))) => self.commit_both(token),
            Some(Err(fault)) => {
                self.end_sql(false)?;
                Err(rolled_back(&fault.text))
            }
            Some(Ok(None)) | None => self.end_sql(true),
        }
    }

    /// Ends the transaction of a unit that has changes in SQL alone, or that is rolled back.
    fn end_sql(&mut self, commit: bool) -> Result<(), Box<Sqlca>> {
        let transport = &mut FileTransport(&mut self.file);
        self.session.end_program_unit(transport, commit)
    }

    /// Commits a unit that has changed nothing in SQL.
    fn commit_files(&mut self) -> Result<(), Box<Sqlca>> {
        if let Err(ca) = self.end_sql(true) {
            self.back_out_if_over(&ca);
            return Err(ca);
        }
        match self.with_files(StoreRecords::commit) {
            Some(Err(Fault { text, .. })) => Err(rolled_back(&text)),
            _ => Ok(()),
        }
    }

    /// Reads what held cursors have, before the commit.
    fn settle(&mut self) -> Result<(), Box<Sqlca>> {
        let transport = &mut FileTransport(&mut self.file);
        let settled = self.session.settle(transport, true);
        settled
            .map(drop)
            .inspect_err(|ca| self.back_out_if_over(ca))
    }

    /// After an error the unit goes on, unless the connection broke or the server rolled back.
    fn back_out_if_over(&mut self, ca: &Sqlca) {
        if ca.sqlcode == -924 || !self.session.has_unit() {
            self.back_out_files();
        }
    }

    /// The files are prepared: the SQL server decides.
    fn commit_both(&mut self, token: UnitToken) -> Result<(), Box<Sqlca>> {
        let committed = self.host.commit(token);
        let applied = self.with_files(|files| files.decided(token, committed));
        if let Some(Err(Fault { text, .. })) = &applied {
            print_message(&format!("unit of work {token}: {text}"));
        }
        let is_over = matches!(applied, Some(Ok(())));
        match committed {
            Some(true) => {
                if is_over && !self.is_in_region() {
                    self.host.forget(token);
                }
                Ok(())
            }
            Some(false) => {
                self.session.end_unit(false);
                Err(rolled_back("the SQL server could not commit"))
            }
            None => {
                self.session.end_unit(false);
                Err(Box::new(Sqlca::of(-924, &["the unit of work is in doubt"])))
            }
        }
    }

    /// Whether a region has the files: it deletes the rows of its units.
    fn is_in_region(&mut self) -> bool {
        self.with_files(|files| files.is_in_region())
            .unwrap_or(false)
    }
}

/// The SQLCA of a unit that was rolled back at COMMIT.
fn rolled_back(why: &str) -> Box<Sqlca> {
    print_message(&format!("the unit of work was rolled back: {why}"));
    Box::new(Sqlca::of(-911, &[REASON[0], REASON[1], why]))
}
