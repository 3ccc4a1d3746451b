//! The file handler: the rules of COBOL's file statements and their status.
//!
//! A [`FileStatement`] is one statement. The handler keeps the open files, their
//! mode and their position; records come from [`stored`](crate::stored) or
//! [`plain`](crate::plain) files.
//!
//! Reference: IBM, *Enterprise COBOL for z/OS Language Reference*, OPEN, READ,
//! WRITE, REWRITE, DELETE, START and CLOSE, and "File status key".

mod change;

use std::collections::{BTreeMap, HashMap, HashSet};
use std::io;

use cics::file::{FileAccess, FilePermits};
use store::{FileOrganisation, FoundRecord, KeyField, SeekKey, rrn_key};

use crate::conversion::StepConversions;
use crate::dd::{DdAllocation, RecordFormat, RecordSource};
use crate::plain::{FileFraming, PlainFile, PlainInput, PlainOutput, PlainUpdate};
pub use crate::plain::{LineAdvance, PrintFunction};
use crate::status::Status;
use crate::stored::StoredFile;
pub use crate::stored::{Fault, StoreRecords};
use change::{delete, rewrite, write};

/// ORGANIZATION.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FileOrganization {
    /// LINE SEQUENTIAL.
    Lines,
    /// SEQUENTIAL.
    Sequential,
    /// INDEXED.
    Indexed,
    /// RELATIVE.
    Relative,
}

/// The open mode of a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Mode {
    /// INPUT.
    Input,
    /// OUTPUT.
    Output,
    /// I-O.
    Update,
    /// EXTEND.
    Extend,
}

/// The relation of a START.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StartRelation {
    /// The first record with this key.
    Equal,
    /// The first with a greater one.
    Greater,
    /// The first with such or a greater one.
    NotLess,
    /// The last with a lesser one.
    Less,
    /// The last with such or a lesser one.
    NotGreater,
    /// The first record.
    First,
    /// The last record.
    Last,
}

/// The phrase of a CLOSE.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ClosePhrase {
    /// It ends.
    None,
    /// WITH LOCK: not to be opened again by this program.
    Lock,
    /// WITH NO REWIND.
    NoRewind,
    /// REEL or UNIT, FOR REMOVAL or not: the file stays open.
    Reel,
}

/// A statement.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FileOperation {
    /// OPEN.
    Open(Mode),
    /// CLOSE.
    Close(ClosePhrase),
    /// READ NEXT, or READ of a file in sequence.
    Next,
    /// READ PREVIOUS.
    Previous,
    /// READ by key.
    Read,
    /// WRITE.
    Write(LineAdvance),
    /// REWRITE.
    Rewrite,
    /// DELETE.
    Delete,
    /// START.
    Start(StartRelation),
    /// A statement that the handler does not support.
    Unknown(u16),
}

/// A key of an indexed file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Key {
    /// Bytes before it in the record.
    pub offset: u32,
    /// Its bytes.
    pub length: u32,
}

/// One statement with all that the program says of its file.
pub struct FileStatement<'a> {
    /// The statement.
    pub op: FileOperation,
    /// Identifies the file among those of the program.
    pub file: usize,
    /// The name in ASSIGN.
    pub assign: &'a str,
    /// ORGANIZATION.
    pub org: FileOrganization,
    /// ACCESS MODE SEQUENTIAL.
    pub is_sequential: bool,
    /// SELECT OPTIONAL.
    pub is_optional: bool,
    /// Records may differ in length.
    pub is_variable: bool,
    /// Shortest record.
    pub min: usize,
    /// Longest record.
    pub max: usize,
    /// The record area; a read record is stored there.
    pub area: &'a mut [u8],
    /// Length of the record that is written, or of the one that was read, in
    /// bytes.
    pub length: usize,
    /// RELATIVE KEY; the number of the record that was read or written.
    pub number: u32,
    /// Greatest number that the RELATIVE KEY holds.
    pub greatest: u64,
    /// Keys, the RECORD KEY first.
    pub keys: &'a [Key],
    /// Number of the key that is used.
    pub key: usize,
    /// Leading bytes of it that are compared.
    pub key_bytes: usize,
}

