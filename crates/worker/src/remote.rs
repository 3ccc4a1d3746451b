//! Services over the link, and over the embedded store where it can be read
//! without asking.
//!
//! A file that the task has changed is read through the region until the next
//! syncpoint, so that the task sees its own changes; every other read uses
//! the store directly. While a call waits the QR token is released.
//!
//! The worker's main loop and its commands use the link in turn, never at
//! once, so both hold it by a counted reference to a cell.

use std::cell::RefCell;
use std::rc::Rc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

use cics::file::FileAccess;
use cics::resp::Condition;
use link::call::LINK_CHANNEL;
use link::conversation::Verb;
use link::layout::CALL_BYTES;
use link::{
    AnswerHeader, ArenaHeap, CallEvent, CallOperation, ChannelData, CommandOperands, FileAnswer,
    FileCall, FileCommand, WorkerConfig, WorkerSide,
};
use store::{FileId, ReadError, ReadStore, SeekKey, StorageError};

use crate::connections::{self, LentConnections};
use crate::services::{
    Arena, CommandFailure, CommandReply, CrossingCounts, FileServices, LinkData, LinkStep,
    MemoryAreas, PartnerServices, ProgramServices, RecordVisitor, ServiceResult, SqlServices,
    TurnServices, UnitServices, VerbAnswer, WorkerServices,
};
use crate::sql::{self, SqlLink, SqlRefusal};

/// The worker's end of the link, shared with the main loop.
pub type SharedSide = Rc<RefCell<WorkerSide>>;

/// Services over the link.
pub struct LinkServices {
    side: SharedSide,
    /// The arena of the task that runs, and its free bytes. Taken from the
    /// link while the task runs, so that no cell is borrowed for a PUT.
    arena: *mut u8,
    heap: ArenaHeap,
    reader: Option<Box<dyn ReadStore>>,
    files: Vec<RemoteFile>,
    holding: bool,
    crossings: CrossingCounts,
    connections: LentConnections,
    /// A command that the region is asked for with the next one, or at the end of the
    /// task: its number and its operands.
    later: Option<Vec<u8>>,
}

struct RemoteFile {
    name: Option<store::FileName>,
    /// The place of its records: the file, or the index of a path.
    place: Option<ReadPlace>,
    /// The data set with its records, so that a change through one name is seen through
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
            .map(|f| RemoteFile {
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
            heap: ArenaHeap::default(),
            reader,
            files,
            holding: false,
            crossings: CrossingCounts::default(),
            connections: LentConnections::default(),
            later: None,
        }
    }

    fn call(&mut self, op: CallOperation, args: [u64; 8], data: &[&[u8]]) -> CallEvent {
        self.ask_later();
        self.waiting(|side| side.call(op, args, data))
    }

    /// Asks the region for the command that was left for later.
    fn ask_later(&mut self) {
        if let Some(later) = self.later.take() {
            self.ask_taken(&later);
        }
    }

