//! Services over the link, and over the embedded store where it can be read
//! without asking.
//!
//! A file that the task has changed is read through the region until the next
//! syncpoint, so that the task sees its own changes; every other read goes
//! straight to the store. While a call waits the QR token is given back.
//!
//! The worker's main loop and its commands use the link in turn, never at
//! once, so both hold it by a counted reference to a cell.

use std::cell::RefCell;
use std::rc::Rc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

use cics::resp::Condition;
use link::call::{
    CHANGE_NOSUSPEND, DELETE_GENERIC, DELETE_HELD, LINK_CHANNEL, READ_GENERIC, READ_GTEQ,
    READ_NOSUSPEND, READ_UPDATE,
};
use link::conversation::Verb;
use link::layout::CALL_BYTES;
use link::{
    AnswerHeader, CallEvent, ChannelData, Heap, Op, Operands, Step, WorkerConfig, WorkerSide,
};
use store::{FileId, ReadError, ReadStore, Seek, StorageError};

use crate::services::{
    Arena, Crossings, Failure, FileServices, Found, LinkStep, MemoryAreas, PartnerServices,
    Payload, ProgramServices, Reply, Served, Services, Show, TurnServices, UnitServices,
    VerbAnswer,
};

/// The worker's end of the link, shared with the main loop.
pub type SharedSide = Rc<RefCell<WorkerSide>>;

/// Services over the link.
pub struct LinkServices {
    side: SharedSide,
    /// The arena of the task that runs, and its free bytes. Taken from the
    /// link while the task runs, so that no cell is borrowed for a PUT.
    arena: *mut u8,
    heap: Heap,
    reader: Option<Box<dyn ReadStore>>,
    files: Vec<File>,
    holding: bool,
    crossings: Crossings,
}

struct File {
    name: Option<store::FileName>,
    /// Where its records are read: the file, or the index of a path.
    place: Option<ReadPlace>,
    /// Who has its records, so that a change through one name is seen through
    /// the others.
    base: String,
    /// The task has changed it since its last syncpoint.
    changed: bool,
}

#[derive(Clone, Copy)]
enum ReadPlace {
    File(FileId),
    Index(FileId),
}

impl LinkServices {
    /// Services for the files of a configuration.
    pub fn new(
        side: SharedSide,
        config: &WorkerConfig,
        reader: Option<Box<dyn ReadStore>>,
    ) -> Self {
        let files = config
            .files
            .iter()
            .map(|f| File {
                name: match f.data_set.as_str() {
                    "" => f.name.as_str().parse().ok(),
                    data_set => data_set.parse().ok(),
                },
                place: None,
                base: f.base.clone(),
                changed: false,
            })
            .collect();
        LinkServices {
            side,
            arena: std::ptr::null_mut(),
            heap: Heap::default(),
            reader,
            files,
            holding: false,
            crossings: Crossings::default(),
        }
    }

    fn call(&mut self, op: Op, args: [u64; 8], data: &[&[u8]]) -> CallEvent {
        self.waiting(|side| side.call(op, args, data))
    }

    /// Waits for the region, without the QR token.
    fn waiting(&mut self, ask: impl FnOnce(&mut WorkerSide) -> CallEvent) -> CallEvent {
        let mut side = self.side.borrow_mut();
        if self.holding {
            side.qr().give();
        }
        let before = Instant::now();
        let heard = ask(&mut side);
        self.crossings.wait_ns += before.elapsed().as_nanos() as u64;
        self.crossings.calls += 1;
        drop(side);
        if self.holding {
            self.take();
        }
        heard
    }

    fn take(&mut self) {
        let side = self.side.borrow();
        if matches!(side.qr().try_take(), Ok(Some(_)) | Err(_)) {
            return;
        }
        let before = Instant::now();
        side.wait_for_qr();
        self.crossings.qr_wait_ns += before.elapsed().as_nanos() as u64;
    }

