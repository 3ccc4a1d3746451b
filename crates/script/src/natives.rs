//! The functions that the engine's own part of JavaScript is written on.
//!
//! Scripts never see them: the own part keeps them private and gives scripts
//! objects that check their arguments. A rejected command returns an object
//! with its reason, which the own part throws.
//!
//! Invariant: nothing made here points out of the engine's memory, since a
//! set-back runs no finalizer. Bytes are copied.

use std::cell::RefCell;
use std::rc::Rc;
use std::time::{Duration, Instant};

use base::SeededRandom;
use fetch::FetchedResponse;
use link::{CallOperation, ChannelData, ContainerData, ContainerType, Name};
use region::LinkData;
use rquickjs::function::Opt;
use rquickjs::{
    Array, Ctx, Exception, Function, IntoJs, Object, Result, String as JsString, TypedArray, Value,
    qjs,
};

use crate::engine::{EngineState, Request, ScriptAnswer};
use crate::host::{Fault, LogLevel, ProgramInput, ProgramOutput, ScriptHost};
use crate::transfer::XctlTarget;
use crate::{commands, files, overdue, records};

/// Puts every native into the object that the own part is given.
pub fn install<'js>(ctx: &Ctx<'js>, own: &Object<'js>, shared: &Rc<EngineState>) -> Result<()> {
    let s = || shared.clone();
    let add = |name: &str, function: Function<'js>| own.set(name, function);
    let c = || ctx.clone();

    let of = s();
    let link = move |ctx: Ctx<'js>, program: String, given: Value<'js>, names: Value<'js>| {
        let input = ProgramArguments::read(&given, &names)?;
        let linked = of.host(|host| host.link(&program, input.input()));
        if let (ProgramArguments::Commarea(area), Some(Ok(output))) = (&input, &linked) {
            put_back(area, &output.commarea);
        }
        match linked {
            // The script already has the changed COMMAREA.
            Some(Ok(ProgramOutput { channel, .. })) => given_back(&ctx, &[], channel.as_ref()),
            Some(Err(fault)) => refused(&ctx, &fault),
            None => no_task(&ctx),
        }
    };
    add("link", Function::new(c(), link)?)?;

    let of = s();
    let xctl =
        move |ctx: Ctx<'js>, program: String, given: Value<'js>, names: Value<'js>, back: i32| {
            let input = ProgramArguments::read(&given, &names)?;
            match of.host(|host| host.may_go_over(&program, input.input())) {
                Some(Ok(())) => {
                    *of.transfer.borrow_mut() = Some(XctlTarget {
                        program,
                        given: input.passed(),
                        back: usize::try_from(back).ok(),
                    });
                    Err(end_for_good(&ctx)?)
                }
                Some(Err(fault)) => refused(&ctx, &fault),
                None => no_task(&ctx),
            }
        };
    add("xctl", Function::new(c(), xctl)?)?;

    let of = s();
    let spawn = move |ctx: Ctx<'js>,
                      number: u32,
                      transid: Opt<String>,
                      program: String,
                      given: Value<'js>,
                      names: Value<'js>| {
        let input = ProgramArguments::read(&given, &names)?;
        let transid = transid.0.as_deref().filter(|t| !t.is_empty());
        match of.host(|host| host.spawn(number, transid, &program, input.input())) {
            Some(Ok(())) => {
                of.children.set(of.children.get() + 1);
                ().into_js(&ctx)
            }
            Some(Err(fault)) => refused(&ctx, &fault),
            None => no_task(&ctx),
        }
    };
    add("spawn", Function::new(c(), spawn)?)?;

    let of = s();
    let fetch = move |ctx: Ctx<'js>,
                      number: u32,
                      asked: Array<'js>,
                      headers: Vec<String>,
                      body: Value<'js>| {
        let request = fetch::Request {
            url: asked.get(0)?,
            method: asked.get(1)?,
            timeout: asked
                .get::<Option<u32>>(2)?
                .map(|ms| Duration::from_millis(ms.into())),
            headers: paired(headers),
            body: bytes_of(&body).unwrap_or_default().to_vec(),
        };
        match of.host(|host| host.fetch(number, request)) {
            Some(Ok(())) => {
                of.children.set(of.children.get() + 1);
                ().into_js(&ctx)
            }
            Some(Err(why)) => not_fetched(&ctx, &why),
            None => no_task(&ctx),
        }
    };
    add("fetch", Function::new(c(), fetch)?)?;

    let of = s();
    let send = move |ctx: Ctx<'js>, status: u16, headers: Vec<String>, body: Value<'js>| {
        let part = ScriptAnswer {
            status,
            headers: paired(headers),
            body: body_of(&body)?,
            ..ScriptAnswer::default()
        };
        match of.host(|host| host.send(part)) {
            Some(answer) => answer.into_js(&ctx),
            None => no_task(&ctx),
        }
    };
    add("send", Function::new(c(), send)?)?;

    let of = s();
    let syncpoint = move |ctx: Ctx<'js>, rollback: bool| {
        let op = if rollback {
            CallOperation::Rollback
        } else {
            CallOperation::Syncpoint
        };
        match of.host(|host| host.call(op, [0; 8], Vec::new())) {
            Some(Ok(answer)) if answer.condition == cics::resp::Condition::Normal => {
                ().into_js(&ctx)
            }
            Some(Ok(answer)) => refused(&ctx, &Fault::Condition(answer.condition, answer.resp2)),
            Some(Err(fault)) => refused(&ctx, &fault),
            None => no_task(&ctx),
        }
    };
    add("syncpoint", Function::new(c(), syncpoint)?)?;
    files::install(ctx, own, shared)?;

    let of = s();
    let command = move |ctx: Ctx<'js>,
                        name: String,
                        options: Object<'js>,
                        parts: Value<'js>,
                        names: Value<'js>| {
        let channel = ProgramArguments::read(&parts, &names)?;
        commands::run(&ctx, &of, &name, &options, &channel)
    };
    add("command", Function::new(c(), command)?)?;

    let of = s();
    let file = move |name: String| {
        of.with_host_uncounted(|host| host.file(&name))
            .flatten()
            .map(|n| n as u32)
    };
    add("file", Function::new(c(), file)?)?;

    let of = s();
    let facts = move |ctx: Ctx<'js>| {
        let made = Object::new(ctx.clone())?;
        if let Some(facts) = of.with_host_uncounted(|host| host.facts()) {
            made.set("number", facts.task as f64)?;
            made.set("transid", facts.transid)?;
            made.set("userid", facts.userid)?;
            made.set("applid", facts.applid)?;
            made.set("sysid", facts.sysid)?;
        }
        Ok::<_, rquickjs::Error>(made)
    };
    add("facts", Function::new(c(), facts)?)?;

    let of = s();
    let log = move |level: u8, text: String, data: Opt<String>| {
        let level = match level {
            0 => LogLevel::Debug,
            1 => LogLevel::Info,
            2 => LogLevel::Warn,
            _ => LogLevel::Error,
        };
        let data = data.0.as_deref();
        match of.with_host_uncounted(|host| host.log(level, &text, data)) {
            Some(()) => {}
            None => tracing::info!(target: "script", data, "{text}"),
        }
    };
    add("log", Function::new(c(), log)?)?;

    let of = s();
    let timer = move |number: u32, ms: f64| {
        let wait = Duration::from_millis(ms.clamp(0.0, 86_400_000.0) as u64);
        of.timers.borrow_mut().push((Instant::now() + wait, number));
    };
    add("timer", Function::new(c(), timer)?)?;
    let of = s();
    let untimer = move |number: u32| of.timers.borrow_mut().retain(|(_, n)| *n != number);
    add("untimer", Function::new(c(), untimer)?)?;

    // The realm's own generator would give every request the same numbers.
    add("random", Function::new(c(), random)?)?;
    let of = s();
    let ask = move |ctx: Ctx<'js>, part: u8| request_part(&ctx, &of.request.borrow(), part);
    add("asked", Function::new(c(), ask)?)?;
    let of = s();
    let inside = move || of.host.borrow().is_some();
    add("inside", Function::new(c(), inside)?)?;
    texts(ctx, own, shared)?;
    crate::json::install(ctx, own)?;
    crate::xml::install(ctx, own)?;
    crate::form::install(ctx, own)?;
    records::install(ctx, own, shared)
}