    /// Waits for the region, without the QR token.
    fn waiting(&mut self, ask: impl FnOnce(&mut WorkerSide) -> CallEvent) -> CallEvent {
        let mut side = self.side.borrow_mut();
        if self.holding {
            side.qr().give();
        }
        let before = Instant::now();
        if let Some(link) = self.connections.sql_mut() {
            link.quiet();
        }
        let event = ask(&mut side);
        self.crossings.wait_ns += before.elapsed().as_nanos() as u64;
        self.crossings.calls += 1;
        drop(side);
        if self.holding {
            self.take();
        }
        event
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
    fn ask(
        &mut self,
        op: CallOperation,
        args: [u64; 8],
        data: &[&[u8]],
    ) -> ServiceResult<AnswerHeader> {
        let event = self.call(op, args, data);
        answer(self.until_answered(event))
    }

    /// Waits on for the answer: what the region asks meanwhile is done, but a
    /// nested run is refused.
    fn until_answered(&mut self, mut event: CallEvent) -> AnswerHeader {
        loop {
            match event {
                CallEvent::Answer(header) => return header,
                CallEvent::Run(_) => {
                    event = self.waiting(|side| side.nested_done(refused_run(), &[]));
                }
                CallEvent::Act(request) => event = self.act(&request),
            }
        }
    }

    /// The reply to a command, once it is there.
    fn command_reply(&mut self, event: CallEvent) -> ServiceResult<CommandReply> {
        let header = self.until_answered(event);
        let (condition, resp2) = match answer(header) {
            Ok(_) => (Condition::Normal, header.resp2),
            Err(CommandFailure::Condition(condition, resp2)) => (condition, resp2),
            Err(abend) => return Err(abend),
        };
        let side = self.side.borrow();
        let operands = match side.call_data(&header) {
            [] => CommandOperands::default(),
            data => CommandOperands::parse(data).map_err(|_| DAMAGED)?,
        };
        Ok(CommandReply {
            condition,
            resp2,
            operands,
        })
    }

    /// Does something with a descriptor, and waits on.
    fn act(&mut self, request: &AnswerHeader) -> CallEvent {
        let [work, tag, ..] = request.args;
        let (condition, data) = if work == connections::TAKE {
            let passed = self.side.borrow().receive_fds().ok();
            match passed.map(|(tag, mut fds)| (tag, fds.pop())) {
                Some((of, Some(fd))) if of == tag => {
                    self.connections.add(tag, fd);
                    (Condition::Normal, Vec::new())
                }
                _ => (Condition::NotFnd, Vec::new()),
            }
        } else {
            let data = self.side.borrow().call_data(request).to_vec();
            connections::act(&mut self.connections, &request.args, &data)
        };
        let results = AnswerHeader {
            resp: u32::from(condition.number()),
            ..AnswerHeader::default()
        };
        self.waiting(|side| side.nested_done(results, &[&data]))
    }

    fn local(
        &mut self,
        file: usize,
        seek: SeekKey<'_>,
        show: &mut RecordVisitor<'_>,
    ) -> Option<ServiceResult<bool>> {
        let of = &mut self.files[file];
        let reader = self.reader.as_mut().filter(|_| !of.changed)?;
        // A file that was loaded again has another number: look once more.
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
                ReadPlace::File(id) => reader.seek(id, seek, &mut |e| show(e.into())),
                ReadPlace::Index(id) => reader.seek_path(id, seek, &mut |e| show(e.into())),
            };
            match read {
                Ok(found) => return Some(Ok(found)),
                Err(ReadError::UnknownFile(_) | ReadError::NotBuilt(_)) => of.place = None,
                // The region reads it, or reports why it cannot be read.
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

    /// Has the region do a command on a file. The answer's data stays in the
    /// link until the next call.
    fn on_file(&mut self, file: usize, command: FileCommand<'_>) -> ServiceResult<AnswerHeader> {
        let file = file as u32;
        let wire = FileCall { file, command }.emit();
        self.ask(wire.op, wire.args, &wire.data)
    }

    /// Shows the record that an answer brings.
    fn show_found(&self, header: &AnswerHeader, show: &mut RecordVisitor<'_>) {
        let side = self.side.borrow();
        show(FileAnswer::new(header, side.call_data(header)).found());
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

    /// The connection that the region has given the unit of work: the known one, or
    /// another.
    fn granted_link(
        &mut self,
        known: Option<Box<SqlLink>>,
        grant: sql::SqlGrant,
    ) -> Result<Box<SqlLink>, SqlRefusal> {
        if let Some(mut link) = known {
            if link.is_of(&grant) {
                link.begin_unit(grant);
                return Ok(link);
            }
            if link.tag != grant.tag {
                self.connections.close(link.tag);
            }
        }
        let Some(file) = self.connections.get(grant.tag) else {
            return Err(SqlRefusal::Failed(DAMAGED));
        };
        let (tag, generation, options) = (grant.tag, grant.generation, grant.options.clone());
        let mut link = Box::new(SqlLink::new(tag, generation, file.clone(), options));
        link.begin_unit(grant);
        Ok(link)
    }

    /// The region runs a program, which may end the unit of work.
    fn leave_sql(&mut self) {
        if let Some(link) = self.connections.sql_mut() {
            link.leave();
        }
    }

    /// The region has ended the unit of work.
    fn end_sql_unit(&mut self, committed: bool) {
        if let Some(link) = self.connections.sql_mut() {
            link.end_unit(committed);
        }
    }

    fn end_unit(&mut self) {
        for file in &mut self.files {
            file.changed = false;
        }
    }

    fn link_step(&mut self, event: CallEvent) -> ServiceResult<LinkStep> {
        let mut event = event;
        while let CallEvent::Act(request) = event {
            event = self.act(&request);
        }
        let (CallEvent::Answer(header) | CallEvent::Run(header) | CallEvent::Act(header)) = event;
        if header.args[1] == 1 {
            self.sees_changes();
        }
        let side = self.side.borrow();
        match event {
            CallEvent::Answer(header) => {
                let header = answer(header)?;
                let data = side.call_data(&header);
                Ok(LinkStep::Done(payload(&header, data)?))
            }
            CallEvent::Run(_) | CallEvent::Act(_) => {
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

/// The region sent an answer of the wrong kind.
const DAMAGED: CommandFailure = CommandFailure::Abend(*b"AEXZ");

fn payload(header: &AnswerHeader, data: &[u8]) -> ServiceResult<LinkData> {
    if header.args[0] != LINK_CHANNEL {
        return Ok(LinkData::Commarea(data.to_vec()));
    }
    let channel = ChannelData::parse(data);
    channel.map(LinkData::Channel).map_err(|_| DAMAGED)
}

/// The bytes of a payload, and the argument with their kind.
fn emit(payload: &LinkData) -> (std::borrow::Cow<'_, [u8]>, u64) {
    match payload {
        LinkData::Commarea(bytes) => (bytes.as_slice().into(), 0),
        LinkData::Channel(channel) => (channel.emit().into(), LINK_CHANNEL),
    }
}

/// The answer to a nested run that was requested outside of a LINK.
fn refused_run() -> AnswerHeader {
    AnswerHeader {
        resp: u32::from(Condition::PgmIdErr.number()),
        ..AnswerHeader::default()
    }
}

fn answer(header: AnswerHeader) -> ServiceResult<AnswerHeader> {
    if !header.abend.is_blank() && *header.abend.as_bytes() != [0; 4] {
        return Err(CommandFailure::Abend(*header.abend.as_bytes()));
    }
    match header.condition() {
        Condition::Normal => Ok(header),
        condition => Err(CommandFailure::Condition(condition, header.resp2)),
    }
}

impl WorkerServices for LinkServices {
    fn begin_task(&mut self, slot: usize) {
        self.end_unit();
        if let Some(link) = self.connections.sql_mut() {
            link.end_task();
        }
        let mut side = self.side.borrow_mut();
        self.arena = side.arena(slot);
        std::mem::swap(side.heap(), &mut self.heap);
    }

    fn end_task(&mut self) {
        if let Some(link) = self.connections.sql_mut() {
            link.quiet();
        }
        std::mem::swap(self.side.borrow_mut().heap(), &mut self.heap);
    }

    fn command(&mut self, number: u16, operands: &CommandOperands) -> ServiceResult<CommandReply> {
        let mut args = [0; 8];
        args[0] = number.into();
        let data = operands.emit();
        if data.len() > CALL_BYTES {
            return Err(CommandFailure::Condition(Condition::LengErr, 0));
        }
        let event = self.call(CallOperation::Command, args, &[&data]);
        self.command_reply(event)
    }

    fn command_later(&mut self, number: u16, operands: &CommandOperands) -> ServiceResult<()> {
        self.ask_later();
        let mut later = number.to_be_bytes().to_vec();
        later.extend(operands.emit());
        self.later = Some(later);
        Ok(())
    }

    fn take_later(&mut self) -> Option<Vec<u8>> {
        self.later.take()
    }

    fn ask_taken(&mut self, later: &[u8]) {
        let Some((number, data)) = later.split_first_chunk() else {
            return;
        };
        let args = [u16::from_be_bytes(*number).into(), 0, 0, 0, 0, 0, 0, 0];
        let event = self.waiting(|side| side.call(CallOperation::Command, args, &[data]));
        // A terminal that has left meanwhile is not an error of this command.
        self.until_answered(event);
    }

    fn crossings(&self) -> CrossingCounts {
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

    fn fetch(
        &mut self,
        file: usize,
        seek: SeekKey<'_>,
        access: FileAccess,
        show: &mut RecordVisitor<'_>,
    ) -> ServiceResult<bool> {
        if let Some(found) = self.local(file, seek, show) {
            return found;
        }
        match self.on_file(file, FileCommand::Read { seek, access }) {
            Ok(header) => {
                self.show_found(&header, show);
                Ok(true)
            }
            Err(CommandFailure::Condition(Condition::NotFnd | Condition::EndFile, _)) => Ok(false),
            Err(failure) => Err(failure),
        }
    }

    fn fetch_for_update(
        &mut self,
        file: usize,
        seek: SeekKey<'_>,
        access: FileAccess,
        nosuspend: bool,
        show: &mut RecordVisitor<'_>,
    ) -> ServiceResult<Option<u32>> {
        let command = FileCommand::ReadUpdate {
            seek,
            access,
            nosuspend,
        };
        match self.on_file(file, command) {
            Ok(header) => {
                self.show_found(&header, show);
                Ok(Some(FileAnswer::new(&header, &[]).token()))
            }
            Err(CommandFailure::Condition(Condition::NotFnd | Condition::EndFile, _)) => Ok(None),
            Err(failure) => Err(failure),
        }
    }

    fn write(
        &mut self,
        file: usize,
        number: &[u8],
        record: &[u8],
        nosuspend: bool,
    ) -> ServiceResult<Vec<u8>> {
        self.note_change(file);
        let command = FileCommand::Write {
            key: number,
            record,
            nosuspend,
        };
        let header = self.on_file(file, command)?;
        Ok(self.side.borrow().call_data(&header).to_vec())
    }

    fn rewrite(
        &mut self,
        file: usize,
        token: u32,
        record: &[u8],
        nosuspend: bool,
    ) -> ServiceResult<()> {
        self.note_change(file);
        let command = FileCommand::Rewrite {
            token: Some(token),
            record,
            nosuspend,
        };
        self.on_file(file, command).map(drop)
    }

    fn delete_held(&mut self, file: usize, token: u32) -> ServiceResult<()> {
        self.note_change(file);
        let token = Some(token);
        self.on_file(file, FileCommand::DeleteHeld { token })
            .map(drop)
    }

    fn delete(&mut self, file: usize, key: &[u8], nosuspend: bool) -> ServiceResult<bool> {
        self.note_change(file);
        let header = self.on_file(file, FileCommand::Delete { key, nosuspend })?;
        Ok(FileAnswer::new(&header, &[]).more())
    }

    fn delete_generic(
        &mut self,
        file: usize,
        prefix: &[u8],
        nosuspend: bool,
    ) -> ServiceResult<u64> {
        self.note_change(file);
        match self.on_file(file, FileCommand::DeleteGeneric { prefix, nosuspend }) {
            Ok(header) => Ok(FileAnswer::new(&header, &[]).deleted()),
            Err(CommandFailure::Condition(Condition::NotFnd, _)) => Ok(0),
            Err(failure) => Err(failure),
        }
    }

    fn unlock(&mut self, file: usize, token: Option<u32>) -> ServiceResult<()> {
        self.on_file(file, FileCommand::Unlock { token }).map(drop)
    }
}

impl UnitServices for LinkServices {
    fn syncpoint(&mut self) -> ServiceResult<()> {
        self.end_unit();
        let ended = self.ask(CallOperation::Syncpoint, [0; 8], &[]).map(drop);
        self.end_sql_unit(ended.is_ok());
        ended
    }

    fn rollback(&mut self) -> ServiceResult<()> {
        self.end_unit();
        let ended = self.ask(CallOperation::Rollback, [0; 8], &[]).map(drop);
        self.end_sql_unit(false);
        ended
    }
}

impl SqlServices for LinkServices {
    fn sql_open(&mut self) -> Result<Box<SqlLink>, SqlRefusal> {
        if let Some(link) = self.connections.take_sql() {
            if link.has_unit && !link.is_uncertain {
                return Ok(link);
            }
            self.connections.keep_sql(link);
        }
        let wish =
            CommandOperands::default().int(sql::operand::REASON, sql::reason::FIRST_STATEMENT);
        let reply = self
            .command(sql::SQL_CONNECT, &wish)
            .map_err(SqlRefusal::Failed)?;
        let grant = sql::SqlGrant::parse(&reply.operands)?;
        let known = self.connections.take_sql();
        self.granted_link(known, grant)
    }

    fn sql_holds(&mut self) -> ServiceResult<()> {
        let report = CommandOperands::default().int(sql::operand::REASON, sql::reason::HOLDS);
        self.command(sql::SQL_CONNECT, &report).map(drop)
    }

    fn sql_keep(&mut self, link: Box<SqlLink>) {
        self.connections.keep_sql(link);
    }

    fn sql_lost(&mut self, link: Box<SqlLink>) -> ServiceResult<()> {
        let tag = link.tag;
        drop(link);
        self.connections.close(tag);
        let report = CommandOperands::default()
            .int(sql::operand::REASON, sql::reason::LOST)
            .int(sql::operand::TAG, tag as i64);
        self.command(sql::SQL_CONNECT, &report).map(drop)
    }

    fn sql_cancelled(&mut self) -> ServiceResult<()> {
        let report = CommandOperands::default().int(sql::operand::REASON, sql::reason::CANCELLED);
        self.command(sql::SQL_CONNECT, &report).map(drop)
    }
}

impl ProgramServices for LinkServices {
    fn link(&mut self, program: &[u8; 8], payload: &LinkData) -> ServiceResult<LinkStep> {
        let (data, kind) = emit(payload);
        if data.len() + 8 > CALL_BYTES {
            return Err(CommandFailure::Condition(Condition::LengErr, 0));
        }
        self.leave_sql();
        let event = self.call(
            CallOperation::Link,
            [kind, 0, 0, 0, 0, 0, 0, 0],
            &[program, &data],
        );
        self.link_step(event)
    }

    fn nested_done(
        &mut self,
        abend: Option<[u8; 4]>,
        payload: &LinkData,
    ) -> ServiceResult<LinkStep> {
        let (data, kind) = emit(payload);
        let too_long = data.len() > CALL_BYTES;
        let abend = if too_long { Some(*b"ASRA") } else { abend };
        let header = AnswerHeader {
            abend: abend.map(link::Name::from_bytes).unwrap_or_default(),
            args: [kind, 0, 0, 0, 0, 0, 0, 0],
            ..AnswerHeader::default()
        };
        let data: &[u8] = if too_long { &[] } else { &data };
        self.leave_sql();
        let event = self.waiting(|side| side.nested_done(header, &[data]));
        self.link_step(event)
    }
}

impl PartnerServices for LinkServices {
    fn converse(
        &mut self,
        verb: Verb,
        args: [u64; 3],
        data: &[&[u8]],
    ) -> ServiceResult<VerbAnswer> {
        let [conversation, flags, limit] = args;
        let args = [verb as u64, conversation, flags, limit, 0, 0, 0, 0];
        let event = self.call(CallOperation::Converse, args, data);
        let header = self.until_answered(event);
        let data = self.side.borrow().call_data(&header).to_vec();
        let (condition, resp2) = match answer(header) {
            Ok(_) => (Condition::Normal, header.resp2),
            Err(CommandFailure::Condition(condition, resp2)) => (condition, resp2),
            Err(abend) => return Err(abend),
        };
        Ok(VerbAnswer {
            condition,
            resp2,
            args: header.args,
            data,
        })
    }

    fn socket(&mut self, args: [u64; 8], data: &[u8]) -> ServiceResult<([u64; 8], Vec<u8>)> {
        let header = self.ask(CallOperation::Socket, args, &[data])?;
        let data = self.side.borrow().call_data(&header).to_vec();
        Ok((header.args, data))
    }

    fn receive_descriptor(&mut self) -> Option<std::os::fd::OwnedFd> {
        let (_, mut fds) = self.side.borrow().receive_fds().ok()?;
        fds.pop()
    }
}
