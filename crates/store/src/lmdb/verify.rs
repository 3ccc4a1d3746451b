//! The pages of a file looked at before LMDB follows them.
//!
//! LMDB trusts the entries and references of a page: a damaged one returns
//! wrong records, or ends the process. Readers and writers of whole files walk
//! its pages first, once a reader. Commands of programs do not: they read one
//! record.

use std::fs::File;
use std::io;

use super::env::StoreEnvironment;
use super::home::with_way_out;
use super::pages::{MetaPage, PageFile, PageFlaw};
use super::sys::Reader;
use crate::error::StorageError;

/// Has the state that a reader keeps looked at: by [`before_reading`],
/// [`before_path`].
///
/// [`before_reading`]: super::check::before_reading
/// [`before_path`]: super::check::before_path
pub(super) fn verify(
    env: &StoreEnvironment,
    reader: &mut Reader,
    look: impl Fn(&PageFile, MetaPage) -> io::Result<Option<PageFlaw>>,
) -> Result<(), StorageError> {
    // Two commits may come between the state that is kept and its meta page.
    const TRIES: u32 = 1000;
    let failed = |error: io::Error| StorageError::Failed {
        doing: "checking its pages",
        reason: error.to_string(),
        code: error.raw_os_error().unwrap_or_default(),
    };
    let damaged = |flaw: String| StorageError::Damaged {
        reason: with_way_out(&flaw),
    };
    let file = File::open(env.path.join("data.mdb")).map_err(failed)?;
    let pages = PageFile::open(file).map_err(failed)?.map_err(damaged)?;
    let mut flaw = String::new();
    for _ in 0..TRIES {
        let snapshot = reader
            .snapshot()
            .map_err(|code| env.error(code, "checking its pages"))?;
        match pages.meta(Some(snapshot.id())).map_err(failed)? {
            Ok(meta) => {
                let found = look(&pages, meta).map_err(failed)?;
                return found.map_or(Ok(()), |flaw| Err(damaged(flaw)));
            }
            Err(found) => flaw = found,
        }
    }
    Err(damaged(flaw))
}
