//! Templates: text with symbols and with the commands `#set`, `#echo` and
//! `#include` in the comments of HTML.
//!
//! `&name;` becomes the symbol's value, and stays as it is while the symbol has
//! none. In a template with markup a program's value cannot become markup: it is
//! escaped, unless the template says `encoding=none`, in `#echo` for one symbol or
//! in `#config` for what follows. Templates are read when the definitions come
//! into force.
//!
//! Reference: CICS Internet guide, "Creating a document template". Invariant:
//! no text makes the reader panic, no template includes itself, and the size of the
//! result is bounded.

use std::collections::{BTreeMap, HashMap};
use std::fs;
use std::io::Read as _;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use cics::csd::{DocTemplateDef, TemplateSource};

use super::symbols::{SymbolTable, is_name};

/// Templates within each other, as in CICS.
const MAX_DEPTH: usize = 32;
/// Most bytes that one insertion makes.
const MAX_BYTES: usize = 16 << 20;
/// Most templates that one insertion begins: empty ones make no bytes.
const MAX_BEGUN: usize = 10_000;
/// Largest template.
const MAX_TEMPLATE: u64 = 4 << 20;

/// All templates by name.
#[derive(Debug, Clone, Default)]
pub struct TemplateTable {
    each: Arc<HashMap<String, Template>>,
    /// Templates that a task has read, of those that only a task can read.
    read: HashMap<String, TemplateText>,
    /// Texts that were read once and are kept until the definitions change.
    kept: Arc<Mutex<HashMap<String, Arc<Vec<u8>>>>>,
    /// The definitions, by their names, and where their files are.
    defined: Arc<Defined>,
}

#[derive(Debug, Default)]
struct Defined {
    definitions: BTreeMap<String, DocTemplateDef>,
    files: PathBuf,
    members: PathBuf,
}

/// A task's text of a template.
#[derive(Debug, Clone)]
enum TemplateText {
    Text(Arc<Vec<u8>>),
    /// Its program has given none.
    Refused,
    /// The template is missing.
    Missing,
}

#[derive(Debug, Clone)]
struct Template {
    text: Text,
    binary: bool,
}

/// The source of a template's text.
#[derive(Debug, Clone)]
enum Text {
    Here(Vec<u8>),
    /// In a queue or a file of the region, or given by a program, with its lines'
    /// ends or without.
    Elsewhere {
        place: String,
        lines: bool,
    },
}

/// Why a template cannot be inserted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum TemplateError {
    /// No template has this name.
    NotFound,
    /// The task must first read its text; this is the source as the task's
    /// worker receives it ([`link::TEMPLATE_WANTED`]).
    Wanted(String),
    /// Its program has given none.
    Refused,
    /// A command in it is wrong, at this offset.
    Command(usize),
    /// Templates include each other too deeply, or a template itself.
    Depth,
    /// More bytes than one insertion may make.
    Size,
}

impl TemplateTable {
    /// Reads the templates of these definitions: HFSFILE below `files`,
    /// MEMBERNAME below `members`. Returns a message for each that cannot be
    /// read.
    pub fn load(
        definitions: &[DocTemplateDef],
        files: &Path,
        members: &Path,
    ) -> (TemplateTable, Vec<String>) {
        let mut each = HashMap::new();
        let mut wrong = Vec::new();
        for def in definitions {
            let ends = def.append_crlf && !def.binary;
            let elsewhere = |kind: &str, name: &str, lines: bool| Text::Elsewhere {
                place: format!("{kind}{name}\0{}", def.template),
                lines,
            };
            let text = match &def.source {
                TemplateSource::TsQueue(queue) => Ok(elsewhere("Q", queue, ends)),
                TemplateSource::TdQueue(queue) => Ok(elsewhere("D", queue, ends)),
                TemplateSource::File(file) => Ok(elsewhere("F", file, ends)),
                // The program makes the lines' ends itself.
                TemplateSource::Exit(program) => {
                    let kind = if ends { "X1" } else { "X0" };
                    Ok(elsewhere(kind, program, false))
                }
                _ => read(def, files, members).map(Text::Here),
            };
            match text {
                Ok(text) => {
                    let binary = def.binary;
                    each.insert(def.template.clone(), Template { text, binary });
                }
                Err(why) => wrong.push(format!("DOCTEMPLATE({}): {why}", def.name)),
            }
        }
        let defined = definitions.iter().map(|d| (d.name.clone(), d.clone()));
        let templates = TemplateTable {
            each: Arc::new(each),
            defined: Arc::new(Defined {
                definitions: defined.collect(),
                files: files.to_owned(),
                members: members.to_owned(),
            }),
            ..TemplateTable::default()
        };
        (templates, wrong)
    }

