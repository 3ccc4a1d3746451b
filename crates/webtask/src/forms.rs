//! Form fields and query parameters: READ and browse.
//!
//! Reference: CICS API reference, WEB READ, STARTBROWSE, READNEXT and ENDBROWSE
//! FORMFIELD and QUERYPARM.

use std::sync::Arc;

use cics::command::commands::{
    web_read_formfield as form_row, web_read_queryparm as query_row,
    web_readnext_formfield as next_form, web_readnext_queryparm as next_query,
    web_startbrowse_formfield as start_form, web_startbrowse_queryparm as start_query,
};
use cics::resp::Condition;
use copybook::codepage::CodePage;
use link::CommandOperands;

use crate::fields::{Field, FormError, parse_form, parse_query};
use crate::outcome::{CommandFailure, OutputAreas, WebCommandResult, fail, text};
use crate::pages;
use crate::request::{ReadPosition, Request};

/// The options of READ or of STARTBROWSE that the two kinds share.
struct Options {
    name: u8,
    character_set: Option<u8>,
    host_page: u8,
}

/// Gives a form field.
pub fn read_form(
    request: &Request,
    body: &[u8],
    reading: &mut ReadPosition,
    given: &CommandOperands,
) -> WebCommandResult {
    let fields = form(request, body, reading)?;
    let options = Options {
        name: form_row::FORMFIELD,
        character_set: Some(form_row::CHARACTERSET),
        host_page: form_row::HOSTCODEPAGE,
    };
    let pages = conversion(request, given, &options)?;
    let value = (form_row::VALUE, form_row::VALUELENGTH);
    let (length, set) = (form_row::NAMELENGTH, form_row::SET);
    read(&fields, given, (options.name, length), value, set, pages)
}

/// Gives a query parameter.
pub fn read_query(request: &Request, given: &CommandOperands) -> WebCommandResult {
    let fields = query(request);
    let options = Options {
        name: query_row::QUERYPARM,
        character_set: None,
        host_page: query_row::HOSTCODEPAGE,
    };
    let pages = conversion(request, given, &options)?;
    let value = (query_row::VALUE, query_row::VALUELENGTH);
    let (length, set) = (query_row::NAMELENGTH, query_row::SET);
    read(&fields, given, (options.name, length), value, set, pages)
}

fn read(
    fields: &[Field],
    given: &CommandOperands,
    (name, name_length): (u8, u8),
    (value, length): (u8, u8),
    set: u8,
    pages: Option<(CodePage, CodePage)>,
) -> WebCommandResult {
    if given.get_int(name_length).is_some_and(|n| n <= 0) {
        return fail(Condition::LengErr, 1);
    }
    let wanted = text(given, name).unwrap_or_default();
    let Some((_, found)) = find(fields, wanted.as_bytes()) else {
        return fail(Condition::NotFnd, 1);
    };
    let converted = convert(found, pages);
    let mut filled = OutputAreas::default();
    if given.has(set) {
        filled.chars(set, &converted);
        filled.int(length, converted.len() as i64);
    } else {
        filled.area(given, (value, length), &converted, 5)?
    }
    filled.done()
}

/// The field of that name, or of one that differs in case alone.
fn find<'f>(fields: &'f [Field], name: &[u8]) -> Option<&'f Field> {
    let exact = fields.iter().find(|(n, _)| n == name);
    exact.or_else(|| fields.iter().find(|(n, _)| n.eq_ignore_ascii_case(name)))
}

fn convert(value: &[u8], pages: Option<(CodePage, CodePage)>) -> Vec<u8> {
    match pages {
        Some((from, to)) => pages::convert(value, from, to),
        None => value.to_vec(),
    }
}

/// Begins a browse of the form, at a field when one is named.
pub fn start_form(
    request: &Request,
    body: &[u8],
    reading: &mut ReadPosition,
    given: &CommandOperands,
) -> WebCommandResult {
    if reading.form_browse.is_some() {
        return fail(Condition::Illogic, 10);
    }
    let fields = form(request, body, reading)?;
    let options = Options {
        name: start_form::FORMFIELD,
        character_set: Some(start_form::CHARACTERSET),
        host_page: start_form::HOSTCODEPAGE,
    };
    let pages = conversion(request, given, &options)?;
    let begun = start(
        &fields,
        given,
        (options.name, start_form::NAMELENGTH),
        pages,
    )?;
    reading.form_browse = Some(begun);
    Ok(CommandOperands::default())
}