/// Conversions between bytes and text.
fn texts<'js>(ctx: &Ctx<'js>, own: &Object<'js>, shared: &Rc<EngineState>) -> Result<()> {
    let c = || ctx.clone();
    let utf8 = move |ctx: Ctx<'js>, bytes: Value<'js>| -> Result<Option<JsString<'js>>> {
        let bytes = bytes_of(&bytes).unwrap_or_default();
        let text = std::str::from_utf8(bytes).ok();
        text.map(|t| JsString::from_str(ctx, t)).transpose()
    };
    own.set("utf8", Function::new(c(), utf8)?)?;
    let lossy = move |ctx: Ctx<'js>, bytes: Value<'js>| {
        let bytes = bytes_of(&bytes).unwrap_or_default();
        JsString::from_str(ctx, &String::from_utf8_lossy(bytes))
    };
    own.set("utf8Lossy", Function::new(c(), lossy)?)?;
    let to_utf8 = move |ctx: Ctx<'js>, text: String| TypedArray::<u8>::new_copy(ctx, text);
    own.set("toUtf8", Function::new(c(), to_utf8)?)?;
    let page = shared.records.code_page();
    let text = move |ctx: Ctx<'js>, bytes: Value<'js>| -> Result<Option<JsString<'js>>> {
        let bytes = bytes_of(&bytes).unwrap_or_default();
        // Most text is the same in the pages that are not EBCDIC.
        if !page.is_ebcdic() && bytes.is_ascii() {
            let same = std::str::from_utf8(bytes).ok();
            return same.map(|t| JsString::from_str(ctx, t)).transpose();
        }
        let text = page.decode(bytes);
        text.map(|t| JsString::from_str(ctx, &t)).transpose()
    };
    own.set("text", Function::new(c(), text)?)?;
    let bytes = move |ctx: Ctx<'js>, text: String| -> Result<Option<TypedArray<'js, u8>>> {
        let bytes = page.encode(&text).ok();
        bytes
            .map(|b| TypedArray::<u8>::new_copy(ctx, b))
            .transpose()
    };
    own.set("bytes", Function::new(c(), bytes)?)
}

