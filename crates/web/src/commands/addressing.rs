//! WSACONTEXT BUILD, GET and DELETE, WSAEPR CREATE: the addressing of messages
//! for programs.
//!
//! A context belongs to a channel. A provider's own channels have the context of the
//! request that it serves and of its response; any other channel has that of the
//! requests that INVOKE SERVICE sends with it, and of their responses.
//!
//! Reference: CICS API reference, WSACONTEXT BUILD, DELETE, GET, WSAEPR CREATE.
//! RESP2 values beyond NOTFND 3 and DELETE's INVREQ 5 are this region's own.

use cics::command::commands::{
    wsacontext_build as build_row, wsacontext_get as get_row, wsaepr_create as create_row,
};
use cics::resp::Condition;
use copybook::codepage::CodePage;
use link::CommandOperands;
use soap::addressing::{ANONYMOUS, AddressingProperties, EndpointReference};

use super::{CommandFailure, OutputAreas, WebCommandResult, cvda, fail, text};
use crate::pages;

/// The addressing of a request and of its response.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Context {
    /// Of the request.
    pub request: AddressingProperties,
    /// Of the response.
    pub response: AddressingProperties,
}

/// INVREQ: EPRTYPE has another value.
const TYPE: u32 = 1;
/// INVREQ: EPRFIELD has another value.
const FIELD: u32 = 2;
/// INVREQ: EPRFROM, REFPARMS or METADATA are not the XML that they must be, or
/// CONTEXTTYPE has another value.
const XML: u32 = 3;
/// NOTFND: there is no context.
pub const NO_CONTEXT: u32 = 3;
/// NOTFND: nothing of what was asked for is in it.
const NO_PROPERTY: u32 = 4;
/// INVREQ: not in a provider.
pub const PROVIDER: u32 = 5;
/// INVREQ: a text that no address or name can be.
const TEXT: u32 = 7;
/// CCSIDERR and CODEPAGEERR: no code page of that name.
const PAGE: u32 = 1;

/// BUILD: puts properties into those of the messages that are to be sent.
pub fn build(
    properties: &mut AddressingProperties,
    given: &CommandOperands,
    page: CodePage,
) -> WebCommandResult {
    let page = page_of(given, build_row::FROMCCSID, build_row::FROMCODEPAGE, page)?;
    let mut made = properties.clone();
    if let Some(action) = uri(given, build_row::ACTION, page)? {
        made.action = Some(action);
    }
    if let Some(id) = uri(given, build_row::MESSAGEID, page)? {
        made.message_id = Some(id);
    }
    if let Some(related) = uri(given, build_row::RELATESURI, page)? {
        let kind = uri(given, build_row::RELATESTYPE, page)?.unwrap_or_default();
        let kind = match kind.as_str() {
            soap::addressing::REPLY => String::new(),
            _ => kind,
        };
        made.relates_to.push((related, kind));
    }
    if given.has(build_row::EPRTYPE) {
        let place = endpoint(&mut made, given.get_int(build_row::EPRTYPE))?;
        if given.get_int(build_row::EPRLENGTH).is_some_and(|n| n < 0) {
            return fail(Condition::LengErr, 1);
        }
        let from = given.get_bytes(build_row::EPRFROM).unwrap_or_default();
        let from = utf8(from, page);
        let elements =
            || EndpointReference::elements(&from).or_else(|_| fail(Condition::InvReq, XML));
        let own = place.get_or_insert_with(EndpointReference::default);
        match field(given.get_int(build_row::EPRFIELD))? {
            Field::All => {
                *own = EndpointReference::parse(from.trim())
                    .or_else(|_| fail(Condition::InvReq, XML))?;
            }
            Field::Address => own.address = address(from.trim())?,
            Field::Parameters => own.parameters = elements()?,
            Field::Metadata => own.metadata = elements()?,
        }
    }
    *properties = made;
    Ok(CommandOperands::default())
}