    /// A call that is answered; a wish for a nested run is refused.
    fn ask(&mut self, op: Op, args: [u64; 8], data: &[&[u8]]) -> Served<AnswerHeader> {
        let mut heard = self.call(op, args, data);
        loop {
            match heard {
                CallEvent::Answer(header) => return answer(header),
                CallEvent::Run(_) => {
                    heard = self.waiting(|side| side.nested_done(refused_run(), &[]));
                }
            }
        }
    }

    fn local(&mut self, file: usize, seek: Seek<'_>, show: &mut Show<'_>) -> Option<Served<bool>> {
        let of = &mut self.files[file];
        let reader = self.reader.as_mut().filter(|_| !of.changed)?;
        // A file that was loaded anew has another number: look once more.
        for _ in 0..2 {
            let place = match of.place {
                Some(place) => place,
                None => {
                    let found = reader.access(of.name.as_ref()?).ok().flatten()?;
                    let place = match found.index {
                        Some(index) => ReadPlace::Index(index.id),
                        None => ReadPlace::File(found.base.id),
                    };
                    *of.place.insert(place)
                }
            };
            let read = match place {
                ReadPlace::File(id) => reader.seek(id, seek, &mut |e| {
                    show(Found {
                        key: e.key,
                        record: e.record,
                        more: false,
                    });
                }),
                ReadPlace::Index(id) => reader.seek_path(id, seek, &mut |e| {
                    show(Found {
                        key: e.position,
                        record: e.record,
                        more: e.more,
                    });
                }),
            };
            match read {
                Ok(found) => return Some(Ok(found)),
                Err(ReadError::UnknownFile(_) | ReadError::NotBuilt(_)) => of.place = None,
                // The region reads it, or tells why it cannot be read.
                Err(ReadError::Storage(error)) => {
                    if !matches!(error, StorageError::Damaged { .. }) {
                        READER_FAILED.store(true, Ordering::Relaxed);
                    }
                    return None;
                }
            }
        }
        None
    }

    /// A browse step or READ through the region.
    fn through_region(&mut self, file: usize, seek: Seek<'_>, show: &mut Show<'_>) -> Served<bool> {
        let (op, how, key) = match seek {
            Seek::Equal(key) => (Op::Read, 0, key),
            Seek::Prefix(key) => (Op::Read, READ_GENERIC, key),
            Seek::AtLeast(key) => (Op::Browse, Step::AtOrAfter as u64, key),
            Seek::Greater(key) => (Op::Browse, Step::After as u64, key),
            Seek::AtMost(key) => (Op::Browse, Step::AtOrBefore as u64, key),
            Seek::Less(key) => (Op::Browse, Step::Before as u64, key),
            Seek::First => (Op::Browse, Step::AtOrAfter as u64, &[][..]),
            Seek::Last => (Op::Browse, Step::Last as u64, &[][..]),
        };
        match self.ask(op, args(file, how, 0), &[key]) {
            Ok(header) => {
                show(found_in(&header, self.side.borrow().call_data(&header)));
                Ok(true)
            }
            Err(Failure::Condition(Condition::NotFnd | Condition::EndFile, _)) => Ok(false),
            Err(failure) => Err(failure),
        }
    }

    /// The task has changed a file: it reads all files with the same records
    /// through the region until the end of the unit.
    fn note_change(&mut self, file: usize) {
        self.files[file].changed = true;
        let base = std::mem::take(&mut self.files[file].base);
        if !base.is_empty() {
            let same = self.files.iter_mut().filter(|f| f.base == base);
            same.for_each(|f| f.changed = true);
        }
        self.files[file].base = base;
    }

    fn end_unit(&mut self) {
        for file in &mut self.files {
            file.changed = false;
        }
    }

