//! The file handler: the rules of COBOL's file statements and their status.
//!
//! A [`Call`] is one statement. The handler knows which files are open, in
//! which mode and where each stands in its sequence; records come from
//! [`stored`](crate::stored) or [`plain`](crate::plain) files.
//!
//! Reference: IBM, *Enterprise COBOL for z/OS Language Reference*, OPEN, READ,
//! WRITE, REWRITE, DELETE, START and CLOSE, and "File status key".

mod change;

use std::collections::{BTreeMap, HashMap, HashSet};
use std::io;

use cics::file::{FileAccess, FilePermits};
use store::{FoundRecord, KeyField, FileOrganisation, SeekKey, rrn_key};

use crate::conversion::Conversions;
use crate::dd::{Dd, Format, Source};
pub use crate::plain::{Advance, Print};
use crate::plain::{Framed, Input, Output, Plain, Update};
use crate::status::Status;
use crate::stored::Stored;
pub use crate::stored::{Fault, Records};
use change::{delete, rewrite, write};

/// ORGANIZATION.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Org {
    /// LINE SEQUENTIAL.
    Lines,
    /// SEQUENTIAL.
    Sequential,
    /// INDEXED.
    Indexed,
    /// RELATIVE.
    Relative,
}

/// How a file is open.
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
pub enum Relation {
    /// The first record with such a key.
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

/// How a CLOSE goes on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Phrase {
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
pub enum Op {
    /// OPEN.
    Open(Mode),
    /// CLOSE.
    Close(Phrase),
    /// READ NEXT, or READ of a file in sequence.
    Next,
    /// READ PREVIOUS.
    Previous,
    /// READ by key.
    Read,
    /// WRITE.
    Write(Advance),
    /// REWRITE.
    Rewrite,
    /// DELETE.
    Delete,
    /// START.
    Start(Relation),
    /// One that the handler does not know.
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
pub struct Call<'a> {
    /// The statement.
    pub op: Op,
    /// What tells the program's files apart.
    pub file: usize,
    /// The name in ASSIGN.
    pub assign: &'a str,
    /// ORGANIZATION.
    pub org: Org,
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
    /// The record area; what is read goes there.
    pub area: &'a mut [u8],
    /// Bytes of the record that is written; of the one that was read.
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

/// Where a sequence stands.
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

enum Opened {
    Stored(Stored),
    Plain(Plain),
    /// An optional file that is not there.
    Absent,
}

struct Open {
    mode: Mode,
    records: Opened,
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
pub struct Handler {
    dds: BTreeMap<String, Dd>,
    conversions: Conversions,
    store: Option<Records>,
    /// Why the store cannot be used.
    denied: String,
    files: HashMap<usize, Open>,
    locked: HashSet<usize>,
    print: Print,
    /// Told when a status alone would leave people without a reason.
    tell: fn(&str),
}

type Done = Result<Status, Fault>;

impl Handler {
    /// A handler over these DDs. `denied` says why there is no store.
    pub fn new(
        dds: BTreeMap<String, Dd>,
        conversions: Conversions,
        store: Option<Records>,
        denied: String,
        print: Print,
        tell: fn(&str),
    ) -> Self {
        Handler {
            dds,
            conversions,
            store,
            denied,
            files: HashMap::new(),
            locked: HashSet::new(),
            print,
            tell,
        }
    }

    /// Whether a file is open.
    pub fn is_open(&self, file: usize) -> bool {
        self.files.contains_key(&file)
    }

    /// Does one statement and gives its file status.
    pub fn serve(&mut self, call: &mut Call<'_>) -> Status {
        match self.serve_one(call) {
            Ok(status) => status,
            Err(Fault { mut status, text }) => {
                if status == Status::NO_ROOM && matches!(call.org, Org::Sequential | Org::Lines) {
                    status = Status::BOUNDARY;
                }
                if !text.is_empty() {
                    (self.tell)(&format!(
                        "DD {}: file status {status}: {text}",
                        dd_name(call.assign)
                    ));
                }
                status
            }
        }
    }