/// The position of sequential access.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Cursor {
    /// Before the first record.
    Begin,
    /// On a record that was not read yet.
    At(Vec<u8>),
    /// On a record that was read.
    After(Vec<u8>),
    /// Nowhere: a statement failed, or the end was met.
    Lost,
}

enum OpenedFile {
    Stored(StoredFile),
    Plain(PlainFile),
    /// An optional file that is not there.
    Absent,
}

struct OpenFile {
    mode: Mode,
    records: OpenedFile,
    cursor: Cursor,
    /// Number of the key that the sequence follows.
    key: usize,
    /// Key of the record that the last statement read.
    last_read: Option<Vec<u8>>,
    /// Greatest key written in sequence.
    last_key: Option<Vec<u8>>,
    /// Key of the record that is locked for this file's next statement.
    held: Option<Vec<u8>>,
}

/// The files of one program's run.
pub struct FileHandler {
    dds: BTreeMap<String, DdAllocation>,
    conversions: StepConversions,
    store: Option<StoreRecords>,
    /// Why the store cannot be used.
    denied: String,
    files: HashMap<usize, OpenFile>,
    locked: HashSet<usize>,
    print: PrintFunction,
    /// Called if a status alone does not show users the reason.
    notify: fn(&str),
}

type CallResult = Result<Status, Fault>;

impl FileHandler {
    /// A handler with these DDs. `denied` is the reason why there is no store.
    pub fn new(
        dds: BTreeMap<String, DdAllocation>,
        conversions: StepConversions,
        store: Option<StoreRecords>,
        denied: String,
        print: PrintFunction,
        notify: fn(&str),
    ) -> Self {
        FileHandler {
            dds,
            conversions,
            store,
            denied,
            files: HashMap::new(),
            locked: HashSet::new(),
            print,
            notify,
        }
    }

    /// Whether a file is open.
    pub fn is_open(&self, file: usize) -> bool {
        self.files.contains_key(&file)
    }

    /// Does one statement and returns its file status.
    pub fn serve(&mut self, call: &mut FileStatement<'_>) -> Status {
        match self.serve_one(call) {
            Ok(status) => status,
            Err(Fault { mut status, text }) => {
                if status == Status::NO_ROOM
                    && matches!(
                        call.org,
                        FileOrganization::Sequential | FileOrganization::Lines
                    )
                {
                    status = Status::BOUNDARY;
                }
                if !text.is_empty() {
                    (self.notify)(&format!(
                        "DD {}: file status {status}: {text}",
                        dd_name(call.assign)
                    ));
                }
                status
            }
        }
    }

    /// Closes every file, and commits pending changes unless COMMIT of EXEC SQL does.
    pub fn finish(&mut self) -> Result<(), Fault> {
        for (_, mut open) in self.files.drain() {
            if let OpenedFile::Plain(PlainFile::Output(output)) = &mut open.records {
                output.finish().map_err(machine)?;
            }
        }
        let store = self.store.as_mut();
        store.map_or(Ok(()), StoreRecords::program_ended)
    }

    /// The files of the store, if the program has some.
    pub fn store(&mut self) -> Option<&mut StoreRecords> {
        self.store.as_mut()
    }

    fn serve_one(&mut self, call: &mut FileStatement<'_>) -> CallResult {
        if let FileOperation::Open(mode) = call.op {
            return self.open(call, mode);
        }
        if let FileOperation::Unknown(code) = call.op {
            return Err(Fault {
                status: Status::LOGIC,
                text: format!("operation X'{code:04X}' is not supported"),
            });
        }
        let Some(open) = self.files.get_mut(&call.file) else {
            return Ok(not_open(call.op));
        };
        if let Some(status) = forbidden(call, open) {
            return Ok(status);
        }
        let read_before = match call.op {
            FileOperation::Start(_)
            | FileOperation::Read
            | FileOperation::Next
            | FileOperation::Previous => None,
            _ => open.last_read.take(),
        };
        if matches!(
            call.op,
            FileOperation::Start(_)
                | FileOperation::Read
                | FileOperation::Next
                | FileOperation::Previous
        ) {
            open.last_read = None;
        }
        match call.op {
            FileOperation::Close(ClosePhrase::Reel) => Ok(Status::NO_REEL),
            FileOperation::Close(phrase) => self.close(call.file, phrase),
            FileOperation::Next | FileOperation::Previous => next(&mut self.store, open, call),
            FileOperation::Read => read(&mut self.store, open, call),
            FileOperation::Start(relation) => start(&mut self.store, open, call, relation),
            FileOperation::Write(advance) => write(&mut self.store, open, call, advance),
            FileOperation::Rewrite => rewrite(&mut self.store, open, call, read_before),
            FileOperation::Delete => delete(&mut self.store, open, call, read_before),
            FileOperation::Open(_) | FileOperation::Unknown(_) => Ok(Status::LOGIC),
        }
    }

