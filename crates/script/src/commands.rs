//! Any command that the region serves, in the syntax of EXEC CICS: the command
//! table has its operands and results.
//!
//! Reference: the crate `cics`, command table.

use cics::command::{
    self, Command, CommandDomain, CommandSelection, CommandSupport, DataDirection, OptionArgument,
    OptionRule,
};
use cics::resp::Condition;
use link::{CHANNEL_DATA, CallAnswer, CommandOperands, OperandValue};
use rquickjs::{Ctx, IntoJs, Object, Result, TypedArray, Value};

use crate::engine::EngineState;
use crate::natives::{ProgramArguments, bytes_of, refused};

/// Runs a command, with the channel that its option CHANNEL names where the
/// script gave one. Returns an object with what came back, or why not.
pub fn run<'js>(
    ctx: &Ctx<'js>,
    shared: &EngineState,
    name: &str,
    options: &Object<'js>,
    channel: &ProgramArguments<'js>,
) -> Result<Value<'js>> {
    let (row, mut operands) = match gather(shared, name, options)? {
        Ok(gathered) => gathered,
        Err(wrong) => return misused(ctx, &wrong),
    };
    if let ProgramArguments::Channel(channel) = channel {
        operands.push(CHANNEL_DATA, OperandValue::Bytes(channel.emit()));
    }
    match shared.host(|host| host.command(row.number, &operands)) {
        Some(Ok(answer)) if answer.condition == Condition::Normal => {
            given_back(ctx, shared, row, &answer)
        }
        Some(Ok(answer)) => {
            let fault = crate::host::Fault::Condition(answer.condition, answer.resp2);
            refused(ctx, &fault)
        }
        Some(Err(fault)) => refused(ctx, &fault),
        None => {
            let made = Object::new(ctx.clone())?;
            made.set("refused", "no task")?;
            made.into_js(ctx)
        }
    }
}

/// The row of a command and its operands, or the error in them.
fn gather<'js>(
    shared: &EngineState,
    name: &str,
    options: &Object<'js>,
) -> Result<std::result::Result<(&'static Command, CommandOperands), String>> {
    let upper = name.to_ascii_uppercase();
    let mut words = upper.split_ascii_whitespace();
    let verb = words.next().unwrap_or_default();
    let mut names: Vec<String> = words.map(str::to_owned).collect();
    let flags = names.len();
    let mut values = Vec::new();
    for property in options.props::<String, Value<'js>>() {
        let (key, value) = property?;
        if value.is_undefined() || value.is_null() || value.as_bool() == Some(false) {
            continue;
        }
        names.push(key.to_ascii_uppercase());
        values.push(value);
    }
    let listed: Vec<&str> = names.iter().map(String::as_str).collect();
    let row = match command::select(verb, &listed) {
        CommandSelection::Found(row) => row,
        _ if matches!(verb, "SQL" | "EXEC") => {
            return Ok(Err(
                "EXEC SQL is not supported in scripts: LINK to a program that has it".to_owned(),
            ));
        }
        _ => return Ok(Err(format!("unknown command {upper}"))),
    };
    if let Some(why) = not_given(row) {
        return Ok(Err(format!("{} {why}", row.name)));
    }
    let mut bits = 0u128;
    for word in &listed[..flags] {
        if let Some(index) = row.index_of(word) {
            bits |= 1 << index;
        }
    }
    let mut list = Vec::new();
    let mut chosen = false;
    for (key, value) in listed[flags..].iter().zip(&values) {
        let Some(index) = row.index_of(key) else {
            return Ok(Err(format!(
                "{} has no option {key}; see the reference of commands",
                row.name
            )));
        };
        bits |= 1 << index;
        let option = row.option(index);
        // A browse returns its name with NEXT; any other command takes it as
        // input.
        let returns_data = |o: &command::OptionRow| match o.argument {
            OptionArgument::Optional => true,
            _ => o.direction != DataDirection::In,
        };
        if option.is_some_and(returns_data) && value.as_bool() == Some(true) {
            chosen = true;
            continue;
        }
        match option.map(|o| operand(shared, o.argument, value)) {
            Some(Ok(Some(operand))) => list.push((index, operand)),
            Some(Ok(None)) | None => {}
            Some(Err(why)) => return Ok(Err(format!("{} {key}: {why}", row.name))),
        }
    }
    for (index, option) in row.options.iter().enumerate() {
        // All that the command gives is wanted, unless the script has said what;
        // of INTO and SET, INTO.
        let returns_data = match option.direction {
            DataDirection::In => false,
            DataDirection::Out => true,
            // A length, or a name that the command takes as well.
            DataDirection::InOut => row.verb == "INQUIRE",
        };
        let given = returns_data
            && option.argument != OptionArgument::PtrRef
            && is_served(row, option.name);
        if given && !chosen && option.alias_of.is_none() {
            bits |= 1 << index;
        }
        if option.required && bits >> index & 1 == 0 {
            return Ok(Err(format!("{} needs {}", row.name, option.name)));
        }
    }
    list.sort_by_key(|(index, _)| *index);
    let mut operands = CommandOperands::new(bits);
    for (index, operand) in list {
        operands.push(index, operand);
    }
    Ok(Ok((row, operands)))
}