    /// Closes every file and applies what is pending.
    pub fn finish(&mut self) -> Result<(), Fault> {
        for (_, mut open) in self.files.drain() {
            if let Opened::Plain(Plain::Output(output)) = &mut open.records {
                output.finish().map_err(machine)?;
            }
        }
        self.store.as_mut().map_or(Ok(()), Records::commit)
    }

    fn serve_one(&mut self, call: &mut Call<'_>) -> Done {
        if let Op::Open(mode) = call.op {
            return self.open(call, mode);
        }
        if let Op::Unknown(code) = call.op {
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
            Op::Start(_) | Op::Read | Op::Next | Op::Previous => None,
            _ => open.last_read.take(),
        };
        if matches!(call.op, Op::Start(_) | Op::Read | Op::Next | Op::Previous) {
            open.last_read = None;
        }
        match call.op {
            Op::Close(Phrase::Reel) => Ok(Status::NO_REEL),
            Op::Close(phrase) => self.close(call.file, phrase),
            Op::Next | Op::Previous => next(&mut self.store, open, call),
            Op::Read => read(&mut self.store, open, call),
            Op::Start(relation) => start(&mut self.store, open, call, relation),
            Op::Write(advance) => write(&mut self.store, open, call, advance),
            Op::Rewrite => rewrite(&mut self.store, open, call, read_before),
            Op::Delete => delete(&mut self.store, open, call, read_before),
            Op::Open(_) | Op::Unknown(_) => Ok(Status::LOGIC),
        }
    }

    fn close(&mut self, file: usize, phrase: Phrase) -> Done {
        let open = self.files.remove(&file);
        if phrase == Phrase::Lock {
            self.locked.insert(file);
        }
        match open.map(|open| (open.records, open.held)) {
            Some((Opened::Plain(Plain::Output(mut output)), _)) => {
                output.finish().map_err(machine)?;
            }
            Some((Opened::Stored(file), mut held)) => {
                let store = of(&mut self.store)?;
                store.free(&file, &mut held)?;
                store.commit()?;
            }
            _ => {}
        }
        Ok(match phrase {
            Phrase::NoRewind => Status::NO_REEL,
            _ => Status::OK,
        })
    }