/// GET.
pub fn get(context: Option<&Context>, given: &CommandOperands, page: CodePage) -> WebCommandResult {
    let page = page_of(given, get_row::INTOCCSID, get_row::INTOCODEPAGE, page)?;
    let of = given.get_int(get_row::CONTEXTTYPE);
    let properties = |context: &'_ Context| match of {
        of if of == Some(cvda("REQCONTEXT")) => Ok(context.request.clone()),
        of if of == Some(cvda("RESPCONTEXT")) => Ok(context.response.clone()),
        _ => fail(Condition::InvReq, XML),
    };
    let mut own = match context {
        Some(context) => properties(context)?,
        None => {
            properties(&Context::default())?;
            return fail(Condition::NotFnd, NO_CONTEXT);
        }
    };
    let mut found = false;
    let mut filled = OutputAreas::default();
    let mut chars = |option: u8, value: Option<&str>| {
        if given.has(option) {
            found |= value.is_some();
            filled.chars(option, &local(value.unwrap_or_default(), page));
        }
    };
    chars(get_row::ACTION, own.action.as_deref());
    chars(get_row::MESSAGEID, own.message_id.as_deref());
    let index = given.get_int(get_row::RELATESINDEX).unwrap_or(1);
    let index = usize::try_from(index - 1).ok();
    let related = index.and_then(|index| own.relates_to.get(index));
    chars(get_row::RELATESURI, related.map(|(uri, _)| uri.as_str()));
    chars(
        get_row::RELATESTYPE,
        related.map(|(_, kind)| match kind.as_str() {
            "" => soap::addressing::REPLY,
            kind => kind,
        }),
    );
    if given.has(get_row::EPRTYPE) {
        let endpoint = endpoint(&mut own, given.get_int(get_row::EPRTYPE))?.take();
        let wanted = field(given.get_int(get_row::EPRFIELD))?;
        if let Some(endpoint) = endpoint {
            let text = match wanted {
                Field::All => endpoint.to_text(),
                Field::Address => endpoint.address,
                Field::Parameters => endpoint.parameters,
                Field::Metadata => endpoint.metadata,
            };
            return part(given, filled, &local(&text, page));
        }
    }
    if found {
        filled.done()
    } else {
        fail(Condition::NotFnd, NO_PROPERTY)
    }
}

/// The endpoint reference, or a part of it, cut to the program's area;
/// EPRLENGTH returns its full length.
fn part(given: &CommandOperands, mut filled: OutputAreas, text: &[u8]) -> WebCommandResult {
    reference(
        given,
        (get_row::EPRINTO, get_row::EPRLENGTH),
        text,
        &mut filled,
    )
    .and_then(|()| filled.done())
}

/// CREATE.
pub fn create(given: &CommandOperands, page: CodePage) -> WebCommandResult {
    let page = page_of(given, create_row::FROMCCSID, create_row::FROMCODEPAGE, page)?;
    let lengths = [create_row::REFPARMSLEN, create_row::METADATALEN];
    if lengths
        .iter()
        .any(|option| given.get_int(*option).is_some_and(|n| n < 0))
    {
        return fail(Condition::LengErr, 1);
    }
    let elements = |option: u8| match given.get_bytes(option) {
        Some(bytes) => EndpointReference::elements(&utf8(bytes, page))
            .or_else(|_| fail(Condition::InvReq, XML)),
        None => Ok(String::new()),
    };
    let made = EndpointReference {
        address: uri(given, create_row::ADDRESS, page)?.unwrap_or_else(|| ANONYMOUS.to_owned()),
        parameters: elements(create_row::REFPARMS)?,
        metadata: elements(create_row::METADATA)?,
    };
    let mut filled = OutputAreas::default();
    let options = (create_row::EPRINTO, create_row::EPRLENGTH);
    reference(given, options, &local(&made.to_text(), page), &mut filled)?;
    filled.done()
}

/// Gives a reference; one that does not fit is cut, with LENGERR. The worker
/// puts it where EPRSET wants it when there is no EPRINTO.
fn reference(
    given: &CommandOperands,
    (into, length): (u8, u8),
    text: &[u8],
    filled: &mut OutputAreas,
) -> Result<(), CommandFailure> {
    let room = given.get_int(length).map(|n| n.max(0) as usize);
    let room = room.filter(|_| given.has(into));
    match room.filter(|room| *room < text.len()) {
        None => {
            filled.chars(into, text);
            filled.int(length, text.len() as i64);
            Ok(())
        }
        Some(room) => {
            let mut cut = OutputAreas::default();
            cut.chars(into, &text[..room]);
            cut.int(length, text.len() as i64);
            Err(CommandFailure {
                condition: Condition::LengErr,
                resp2: 2,
                operands: cut.done()?,
            })
        }
    }
}

