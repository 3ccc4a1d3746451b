//! DOCUMENT: CREATE, INSERT, SET, RETRIEVE, DELETE.
//!
//! Reference: CICS API reference, the DOCUMENT commands.

use cics::command::commands::{
    document_create as create_row, document_delete as delete_row, document_insert as insert_row,
    document_retrieve as retrieve_row, document_set as set_row,
};
use cics::resp::Condition;
use copybook::codepage::CodePage;
use link::{CommandOperands, TEMPLATE_WANTED};
use region::CountAndBytes;

use super::{CommandFailure, OutputAreas, WebCommandResult, fail, text};
use crate::document::{
    Document, InsertError, InsertedPart, SymbolError, TaskDocuments, TemplateError, TemplateTable,
};
use crate::pages;

/// The context in which the commands run.
pub struct DocumentContext<'m> {
    /// Templates in force.
    pub templates: &'m TemplateTable,
    /// Most bytes of a task's documents.
    pub most: usize,
    /// The region's code page.
    pub page: CodePage,
    /// Reports what the task's documents take in all; false at a limit.
    pub account: &'m dyn Fn(CountAndBytes) -> bool,
}

/// Makes a document.
pub fn create(
    documents: &mut TaskDocuments,
    given: &CommandOperands,
    means: &DocumentContext<'_>,
) -> WebCommandResult {
    lengths(given, &[create_row::LENGTH, create_row::LISTLENGTH])?;
    page_of(given, create_row::HOSTCODEPAGE)?;
    let mut document = Document::default();
    if let Some(list) = given.get_bytes(create_row::SYMBOLLIST) {
        let delimiter = delimiter(given, create_row::DELIMITER);
        let raw = given.has(create_row::UNESCAPED);
        symbol_list(&mut document, list, delimiter, raw)?;
    }
    let template = text(given, create_row::TEMPLATE);
    let from = given.get_bytes(create_row::FROM);
    let plain = given.get_bytes(create_row::TEXT);
    let binary = given.get_bytes(create_row::BINARY);
    let piece = match (from, plain, binary, &template) {
        (Some(bytes), ..) => Some(InsertedPart::From(bytes)),
        (_, Some(bytes), ..) => Some(InsertedPart::Text(bytes)),
        (_, _, Some(bytes), _) => Some(InsertedPart::Binary(bytes)),
        (.., Some(name)) => Some(InsertedPart::Template(name)),
        _ => match given.get_bytes(create_row::FROMDOC) {
            Some(token) => Some(InsertedPart::Document(source(documents, token, 2)?)),
            None => None,
        },
    };
    if let Some(piece) = piece {
        match document.insert(piece, means.templates, None, None) {
            Err(InsertError::Template(TemplateError::Wanted(place))) => return wanted(place),
            inserted => inserted.or_else(refused)?,
        }
    }
    room(documents, None, &document, means)?;
    let size = document.size() as i64;
    let Some(token) = documents.add(document) else {
        return fail(Condition::InvReq, 3);
    };
    let mut filled = OutputAreas::default();
    filled.chars(create_row::DOCTOKEN, &token);
    filled.int(create_row::DOCSIZE, size);
    filled.done()
}