    fn open(&mut self, call: &mut Call<'_>, mode: Mode) -> Done {
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
                (Opened::Absent, Status::OPTIONAL_MISSING)
            }
            Err(fault) => return Err(fault),
        };
        let mut open = Open {
            mode,
            records,
            cursor: Cursor::Begin,
            key: 0,
            last_read: None,
            last_key: None,
            held: None,
        };
        if let (Mode::Extend, Opened::Stored(file), Some(store)) =
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
        call: &mut Call<'_>,
        mode: Mode,
        dd: &Dd,
    ) -> Result<(Opened, Status), Fault> {
        let first = dd.sources.first().unwrap_or(&Source::Dummy);
        if let Source::Store(name) = first {
            let opened = self.open_stored(call, mode, name, dd.reuse)?;
            return Ok((opened, Status::OK));
        }
        if !matches!(call.org, Org::Sequential | Org::Lines) && *first != Source::Dummy {
            return Err(Fault {
                status: Status::CONFLICT,
                text: "an indexed or relative file is a file of the store".to_owned(),
            });
        }
        let default = match (call.org, call.is_variable) {
            (Org::Lines, _) => Format::Lines,
            (_, false) => Format::Fixed,
            (_, true) => Format::Rdw,
        };
        let mut status = Status::OK;
        if let Source::File { path, .. } = first
            && matches!(mode, Mode::Update | Mode::Extend)
            && call.is_optional
            && !path.exists()
        {
            status = Status::OPTIONAL_MISSING;
            std::fs::File::create(path).map_err(machine)?;
        }
        let conversion = self.conversions.get(&dd_name(call.assign)).cloned();
        let converted = Framed {
            default,
            conversion,
        };
        let opened = match (mode, first) {
            (Mode::Input, _) => Input::open(&dd.sources, converted).map(Plain::Input),
            (Mode::Output, source) => {
                Output::open(source, converted, dd.append, self.print).map(Plain::Output)
            }
            (Mode::Extend, Source::File { path, .. }) if !path.exists() => {
                Err(io::Error::from_raw_os_error(libc::ENOENT))
            }
            (Mode::Extend, source) => {
                Output::open(source, converted, true, self.print).map(Plain::Output)
            }
            (Mode::Update, Source::File { path, format }) => {
                Update::open(path, *format, converted).map(Plain::Update)
            }
            (Mode::Update, Source::Dummy) => Input::open(&dd.sources, converted).map(Plain::Input),
            (Mode::Update, _) => Err(io::ErrorKind::Unsupported.into()),
        };
        let opened = opened.map(|plain| (Opened::Plain(plain), status));
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
                Source::File { path, .. } => format!("{}: {error}", path.display()),
                _ => error.to_string(),
            },
        })
    }

    fn open_stored(
        &mut self,
        call: &Call<'_>,
        mode: Mode,
        name: &str,
        reuse: bool,
    ) -> Result<Opened, Fault> {
        let Some(store) = &mut self.store else {
            return Err(Fault {
                status: Status::MISSING,
                text: self.denied.clone(),
            });
        };
        if mode != Mode::Input {
            store.make_writable()?;
        }
        let organisation = match call.org {
            Org::Indexed => FileOrganisation::Ksds(KeyField {
                offset_bytes: 0,
                length_bytes: 0,
            }),
            Org::Relative => FileOrganisation::Rrds,
            Org::Sequential | Org::Lines => FileOrganisation::Esds,
        };
        let mut file = store.open(name, organisation, call.keys, call.max)?;
        if mode == Mode::Output && !store.is_empty(&file)? {
            if !reuse {
                return Err(Fault {
                    status: Status::MODE,
                    text: format!(
                        "{name} holds records, and OPEN OUTPUT fills an empty file; \
                         `,reuse` behind the DD's file empties it first"
                    ),
                });
            }
            store.clear(&mut file)?;
        }
        Ok(Opened::Stored(file))
    }
}

/// The DD name in an ASSIGN: what stands behind the last hyphen, as in
/// `UT-S-SYSIN` and `AS-ESDS1`.
pub fn dd_name(assign: &str) -> String {
    let assign = assign.trim_matches([' ', '\0', '"', '\'']);
    let name = assign.rsplit('-').next().unwrap_or(assign);
    name.to_ascii_uppercase()
}