/// Whether the region returns a value for an option.
fn is_served(row: &Command, option: &str) -> bool {
    let unserved =
        |rule: &OptionRule| matches!(rule, OptionRule::Unserved(list, _) if list.contains(&option));
    !row.rules.iter().any(unserved)
}

/// Why a script cannot give a command.
fn not_given(row: &Command) -> Option<String> {
    let why = match (row.served, row.domain) {
        (CommandSupport::Region, CommandDomain::Web) => {
            "use request, response, fetch and XML instead"
        }
        (CommandSupport::Region, CommandDomain::Maps) => "a script has no terminal",
        (CommandSupport::Worker, _) | (CommandSupport::Region, CommandDomain::Programs) => {
            "use the objects that scripts have for this"
        }
        (CommandSupport::Region, _) => return None,
        (CommandSupport::NotYet(why) | CommandSupport::Refused(why), _) => why,
    };
    Some(format!("cannot be passed by a script: {why}"))
}

/// An option's operand, from a value of JavaScript; `None` for a flag.
fn operand(
    shared: &EngineState,
    argument: OptionArgument,
    value: &Value<'_>,
) -> std::result::Result<Option<OperandValue>, String> {
    let text = || value.as_string().and_then(|t| t.to_string().ok());
    let page = shared.records.code_page();
    let encode = |text: &str| {
        let wrong = |c| format!("the region's code page has no character {c:?}");
        page.encode(text).map_err(wrong)
    };
    let padded = |most: usize| {
        let mut bytes = match (text(), bytes_of(value)) {
            (Some(text), _) => encode(&text)?,
            (None, Some(bytes)) => bytes.to_vec(),
            _ => return Err("expected text".to_owned()),
        };
        if bytes.len() > most {
            return Err(format!("longer than {most} characters"));
        }
        bytes.resize(most, b' ');
        Ok(Some(OperandValue::Bytes(bytes)))
    };
    match argument {
        OptionArgument::None | OptionArgument::Label | OptionArgument::PtrRef => Ok(None),
        OptionArgument::Name(n) => padded(n.into()),
        OptionArgument::Chars(n) => padded(n.into()),
        OptionArgument::Area | OptionArgument::Any | OptionArgument::Optional => {
            match (text(), bytes_of(value)) {
                (Some(text), _) => Ok(Some(OperandValue::Bytes(encode(&text)?))),
                (None, Some(bytes)) => Ok(Some(OperandValue::Bytes(bytes.to_vec()))),
                _ => Err("expected text or bytes".into()),
            }
        }
        OptionArgument::Cvda if text().is_some() => {
            let name = text().unwrap_or_default().to_ascii_uppercase();
            let number = cics::cvda::value(&name);
            number
                .map(|n| Some(OperandValue::Int(n.into())))
                .ok_or_else(|| format!("unknown CVDA {name}"))
        }
        _ => match value.as_number() {
            Some(n) if n.fract() == 0.0 && n.abs() < 9e15 => Ok(Some(OperandValue::Int(n as i64))),
            _ => Err("expected a whole number".into()),
        },
    }
}

/// A command's results, by the names of its options.
fn given_back<'js>(
    ctx: &Ctx<'js>,
    shared: &EngineState,
    row: &Command,
    answer: &CallAnswer,
) -> Result<Value<'js>> {
    let made = Object::new(ctx.clone())?;
    // The region's own output is well-formed.
    let operands = if answer.data.is_empty() {
        CommandOperands::default()
    } else {
        CommandOperands::parse(&answer.data).unwrap_or_default()
    };
    for (index, operand) in operands.each() {
        let Some(option) = row.option(index) else {
            continue;
        };
        match operand {
            OperandValue::Int(value) => made.set(option.name, *value as f64)?,
            OperandValue::Bytes(bytes) if option.argument == OptionArgument::Area => {
                made.set(option.name, TypedArray::<u8>::new_copy(ctx.clone(), bytes)?)?;
            }
            OperandValue::Bytes(bytes) => {
                let text = shared.records.code_page().decode(bytes);
                made.set(option.name, text.as_deref().unwrap_or_default().trim_end())?;
            }
        }
    }
    made.into_js(ctx)
}

fn misused<'js>(ctx: &Ctx<'js>, why: &str) -> Result<Value<'js>> {
    let made = Object::new(ctx.clone())?;
    made.set("refused", "usage")?;
    made.set("message", why)?;
    made.into_js(ctx)
}
