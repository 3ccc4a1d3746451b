//! The table of the services that only a region has; those of Language
//! Environment are in `runtime::le`.

use super::arguments::LeArguments;
use crate::baq;
use crate::exec::CommandStop;
use crate::eza;
use crate::markup;
use crate::sql;
use crate::worker::Worker;

/// Why a service does not come back, or comes back with a code.
pub(crate) enum ServiceEnd {
    /// The service does not return.
    Stop(CommandStop),
    /// With this in RETURN-CODE.
    ReturnCode(i32),
}

/// Result of a service.
pub(crate) type LeResult = Result<(), ServiceEnd>;

/// A service.
pub(crate) struct ServiceRow {
    pub name: &'static str,
    pub serve: fn(&mut Worker, &LeArguments<'_>) -> LeResult,
}

macro_rules! rows {
    ($($name:literal $serve:path;)*) => {
        /// Every service, by its place here.
        pub(crate) const ROWS: &[ServiceRow] = &[$(ServiceRow { name: $name, serve: $serve }),*];
    };
}

rows! {
    "BAQCSTUB" baq::stub;
    "BAQCTERM" baq::stub_end;
    "BAQEXEC" baq::exec;
    "BAQFREE" baq::free;
    "BAQGETN" baq::get_next;
    "BAQINIT" baq::init;
    "BAQPUTN" baq::put_next;
    "BAQTERM" baq::terminate;
    "DFHEI3" markup::serve;
    "DSNHLI" sql::serve;
    "DSNTIAC" sql::tiac;
    "DSNTIAR" sql::tiar;
    "EZACIC04" eza::to_ascii;
    "EZACIC05" eza::to_host;
    "EZACIC06" eza::masks;
    "EZACIC08" eza::host_entry;
    "EZACIC09" eza::address_entry;
    "EZACIC14" eza::to_latin;
    "EZACIC15" eza::from_latin;
    "EZACICSO" eza::call;
    "EZASOKET" eza::call;
}