impl EngineState {
    /// Calls the request's host. Returns `None` while there is no request. The
    /// call counts as progress.
    pub fn host<R>(&self, act: impl FnOnce(&mut dyn ScriptHost) -> R) -> Option<R> {
        let done = self.with_host_uncounted(act);
        self.watch.progress();
        done
    }

    /// As `host`, but without counting as progress: a script that calls nothing
    /// else runs away.
    fn with_host_uncounted<R>(&self, act: impl FnOnce(&mut dyn ScriptHost) -> R) -> Option<R> {
        let _native = overdue::native();
        // After XCTL a script runs no further command.
        if self.goes_over() {
            return None;
        }
        let mut host = self.host.borrow_mut();
        Some(act(host.as_mut()?.as_mut()))
    }
}

/// The input of a program, read from JavaScript.
pub enum ProgramArguments<'js> {
    /// No input.
    None,
    /// A COMMAREA, which its results go back to.
    Commarea(Value<'js>),
    /// A channel.
    Channel(ChannelData),
}

impl<'js> ProgramArguments<'js> {
    /// `given` is an Uint8Array for a COMMAREA; or an array of a channel's
    /// bytes, with its name and those of its containers in `names`.
    pub fn read(given: &Value<'js>, names: &Value<'js>) -> Result<ProgramArguments<'js>> {
        if given.is_undefined() || given.is_null() {
            return Ok(ProgramArguments::None);
        }
        let (Some(parts), Some(names)) = (given.as_array(), names.as_array()) else {
            return Ok(ProgramArguments::Commarea(given.clone()));
        };
        let mut names = names.iter::<String>();
        let named = |text: Option<Result<String>>| text.unwrap_or_else(|| Ok(String::new()));
        let channel = name(&named(names.next())?);
        let mut containers = Vec::new();
        for part in parts.iter::<Value<'js>>() {
            let part = part?;
            containers.push(ContainerData {
                name: name(&named(names.next())?),
                kind: ContainerType::Bit,
                ccsid: 0,
                bytes: bytes_of(&part).unwrap_or_default().to_vec(),
            });
        }
        Ok(ProgramArguments::Channel(ChannelData {
            name: channel,
            containers,
        }))
    }

    /// The data for a program.
    pub fn passed(self) -> LinkData {
        match self {
            ProgramArguments::None => LinkData::Commarea(Vec::new()),
            ProgramArguments::Commarea(area) => {
                LinkData::Commarea(bytes_of(&area).unwrap_or_default().to_vec())
            }
            ProgramArguments::Channel(channel) => LinkData::Channel(channel),
        }
    }

    /// The same as input for the host.
    pub fn input(&self) -> ProgramInput<'_> {
        match self {
            ProgramArguments::None => ProgramInput::None,
            ProgramArguments::Commarea(area) => {
                ProgramInput::Commarea(bytes_of(area).unwrap_or_default())
            }
            ProgramArguments::Channel(channel) => ProgramInput::Channel(channel),
        }
    }
}