    fn close(&mut self, file: usize, phrase: ClosePhrase) -> CallResult {
        let open = self.files.remove(&file);
        if phrase == ClosePhrase::Lock {
            self.locked.insert(file);
        }
        match open.map(|open| (open.records, open.held)) {
            Some((OpenedFile::Plain(PlainFile::Output(mut output)), _)) => {
                output.finish().map_err(machine)?;
            }
            Some((OpenedFile::Stored(file), mut held)) => {
                let store = of(&mut self.store)?;
                store.free(&file, &mut held)?;
                store.file_closed()?;
            }
            _ => {}
        }
        Ok(match phrase {
            ClosePhrase::NoRewind => Status::NO_REEL,
            _ => Status::OK,
        })
    }

    fn open(&mut self, call: &mut FileStatement<'_>, mode: Mode) -> CallResult {
        if self.files.contains_key(&call.file) {
            return Ok(Status::OPEN_ALREADY);
        }
        if self.locked.contains(&call.file) {
            return Ok(Status::LOCKED);
        }
        let found = match self.dds.get(&dd_name(call.assign)).cloned() {
            None => Err(no_dd(call, mode)),
            Some(dd) => self.open_dd(call, mode, &dd),
        };
        let (records, status) = match found {
            Ok(opened) => opened,
            Err(fault)
                if fault.status == Status::MISSING && call.is_optional && mode == Mode::Input =>
            {
                (OpenedFile::Absent, Status::OPTIONAL_MISSING)
            }
            Err(fault) => return Err(fault),
        };
        let mut open = OpenFile {
            mode,
            records,
            cursor: Cursor::Begin,
            key: 0,
            last_read: None,
            last_key: None,
            held: None,
        };
        if let (Mode::Extend, OpenedFile::Stored(file), Some(store)) =
            (mode, &open.records, &mut self.store)
        {
            open.last_key = store
                .seek(file, 0, SeekKey::Last, true)?
                .map(|last| last.key().to_vec());
        }
        self.files.insert(call.file, open);
        Ok(status)
    }

    fn open_dd(
        &mut self,
        call: &mut FileStatement<'_>,
        mode: Mode,
        dd: &DdAllocation,
    ) -> Result<(OpenedFile, Status), Fault> {
        let first = dd.sources.first().unwrap_or(&RecordSource::Dummy);
        if let RecordSource::Store(name) = first {
            let opened = self.open_stored(call, mode, name, dd.reuse)?;
            return Ok((opened, Status::OK));
        }
        if !matches!(
            call.org,
            FileOrganization::Sequential | FileOrganization::Lines
        ) && *first != RecordSource::Dummy
        {
            return Err(Fault {
                status: Status::CONFLICT,
                text: "an indexed or relative file is a file of the store".to_owned(),
            });
        }
        let default = match (call.org, call.is_variable) {
            (FileOrganization::Lines, _) => RecordFormat::Lines,
            (_, false) => RecordFormat::Fixed,
            (_, true) => RecordFormat::Rdw,
        };
        let mut status = Status::OK;
        if let RecordSource::File { path, .. } = first
            && matches!(mode, Mode::Update | Mode::Extend)
            && call.is_optional
            && !path.exists()
        {
            status = Status::OPTIONAL_MISSING;
            std::fs::File::create(path).map_err(machine)?;
        }
        let conversion = self.conversions.get(&dd_name(call.assign)).cloned();
        let converted = FileFraming {
            default,
            conversion,
        };
        let opened = match (mode, first) {
            (Mode::Input, _) => PlainInput::open(&dd.sources, converted).map(PlainFile::Input),
            (Mode::Output, source) => {
                PlainOutput::open(source, converted, dd.append, self.print).map(PlainFile::Output)
            }
            (Mode::Extend, RecordSource::File { path, .. }) if !path.exists() => {
                Err(io::Error::from_raw_os_error(libc::ENOENT))
            }
            (Mode::Extend, source) => {
                PlainOutput::open(source, converted, true, self.print).map(PlainFile::Output)
            }
            (Mode::Update, RecordSource::File { path, format }) => {
                PlainUpdate::open(path, *format, converted).map(PlainFile::Update)
            }
            (Mode::Update, RecordSource::Dummy) => {
                PlainInput::open(&dd.sources, converted).map(PlainFile::Input)
            }
            (Mode::Update, _) => Err(io::ErrorKind::Unsupported.into()),
        };
        let opened = opened.map(|plain| (OpenedFile::Plain(plain), status));
        opened.map_err(|error| Fault {
            status: match error.kind() {
                io::ErrorKind::NotFound => Status::MISSING,
                io::ErrorKind::PermissionDenied
                | io::ErrorKind::Unsupported
                | io::ErrorKind::ReadOnlyFilesystem
                | io::ErrorKind::IsADirectory => Status::MODE,
                _ => Status::PERMANENT,
            },
            text: match first {
                RecordSource::File { path, .. } => format!("{}: {error}", path.display()),
                _ => error.to_string(),
            },
        })
    }

