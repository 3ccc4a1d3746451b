//! The embedded store: LMDB, read from many processes and written by one.
//!
//! An environment is a directory: `data.mdb` (all files), `lock.mdb` (the
//! reader table) and `writer.lock`. Its map has one huge size from the start,
//! so that no reader ever has to map it again. Workers open it read-only: the
//! records are then mapped without the right to write them, so a program's wild
//! store cannot change them, and the reader table that they write is their own.
//!
//! * `sys`: the C interface made safe. `env`: opening, once a process.
//! * `catalogue`: the list of files. `lock`: the right to write.
//! * `ahead`: the pages of the last commit that are not on the disk yet.
//! * [`LmdbReader`], [`LmdbStore`] and `load`: the two sides of a store.
//! * `fill`: much written at once, and indexes built. `seal`: check sums.
//! * `lent`: reader tables for untrusted processes.
//! * `home`: the checks before LMDB opens a directory. `pages`, `walk`
//!   and [`check`]: whether a file is whole, found out without LMDB; `fault`:
//!   when all of a large one is looked at first; `looked`, `guard` and `way`:
//!   what is looked at while it is used; `verify`: the same of what is read as a whole. [`restore`] and [`LmdbReader::backup`].
//! * [`salvage`], on `ground` and `remains`: what a damaged file still holds.
//! * [`StoreStat`]: sizes, free pages and readers.
//!
//! Invariant: a process that forks must not use the parent's environment in
//! the child; workers are exec'd and open their own.

mod ahead;
mod backup;
mod catalogue;
mod check;
mod env;
mod fault;
mod fill;
mod ground;
mod guard;
mod home;
mod lent;
mod load;
mod lock;
mod looked;
mod pages;
mod reader;
mod remains;
mod salvage;
mod salvaged;
mod seal;
mod stat;
mod sys;
mod verify;
mod walk;
mod way;
mod writer;

pub use backup::{BackupError, restore};
pub use check::{CheckReport, CheckedFile, check};
pub use env::{CommitDurability, LmdbOptions, OpenError};
pub use lent::{LentTable, ReaderTables};
pub use looked::{CheckEnded, StoreDamage};
pub use reader::LmdbReader;
pub use salvage::salvage;
pub use salvaged::{SalvageError, SalvageReport, SalvagedFile, SalvagedRecord, SalvagedState};
pub use stat::{FileStat, ReaderStat, StoreStat};
pub use writer::LmdbStore;