    /// All definitions, in the order of their names.
    pub fn definitions(&self) -> impl Iterator<Item = &DocTemplateDef> {
        self.defined.definitions.values()
    }

    /// A copy with the template of a definition read again: a file at once, one
    /// that only a task can read at its next use. `None` if there is no such
    /// definition, or its file cannot be read.
    pub fn again(&self, name: &str) -> Option<TemplateTable> {
        let def = self.defined.definitions.get(name)?;
        self.kept().remove(&def.template);
        let mut made = self.clone();
        let template = made.each.get(&def.template)?;
        if let Text::Here(_) = template.text {
            let text = read(def, &self.defined.files, &self.defined.members).ok()?;
            let binary = template.binary;
            let text = Text::Here(text);
            let each = Arc::make_mut(&mut made.each);
            each.insert(def.template.clone(), Template { text, binary });
        }
        Some(made)
    }

    /// A copy with the texts that a task has read, in the form of
    /// [`link::TEMPLATE_TEXT`], and the kept texts of other tasks.
    #[must_use]
    pub fn with_read<'r>(&self, texts: impl Iterator<Item = &'r [u8]>) -> TemplateTable {
        let mut made = self.clone();
        for text in texts {
            let at = text.iter().position(|b| *b == 0).unwrap_or(text.len());
            let name = String::from_utf8_lossy(&text[..at]).into_owned();
            let lines = match self.each.get(&name).map(|t| &t.text) {
                Some(Text::Elsewhere { lines, .. }) => *lines,
                _ => continue,
            };
            let read = match text.get(at + 1..).and_then(<[u8]>::split_first) {
                Some((b'+' | b'*', read)) => TemplateText::Text(Arc::new(joined(read, lines))),
                Some((b'-', _)) => TemplateText::Refused,
                _ => TemplateText::Missing,
            };
            if let (TemplateText::Text(text), Some(b'*')) = (&read, text.get(at + 1)) {
                self.kept().insert(name.clone(), text.clone());
            }
            made.read.insert(name, read);
        }
        for (name, text) in &*self.kept() {
            let text = || TemplateText::Text(text.clone());
            made.read.entry(name.clone()).or_insert_with(text);
        }
        made
    }

    fn kept(&self) -> MutexGuard<'_, HashMap<String, Arc<Vec<u8>>>> {
        self.kept.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The text of a template, and whether it is binary.
    fn text_of(&self, name: &str) -> Result<(&[u8], bool), TemplateError> {
        let template = self.each.get(name).ok_or(TemplateError::NotFound)?;
        let text = match &template.text {
            Text::Here(text) => text,
            Text::Elsewhere { place, .. } => match self.read.get(name) {
                None => return Err(TemplateError::Wanted(place.clone())),
                Some(TemplateText::Text(text)) => text,
                Some(TemplateText::Refused) => return Err(TemplateError::Refused),
                Some(TemplateText::Missing) => return Err(TemplateError::NotFound),
            },
        };
        Ok((text, template.binary))
    }

    /// A template of a text, for tests and fuzzing.
    pub fn with(mut self, name: &str, text: &[u8]) -> TemplateTable {
        let template = Template {
            text: Text::Here(text.to_vec()),
            binary: false,
        };
        Arc::make_mut(&mut self.each).insert(name.to_owned(), template);
        self
    }

    /// Whether there is a template of that name.
    pub fn has(&self, name: &str) -> bool {
        self.each.contains_key(name)
    }

    /// A template with its symbols put in, and whether it is binary.
    pub fn expand(
        &self,
        name: &str,
        symbols: &mut SymbolTable,
    ) -> Result<(Vec<u8>, bool), TemplateError> {
        if let (text, true) = self.text_of(name)? {
            return Ok((text.to_vec(), true));
        }
        let mut expansion = Expansion::new(self, symbols);
        expansion.template(name)?;
        Ok((expansion.out, false))
    }

    /// A text with its symbols put in.
    pub fn expand_text(
        &self,
        text: &[u8],
        symbols: &mut SymbolTable,
    ) -> Result<Vec<u8>, TemplateError> {
        let mut expansion = Expansion::new(self, symbols);
        expansion.text(text)?;
        Ok(expansion.out)
    }
}