    fn link_step(&mut self, heard: CallEvent) -> Served<LinkStep> {
        let (CallEvent::Answer(header) | CallEvent::Run(header)) = heard;
        if header.args[1] == 1 {
            self.sees_changes();
        }
        let side = self.side.borrow();
        match heard {
            CallEvent::Answer(header) => {
                let header = answer(header)?;
                let data = side.call_data(&header);
                Ok(LinkStep::Done(payload(&header, data)?))
            }
            CallEvent::Run(header) => {
                let data = side.call_data(&header);
                let (program, data) = data.split_first_chunk().ok_or(DAMAGED)?;
                Ok(LinkStep::Run {
                    program: *program,
                    payload: payload(&header, data)?,
                })
            }
        }
    }
}

/// Whether this process's own reader of the store failed. Its reader table may
/// have been written over by a program, and only a new process has another.
static READER_FAILED: AtomicBool = AtomicBool::new(false);

/// Whether this process cannot read the store by itself any more.
pub fn reader_failed() -> bool {
    READER_FAILED.load(Ordering::Relaxed)
}

/// The region wrote what it does not write.
const DAMAGED: Failure = Failure::Abend(*b"AEXZ");

fn payload(header: &AnswerHeader, data: &[u8]) -> Served<Payload> {
    if header.args[0] != LINK_CHANNEL {
        return Ok(Payload::Commarea(data.to_vec()));
    }
    let channel = ChannelData::parse(data);
    channel.map(Payload::Channel).map_err(|_| DAMAGED)
}

/// The bytes of a payload, and the argument that says what they are.
fn emit(payload: &Payload) -> (std::borrow::Cow<'_, [u8]>, u64) {
    match payload {
        Payload::Commarea(bytes) => (bytes.as_slice().into(), 0),
        Payload::Channel(channel) => (channel.emit().into(), LINK_CHANNEL),
    }
}

/// The record in an answer, behind its key.
fn found_in<'d>(header: &AnswerHeader, data: &'d [u8]) -> Found<'d> {
    let key_bytes = (header.args[2] as usize).min(data.len());
    let (key, record) = data.split_at(key_bytes);
    Found {
        key,
        record,
        more: header.args[1] != 0,
    }
}

fn args(file: usize, how: u64, token: u64) -> [u64; 8] {
    [file as u64, how, token, 0, 0, 0, 0, 0]
}

/// The same for a change, which may have to wait for a lock.
fn changing(file: usize, how: u64, token: u64, nosuspend: bool) -> [u64; 8] {
    let mut args = args(file, how, token);
    args[CHANGE_NOSUSPEND] = nosuspend.into();
    args
}

/// The answer to a wish for a nested run where none is expected.
fn refused_run() -> AnswerHeader {
    AnswerHeader {
        resp: u32::from(Condition::PgmIdErr.number()),
        ..AnswerHeader::default()
    }
}

fn answer(header: AnswerHeader) -> Served<AnswerHeader> {
    if !header.abend.is_blank() && *header.abend.as_bytes() != [0; 4] {
        return Err(Failure::Abend(*header.abend.as_bytes()));
    }
    match header.condition() {
        Condition::Normal => Ok(header),
        condition => Err(Failure::Condition(condition, header.resp2)),
    }
}

impl Services for LinkServices {
    fn begin_task(&mut self, slot: usize) {
        self.end_unit();
        let mut side = self.side.borrow_mut();
        self.arena = side.arena(slot);
        std::mem::swap(side.heap(), &mut self.heap);
    }

    fn end_task(&mut self) {
        std::mem::swap(self.side.borrow_mut().heap(), &mut self.heap);
    }

