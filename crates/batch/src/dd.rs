//! The program of a step and the data sets of its DD names.

use std::collections::BTreeMap;
use std::path::PathBuf;

use serde::{Deserialize, Serialize};
use store::{CommitDurability, DiskOptions};

/// One program's run.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ProgramStep {
    /// The program's name.
    pub program: String,
    /// Folder that has each program as NAME.so.
    pub modules: PathBuf,
    /// PARM, when there is one.
    pub parm: Option<String>,
    /// The application folder, where copybooks find their COPY members.
    pub application: PathBuf,
    /// The DDs, by name in upper case.
    pub dds: BTreeMap<String, DdAllocation>,
    /// The store, when a DD is in it.
    pub store: Option<StoreAt>,
    /// The data base of EXEC SQL, when the program has statements.
    #[serde(default)]
    pub sql: Option<SqlAt>,
    /// File for the condition code, or for the reason of an abnormal end.
    pub result: PathBuf,
}

/// A session with a data base: connected, authenticated, set up and idle before the
/// step starts.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct SqlAt {
    /// Its descriptor, which the process inherits; it blocks.
    pub descriptor: i32,
    /// Format of dates and times: ISO, USA, EUR or JIS.
    pub dates: String,
    /// Digits of decimal arithmetic: 15 or 31.
    pub decimal_digits: u8,
    /// Schema of tables that are named without one.
    pub qualifier: Option<String>,
    /// Descriptor of the socket to the process that ends units of work at the server
    /// ([`crate::unit_host`]); the process of the step inherits it.
    pub host: i32,
    /// The server, which a region compares with its own.
    pub server: String,
    /// Files of the store are part of the program's units from its start; else from its
    /// first statement.
    pub holds_files: bool,
}

/// A store and its access.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct StoreAt {
    /// Its folder.
    pub path: PathBuf,
    /// The state folder of the region that may have it.
    pub state: PathBuf,
    /// Address space set aside, in bytes.
    pub map_bytes: u64,
    /// Processes that may read it at a time.
    pub max_readers: u32,
    /// Whether changes are flushed to the disk.
    pub sync: bool,
}

impl StoreAt {
    /// The options with which it is opened.
    pub fn options(&self) -> DiskOptions {
        DiskOptions {
            map_bytes: self.map_bytes,
            max_readers: self.max_readers,
            durability: if self.sync {
                CommitDurability::Flush
            } else {
                CommitDurability::NoFlush
            },
            ..DiskOptions::default()
        }
    }
}

/// The data set of a DD name.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct DdAllocation {
    /// Read in sequence; only the first is written.
    pub sources: Vec<RecordSource>,
    /// Whether OPEN OUTPUT adds at the end: DISP=MOD.
    pub append: bool,
    /// Whether OPEN OUTPUT empties a file of the store that holds records.
    pub reuse: bool,
    /// The code page of its files, if it differs from the program's.
    pub code_page: Option<CodePageOf>,
    /// Bytes of its records, if they are given and all have one length; for LOAD.
    #[serde(default)]
    pub record_bytes: Option<u32>,
}

/// A code page, and how the fields of records are found.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct CodePageOf {
    /// Its name, such as `cp037`.
    pub name: String,
    /// The record's copybook; without one every byte is a character.
    pub copybook: Option<PathBuf>,
    /// Whether the program's zoned numbers have the signs of EBCDIC as letters.
    pub letter_signs: bool,
}

/// The source of records.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum RecordSource {
    /// A file, alternate index or path of the store.
    Store(String),
    /// A file of the machine.
    File {
        /// Its path.
        path: PathBuf,
        /// The record format. `None` takes the one of the program's
        /// organisation.
        format: Option<RecordFormat>,
    },
    /// Lines in the job.
    Lines(String),
    /// Standard input.
    Input,
    /// Standard output.
    Output,
    /// DUMMY: empty when read; written records are discarded.
    Dummy,
}

/// The record format of a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum RecordFormat {
    /// Records of one length, nothing between them.
    Fixed,
    /// One record a line.
    Lines,
    /// Variable-length records, each after a four-byte record descriptor word.
    Rdw,
}

impl From<RecordSource> for DdAllocation {
    fn from(source: RecordSource) -> Self {
        DdAllocation {
            sources: vec![source],
            ..DdAllocation::default()
        }
    }
}