/// Inserts into a document.
pub fn insert(
    documents: &mut TaskDocuments,
    given: &CommandOperands,
    means: &DocumentContext<'_>,
) -> WebCommandResult {
    lengths(given, &[insert_row::LENGTH])?;
    page_of(given, insert_row::HOSTCODEPAGE)?;
    let token = token(given, insert_row::DOCTOKEN);
    let Some(before) = documents.get(&token) else {
        return fail(Condition::NotFnd, 1);
    };
    let (mut document, before_bytes) = (before.clone(), before.size());
    let template = text(given, insert_row::TEMPLATE);
    let symbol = text(given, insert_row::SYMBOL);
    let from = given.get_bytes(insert_row::FROM);
    let plain = given.get_bytes(insert_row::TEXT);
    let binary = given.get_bytes(insert_row::BINARY);
    let piece = if let Some(bytes) = from {
        InsertedPart::From(bytes)
    } else if let Some(bytes) = plain {
        InsertedPart::Text(bytes)
    } else if let Some(bytes) = binary {
        InsertedPart::Binary(bytes)
    } else if let Some(name) = &template {
        InsertedPart::Template(name)
    } else if let Some(name) = &symbol {
        InsertedPart::Symbol(name)
    } else if let Some(name) = given.get_name::<16>(insert_row::BOOKMARK) {
        InsertedPart::Bookmark(name)
    } else {
        let other = given.get_bytes(insert_row::FROMDOC).unwrap_or_default();
        InsertedPart::Document(source(documents, other, 2)?)
    };
    let at = given.get_name::<16>(insert_row::AT);
    let to = given.get_name::<16>(insert_row::TO);
    match document.insert(piece, means.templates, at, to) {
        Err(InsertError::Template(TemplateError::Wanted(place))) => return wanted(place),
        inserted => inserted.or_else(refused)?,
    }
    room(documents, Some(before_bytes), &document, means)?;
    let size = document.size() as i64;
    if let Some(place) = documents.get_mut(&token) {
        *place = document;
    }
    let mut filled = OutputAreas::default();
    filled.int(insert_row::DOCSIZE, size);
    filled.done()
}

/// Gives symbols their values.
pub fn set(
    documents: &mut TaskDocuments,
    given: &CommandOperands,
    means: &DocumentContext<'_>,
) -> WebCommandResult {
    if given.get_int(set_row::LENGTH).is_some_and(|n| n < 0) {
        return fail(Condition::LengErr, 1);
    }
    let others = documents.bytes();
    let Some(document) = documents.get_mut(&token(given, set_row::DOCTOKEN)) else {
        return fail(Condition::NotFnd, 1);
    };
    let raw = given.has(set_row::UNESCAPED);
    if let Some(list) = given.get_bytes(set_row::SYMBOLLIST) {
        let delimiter = delimiter(given, set_row::DELIMITER);
        symbol_list(document, list, delimiter, raw)?;
    } else {
        let name = text(given, set_row::SYMBOL).unwrap_or_default();
        let value = given.get_bytes(set_row::VALUE).unwrap_or_default();
        let value = if raw {
            value.to_vec()
        } else {
            crate::fields::unescaped(value)
        };
        let set = document.symbols.set(&name, value);
        set.or_else(|SymbolError(at)| fail(Condition::SymbolErr, at as u32))?;
    }
    if others + document.symbols.bytes() > means.most {
        fail(Condition::InvReq, 1)
    } else {
        Ok(CommandOperands::default())
    }
}

/// Copies a document.
pub fn retrieve(
    documents: &TaskDocuments,
    given: &CommandOperands,
    means: &DocumentContext<'_>,
) -> WebCommandResult {
    let token = token(given, retrieve_row::DOCTOKEN);
    let Some(document) = documents.get(&token) else {
        return fail(Condition::NotFnd, 1);
    };
    let pages = match text(given, retrieve_row::CHARACTERSET) {
        None => None,
        Some(name) => match pages::named(&name) {
            Ok(to) => Some((means.page, to)),
            Err(_) => return fail(Condition::NotFnd, 7),
        },
    };
    let data = if given.has(retrieve_row::DATAONLY) || pages.is_some() {
        document.data(pages)
    } else {
        document.tagged()
    };
    let room = given
        .get_int(retrieve_row::MAXLENGTH)
        .or_else(|| given.get_int(retrieve_row::LENGTH));
    let room = match room {
        Some(..0) => return fail(Condition::LengErr, 1),
        Some(room) => room as usize,
        None => data.len(),
    };
    let mut filled = OutputAreas::default();
    filled.chars(retrieve_row::INTO, &data[..data.len().min(room)]);
    filled.int(retrieve_row::LENGTH, data.len() as i64);
    if data.len() > room {
        Err(CommandFailure {
            condition: Condition::LengErr,
            resp2: 2,
            operands: filled.done()?,
        })
    } else {
        filled.done()
    }
}

