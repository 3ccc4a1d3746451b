//! The tasks of facilities: registration, inputs, STARTs and triggers, the end of a task, and
//! the end of a facility.

use std::collections::VecDeque;

use link::terminal::TerminalData;
use link::{Name, TransId};

use super::super::{Resources, interval};
use super::{
    AttachedTask, FacilityDef, FacilityEntry, FacilityEvent, FacilityId, FacilityInput,
    FacilityTable, NextTask, OUTCOME, RegisterRefused, SIGNAL, SavedArea, TERMINAL, WaitingStart,
    key, report,
};
use crate::kernel::{InternalStart, KernelContext, StartEnd};
use crate::types::{InputRefused, InputTaken, StartCode, StartRefusal};

/// Longest input, in bytes.
const MOST_INPUT_BYTES: usize = 32_767;

/// A facility is available from now on, and waiting work for it begins.
pub fn register(
    resources: &mut Resources,
    cx: &mut KernelContext<'_>,
    def: FacilityDef,
) -> Result<FacilityId, RegisterRefused> {
    let id = register_only(resources, cx, def)?;
    begin_waiting_work(resources, cx, id);
    Ok(id)
}

/// Begins the work that waits for a new facility.
pub fn begin_waiting_work(resources: &mut Resources, cx: &mut KernelContext<'_>, id: FacilityId) {
    if let Some(entry) = resources.facilities.all.get(&id) {
        let terminal = entry.def.terminal;
        resources.transient_data.facility_added(cx, terminal);
        advance(resources, cx, id);
    }
}

/// A facility is available from now on.
pub fn register_only(
    resources: &mut Resources,
    cx: &mut KernelContext<'_>,
    def: FacilityDef,
) -> Result<FacilityId, RegisterRefused> {
    let facilities = &mut resources.facilities;
    let terminal = def.terminal;
    if terminal.is_blank() || facilities.names.contains_key(&terminal) {
        return Err(RegisterRefused::InUse(terminal));
    }
    if facilities.all.len() >= facilities.limits.most {
        return Err(RegisterRefused::TooMany);
    }
    facilities.last += 1;
    let id = FacilityId(facilities.last);
    let entry = FacilityEntry {
        userid: def.userid,
        task: None,
        next: None,
        inputs: VecDeque::new(),
        starts: facilities.parked.remove(&terminal).unwrap_or_default(),
        last_key: (0, 0),
        in_store: false,
        closing: false,
        counted: 0,
        def,
    };
    facilities.all.insert(id, entry);
    facilities.names.insert(terminal, id);
    facilities.recover(cx, id);
    facilities.recount(id);
    Ok(id)
}

/// A user has entered something.
pub fn input(
    resources: &mut Resources,
    cx: &mut KernelContext<'_>,
    id: FacilityId,
    input: FacilityInput,
) -> Result<InputTaken, InputRefused> {
    let facilities = &mut resources.facilities;
    let room = input.data.len() <= MOST_INPUT_BYTES && facilities.has_room(input.bytes());
    let most = facilities.limits.queued_inputs;
    let held = facilities.is_held(id);
    let entry = facilities.all.get_mut(&id).filter(|e| !e.closing);
    let Some(entry) = entry else {
        return Err(InputRefused::Gone);
    };
    if held && entry.task.is_none() {
        return Err(InputRefused::InDoubt);
    }
    if !room || entry.inputs.len() >= most {
        return Err(InputRefused::TooMuch);
    }
    if entry.task.is_some() {
        entry.inputs.push_back(input);
        facilities.recount(id);
        if !cx.is_awaited(TERMINAL, &key(id)) {
            return Ok(InputTaken::Queued);
        }
        cx.signal(TERMINAL, &key(id));
        return Ok(InputTaken::Received);
    }
    let transid = may_begin(resources, id, input.transid)?;
    begin_input(resources, cx, id, transid, input);
    Ok(InputTaken::Begins(transid))
}

/// The transaction that an input begins, if it can.
fn may_begin(
    resources: &Resources,
    id: FacilityId,
    named: TransId,
) -> Result<TransId, InputRefused> {
    let entry = resources.facilities.all.get(&id);
    let next = entry.and_then(|e| e.next.as_ref());
    let transid = next.map_or(named, |next| next.transid);
    if transid.is_blank() {
        return Err(InputRefused::NoTransaction);
    }
    match resources.interval.transaction(transid) {
        None => Err(InputRefused::Task(StartRefusal::UnknownTransaction(
            transid,
        ))),
        Some(false) => Err(InputRefused::Task(StartRefusal::Disabled(transid))),
        Some(true) => Ok(transid),
    }
}

