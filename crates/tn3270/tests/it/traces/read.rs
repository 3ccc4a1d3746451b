//! x3270's trace files: what the host and the client sent, and what the client was.
//!
//! A line `< 0x0 hex` has bytes of the host, `> 0x0 hex` bytes of the client; an
//! offset above 0 continues the line before. Everything else is x3270's own log.

use std::path::{Path, PathBuf};

use tn3270::telnet::{DecoderLimits, ExtendedNegotiation, TelnetDecoder, TelnetEvent, code};
use tn3270::{
    ClientConfig, DeviceType, LuName, ScreenSize, SessionFunctions, TerminalModel, telnet,
};

/// One side's bytes, or the begin of a connection.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TraceStep {
    Connect,
    Host(Vec<u8>),
    Client(Vec<u8>),
}

pub struct Trace {
    pub name: String,
    pub steps: Vec<TraceStep>,
    pub model: TerminalModel,
    pub config: ClientConfig,
}

/// The traces below a folder, by their names.
pub fn traces(folder: &Path) -> Vec<Trace> {
    let mut paths = Vec::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(&folder).into_iter().flatten().flatten() {
            let path = entry.path();
            match path.extension() {
                _ if path.is_dir() => folders.push(path),
                Some(extension) if extension == "trc" => paths.push(path),
                _ => {}
            }
        }
    }
    paths.sort();
    paths.iter().map(|path| trace(path, folder)).collect()
}

fn trace(path: &PathBuf, folder: &Path) -> Trace {
    let bytes = std::fs::read(path).unwrap();
    let text = String::from_utf8_lossy(&bytes);
    let name = path.strip_prefix(folder).unwrap_or(path);
    let name = name.with_extension("").display().to_string();
    let steps = steps(&text);
    let model = model(&text);
    let config = config(&steps, &model);
    Trace {
        name: name.replace("/Test/", "/"),
        steps,
        model,
        config,
    }
}

fn steps(text: &str) -> Vec<TraceStep> {
    let mut steps: Vec<TraceStep> = Vec::new();
    for line in text.lines() {
        if line.contains("-> [telnet-pending] (host_connected)") && steps.is_empty() {
            continue;
        }
        if line.contains("[not-connected] -> ") && !steps.is_empty() {
            steps.push(TraceStep::Connect);
        }
        let Some((offset, bytes)) = line.get(2..).and_then(dumped) else {
            continue;
        };
        let more = offset > 0;
        match (line.as_bytes()[0], steps.last_mut()) {
            (b'<', Some(TraceStep::Host(before))) if more => before.extend(bytes),
            (b'>', Some(TraceStep::Client(before))) if more => before.extend(bytes),
            (b'<', _) => steps.push(TraceStep::Host(bytes)),
            (b'>', _) => steps.push(TraceStep::Client(bytes)),
            _ => {}
        }
    }
    steps
}

/// The offset and the bytes of `0x0 hex`.
fn dumped(rest: &str) -> Option<(usize, Vec<u8>)> {
    let mut words = rest.split_whitespace();
    let offset = words.next()?.strip_prefix("0x")?;
    let offset = usize::from_str_radix(offset, 16).ok()?;
    let digits = words.next()?;
    let byte = |at: usize| u8::from_str_radix(digits.get(at..at + 2)?, 16).ok();
    let bytes: Option<Vec<u8>> = (0..digits.len()).step_by(2).map(byte).collect();
    Some((offset, bytes?))
}

/// The terminal of ` Model 3279-4-E, 43 rows x 80 cols`; a model 4 if a trace has no
/// such line.
fn model(text: &str) -> TerminalModel {
    let line = text
        .lines()
        .find_map(|line| line.trim().strip_prefix("Model "));
    let mut model = TerminalModel::display(4);
    let sizes: Vec<u16> = line
        .unwrap_or_default()
        .split([' ', ','])
        .filter_map(|word| word.parse().ok())
        .collect();
    if let [rows, columns, ..] = sizes[..] {
        model.alternate = ScreenSize::new(rows, columns).unwrap();
    }
    model.extended = line.is_none_or(|line| line.contains("extended data stream"));
    let page = text
        .lines()
        .find_map(|line| line.trim().strip_prefix("Host codepage: "));
    let page = page.and_then(|page| page.split('+').next()?.parse().ok());
    model.code_page = page.unwrap_or(37);
    model
}

/// What the client asked for, so that the terminal asks for the same.
fn config(steps: &[TraceStep], model: &TerminalModel) -> ClientConfig {
    let mut config = ClientConfig::new(model.device_type());
    let mut asked = false;
    let mut refused = false;
    for step in steps {
        let TraceStep::Client(bytes) = step else {
            continue;
        };
        for event in decoded(bytes, true) {
            let (option, body) = match event {
                TelnetEvent::Negotiation { verb, option } if option == code::TN3270E => {
                    refused |= verb == code::WONT && !asked;
                    asked |= verb == code::WILL;
                    continue;
                }
                TelnetEvent::Subnegotiation { option, body } => (option, body),
                _ => continue,
            };
            match (option, &body[..]) {
                (code::TERMINAL_TYPE, [code::TYPE_IS, name @ ..]) => {
                    let name = String::from_utf8_lossy(name);
                    let (name, lu) = name.split_once('@').unwrap_or((&name, ""));
                    config.terminal_type = name.to_owned();
                    add_name(&mut config, lu.as_bytes());
                }
                (code::TN3270E, body) => take(&mut config, body),
                _ => {}
            }
        }
    }
    config.tn3270e = !refused;
    config
}

fn take(config: &mut ClientConfig, body: &[u8]) {
    match ExtendedNegotiation::parse(body) {
        Some(ExtendedNegotiation::DeviceTypeRequest {
            device, connect, ..
        }) => {
            if let Some(device) = DeviceType::parse(device) {
                config.device = device;
            }
            add_name(config, connect.unwrap_or_default());
        }
        Some(ExtendedNegotiation::FunctionsRequest(list)) => {
            config.functions = SessionFunctions::parse(list);
        }
        _ => {}
    }
}

fn add_name(config: &mut ClientConfig, name: &[u8]) {
    if let Some(name) = LuName::parse(name).filter(|name| !config.lu_names.contains(name)) {
        config.lu_names.push(name);
    }
}

/// The events of some bytes.
pub fn decoded(bytes: &[u8], records: bool) -> Vec<TelnetEvent> {
    let mut decoder = TelnetDecoder::new(DecoderLimits::default());
    decoder.set_records(records);
    let mut input = bytes;
    let mut events = Vec::new();
    while let Ok(Some(event)) = decoder.next(&mut input) {
        events.push(event);
    }
    events
}

/// Whether these bytes are a step of START_TLS. A trace has the bytes inside of TLS,
/// so a live client must not begin it.
pub fn is_start_tls(bytes: &[u8]) -> bool {
    use telnet::code::{IAC, START_TLS};
    matches!(bytes, [IAC, _, START_TLS, ..])
}