/// Reads the text of a template.
fn read(def: &DocTemplateDef, files: &Path, members: &Path) -> Result<Vec<u8>, String> {
    let path = match &def.source {
        TemplateSource::Hfs(name) => crate::files::below(files, name)
            .ok_or_else(|| format!("HFSFILE({name}) is outside {}", files.display()))?,
        TemplateSource::Member(_, member) => member_file(members, member)
            .ok_or_else(|| format!("no member {member} in {}", members.display()))?,
        // Only a task can read these.
        TemplateSource::File(_)
        | TemplateSource::TsQueue(_)
        | TemplateSource::TdQueue(_)
        | TemplateSource::Exit(_) => return Ok(Vec::new()),
        TemplateSource::Program(_) => {
            let why = "PROGRAM names a load module of constants, which COBOL cannot create; use \
                HFSFILE, MEMBERNAME, FILE, TSQUEUE, TDQUEUE or EXITPGM";
            return Err(why.to_owned());
        }
    };
    let failed = |e: std::io::Error| format!("{}: {e}", path.display());
    let mut text = Vec::new();
    let file = sources::open(&path).map_err(failed)?;
    let mut file = file.take(MAX_TEMPLATE + 1);
    file.read_to_end(&mut text).map_err(failed)?;
    if text.len() as u64 > MAX_TEMPLATE {
        return Err(format!(
            "{} is larger than {MAX_TEMPLATE} bytes",
            path.display()
        ));
    }
    let lines = matches!(def.source, TemplateSource::Member(..));
    if lines && def.append_crlf && !def.binary {
        text = with_crlf(&text);
    }
    Ok(text)
}

/// A member of the templates' folder: a file of its name, with any extension.
fn member_file(folder: &Path, member: &str) -> Option<PathBuf> {
    let entries = fs::read_dir(folder).ok()?.flatten();
    let is = |path: &PathBuf| {
        let stem = path.file_stem().and_then(|s| s.to_str());
        stem.is_some_and(|stem| stem.eq_ignore_ascii_case(member))
    };
    let mut found: Vec<PathBuf> = entries.map(|e| e.path()).filter(is).collect();
    found.sort();
    found.into_iter().next()
}

/// Joins the lines that a task has read, each after its length: with
/// line ends and without their leading blanks, or as they are.
fn joined(mut read: &[u8], ends: bool) -> Vec<u8> {
    let mut out = Vec::with_capacity(read.len());
    while let Some((length, rest)) = read.split_first_chunk::<4>() {
        let length = u32::from_be_bytes(*length) as usize;
        let (line, rest) = rest.split_at(length.min(rest.len()));
        if ends {
            out.extend_from_slice(line.trim_ascii_end());
            out.extend_from_slice(b"\r\n");
        } else {
            out.extend_from_slice(line)
        }
        read = rest;
    }
    out
}

/// Lines with CR LF at their ends and without the blanks before them.
fn with_crlf(text: &[u8]) -> Vec<u8> {
    let mut out = Vec::with_capacity(text.len() + 64);
    for line in text.split_inclusive(|b| *b == b'\n') {
        out.extend_from_slice(line.trim_ascii_end());
        if line.ends_with(b"\n") {
            out.extend_from_slice(b"\r\n");
        }
    }
    out
}