/// An input begins a task, which gets the data that the previous task has left.
fn begin_input(
    resources: &mut Resources,
    cx: &mut KernelContext<'_>,
    id: FacilityId,
    transid: TransId,
    mut input: FacilityInput,
) {
    let facilities = &mut resources.facilities;
    let Some(entry) = facilities.all.get_mut(&id) else {
        return;
    };
    entry.last_key = (input.aid, input.cursor);
    let given = entry.next.take();
    let mut start = InternalStart {
        transid,
        start_code: StartCode::Terminal,
        ..InternalStart::default()
    };
    if let Some(next) = &given {
        match &next.data {
            SavedArea::Nothing => {}
            SavedArea::Commarea(bytes) => start.commarea.clone_from(bytes),
            SavedArea::Channel(channel) => start.channel = Some(channel.clone()),
        }
        if let Some(message) = &next.message {
            input.data.clone_from(message);
            input.prepared = Vec::new();
        }
    }
    start.id = cx.next_start();
    let key = entry.last_key;
    attach(facilities, cx, id, start, key, Some(input), given);
}

/// A task that is about to begin has the facility.
fn attach(
    facilities: &mut FacilityTable,
    cx: &mut KernelContext<'_>,
    id: FacilityId,
    mut start: InternalStart,
    (aid, cursor): (u8, u16),
    mut initial: Option<FacilityInput>,
    given: Option<NextTask>,
) {
    let Some(entry) = facilities.all.get_mut(&id) else {
        return;
    };
    let def = &entry.def;
    let queue = match start.start_code {
        StartCode::Queue => start.facility,
        _ => Name::BLANK,
    };
    start.terminal = Some(Box::new(TerminalData {
        aid,
        cursor,
        term_code: def.term_code,
        screen: def.screen,
        default_screen: def.default_screen,
        alternate_screen: def.alternate_screen,
        features: def.features,
        netname: entry.unit_name(),
        queue,
    }));
    start.input = initial
        .as_mut()
        .map(|input| (input.data.clone(), std::mem::take(&mut input.prepared)));
    start.facility = def.terminal;
    start.userid = entry.userid;
    assert!(entry.task.is_none(), "a facility has one task at a time");
    entry.task = Some(AttachedTask {
        transid: start.transid,
        initial,
        given,
        signal: false,
    });
    facilities.begun.insert(start.id, id);
    facilities.recount(id);
    report(cx, id, FacilityEvent::Begins(start.transid));
    cx.start(start);
}

/// A START or trigger needs a terminal: the task begins when the terminal is free.
pub(super) fn enqueue(
    resources: &mut Resources,
    cx: &mut KernelContext<'_>,
    terminal: Name<4>,
    queued: WaitingStart,
) {
    let facilities = &mut resources.facilities;
    let there = facilities.names.get(&terminal).copied();
    let Some(id) = there else {
        match facilities.parked.get_mut(&terminal) {
            Some(parked) => parked.push_back(queued),
            None => drop_queued(resources, cx, queued),
        }
        return;
    };
    if let Some(entry) = facilities.all.get_mut(&id) {
        entry.starts.push_back(queued);
    }
    // The task that runs may wait for it in RETRIEVE.
    cx.signal(interval::RETRIEVE, &key(id));
    advance(resources, cx, id);
}

/// Drops the work that waits for a terminal that is not expected back.
fn drop_queued(resources: &mut Resources, cx: &mut KernelContext<'_>, queued: WaitingStart) {
    match queued {
        WaitingStart::Request(request) => interval::discard(resources, cx, request),
        WaitingStart::Trigger(start) => resources.transient_data.trigger_gone(start.id),
    }
}

/// A trigger with a terminal has fired.
pub(super) fn triggered(resources: &mut Resources, cx: &mut KernelContext<'_>, number: u64) {
    if let Some((terminal, start)) = resources.transient_data.take_trigger(number) {
        enqueue(
            resources,
            cx,
            terminal,
            WaitingStart::Trigger(Box::new(start)),
        );
    }
}

/// Begins the next task at a free facility: that of RETURN IMMEDIATE, else a queued START, else
/// that of an input that was entered ahead.
pub(super) fn advance(resources: &mut Resources, cx: &mut KernelContext<'_>, id: FacilityId) {
    if resources.facilities.is_held(id) {
        return;
    }
    loop {
        let Some(entry) = resources.facilities.all.get_mut(&id) else {
            return;
        };
        if entry.task.is_some() || entry.closing {
            return;
        }
        if let Some(next) = entry.next.as_mut().filter(|next| next.immediate) {
            next.immediate = false;
            let (aid, cursor) = entry.last_key;
            let none = FacilityInput {
                aid,
                cursor,
                ..FacilityInput::default()
            };
            begin_or_refuse(resources, cx, id, none);
        } else if let Some(queued) = entry.starts.pop_front() {
            begin_queued(resources, cx, id, queued);
        } else if let Some(input) = entry.inputs.pop_front() {
            resources.facilities.recount(id);
            begin_or_refuse(resources, cx, id, input);
        } else {
            return;
        }
    }
}