    fn open_stored(
        &mut self,
        call: &FileStatement<'_>,
        mode: Mode,
        name: &str,
        reuse: bool,
    ) -> Result<OpenedFile, Fault> {
        let Some(store) = &mut self.store else {
            return Err(Fault {
                status: Status::MISSING,
                text: self.denied.clone(),
            });
        };
        store.check_usable()?;
        if mode != Mode::Input {
            store.make_writable()?;
        }
        let organisation = match call.org {
            FileOrganization::Indexed => FileOrganisation::Ksds(KeyField {
                offset_bytes: 0,
                length_bytes: 0,
            }),
            FileOrganization::Relative => FileOrganisation::Rrds,
            FileOrganization::Sequential | FileOrganization::Lines => FileOrganisation::Esds,
        };
        let mut file = store.open(name, organisation, call.keys, call.max)?;
        if mode == Mode::Output && !store.is_empty(&file)? {
            if !reuse {
                return Err(Fault {
                    status: Status::MODE,
                    text: format!(
                        "{name} holds records, and OPEN OUTPUT fills an empty file; \
                         `,reuse` after the DD's file empties it first"
                    ),
                });
            }
            store.clear(&mut file)?;
        }
        Ok(OpenedFile::Stored(file))
    }
}

/// The DD name in an ASSIGN: the text after the last hyphen, as in `UT-S-SYSIN` and
/// `AS-ESDS1`.
pub fn dd_name(assign: &str) -> String {
    let assign = assign.trim_matches([' ', '\0', '"', '\'']);
    let name = assign.rsplit('-').next().unwrap_or(assign);
    name.to_ascii_uppercase()
}

fn no_dd(call: &FileStatement<'_>, mode: Mode) -> Fault {
    // A new file needs a DD with its location.
    let status = match mode {
        Mode::Output => Status::NO_DD,
        Mode::Update | Mode::Extend if call.is_optional => Status::NO_DD,
        _ => Status::MISSING,
    };
    let name = dd_name(call.assign);
    Fault {
        status,
        text: format!("there is no DD {name}; add one with --dd {name}=FILE"),
    }
}

fn machine(error: io::Error) -> Fault {
    Fault {
        status: match error.kind() {
            io::ErrorKind::StorageFull | io::ErrorKind::FileTooLarge => Status::NO_ROOM,
            _ => Status::PERMANENT,
        },
        text: error.to_string(),
    }
}

fn not_open(op: FileOperation) -> Status {
    match op {
        FileOperation::Close(_) => Status::NOT_OPEN,
        FileOperation::Write(_) => Status::NOT_OUTPUT,
        FileOperation::Rewrite | FileOperation::Delete => Status::NOT_UPDATE,
        _ => Status::NOT_INPUT,
    }
}