enum Field {
    All,
    Address,
    Parameters,
    Metadata,
}

fn field(value: Option<i64>) -> Result<Field, CommandFailure> {
    match value {
        value if value == Some(cvda("ALL")) => Ok(Field::All),
        value if value == Some(cvda("ADDRESS")) => Ok(Field::Address),
        value if value == Some(cvda("REFPARMS")) => Ok(Field::Parameters),
        value if value == Some(cvda("METADATA")) => Ok(Field::Metadata),
        _ => fail(Condition::InvReq, FIELD),
    }
}

fn endpoint(
    own: &mut AddressingProperties,
    value: Option<i64>,
) -> Result<&mut Option<EndpointReference>, CommandFailure> {
    match value {
        value if value == Some(cvda("TOEPR")) => Ok(&mut own.to),
        value if value == Some(cvda("FROMEPR")) => Ok(&mut own.from),
        value if value == Some(cvda("REPLYTOEPR")) => Ok(&mut own.reply_to),
        value if value == Some(cvda("FAULTTOEPR")) => Ok(&mut own.fault_to),
        _ => fail(Condition::InvReq, TYPE),
    }
}

/// A text that is an address or a name in a message.
fn uri(
    given: &CommandOperands,
    option: u8,
    page: CodePage,
) -> Result<Option<String>, CommandFailure> {
    let Some(bytes) = given.get_bytes(option) else {
        return Ok(None);
    };
    let text = utf8(bytes, page);
    address(text.trim_end_matches([' ', '\0'])).map(Some)
}

fn address(text: &str) -> Result<String, CommandFailure> {
    let clean = !text.is_empty() && !text.contains(|c: char| c.is_control() || c == ' ');
    if clean {
        Ok(text.to_owned())
    } else {
        fail(Condition::InvReq, TEXT)
    }
}

/// The program's code page, or the one that the command names.
fn page_of(
    given: &CommandOperands,
    ccsid: u8,
    name: u8,
    page: CodePage,
) -> Result<CodePage, CommandFailure> {
    if let Some(ccsid) = given.get_int(ccsid).filter(|ccsid| *ccsid != 0) {
        let named = pages::host(&ccsid.to_string(), page);
        return named.or_else(|_| fail(Condition::CcsidErr, PAGE));
    }
    match text(given, name).filter(|name| !name.is_empty()) {
        None => Ok(page),
        Some(name) => pages::host(&name, page).or_else(|_| fail(Condition::CodepageErr, PAGE)),
    }
}

fn utf8(bytes: &[u8], page: CodePage) -> String {
    let bytes = pages::convert(bytes, page, CodePage::utf8());
    String::from_utf8_lossy(&bytes).into_owned()
}