    fn command(&mut self, number: u16, operands: &Operands) -> Served<Reply> {
        let mut args = [0; 8];
        args[0] = number.into();
        let data = operands.emit();
        if data.len() > CALL_BYTES {
            return Err(Failure::Condition(Condition::LengErr, 0));
        }
        let mut heard = self.call(Op::Command, args, &[&data]);
        let header = loop {
            match heard {
                CallEvent::Answer(header) => break header,
                CallEvent::Run(_) => {
                    heard = self.waiting(|side| side.nested_done(refused_run(), &[]));
                }
            }
        };
        let (condition, resp2) = match answer(header) {
            Ok(_) => (Condition::Normal, header.resp2),
            Err(Failure::Condition(condition, resp2)) => (condition, resp2),
            Err(abend) => return Err(abend),
        };
        let side = self.side.borrow();
        let operands = match side.call_data(&header) {
            [] => Operands::default(),
            data => Operands::parse(data).map_err(|_| DAMAGED)?,
        };
        Ok(Reply {
            condition,
            resp2,
            operands,
        })
    }

    fn crossings(&self) -> Crossings {
        self.crossings
    }
}

impl MemoryAreas for LinkServices {
    fn arena(&mut self) -> Arena<'_> {
        Arena {
            base: self.arena,
            heap: &mut self.heap,
        }
    }

    fn shared(&self) -> Option<(usize, usize)> {
        self.side.borrow().shared()
    }
}

impl TurnServices for LinkServices {
    fn progress(&mut self) {
        self.side.borrow().progress();
    }

    fn qr_take(&mut self) {
        self.take();
        self.holding = true;
    }

    fn qr_give(&mut self) {
        self.side.borrow().qr().give();
        self.holding = false;
    }
}

impl FileServices for LinkServices {
    fn sees_changes(&mut self) {
        self.files.iter_mut().for_each(|f| f.changed = true);
    }

    fn file_changes(&self) -> u32 {
        self.side.borrow().file_changes()
    }

    fn fetch(&mut self, file: usize, seek: Seek<'_>, show: &mut Show<'_>) -> Served<bool> {
        match self.local(file, seek, show) {
            Some(found) => found,
            None => self.through_region(file, seek, show),
        }
    }

    fn fetch_for_update(
        &mut self,
        file: usize,
        seek: Seek<'_>,
        nosuspend: bool,
        show: &mut Show<'_>,
    ) -> Served<Option<u32>> {
        let (how, key) = match seek {
            Seek::AtLeast(key) => (READ_GTEQ, key),
            Seek::Prefix(key) => (READ_GENERIC, key),
            Seek::Equal(key) => (0, key),
            Seek::Greater(_) | Seek::AtMost(_) | Seek::Less(_) | Seek::First | Seek::Last => {
                return Err(Failure::Condition(Condition::InvReq, 20));
            }
        };
        let short = matches!(seek, Seek::AtLeast(_));
        let how = how
            | READ_UPDATE
            | if short { READ_GENERIC } else { 0 }
            | if nosuspend { READ_NOSUSPEND } else { 0 };
        match self.ask(Op::Read, args(file, how, 0), &[key]) {
            Ok(header) => {
                show(found_in(&header, self.side.borrow().call_data(&header)));
                Ok(Some(header.args[0] as u32))
            }
            Err(Failure::Condition(Condition::NotFnd, _)) => Ok(None),
            Err(failure) => Err(failure),
        }
    }

    fn write(
        &mut self,
        file: usize,
        number: &[u8],
        record: &[u8],
        nosuspend: bool,
    ) -> Served<Vec<u8>> {
        self.note_change(file);
        let args = changing(file, number.len() as u64, 0, nosuspend);
        let header = self.ask(Op::Write, args, &[number, record])?;
        Ok(self.side.borrow().call_data(&header).to_vec())
    }

    fn rewrite(&mut self, file: usize, token: u32, record: &[u8], nosuspend: bool) -> Served<()> {
        self.note_change(file);
        let args = changing(file, u64::from(token), 0, nosuspend);
        self.ask(Op::Rewrite, args, &[record]).map(drop)
    }

    fn delete_held(&mut self, file: usize, token: u32) -> Served<()> {
        self.note_change(file);
        self.ask(Op::Delete, args(file, DELETE_HELD, u64::from(token)), &[])
            .map(drop)
    }