/// The status of a statement that the file is not open for.
fn forbidden(call: &FileStatement<'_>, open: &OpenFile) -> Option<Status> {
    let access = match call.op {
        FileOperation::Read => FileAccess::Read,
        FileOperation::Next | FileOperation::Previous | FileOperation::Start(_) => {
            FileAccess::StartBrowse
        }
        FileOperation::Write(_) => FileAccess::Write,
        FileOperation::Rewrite => FileAccess::Rewrite,
        FileOperation::Delete => FileAccess::Delete,
        FileOperation::Open(_) | FileOperation::Close(_) | FileOperation::Unknown(_) => {
            return None;
        }
    };
    (!permits(call, open.mode).allow(access)).then(|| not_open(call.op))
}

/// The operations that an OPEN allows. It corresponds to the FILE definition in
/// CICS.
fn permits(call: &FileStatement<'_>, mode: Mode) -> FilePermits {
    let reads = matches!(mode, Mode::Input | Mode::Update);
    let by_number = matches!(
        call.org,
        FileOrganization::Indexed | FileOrganization::Relative
    );
    FilePermits {
        add: match mode {
            Mode::Output | Mode::Extend => true,
            Mode::Update => by_number && !call.is_sequential,
            Mode::Input => false,
        },
        browse: reads,
        delete: mode == Mode::Update,
        read: reads,
        update: mode == Mode::Update,
    }
}

/// The store of a file that is in it.
fn of(store: &mut Option<StoreRecords>) -> Result<&mut StoreRecords, Fault> {
    let store = store.as_mut().ok_or_else(|| Fault::from(Status::LOGIC))?;
    store.check_usable()?;
    Ok(store)
}

/// Shows a record to the program.
fn give(open: &mut OpenFile, call: &mut FileStatement<'_>, found: FoundRecord) -> Status {
    if call.org == FileOrganization::Relative {
        call.number = number(found.key());
    }
    open.key = call.key;
    open.last_read = Some(found.key().to_vec());
    open.cursor = Cursor::After(found.position);
    match (place(call, &found.record), found.more) {
        (Status::OK, true) => Status::DUPLICATE_KEY,
        (status, _) => status,
    }
}

/// Puts a record into the record area.
fn place(call: &mut FileStatement<'_>, record: &[u8]) -> Status {
    let max = call.area.len().min(call.max);
    let taken = record.len().min(max);
    call.area[..taken].copy_from_slice(&record[..taken]);
    call.area[taken..max].fill(b' ');
    call.length = if call.is_variable { taken } else { max };
    if (call.is_variable && record.len() <= max) || record.len() == max {
        Status::OK
    } else {
        Status::LENGTH
    }
}

fn number(key: &[u8]) -> u32 {
    key.try_into().map_or(0, u32::from_be_bytes)
}

fn next(
    store: &mut Option<StoreRecords>,
    open: &mut OpenFile,
    call: &mut FileStatement<'_>,
) -> CallResult {
    let cursor = std::mem::replace(&mut open.cursor, Cursor::Lost);
    if cursor == Cursor::Lost {
        return Ok(Status::NO_NEXT);
    }
    call.key = open.key;
    match &mut open.records {
        OpenedFile::Absent => Ok(Status::AT_END),
        OpenedFile::Plain(plain) => {
            let taken = match plain {
                PlainFile::Input(input) => input.read(call.max),
                PlainFile::Update(update) => update.read(call.max),
                PlainFile::Output(_) => return Ok(Status::NOT_INPUT),
            };
            let Some(taken) = taken.map_err(machine)? else {
                return Ok(Status::AT_END);
            };
            open.cursor = Cursor::After(Vec::new());
            open.last_read = Some(Vec::new());
            place(call, &taken.bytes);
            Ok(if taken.misfit {
                Status::LENGTH
            } else {
                Status::OK
            })
        }
        OpenedFile::Stored(file) => {
            let seek = match (call.op, &cursor) {
                (FileOperation::Previous, Cursor::At(key)) => SeekKey::AtMost(key),
                (FileOperation::Previous, Cursor::After(key)) => SeekKey::Less(key),
                (FileOperation::Previous, _) => SeekKey::Last,
                (_, Cursor::At(key)) => SeekKey::AtLeast(key),
                (_, Cursor::After(key)) => SeekKey::Greater(key),
                _ => SeekKey::First,
            };
            match find(of(store)?, file, open.mode, open.key, seek, &mut open.held)? {
                None => Ok(Status::AT_END),
                Some(found) if too_large(call, found.key()) => Ok(Status::NUMBER_TOO_LARGE),
                Some(found) => Ok(give(open, call, found)),
            }
        }
    }
}