fn local(text: &str, page: CodePage) -> Vec<u8> {
    pages::convert(text.as_bytes(), CodePage::utf8(), page)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn with_options(options: &[u8]) -> CommandOperands {
        CommandOperands::new(options.iter().fold(0, |bits, option| bits | 1 << option))
    }

    fn builds(kind: &str, field: &str, from: &str) -> CommandOperands {
        with_options(&[build_row::EPRTYPE, build_row::EPRFIELD, build_row::EPRFROM])
            .int(build_row::EPRTYPE, cvda(kind))
            .int(build_row::EPRFIELD, cvda(field))
            .bytes(build_row::EPRFROM, from.as_bytes().to_vec())
    }

    fn gets(kind: &str, field: &str) -> CommandOperands {
        with_options(&[
            get_row::CONTEXTTYPE,
            get_row::EPRTYPE,
            get_row::EPRFIELD,
            get_row::EPRINTO,
        ])
        .int(get_row::CONTEXTTYPE, cvda("REQCONTEXT"))
        .int(get_row::EPRTYPE, cvda(kind))
        .int(get_row::EPRFIELD, cvda(field))
    }

    fn page() -> CodePage {
        CodePage::latin1()
    }

    #[test]
    fn what_is_built_is_got_again() {
        let mut context = Context::default();
        let own = &mut context.request;
        let given = with_options(&[build_row::ACTION, build_row::RELATESURI])
            .bytes(build_row::ACTION, b"urn:do   ".to_vec())
            .bytes(build_row::RELATESURI, b"urn:before".to_vec());
        build(own, &given, page()).unwrap();
        build(own, &builds("TOEPR", "ADDRESS", "http://h/"), page()).unwrap();
        build(
            own,
            &builds("TOEPR", "REFPARMS", "<k xmlns='urn:k'>1</k>"),
            page(),
        )
        .unwrap();
        let whole = "<e xmlns='http://www.w3.org/2005/08/addressing'><Address>urn:r</Address></e>";
        build(own, &builds("REPLYTOEPR", "ALL", whole), page()).unwrap();
        assert_eq!(own.relates_to, [("urn:before".into(), String::new())]);
        let got = |kind: &str, field: &str| {
            let got = get(Some(&context), &gets(kind, field), page()).unwrap();
            String::from_utf8(got.get_bytes(get_row::EPRINTO).unwrap().to_vec()).unwrap()
        };
        assert_eq!(got("TOEPR", "ADDRESS"), "http://h/");
        assert_eq!(got("TOEPR", "REFPARMS"), "<k xmlns='urn:k'>1</k>");
        assert!(got("REPLYTOEPR", "ALL").contains("<wsa:Address>urn:r</wsa:Address>"));
        let asked = with_options(&[
            get_row::CONTEXTTYPE,
            get_row::RELATESURI,
            get_row::RELATESTYPE,
        ]);
        let asked = asked.int(get_row::CONTEXTTYPE, cvda("REQCONTEXT"));
        let got = get(Some(&context), &asked, page()).unwrap();
        assert_eq!(
            text(&got, get_row::RELATESURI).as_deref(),
            Some("urn:before")
        );
        let reply = soap::addressing::REPLY;
        assert_eq!(text(&got, get_row::RELATESTYPE).as_deref(), Some(reply));
    }

    #[test]
    fn what_is_not_there_or_wrong_is_a_condition() {
        let reported = |outcome: WebCommandResult| {
            let failure = outcome.unwrap_err();
            (failure.condition, failure.resp2)
        };
        let (not_fnd, inv_req) = (Condition::NotFnd, Condition::InvReq);
        let wants = gets("TOEPR", "ALL");
        assert_eq!(reported(get(None, &wants, page())), (not_fnd, NO_CONTEXT));
        let empty = Context::default();
        assert_eq!(
            reported(get(Some(&empty), &wants, page())),
            (not_fnd, NO_PROPERTY)
        );
        let mut own = AddressingProperties::default();
        let mut wrong = |given: CommandOperands| reported(build(&mut own, &given, page()));
        assert_eq!(wrong(builds("ALL", "ALL", "x")), (inv_req, TYPE));
        assert_eq!(wrong(builds("TOEPR", "TOEPR", "x")), (inv_req, FIELD));
        assert_eq!(wrong(builds("TOEPR", "ALL", "<e/>")), (inv_req, XML));
        assert_eq!(wrong(builds("TOEPR", "REFPARMS", "<e>")), (inv_req, XML));
        assert_eq!(wrong(builds("TOEPR", "ADDRESS", "a b")), (inv_req, TEXT));
        let blank = with_options(&[build_row::ACTION]).bytes(build_row::ACTION, b"   ".to_vec());
        assert_eq!(wrong(blank), (inv_req, TEXT));
        let ccsid = with_options(&[build_row::FROMCCSID]).int(build_row::FROMCCSID, 60_000);
        assert_eq!(wrong(ccsid), (Condition::CcsidErr, PAGE));
        assert!(own.is_empty());
    }

    #[test]
    fn a_reference_is_created_and_cut_to_the_programs_area() {
        let given = with_options(&[
            create_row::EPRINTO,
            create_row::EPRLENGTH,
            create_row::REFPARMS,
        ])
        .bytes(create_row::REFPARMS, b"<a/>".to_vec());
        let made = create(&given.clone().int(create_row::EPRLENGTH, 500), page()).unwrap();
        let made = text(&made, create_row::EPRINTO).unwrap();
        let read = EndpointReference::parse(&made).unwrap();
        assert_eq!((&*read.address, &*read.parameters), (ANONYMOUS, "<a/>"));
        let cut = create(&given.int(create_row::EPRLENGTH, 10), page()).unwrap_err();
        assert_eq!((cut.condition, cut.resp2), (Condition::LengErr, 2));
        let whole = made.len() as i64;
        assert_eq!(cut.operands.get_int(create_row::EPRLENGTH), Some(whole));
    }
}