/// Begins a browse of the query.
pub fn start_query(
    request: &Request,
    reading: &mut ReadPosition,
    given: &CommandOperands,
) -> WebCommandResult {
    if reading.query_browse.is_some() {
        return fail(Condition::Illogic, 10);
    }
    let fields = query(request);
    let options = Options {
        name: start_query::QUERYPARM,
        character_set: None,
        host_page: start_query::HOSTCODEPAGE,
    };
    let pages = conversion(request, given, &options)?;
    let begun = start(
        &fields,
        given,
        (options.name, start_query::NAMELENGTH),
        pages,
    )?;
    reading.query_browse = Some(begun);
    Ok(CommandOperands::default())
}

fn start(
    fields: &[Field],
    given: &CommandOperands,
    (name, length): (u8, u8),
    pages: Option<(CodePage, CodePage)>,
) -> Result<(Vec<Field>, usize), CommandFailure> {
    let length = match given.get_int(length) {
        Some(..1) => return fail(Condition::LengErr, 1),
        length => length.map(|n| n as usize),
    };
    let wanted = given.get_bytes(name).unwrap_or_default();
    let wanted = &wanted[..length.unwrap_or(wanted.len()).min(wanted.len())];
    let wanted = wanted.trim_ascii_end();
    // An option that is written without an argument comes with a stroke.
    let at = if wanted.is_empty() || wanted == b"/" && length.is_none() {
        0
    } else {
        let is = |(n, _): &Field| n.eq_ignore_ascii_case(wanted);
        match fields.iter().position(is) {
            Some(at) => at,
            None => return fail(Condition::NotFnd, 1),
        }
    };
    let each = fields.iter();
    let all = each.map(|(name, value)| (convert(name, pages), convert(value, pages)));
    Ok((all.collect(), at))
}

/// Gives the next form field.
pub fn next_form(reading: &mut ReadPosition, given: &CommandOperands) -> WebCommandResult {
    let name = (next_form::FORMFIELD, next_form::NAMELENGTH);
    let value = (next_form::VALUE, next_form::VALUELENGTH);
    next(&mut reading.form_browse, given, name, value)
}

/// Gives the next query parameter.
pub fn next_query(reading: &mut ReadPosition, given: &CommandOperands) -> WebCommandResult {
    let name = (next_query::QUERYPARM, next_query::NAMELENGTH);
    let value = (next_query::VALUE, next_query::VALUELENGTH);
    next(&mut reading.query_browse, given, name, value)
}

/// One that did not fit comes again.
fn next(
    browse: &mut Option<(Vec<Field>, usize)>,
    given: &CommandOperands,
    name: (u8, u8),
    value: (u8, u8),
) -> WebCommandResult {
    let Some((fields, at)) = browse else {
        return fail(Condition::InvReq, 4);
    };
    let Some((found, data)) = fields.get(*at) else {
        return fail(Condition::EndFile, 0);
    };
    let mut filled = OutputAreas::default();
    filled.area(given, name, found, 4)?;
    filled.area(given, value, data, 5)?;
    let outcome = filled.done();
    if outcome.is_ok() {
        *at += 1;
    }
    outcome
}

/// Ends a browse.
pub fn end(browse: &mut Option<(Vec<Field>, usize)>) -> WebCommandResult {
    match browse.take() {
        Some(_) => Ok(CommandOperands::default()),
        None => fail(Condition::InvReq, 4),
    }
}

/// The fields of the body; of the query for a request without one, as GET
/// sends a form.
fn form(
    request: &Request,
    body: &[u8],
    reading: &mut ReadPosition,
) -> Result<Arc<Vec<Field>>, CommandFailure> {
    let read = || {
        if body.is_empty() {
            Ok(Arc::new(query(request)))
        } else {
            parse_form(&request.media, body).map(Arc::new)
        }
    };
    match reading.form.get_or_insert_with(read) {
        Ok(fields) => Ok(fields.clone()),
        Err(FormError::Type) => fail(Condition::InvReq, 153),
        Err(FormError::Boundary) => fail(Condition::InvReq, 154),
    }
}

fn query(request: &Request) -> Vec<Field> {
    parse_query(request.query.as_bytes())
}

/// From which page into which values are converted; none as they are.
fn conversion(
    request: &Request,
    given: &CommandOperands,
    options: &Options,
) -> Result<Option<(CodePage, CodePage)>, CommandFailure> {
    let page = request.page;
    let named = options.character_set.and_then(|option| text(given, option));
    let host = text(given, options.host_page);
    if named.is_none() && host.is_none() {
        return Ok(None);
    }
    let charset = pages::parameter(&request.media, "charset").unwrap_or_default();
    let from = match named.as_deref().unwrap_or(charset) {
        "" => Ok(CodePage::latin1()),
        name => pages::named(name),
    };
    let to = host.map_or(Ok(page), |name| pages::host(&name, page));
    match (from, to) {
        (Ok(from), Ok(to)) => Ok(Some((from, to))),
        _ => fail(Condition::NotFnd, 7),
    }
}