/// Finds the record of a READ, which locks it in a file that is open for I-O.
fn find(
    store: &mut StoreRecords,
    file: &StoredFile,
    mode: Mode,
    key: usize,
    seek: SeekKey<'_>,
    held: &mut Option<Vec<u8>>,
) -> Result<Option<FoundRecord>, Fault> {
    match mode {
        Mode::Update => store.seek_for_update(file, key, seek, held),
        _ => store.seek(file, key, seek, false),
    }
}

fn too_large(call: &FileStatement<'_>, key: &[u8]) -> bool {
    call.org == FileOrganization::Relative && u64::from(number(key)) > call.greatest
}

/// The key that the record area holds, or the number of the RELATIVE KEY.
fn key_in(call: &FileStatement<'_>, key: usize, bytes: usize) -> Result<Vec<u8>, Fault> {
    if call.org == FileOrganization::Relative {
        return Ok(rrn_key(call.number).to_vec());
    }
    let field = call.keys.get(key).ok_or(Status::LOGIC)?;
    let start = field.offset as usize;
    let length = match bytes {
        0 => field.length as usize,
        bytes => bytes.min(field.length as usize),
    };
    Ok(call
        .area
        .get(start..start + length)
        .ok_or(Status::LOGIC)?
        .to_vec())
}

fn read(
    store: &mut Option<StoreRecords>,
    open: &mut OpenFile,
    call: &mut FileStatement<'_>,
) -> CallResult {
    let file = match &open.records {
        OpenedFile::Stored(file) => file,
        OpenedFile::Plain(_) => return next(store, open, call),
        OpenedFile::Absent => {
            open.cursor = Cursor::Lost;
            return Ok(Status::NOT_FOUND);
        }
    };
    open.cursor = Cursor::Lost;
    let key = key_in(call, call.key, 0)?;
    let seek = match call.org {
        FileOrganization::Indexed => SeekKey::Prefix(&key),
        _ => SeekKey::Equal(&key),
    };
    match find(of(store)?, file, open.mode, call.key, seek, &mut open.held)? {
        None => Ok(Status::NOT_FOUND),
        Some(found) => Ok(give(open, call, found)),
    }
}

fn start(
    store: &mut Option<StoreRecords>,
    open: &mut OpenFile,
    call: &mut FileStatement<'_>,
    relation: StartRelation,
) -> CallResult {
    let file = match &open.records {
        OpenedFile::Stored(file) => file,
        OpenedFile::Plain(_) => return Ok(Status::LOGIC),
        OpenedFile::Absent => {
            open.cursor = Cursor::Lost;
            return Ok(Status::NOT_FOUND);
        }
    };
    open.cursor = Cursor::Lost;
    let key = key_in(call, call.key, call.key_bytes)?;
    let whole = call
        .keys
        .get(call.key)
        .map_or(key.len(), |k| k.length as usize);
    // Every key that begins so is equal to it.
    let mut above = key.clone();
    above.resize(whole.max(key.len()), 0xFF);
    let seek = match relation {
        StartRelation::Equal => SeekKey::Prefix(&key),
        StartRelation::NotLess => SeekKey::AtLeast(&key),
        StartRelation::Greater => SeekKey::Greater(&above),
        StartRelation::Less => SeekKey::Less(&key),
        StartRelation::NotGreater => SeekKey::AtMost(&above),
        StartRelation::First => SeekKey::First,
        StartRelation::Last => SeekKey::Last,
    };
    match of(store)?.seek(file, call.key, seek, false)? {
        None => Ok(Status::NOT_FOUND),
        Some(found) => {
            open.key = call.key;
            open.cursor = Cursor::At(found.position);
            Ok(Status::OK)
        }
    }
}