/// The containers that were passed keep their types on the way back.
pub fn keep_types(given: &LinkData, back: &mut LinkData) {
    let (LinkData::Channel(given), LinkData::Channel(back)) = (given, back) else {
        return;
    };
    for container in &mut back.containers {
        let before = given.containers.iter().find(|c| c.name == container.name);
        if let Some(before) = before {
            (container.kind, container.ccsid) = (before.kind, before.ccsid);
        }
    }
}

/// The bytes of a body: text, an Uint8Array, or nothing.
pub fn body_of(body: &Value<'_>) -> Result<Vec<u8>> {
    Ok(match body.as_string() {
        Some(text) => text.to_string()?.into_bytes(),
        None => bytes_of(body).unwrap_or_default().to_vec(),
    })
}

/// A name of the region's, blank padded; the own part has checked it.
pub fn name<const N: usize>(text: &str) -> Name<N> {
    let mut bytes = [b' '; N];
    for (to, from) in bytes.iter_mut().zip(text.bytes()) {
        *to = from;
    }
    Name::from_bytes(bytes)
}

/// The bytes of an Uint8Array.
pub fn bytes_of<'v>(value: &'v Value<'_>) -> Option<&'v [u8]> {
    let array = TypedArray::<u8>::from_value(value.clone()).ok()?;
    let raw = array.as_raw()?;
    // SAFETY: the array's memory, which stays while `value` does: no script
    // runs that could detach it before the borrow ends.
    Some(unsafe { raw.as_ref() })
}

/// Has something done with the bytes of an Uint8Array, which may be written;
/// `None` for anything else.
///
/// # Safety
/// Nothing else has them borrowed, and no script runs meanwhile.
pub unsafe fn with_bytes<R>(value: &Value<'_>, act: impl FnOnce(&mut [u8]) -> R) -> Option<R> {
    let array = TypedArray::<u8>::from_value(value.clone()).ok()?;
    let mut raw = array.as_raw()?;
    // SAFETY: the array's memory, which stays while `array` does; the caller
    // has it alone.
    Some(act(unsafe { raw.as_mut() }))
}

/// An exception that no script catches, nor runs a `finally` for.
fn end_for_good(ctx: &Ctx<'_>) -> Result<rquickjs::Error> {
    let error = Exception::from_message(ctx.clone(), "the script has ended with XCTL")?;
    // SAFETY: the error of a living context, which only gets a mark.
    unsafe { qjs::JS_SetUncatchableError(ctx.as_raw().as_ptr(), error.as_raw()) };
    Ok(ctx.throw(error.into_value()))
}

fn put_back(area: &Value<'_>, output: &[u8]) {
    // SAFETY: the input was read before the program ran, and its borrow ended.
    unsafe {
        with_bytes(area, |to| {
            let n = to.len().min(output.len());
            to[..n].copy_from_slice(&output[..n]);
        });
    }
}

/// A program's output: `[commarea]`, or `[names, parts]` of a channel: its own
/// name and those of its containers, and their bytes. Otherwise the reason of
/// the failure.
pub fn output<'js>(
    ctx: &Ctx<'js>,
    result: std::result::Result<ProgramOutput, Fault>,
) -> Result<Value<'js>> {
    match result {
        Ok(output) => given_back(ctx, &output.commarea, output.channel.as_ref()),
        Err(fault) => refused(ctx, &fault),
    }
}

fn given_back<'js>(
    ctx: &Ctx<'js>,
    commarea: &[u8],
    channel: Option<&ChannelData>,
) -> Result<Value<'js>> {
    let bytes = |bytes: &[u8]| TypedArray::<u8>::new_copy(ctx.clone(), bytes);
    let made = Array::new(ctx.clone())?;
    let Some(channel) = channel else {
        if !commarea.is_empty() {
            made.set(0, bytes(commarea)?)?;
        }
        return made.into_js(ctx);
    };
    let (names, parts) = (Array::new(ctx.clone())?, Array::new(ctx.clone())?);
    names.set(0, name_of(ctx, &channel.name)?)?;
    for (i, container) in channel.containers.iter().enumerate() {
        names.set(1 + i, name_of(ctx, &container.name)?)?;
        parts.set(i, bytes(&container.bytes)?)?;
    }
    made.set(0, names)?;
    made.set(1, parts)?;
    made.into_js(ctx)
}

