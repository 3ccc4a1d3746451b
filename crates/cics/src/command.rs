//! The command table: what every EXEC CICS command is called, which options
//! it takes and where it is served.
//!
//! One row a command. The translator checks a program against the rows and
//! numbers the options of a command block by them; the worker and the region
//! dispatch by a row's number; the reference page is printed from them.
//! Rows of served commands are modules (`commands::read`) that also name the
//! index of each option; rows of other commands carry names only, so that the
//! translator can say precisely what is not supported yet.
//!
//! Reference: CICS API reference and system programming reference, command
//! by command. Invariant: numbers and option indexes never change once
//! released; new options go to the end of a row.

mod lookup;
mod page;
mod row;
mod rules;
mod sources;
mod spi;
mod table;

pub use lookup::{CommandSelection, all, by_number, for_verb, select, verbs};
pub use page::reference_page;
pub use row::{
    AcceptedNames, Command, CommandDomain, CommandSupport, ConditionRow, DataDirection,
    OptionArgument, OptionRow, OptionRule,
};
pub use rules::BrokenRule;
pub use spi::SpiGrants;
/// The rows of the served commands, one module each.
pub use table::commands;

/// Option index of RESP, the same for every command.
pub const RESP: u8 = 127;
/// Option index of RESP2, the same for every command.
pub const RESP2: u8 = 126;
/// Option index of NOHANDLE, the same for every command.
pub const NOHANDLE: u8 = 125;
/// A row has fewer options than this, so that the common ones fit above.
pub const MAX_OPTIONS: usize = 120;
