//! The natives of files: commands as the region serves them for every task.
//!
//! The own part of JavaScript names a file by its number and the operation; the
//! command and its answer are those of the link ([`link::FileCall`]).

use std::rc::Rc;

use cics::file::FileAccess;
use link::{CallAnswer, FileCall, FileCommand, SeekKey};
use rquickjs::{Array, Ctx, Function, IntoJs, Object, Result, TypedArray, Value};

use crate::engine::EngineState;
use crate::host::Fault;
use crate::natives::{bytes_of, no_task, refused};

/// READ: options as the own part has them.
const GENERIC: u32 = 1;
const GTEQ: u32 = 2;
const UPDATE: u32 = 4;
const NOSUSPEND: u32 = 8;

/// Puts the natives of files into the object that the own part is given.
pub fn install<'js>(ctx: &Ctx<'js>, own: &Object<'js>, shared: &Rc<EngineState>) -> Result<()> {
    let of = shared.clone();
    let read = move |ctx: Ctx<'js>, file: u32, options: u32, key: Value<'js>| {
        let key = bytes_of(&key).unwrap_or_default();
        let seek = match options & (GTEQ | GENERIC) {
            0 => SeekKey::Equal(key),
            GENERIC => SeekKey::Prefix(key),
            _ => SeekKey::AtLeast(key),
        };
        let command = if options & UPDATE != 0 {
            FileCommand::ReadUpdate {
                seek,
                access: FileAccess::ReadUpdate,
                nosuspend: options & NOSUSPEND != 0,
            }
        } else {
            FileCommand::Read {
                seek,
                access: FileAccess::Read,
            }
        };
        serve(&ctx, &of, FileCall { file, command }, found)
    };
    own.set("readRecord", Function::new(ctx.clone(), read)?)?;

    let of = shared.clone();
    let browse = move |ctx: Ctx<'js>, file: u32, step: String, key: Value<'js>| {
        let key = bytes_of(&key).unwrap_or_default();
        let seek = match step.as_str() {
            "from" => SeekKey::AtLeast(key),
            "back from" => SeekKey::AtMost(key),
            "next" => SeekKey::Greater(key),
            "previous" => SeekKey::Less(key),
            "last" => SeekKey::Last,
            _ => SeekKey::First,
        };
        // A script has no STARTBR: each step is a browse of its own.
        let access = FileAccess::StartBrowse;
        let command = FileCommand::Read { seek, access };
        serve(&ctx, &of, FileCall { file, command }, found)
    };
    own.set("browseRecord", Function::new(ctx.clone(), browse)?)?;

    let of = shared.clone();
    let write = move |ctx: Ctx<'js>, file: u32, key: Value<'js>, record: Value<'js>| {
        let command = FileCommand::Write {
            key: bytes_of(&key).unwrap_or_default(),
            record: bytes_of(&record).unwrap_or_default(),
            nosuspend: false,
        };
        serve(&ctx, &of, FileCall { file, command }, nothing)
    };
    own.set("writeRecord", Function::new(ctx.clone(), write)?)?;

    let of = shared.clone();
    let rewrite = move |ctx: Ctx<'js>, file: u32, record: Value<'js>| {
        let command = FileCommand::Rewrite {
            token: None,
            record: bytes_of(&record).unwrap_or_default(),
            nosuspend: false,
        };
        serve(&ctx, &of, FileCall { file, command }, nothing)
    };
    own.set("rewriteRecord", Function::new(ctx.clone(), rewrite)?)?;

    let of = shared.clone();
    let delete = move |ctx: Ctx<'js>, file: u32, key: Value<'js>, generic: bool| {
        let nosuspend = false;
        let command = match bytes_of(&key) {
            None => FileCommand::DeleteHeld { token: None },
            Some(prefix) if generic => FileCommand::DeleteGeneric { prefix, nosuspend },
            Some(key) => FileCommand::Delete { key, nosuspend },
        };
        serve(&ctx, &of, FileCall { file, command }, |ctx, answer| {
            (answer.on_file().deleted() as f64).into_js(ctx)
        })
    };
    own.set("deleteRecord", Function::new(ctx.clone(), delete)?)?;

    let of = shared.clone();
    let unlock = move |ctx: Ctx<'js>, file: u32| {
        let command = FileCommand::Unlock { token: None };
        serve(&ctx, &of, FileCall { file, command }, nothing)
    };
    own.set("unlockRecords", Function::new(ctx.clone(), unlock)?)
}

/// Has the region run a command; returns what `give` makes of its answer, or
/// the failure.
fn serve<'js>(
    ctx: &Ctx<'js>,
    shared: &EngineState,
    call: FileCall<'_>,
    give: impl FnOnce(&Ctx<'js>, &CallAnswer) -> Result<Value<'js>>,
) -> Result<Value<'js>> {
    let wire = call.emit();
    match shared.host(|host| host.call(wire.op, wire.args, wire.data.concat())) {
        Some(Ok(answer)) if answer.condition == cics::resp::Condition::Normal => give(ctx, &answer),
        Some(Ok(answer)) => refused(ctx, &Fault::Condition(answer.condition, answer.resp2)),
        Some(Err(fault)) => refused(ctx, &fault),
        None => no_task(ctx),
    }
}

/// The record, with the position of a browse and the token of its lock.
fn found<'js>(ctx: &Ctx<'js>, answer: &CallAnswer) -> Result<Value<'js>> {
    let answer = answer.on_file();
    let found = answer.found();
    let made = Array::new(ctx.clone())?;
    made.set(0, TypedArray::<u8>::new_copy(ctx.clone(), found.position)?)?;
    made.set(1, TypedArray::<u8>::new_copy(ctx.clone(), found.record)?)?;
    made.set(2, answer.token())?;
    made.into_js(ctx)
}

fn nothing<'js>(ctx: &Ctx<'js>, _: &CallAnswer) -> Result<Value<'js>> {
    ().into_js(ctx)
}