    fn delete(&mut self, file: usize, key: &[u8], nosuspend: bool) -> Served<bool> {
        self.note_change(file);
        let args = changing(file, 0, 0, nosuspend);
        let header = self.ask(Op::Delete, args, &[key])?;
        Ok(header.args[1] != 0)
    }

    fn delete_generic(&mut self, file: usize, key: &[u8], nosuspend: bool) -> Served<u64> {
        self.note_change(file);
        let args = changing(file, DELETE_GENERIC, 0, nosuspend);
        match self.ask(Op::Delete, args, &[key]) {
            Ok(header) => Ok(header.args[0]),
            Err(Failure::Condition(Condition::NotFnd, _)) => Ok(0),
            Err(failure) => Err(failure),
        }
    }

    fn unlock(&mut self, file: usize, token: Option<u32>) -> Served<()> {
        self.ask(
            Op::Unlock,
            args(file, u64::from(token.unwrap_or(0)), 0),
            &[],
        )
        .map(drop)
    }
}

impl UnitServices for LinkServices {
    fn syncpoint(&mut self) -> Served<()> {
        self.end_unit();
        self.ask(Op::Syncpoint, [0; 8], &[]).map(drop)
    }

    fn rollback(&mut self) -> Served<()> {
        self.end_unit();
        self.ask(Op::Rollback, [0; 8], &[]).map(drop)
    }
}

impl ProgramServices for LinkServices {
    fn link(&mut self, program: &[u8; 8], payload: &Payload) -> Served<LinkStep> {
        let (data, kind) = emit(payload);
        if data.len() + 8 > CALL_BYTES {
            return Err(Failure::Condition(Condition::LengErr, 0));
        }
        let heard = self.call(Op::Link, [kind, 0, 0, 0, 0, 0, 0, 0], &[program, &data]);
        self.link_step(heard)
    }

    fn nested_done(&mut self, abend: Option<[u8; 4]>, payload: &Payload) -> Served<LinkStep> {
        let (data, kind) = emit(payload);
        let too_long = data.len() > CALL_BYTES;
        let abend = if too_long { Some(*b"ASRA") } else { abend };
        let header = AnswerHeader {
            abend: abend.map(link::Name::from_bytes).unwrap_or_default(),
            args: [kind, 0, 0, 0, 0, 0, 0, 0],
            ..AnswerHeader::default()
        };
        let data: &[u8] = if too_long { &[] } else { &data };
        let heard = self.waiting(|side| side.nested_done(header, &[data]));
        self.link_step(heard)
    }
}

impl PartnerServices for LinkServices {
    fn converse(&mut self, verb: Verb, args: [u64; 3], data: &[&[u8]]) -> Served<VerbAnswer> {
        let [conversation, flags, limit] = args;
        let args = [verb as u64, conversation, flags, limit, 0, 0, 0, 0];
        let mut heard = self.call(Op::Converse, args, data);
        let header = loop {
            match heard {
                CallEvent::Answer(header) => break header,
                CallEvent::Run(_) => {
                    heard = self.waiting(|side| side.nested_done(refused_run(), &[]));
                }
            }
        };
        let data = self.side.borrow().call_data(&header).to_vec();
        let (condition, resp2) = match answer(header) {
            Ok(_) => (Condition::Normal, header.resp2),
            Err(Failure::Condition(condition, resp2)) => (condition, resp2),
            Err(abend) => return Err(abend),
        };
        Ok(VerbAnswer {
            condition,
            resp2,
            args: header.args,
            data,
        })
    }

    fn socket(&mut self, args: [u64; 8], data: &[u8]) -> Served<([u64; 8], Vec<u8>)> {
        let header = self.ask(Op::Socket, args, &[data])?;
        let data = self.side.borrow().call_data(&header).to_vec();
        Ok((header.args, data))
    }

    fn receive_descriptor(&mut self) -> Option<std::os::fd::OwnedFd> {
        let (_, mut fds) = self.side.borrow().receive_fds().ok()?;
        fds.pop()
    }
}