/// An insertion under way.
struct Expansion<'a> {
    templates: &'a TemplateTable,
    symbols: &'a mut SymbolTable,
    out: Vec<u8>,
    /// The templates that are being expanded, the outermost first.
    stack: Vec<String>,
    /// Templates that were begun.
    begun: usize,
    /// Values of programs are escaped.
    escapes: bool,
}

impl<'a> Expansion<'a> {
    fn new(templates: &'a TemplateTable, symbols: &'a mut SymbolTable) -> Self {
        Expansion {
            templates,
            symbols,
            out: Vec::new(),
            stack: Vec::new(),
            begun: 0,
            escapes: false,
        }
    }

    fn template(&mut self, name: &str) -> Result<(), TemplateError> {
        let templates = self.templates;
        let (text, binary) = templates.text_of(name)?;
        if self.stack.len() >= MAX_DEPTH || self.stack.iter().any(|own| own == name) {
            return Err(TemplateError::Depth);
        }
        self.begun += 1;
        if self.begun > MAX_BEGUN {
            return Err(TemplateError::Size);
        }
        if binary {
            return self.put(text);
        }
        self.stack.push(name.to_owned());
        let outer = std::mem::replace(&mut self.escapes, has_markup(text));
        self.text(text)?;
        self.escapes = outer;
        self.stack.pop();
        Ok(())
    }

    fn text(&mut self, text: &[u8]) -> Result<(), TemplateError> {
        let mut at = 0;
        while let Some(found) = memchr::memchr2(b'&', b'<', &text[at..]) {
            self.put(&text[at..at + found])?;
            at += found;
            let rest = &text[at..];
            at += match rest[0] {
                b'&' => self.symbol(rest)?,
                _ => self.comment(rest, at)?,
            };
        }
        self.put(&text[at..])
    }

    fn put(&mut self, bytes: &[u8]) -> Result<(), TemplateError> {
        if self.out.len() + bytes.len() > MAX_BYTES {
            return Err(TemplateError::Size);
        }
        self.out.extend_from_slice(bytes);
        Ok(())
    }

    /// `&name;`: gives the bytes that it took.
    fn symbol(&mut self, rest: &[u8]) -> Result<usize, TemplateError> {
        let end = memchr::memchr(b';', &rest[..rest.len().min(40)]);
        let name = end.map(|end| &rest[1..end]).filter(|name| is_name(name));
        let value = name
            .and_then(|name| std::str::from_utf8(name).ok())
            .and_then(|name| self.value(name, self.escapes));
        match (value, end) {
            (Some(value), Some(end)) => {
                self.put(&value)?;
                Ok(end + 1)
            }
            _ => {
                self.put(b"&")?;
                Ok(1)
            }
        }
    }

    /// The value of a symbol; `escapes` applies to what a program has set.
    fn value(&self, name: &str, escapes: bool) -> Option<Vec<u8>> {
        let value = self.symbols.get(name)?;
        if escapes && !self.symbols.is_of_template(name) {
            return Some(escaped(value));
        }
        Some(value.to_vec())
    }

    /// A comment that is a command, or the `<` of anything else.
    fn comment(&mut self, rest: &[u8], offset: usize) -> Result<usize, TemplateError> {
        let Some(inside) = rest.strip_prefix(b"<!--#") else {
            self.put(b"<")?;
            return Ok(1);
        };
        let wrong = || TemplateError::Command(offset);
        let end = memchr::memmem::find(inside, b"-->").ok_or_else(wrong)?;
        let text = std::str::from_utf8(&inside[..end]).map_err(|_| wrong())?;
        let (word, rest) = text.split_once(char::is_whitespace).unwrap_or((text, ""));
        let pairs = pairs(rest).ok_or_else(wrong)?;
        match word.to_ascii_lowercase().as_str() {
            "set" => self.set(&pairs).ok_or_else(wrong)?,
            "config" => {
                let [encoding] = &pairs[..] else {
                    return Err(wrong());
                };
                self.escapes = escapes(encoding).ok_or_else(wrong)?;
            }
            "echo" => {
                let ((key, name), escapes) = match &pairs[..] {
                    [var] => (var, self.escapes),
                    [var, encoding] => (var, escapes(encoding).ok_or_else(wrong)?),
                    _ => return Err(wrong()),
                };
                if !key.eq_ignore_ascii_case("var") || !is_name(name.as_bytes()) {
                    return Err(wrong());
                }
                let value = self.value(name, escapes).unwrap_or_default();
                self.put(&value)?;
            }
            "include" => {
                let [(key, name)] = &pairs[..] else {
                    return Err(wrong());
                };
                if !key.eq_ignore_ascii_case("template") {
                    return Err(wrong());
                }
                match self.template(name) {
                    Err(TemplateError::NotFound) => return Err(wrong()),
                    other => other?,
                }
            }
            _ => return Err(wrong()),
        }
        Ok(b"<!--#".len() + end + b"-->".len())
    }

