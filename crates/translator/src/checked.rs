//! The header for each module's C text. By it the worker notices invalid
//! data at which processors of z/Architecture would stop, and a GO TO may leave
//! a performed paragraph any number of times.
//!
//! `cobc` writes small functions for packed items into each module as static
//! ones. The header here, read before everything else, makes them ordinary
//! ones, so that those of the worker's own C object are used instead: they check
//! the digits first.
//!
//! `cobc` has 255 places for paragraphs that are being performed, and a GO TO out
//! of one leaves its place taken. z/OS has one place for each PERFORM statement.
//! When the places are used up, of those that one statement left several times
//! all but the newest are freed; the program ends only when none can be freed.

use std::ffi::OsString;
use std::fs;
use std::io;
use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};

/// The header's text. `COB_NOINLINE` is between the type and the name of
/// each of these functions and nowhere else; from 3.2 on two of them are inline. `frame_ptr` is the variable of each
/// program that `cobc` compares before it reports `COB_FERROR_STACK`.
const HEADER: &str = include_str!("../c/tupelo.h");

const FILE: &str = "tupelo.h";

/// Writes the header into the folder of the modules, if it is not there, and
/// gives the arguments for it of a compiler that runs in that folder.
pub fn arguments(dir: &Path) -> io::Result<[OsString; 2]> {
    let path = dir.join(FILE);
    if fs::read(&path).ok().as_deref() != Some(HEADER.as_bytes()) {
        // Programs are built side by side, by processes too.
        static WRITERS: AtomicUsize = AtomicUsize::new(0);
        let writer = WRITERS.fetch_add(1, Ordering::Relaxed);
        let fresh = dir.join(format!("{FILE}.{}.{writer}", std::process::id()));
        fs::write(&fresh, HEADER)?;
        fs::rename(&fresh, &path)?;
    }
    Ok(["-A".into(), format!("-include {FILE}").into()])
}