fn no_dd(call: &Call<'_>, mode: Mode) -> Fault {
    // What is to be made needs a DD that says where.
    let status = match mode {
        Mode::Output => Status::NO_DD,
        Mode::Update | Mode::Extend if call.is_optional => Status::NO_DD,
        _ => Status::MISSING,
    };
    let name = dd_name(call.assign);
    Fault {
        status,
        text: format!("there is no such DD: --dd {name}=FILE gives it a file"),
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

fn not_open(op: Op) -> Status {
    match op {
        Op::Close(_) => Status::NOT_OPEN,
        Op::Write(_) => Status::NOT_OUTPUT,
        Op::Rewrite | Op::Delete => Status::NOT_UPDATE,
        _ => Status::NOT_INPUT,
    }
}

/// The status of a statement that the file is not open for.
fn forbidden(call: &Call<'_>, open: &Open) -> Option<Status> {
    let access = match call.op {
        Op::Read => FileAccess::Read,
        Op::Next | Op::Previous | Op::Start(_) => FileAccess::StartBrowse,
        Op::Write(_) => FileAccess::Write,
        Op::Rewrite => FileAccess::Rewrite,
        Op::Delete => FileAccess::Delete,
        Op::Open(_) | Op::Close(_) | Op::Unknown(_) => return None,
    };
    (!permits(call, open.mode).allow(access)).then(|| not_open(call.op))
}

/// What an OPEN allows: it has the place that a FILE definition has in CICS.
fn permits(call: &Call<'_>, mode: Mode) -> FilePermits {
    let reads = matches!(mode, Mode::Input | Mode::Update);
    let by_number = matches!(call.org, Org::Indexed | Org::Relative);
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
fn of(store: &mut Option<Records>) -> Result<&mut Records, Fault> {
    store.as_mut().ok_or_else(|| Status::LOGIC.into())
}

/// Shows a record to the program.
fn give(open: &mut Open, call: &mut Call<'_>, found: FoundRecord) -> Status {
    if call.org == Org::Relative {
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
fn place(call: &mut Call<'_>, record: &[u8]) -> Status {
    let max = call.area.len().min(call.max);
    let taken = record.len().min(max);
    call.area[..taken].copy_from_slice(&record[..taken]);
    call.area[taken..max].fill(b' ');
    call.length = if call.is_variable { taken } else { max };
    match call.is_variable || record.len() == max {
        true if record.len() <= max => Status::OK,
        _ => Status::LENGTH,
    }
}

fn number(key: &[u8]) -> u32 {
    key.try_into().map_or(0, u32::from_be_bytes)
}

fn next(store: &mut Option<Records>, open: &mut Open, call: &mut Call<'_>) -> Done {
    let cursor = std::mem::replace(&mut open.cursor, Cursor::Lost);
    if cursor == Cursor::Lost {
        return Ok(Status::NO_NEXT);
    }
    call.key = open.key;
    match &mut open.records {
        Opened::Absent => Ok(Status::AT_END),
        Opened::Plain(plain) => {
            let taken = match plain {
                Plain::Input(input) => input.read(call.max),
                Plain::Update(update) => update.read(call.max),
                Plain::Output(_) => return Ok(Status::NOT_INPUT),
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
        Opened::Stored(file) => {
            let seek = match (call.op, &cursor) {
                (Op::Previous, Cursor::At(key)) => SeekKey::AtMost(key),
                (Op::Previous, Cursor::After(key)) => SeekKey::Less(key),
                (Op::Previous, _) => SeekKey::Last,
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
    store: &mut Records,
    file: &Stored,
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

fn too_large(call: &Call<'_>, key: &[u8]) -> bool {
    call.org == Org::Relative && u64::from(number(key)) > call.greatest
}

/// The key that the record area holds, or the number of the RELATIVE KEY.
fn key_in(call: &Call<'_>, key: usize, bytes: usize) -> Result<Vec<u8>, Fault> {
    if call.org == Org::Relative {
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

fn read(store: &mut Option<Records>, open: &mut Open, call: &mut Call<'_>) -> Done {
    let file = match &open.records {
        Opened::Stored(file) => file,
        Opened::Plain(_) => return next(store, open, call),
        Opened::Absent => {
            open.cursor = Cursor::Lost;
            return Ok(Status::NOT_FOUND);
        }
    };
    open.cursor = Cursor::Lost;
    let key = key_in(call, call.key, 0)?;
    let seek = match call.org {
        Org::Indexed => SeekKey::Prefix(&key),
        _ => SeekKey::Equal(&key),
    };
    match find(of(store)?, file, open.mode, call.key, seek, &mut open.held)? {
        None => Ok(Status::NOT_FOUND),
        Some(found) => Ok(give(open, call, found)),
    }
}

fn start(
    store: &mut Option<Records>,
    open: &mut Open,
    call: &mut Call<'_>,
    relation: Relation,
) -> Done {
    let file = match &open.records {
        Opened::Stored(file) => file,
        Opened::Plain(_) => return Ok(Status::LOGIC),
        Opened::Absent => {
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
        Relation::Equal => SeekKey::Prefix(&key),
        Relation::NotLess => SeekKey::AtLeast(&key),
        Relation::Greater => SeekKey::Greater(&above),
        Relation::Less => SeekKey::Less(&key),
        Relation::NotGreater => SeekKey::AtMost(&above),
        Relation::First => SeekKey::First,
        Relation::Last => SeekKey::Last,
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