fn begin_or_refuse(
    resources: &mut Resources,
    cx: &mut KernelContext<'_>,
    id: FacilityId,
    input: FacilityInput,
) {
    match may_begin(resources, id, input.transid) {
        Ok(transid) => begin_input(resources, cx, id, transid, input),
        Err(InputRefused::Task(refusal)) => {
            let transid = match refusal {
                StartRefusal::UnknownTransaction(transid) | StartRefusal::Disabled(transid) => {
                    transid
                }
                _ => input.transid,
            };
            report(cx, id, FacilityEvent::Refused { transid, refusal });
        }
        Err(_) => {
            let refusal = StartRefusal::UnknownTransaction(input.transid);
            let transid = input.transid;
            report(cx, id, FacilityEvent::Refused { transid, refusal });
        }
    }
}

fn begin_queued(
    resources: &mut Resources,
    cx: &mut KernelContext<'_>,
    id: FacilityId,
    queued: WaitingStart,
) {
    let start = match queued {
        WaitingStart::Request(request) => resources.interval.take_for_facility(request),
        WaitingStart::Trigger(start) => Some(*start),
    };
    if let Some(start) = start {
        attach(&mut resources.facilities, cx, id, start, (0, 0), None, None);
    }
}

/// A task that had a facility is over, or could not begin.
pub(super) fn ended(
    resources: &mut Resources,
    cx: &mut KernelContext<'_>,
    start: u64,
    ended: &StartEnd,
) {
    let facilities = &mut resources.facilities;
    let Some(id) = facilities.begun.remove(&start) else {
        return;
    };
    let Some(entry) = facilities.all.get_mut(&id) else {
        return;
    };
    let Some(task) = entry.task.take() else {
        return;
    };
    match ended {
        StartEnd::Ran(abend, _) => {
            let next = entry.next.as_ref();
            let event = FacilityEvent::Ended {
                abend: abend.clone(),
                next_transid: next.map_or(TransId::BLANK, |next| next.transid),
            };
            report(cx, id, event);
        }
        StartEnd::Refused(refusal) => {
            // The task has not seen the saved data.
            entry.next = task.given.or(entry.next.take());
            let event = FacilityEvent::Refused {
                transid: task.transid,
                refusal: *refusal,
            };
            report(cx, id, event);
        }
    }
    facilities.recount(id);
    if facilities.all[&id].closing {
        facilities.forget(cx, id);
    } else {
        advance(resources, cx, id);
    }
}

/// A facility ends. Work that waits for a terminal with its own name stays until the terminal
/// is back.
pub fn close(resources: &mut Resources, cx: &mut KernelContext<'_>, id: FacilityId) {
    let facilities = &mut resources.facilities;
    let Some(entry) = facilities.all.get_mut(&id).filter(|e| !e.closing) else {
        return;
    };
    entry.closing = true;
    entry.inputs.clear();
    let terminal = entry.def.terminal;
    let (starts, pooled) = (std::mem::take(&mut entry.starts), entry.def.pooled);
    let busy = entry.task.is_some();
    facilities.names.remove(&terminal);
    facilities.recount(id);
    if !pooled && facilities.parked.len() < facilities.limits.most {
        let parked = facilities.parked.entry(terminal).or_default();
        parked.extend(starts);
    } else {
        resources.transient_data.facility_removed(terminal);
        for queued in starts {
            drop_queued(resources, cx, queued);
        }
        // Also starts whose time has not come.
        interval::discard_for(resources, cx, terminal);
    }
    if busy {
        cx.signal(TERMINAL, &key(id));
        cx.signal(SIGNAL, &key(id));
        cx.signal(OUTCOME, &key(id));
        cx.signal(interval::RETRIEVE, &key(id));
    } else {
        resources.facilities.forget(cx, id);
    }
}

impl FacilityTable {
    /// A facility that has left and has no task is gone.
    fn forget(&mut self, cx: &mut KernelContext<'_>, id: FacilityId) {
        self.put_away(cx, id);
        self.recount(id);
        if let Some(entry) = self.all.remove(&id) {
            self.bytes -= entry.counted;
        }
    }
}