    /// Pairs of `var` and `value`.
    fn set(&mut self, pairs: &[(String, String)]) -> Option<()> {
        if pairs.is_empty() || !pairs.len().is_multiple_of(2) {
            return None;
        }
        for pair in pairs.chunks(2) {
            let [(var, name), (key, value)] = pair else {
                return None;
            };
            let keys = var.eq_ignore_ascii_case("var") && key.eq_ignore_ascii_case("value");
            if !keys || !is_name(name.as_bytes()) {
                return None;
            }
            self.symbols.set_default(name, value.as_bytes());
        }
        Some(())
    }
}

/// Whether a text has tags. XML has them too, and needs the same escapes.
fn has_markup(text: &[u8]) -> bool {
    let tag = |next: &u8| next.is_ascii_alphabetic() || matches!(next, b'/' | b'!' | b'?');
    let mut opens = memchr::memchr_iter(b'<', text);
    opens.any(|at| !text[at..].starts_with(b"<!--#") && text.get(at + 1).is_some_and(tag))
}

/// The meaning of `encoding=none` and `encoding=entity`. Returns `None` for other pairs.
fn escapes((key, value): &(String, String)) -> Option<bool> {
    let value = value.to_ascii_lowercase();
    match (key.eq_ignore_ascii_case("encoding"), value.as_str()) {
        (true, "none") => Some(false),
        (true, "entity") => Some(true),
        _ => None,
    }
}

/// A value in which nothing is markup.
fn escaped(value: &[u8]) -> Vec<u8> {
    let mut out = Vec::with_capacity(value.len());
    for byte in value {
        match byte {
            b'&' => out.extend_from_slice(b"&amp;"),
            b'<' => out.extend_from_slice(b"&lt;"),
            b'>' => out.extend_from_slice(b"&gt;"),
            b'"' => out.extend_from_slice(b"&quot;"),
            b'\'' => out.extend_from_slice(b"&#39;"),
            other => out.push(*other),
        }
    }
    out
}