/// A name of the region's without its blanks.
fn name_of<'js, const N: usize>(ctx: &Ctx<'js>, name: &Name<N>) -> Result<JsString<'js>> {
    let text = name.as_bytes().trim_ascii_end();
    match std::str::from_utf8(text) {
        Ok(text) => JsString::from_str(ctx.clone(), text),
        Err(_) => JsString::from_str(ctx.clone(), name.to_string().trim_end()),
    }
}

/// A server's answer: `[status, headers, body]`, or the reason of the failure.
pub fn fetched<'js>(
    ctx: &Ctx<'js>,
    result: std::result::Result<FetchedResponse, String>,
) -> Result<Value<'js>> {
    let fetched = match result {
        Ok(fetched) => fetched,
        Err(why) => return not_fetched(ctx, &why),
    };
    let made = Array::new(ctx.clone())?;
    made.set(0, fetched.status)?;
    made.set(1, flat(ctx, &fetched.headers)?)?;
    made.set(2, TypedArray::<u8>::new_copy(ctx.clone(), &fetched.body)?)?;
    made.into_js(ctx)
}

fn not_fetched<'js>(ctx: &Ctx<'js>, why: &str) -> Result<Value<'js>> {
    let made = Object::new(ctx.clone())?;
    made.set("refused", "fetch")?;
    made.set("message", why)?;
    made.into_js(ctx)
}

/// Pairs, one after the other.
fn flat<'js>(ctx: &Ctx<'js>, list: &[(String, String)]) -> Result<Array<'js>> {
    let made = Array::new(ctx.clone())?;
    for (i, (name, value)) in list.iter().enumerate() {
        made.set(2 * i, name.as_str())?;
        made.set(2 * i + 1, value.as_str())?;
    }
    Ok(made)
}

/// The inverse.
fn paired(flat: Vec<String>) -> Vec<(String, String)> {
    let pairs = flat.chunks_exact(2);
    pairs.map(|p| (p[0].clone(), p[1].clone())).collect()
}

/// Why a command was not done, as an object with the member `refused`.
pub fn refused<'js>(ctx: &Ctx<'js>, fault: &Fault) -> Result<Value<'js>> {
    let made = Object::new(ctx.clone())?;
    match fault {
        Fault::Condition(condition, resp2) => {
            made.set("refused", "condition")?;
            made.set("condition", condition.name())?;
            made.set("resp", condition.number())?;
            made.set("resp2", *resp2)?;
        }
        Fault::Abend(abend) => {
            made.set("refused", "abend")?;
            made.set("code", abend.code.as_str())?;
            made.set("program", abend.program.as_str())?;
            made.set("line", abend.line)?;
            made.set("message", abend.message.as_str())?;
        }
    }
    made.into_js(ctx)
}

pub fn no_task<'js>(ctx: &Ctx<'js>) -> Result<Value<'js>> {
    let made = Object::new(ctx.clone())?;
    made.set("refused", "no task")?;
    made.into_js(ctx)
}

/// A part of the request, made when the script asks for it: by number, method,
/// path, query, variables, headers, body, what a program passed, the name by
/// which it linked.
fn request_part<'js>(ctx: &Ctx<'js>, request: &Request, part: u8) -> Result<Value<'js>> {
    let text = |text: &str| JsString::from_str(ctx.clone(), text)?.into_js(ctx);
    match part {
        0 => text(&request.method),
        1 => text(&request.path),
        2 => text(&request.query),
        3 => flat(ctx, &request.variables)?.into_js(ctx),
        4 => flat(ctx, &request.headers)?.into_js(ctx),
        6 => {
            let passed = request.call.as_ref().map(|(_, passed)| passed.clone());
            output(ctx, Ok(passed.map(crate::work::output).unwrap_or_default()))
        }
        7 => text(request.call.as_ref().map_or("", |(program, _)| program)),
        _ => TypedArray::<u8>::new_copy(ctx.clone(), &request.body)?.into_js(ctx),
    }
}

/// A number from 0 to below 1; the guide says that it is not for secrets.
fn random() -> f64 {
    use std::hash::{BuildHasher, RandomState};
    thread_local! {
        static RANDOM: RefCell<SeededRandom> =
            RefCell::new(SeededRandom::new(RandomState::new().hash_one(0)));
    }
    1.0 - RANDOM.with_borrow_mut(SeededRandom::unit)
}