/// Deletes a document.
pub fn delete(documents: &mut TaskDocuments, given: &CommandOperands) -> WebCommandResult {
    match documents.remove(&token(given, delete_row::DOCTOKEN)) {
        Some(_) => Ok(CommandOperands::default()),
        None => fail(Condition::NotFnd, 1),
    }
}

/// The task's worker is to read a template, and to give the command again.
fn wanted(place: String) -> WebCommandResult {
    Ok(CommandOperands::default().bytes(TEMPLATE_WANTED, place.into_bytes()))
}

/// The token in an operand.
pub fn token(given: &CommandOperands, option: u8) -> [u8; 16] {
    given.get_name(option).unwrap_or([b' '; 16])
}

fn source(documents: &TaskDocuments, token: &[u8], resp2: u32) -> Result<Document, CommandFailure> {
    let token = <[u8; 16]>::try_from(token).unwrap_or([b' '; 16]);
    match documents.get(&token) {
        Some(document) => Ok(document.clone()),
        None => fail(Condition::NotFnd, resp2),
    }
}

fn delimiter(given: &CommandOperands, option: u8) -> u8 {
    let bytes = given.get_bytes(option).unwrap_or(b"&");
    bytes.first().copied().unwrap_or(b'&')
}

fn symbol_list(
    document: &mut Document,
    list: &[u8],
    delimiter: u8,
    raw: bool,
) -> Result<(), CommandFailure> {
    let set = document.symbols.set_list(list, delimiter, raw);
    set.or_else(|SymbolError(at)| fail(Condition::SymbolErr, at as u32))
}

fn lengths(given: &CommandOperands, options: &[u8]) -> Result<(), CommandFailure> {
    let wrong = |option: &u8| given.get_int(*option).is_some_and(|n| n < 0);
    if options.iter().any(wrong) {
        fail(Condition::LengErr, 1)
    } else {
        Ok(())
    }
}

/// HOSTCODEPAGE must be known; text is kept as it is until it is sent.
fn page_of(given: &CommandOperands, option: u8) -> Result<(), CommandFailure> {
    match text(given, option).map(|name| pages::named(&name)) {
        Some(Err(_)) => fail(Condition::NotFnd, 7),
        _ => Ok(()),
    }
}

/// Whether a document fits, replacing one of so many bytes or as a new one.
fn room(
    documents: &TaskDocuments,
    replaced: Option<usize>,
    document: &Document,
    means: &DocumentContext<'_>,
) -> Result<(), CommandFailure> {
    let bytes = documents.bytes() + document.size() + document.symbols.bytes();
    let mut total = documents.amount();
    total.count += u64::from(replaced.is_none());
    total.bytes -= replaced.unwrap_or(0) as u64;
    total.bytes += document.size() as u64;
    if bytes > means.most || !(means.account)(total) {
        fail(Condition::InvReq, 1)
    } else {
        Ok(())
    }
}

fn refused(error: InsertError) -> Result<(), CommandFailure> {
    match error {
        InsertError::Bookmark => fail(Condition::DupRec, 1),
        InsertError::At => fail(Condition::NotFnd, 5),
        InsertError::To => fail(Condition::NotFnd, 6),
        InsertError::Order => fail(Condition::InvReq, 0),
        InsertError::Symbol => fail(Condition::NotFnd, 4),
        InsertError::Template(TemplateError::NotFound | TemplateError::Wanted(_)) => {
            fail(Condition::NotFnd, 3)
        }
        InsertError::Template(TemplateError::Command(at)) => fail(Condition::TemplatErr, at as u32),
        InsertError::Template(TemplateError::Refused) => fail(Condition::TemplatErr, 0),
        InsertError::Template(TemplateError::Depth) => fail(Condition::TemplatErr, 0),
        InsertError::Template(TemplateError::Size) => fail(Condition::InvReq, 1),
    }
}