/// `key=value` words, values in quotes where they have blanks.
fn pairs(mut text: &str) -> Option<Vec<(String, String)>> {
    let mut found = Vec::new();
    loop {
        text = text.trim_start();
        if text.is_empty() {
            return Some(found);
        }
        let (key, rest) = text.split_once('=')?;
        let rest = rest.trim_start();
        let quote = rest.chars().next().filter(|c| matches!(c, '"' | '\''));
        let (value, rest) = match quote {
            Some(quote) => rest[1..].split_once(quote)?,
            None => {
                let end = rest.find(char::is_whitespace).unwrap_or(rest.len());
                rest.split_at(end)
            }
        };
        found.push((key.trim().to_owned(), value.to_owned()));
        text = rest;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn expand(templates: &TemplateTable, name: &str, list: &str) -> Result<String, TemplateError> {
        let mut symbols = SymbolTable::default();
        symbols.set_list(list.as_bytes(), b'&', false).unwrap();
        let (bytes, _) = templates.expand(name, &mut symbols)?;
        Ok(String::from_utf8(bytes).unwrap())
    }

    #[test]
    fn symbols_are_put_in_and_unknown_ones_stay() {
        let templates = TemplateTable::default().with("P", b"<p>&who; owes &sum; &amp; &copy;</p>");
        let made = expand(&templates, "P", "who=Ann&sum=%2412");
        assert_eq!(made.unwrap(), "<p>Ann owes $12 &amp; &copy;</p>");
    }

    #[test]
    fn a_programs_value_is_no_markup_unless_the_template_says_so() {
        let templates = TemplateTable::default()
            .with("HTML", b"<p title='&v;'><!--#echo var=v--></p>")
            .with("OPEN", b"<p><!--#echo var=v encoding=none-->&v;</p>")
            .with(
                "ALL",
                b"<!--#config encoding=none--><p>&v;<!--#include template=HTML--></p>",
            )
            .with("OWN", b"<!--#set var=w value='<b>'--><p>&w;</p>")
            .with("TEXT", b"1 < 2 and &v;");
        let made = |name: &str| expand(&templates, name, "v=%3Cb%3E%22%27%26").unwrap();
        let safe = "&lt;b&gt;&quot;&#39;&amp;";
        assert_eq!(made("HTML"), format!("<p title='{safe}'>{safe}</p>"));
        assert_eq!(made("OPEN"), format!("<p><b>\"'&{safe}</p>"));
        // An included template has its own encoding setting.
        let inner = made("HTML");
        assert_eq!(made("ALL"), format!("<p><b>\"'&{inner}</p>"));
        assert_eq!(made("OWN"), "<p><b></p>");
        assert_eq!(made("TEXT"), "1 < 2 and <b>\"'&");
    }

    #[test]
    fn commands_set_echo_and_include() {
        let templates = TemplateTable::default()
            .with("OUT", b"<!--#set var=A value=\"one two\" var=B value='2'-->[<!--#echo var=A-->]<!--#include template=IN-->")
            .with("IN", b"(&A;,&B;)");
        assert_eq!(
            expand(&templates, "OUT", "").unwrap(),
            "[one two](one two,2)"
        );
        // The program's own symbols take precedence over the template's
        // default.
        assert_eq!(expand(&templates, "OUT", "A=x").unwrap(), "[x](x,2)");
    }

    #[test]
    fn a_template_that_includes_itself_is_refused() {
        let templates = TemplateTable::default()
            .with("A", b"a<!--#include template=B-->")
            .with("B", b"b<!--#include template=A-->");
        assert_eq!(expand(&templates, "A", ""), Err(TemplateError::Depth));
        let mut deep = TemplateTable::default().with("T40", b"end");
        for n in 0..40 {
            let text = format!("<!--#include template=T{}-->", n + 1);
            deep = deep.with(&format!("T{n}"), text.as_bytes());
        }
        assert_eq!(expand(&deep, "T0", ""), Err(TemplateError::Depth));
        assert!(expand(&deep, "T9", "").is_ok());
    }

    #[test]
    fn templates_that_grow_without_end_are_refused() {
        let mut templates = TemplateTable::default().with("T0", &[b'x'; 1000]);
        for n in 0..20 {
            let text = format!("<!--#include template=T{n}-->").repeat(10);
            templates = templates.with(&format!("T{}", n + 1), text.as_bytes());
        }
        assert_eq!(expand(&templates, "T20", ""), Err(TemplateError::Size));
    }

    #[test]
    fn wrong_commands_are_reported_with_their_offset() {
        for text in [
            "ab<!--#set var=A-->",
            "ab<!--#jump x=1-->",
            "ab<!--#echo var=A",
            "ab<!--#include template=NONE-->",
        ] {
            let templates = TemplateTable::default().with("P", text.as_bytes());
            assert_eq!(
                expand(&templates, "P", ""),
                Err(TemplateError::Command(2)),
                "{text}"
            );
        }
    }

    #[test]
    fn a_template_in_a_queue_is_wanted_and_then_there() {
        let csd = cics::csd::parse(
            "DEFINE DOCTEMPLATE(Q) GROUP(G) TEMPLATENAME(INQUEUE) TSQUEUE(LINES)\n\
             DEFINE DOCTEMPLATE(F) GROUP(G) TEMPLATENAME(INFILE) FILE(TEXTS) APPENDCRLF(NO)\n",
        );
        assert!(!csd.has_errors(), "{:?}", csd.diagnostics);
        let nowhere = Path::new("nowhere");
        let (templates, wrong) = TemplateTable::load(&csd.doctemplates, nowhere, nowhere);
        assert!(wrong.is_empty(), "{wrong:?}");
        let templates = templates.with("OUT", b"<!--#include template=INQUEUE-->");
        let wanted = TemplateError::Wanted("QLINES\0INQUEUE".into());
        assert_eq!(expand(&templates, "OUT", ""), Err(wanted));
        let line = |text: &[u8]| [&(text.len() as u32).to_be_bytes()[..], text].concat();
        let lines = [line(b"Dear &who;  "), line(b"Bye")].concat();
        let queue = [b"INQUEUE\0+", &*lines].concat();
        let file = [b"INFILE\0+", &*lines].concat();
        let read = templates.with_read([&*queue, &*file].into_iter());
        assert_eq!(
            expand(&read, "OUT", "who=Ann").unwrap(),
            "Dear Ann\r\nBye\r\n"
        );
        assert_eq!(expand(&read, "INFILE", "").unwrap(), "Dear &who;  Bye");
        let gone = templates.with_read([&b"INQUEUE\0"[..]].into_iter());
        assert_eq!(expand(&gone, "INQUEUE", ""), Err(TemplateError::NotFound));
    }

    #[test]
    fn a_template_that_is_kept_is_read_once_until_the_definitions_change() {
        let csd = cics::csd::parse(
            "DEFINE DOCTEMPLATE(D) GROUP(G) TEMPLATENAME(INTD) TDQUEUE(LINE)\n\
             DEFINE DOCTEMPLATE(X) GROUP(G) TEMPLATENAME(BYEXIT) EXITPGM(GIVER)\n\
             DEFINE DOCTEMPLATE(Y) GROUP(G) EXITPGM(GIVER) APPENDCRLF(NO)\n\
             DEFINE DOCTEMPLATE(P) GROUP(G) PROGRAM(MODULE)\n",
        );
        assert!(!csd.has_errors(), "{:?}", csd.diagnostics);
        let nowhere = Path::new("nowhere");
        let load = || TemplateTable::load(&csd.doctemplates, nowhere, nowhere);
        let (templates, wrong) = load();
        assert_eq!(wrong.len(), 1, "{wrong:?}");
        assert!(
            wrong[0].starts_with("DOCTEMPLATE(P): PROGRAM names"),
            "{wrong:?}"
        );
        let wants = |templates: &TemplateTable, name: &str, place: &str| {
            let wanted = TemplateError::Wanted(place.into());
            assert_eq!(expand(templates, name, ""), Err(wanted));
        };
        wants(&templates, "INTD", "DLINE\0INTD");
        wants(&templates, "BYEXIT", "X1GIVER\0BYEXIT");
        wants(&templates, "Y", "X0GIVER\0Y");
        let line = [&7_u32.to_be_bytes()[..], b"&who; 1"].concat();
        let text = |mark: &[u8]| [b"INTD\0", mark, &*line].concat();
        let none = || templates.with_read(std::iter::empty());
        // One that is not kept is read again.
        let _ = templates.with_read([&*text(b"+")].into_iter());
        wants(&none(), "INTD", "DLINE\0INTD");
        let _ = templates.with_read([&*text(b"*")].into_iter());
        assert_eq!(expand(&none(), "INTD", "who=A").unwrap(), "A 1\r\n");
        wants(&load().0, "INTD", "DLINE\0INTD");
        let refused = templates.with_read([&b"BYEXIT\0-"[..]].into_iter());
        assert_eq!(expand(&refused, "BYEXIT", ""), Err(TemplateError::Refused));
    }

    proptest! {
        #[test]
        fn no_text_makes_the_reader_panic(text in "(<!--#|set|var|=|value|-->|&|A|;|\"|include|template|P| |.){0,30}") {
            let templates = TemplateTable::default().with("P", text.as_bytes());
            let _ = expand(&templates, "P", "A=1");
        }
    }
}
