//! SOAPFAULT CREATE, ADD and DELETE: the fault that a program makes for its
//! caller.
//!
//! The fault is kept with the task, and the pipeline answers with it after the
//! program returns. Options of one version of SOAP are rejected for a message
//! of the other.
//!
//! Reference: CICS API reference, SOAPFAULT ADD, CREATE, DELETE. The manual's
//! RESP2 values are those of DELETE and of a missing SOAP node; the others could
//! not be compared with it.

use cics::command::commands::{soapfault_add as add_row, soapfault_create as row};
use cics::resp::Condition;
use copybook::codepage::CodePage;
use link::CommandOperands;
use soap::envelope::{Fault, FaultCode, SoapVersion};

use crate::commands::addressing::Context;
use crate::commands::{WebCommandResult, cvda, fail};
use crate::pages;

/// The state of a web service's task.
#[derive(Debug, Clone, Default)]
pub struct ServiceSide {
    /// Version of the message that the task serves; `None` for a message other than SOAP.
    pub version: Option<SoapVersion>,
    /// The fault that its program has made.
    pub fault: Option<Fault>,
    /// The addressing of the request and of its response, where there is some.
    pub addressing: Option<Context>,
}

/// INVREQ: there is no message of SOAP that a fault could answer.
const NO_NODE: u32 = 3;
/// NOTFND of DELETE, INVREQ of ADD: there is no fault.
const NO_FAULT: u32 = 2;
/// INVREQ: an option of the other version of SOAP.
const OTHER_VERSION: u32 = 1;
/// INVREQ: DETAIL is not XML.
const NO_XML: u32 = 5;

/// CREATE.
pub fn create(side: &mut ServiceSide, given: &CommandOperands, page: CodePage) -> WebCommandResult {
    let Some(version) = side.version else {
        return fail(Condition::InvReq, NO_NODE);
    };
    let text = |option, length| text(given, option, length, row::FROMCCSID, page);
    let Some(code) = code(given, version) else {
        return fail(Condition::InvReq, OTHER_VERSION);
    };
    let code = match code {
        FaultCode::Other(_) => {
            FaultCode::Other(text(row::FAULTCODESTR, row::FAULTCODELEN)?.unwrap_or_default())
        }
        code => code,
    };
    let role = match version {
        SoapVersion::V11 if given.has(row::ROLE) => return fail(Condition::InvReq, OTHER_VERSION),
        SoapVersion::V12 if given.has(row::FAULTACTOR) => {
            return fail(Condition::InvReq, OTHER_VERSION);
        }
        SoapVersion::V11 => text(row::FAULTACTOR, row::FAULTACTLEN)?,
        SoapVersion::V12 => text(row::ROLE, row::ROLELENGTH)?,
    };
    let detail = text(row::DETAIL, row::DETAILLENGTH)?.map(|detail| detail.trim_end().to_owned());
    let detail = detail.filter(|detail| !detail.is_empty());
    if let Some(detail) = &detail {
        // The detail is in the message unchanged.
        let whole = format!("<detail>{detail}</detail>");
        if soap::xml::parse_tree(&whole, soap::xml::Limits::default()).is_err() {
            return fail(Condition::InvReq, NO_XML);
        }
    }
    let reason = text(row::FAULTSTRING, row::FAULTSTRLEN)?.unwrap_or_default();
    let language = language(given, row::NATLANG);
    side.fault = Some(Fault {
        code,
        subcodes: Vec::new(),
        reasons: vec![(language, reason)],
        role,
        detail,
    });
    Ok(CommandOperands::default())
}

/// ADD: another text, or another code within the codes.
pub fn add(side: &mut ServiceSide, given: &CommandOperands, page: CodePage) -> WebCommandResult {
    let text = |option, length| text(given, option, length, add_row::FROMCCSID, page);
    let Some(version) = side.version else {
        return fail(Condition::InvReq, NO_NODE);
    };
    let Some(fault) = &mut side.fault else {
        return fail(Condition::InvReq, NO_FAULT);
    };
    if let Some(reason) = text(add_row::FAULTSTRING, add_row::FAULTSTRLEN)? {
        let language = language(given, add_row::NATLANG);
        match fault.reasons.iter_mut().find(|(of, _)| *of == language) {
            Some(same) => same.1 = reason,
            None => fault.reasons.push((language, reason)),
        }
    }
    let code = text(add_row::SUBCODESTR, add_row::SUBCODELEN)?;
    // Version 1.1 has no codes within codes, and one text only: that of the
    // first language.
    if let Some(code) = code.filter(|_| version == SoapVersion::V12) {
        fault.subcodes.push(code);
    }
    Ok(CommandOperands::default())
}

/// DELETE.
pub fn delete(side: &mut ServiceSide) -> WebCommandResult {
    if side.version.is_none() {
        return fail(Condition::InvReq, NO_NODE);
    }
    match side.fault.take() {
        Some(_) => Ok(CommandOperands::default()),
        None => fail(Condition::NotFnd, NO_FAULT),
    }
}

/// The fault's code; `None` if the version has no such code.
fn code(given: &CommandOperands, version: SoapVersion) -> Option<FaultCode> {
    let says =
        |flag: u8, name: &str| given.has(flag) || given.get_int(row::FAULTCODE) == Some(cvda(name));
    let (client, server) = (says(row::CLIENT, "CLIENT"), says(row::SERVER, "SERVER"));
    let (sender, receiver) = (says(row::SENDER, "SENDER"), says(row::RECEIVER, "RECEIVER"));
    match version {
        _ if given.has(row::FAULTCODESTR) => Some(FaultCode::Other(String::new())),
        // The codes of one version mean those of the other.
        _ if client || sender => Some(FaultCode::Sender),
        _ if server || receiver => Some(FaultCode::Receiver),
        _ => None,
    }
}

fn language(given: &CommandOperands, option: u8) -> String {
    let named = crate::commands::text(given, option).filter(|name| !name.is_empty());
    named.unwrap_or_else(|| "en".to_owned())
}

/// An area's text in UTF-8. Returns `None` when the program does not give it.
fn text(
    given: &CommandOperands,
    option: u8,
    length: u8,
    ccsid: u8,
    page: CodePage,
) -> Result<Option<String>, crate::commands::CommandFailure> {
    let Some(bytes) = given.get_bytes(option) else {
        return Ok(None);
    };
    if given.get_int(length).is_some_and(|n| n < 0) {
        return fail(Condition::LengErr, 1);
    }
    let from = match given.get_int(ccsid) {
        None | Some(0) => page,
        Some(ccsid) => match pages::host(&ccsid.to_string(), page) {
            Ok(page) => page,
            Err(_) => return fail(Condition::CcsidErr, 1),
        },
    };
    let bytes = pages::convert(bytes, from, CodePage::utf8());
    Ok(Some(String::from_utf8_lossy(&bytes).into_owned()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn flags(options: &[u8]) -> CommandOperands {
        CommandOperands::new(options.iter().fold(0, |bits, option| bits | 1 << option))
    }

    fn side(version: SoapVersion) -> ServiceSide {
        ServiceSide {
            version: Some(version),
            ..ServiceSide::default()
        }
    }

    #[test]
    fn a_fault_is_made_extended_and_deleted() {
        let mut side = side(SoapVersion::V12);
        let given = flags(&[row::SENDER, row::FAULTSTRING, row::DETAIL])
            .bytes(row::FAULTSTRING, *b"no such \xFCbung")
            .bytes(row::DETAIL, *b"<a xmlns='urn:a'>1</a>");
        create(&mut side, &given, CodePage::latin1()).unwrap();
        let more = flags(&[add_row::FAULTSTRING, add_row::NATLANG, add_row::SUBCODESTR])
            .bytes(add_row::FAULTSTRING, *b"gibt es nicht")
            .bytes(add_row::NATLANG, *b"de      ")
            .bytes(add_row::SUBCODESTR, *b"a:none");
        add(&mut side, &more, CodePage::latin1()).unwrap();
        let fault = side.fault.clone().unwrap();
        assert_eq!(fault.code, FaultCode::Sender);
        assert_eq!(fault.reasons[0], ("en".into(), "no such übung".into()));
        assert_eq!(fault.reasons[1], ("de".into(), "gibt es nicht".into()));
        assert_eq!(fault.subcodes, ["a:none"]);
        let text = String::from_utf8(fault.message(SoapVersion::V12)).unwrap();
        assert!(
            text.contains("<SOAP-ENV:Detail><a xmlns='urn:a'>1</a>"),
            "{text}"
        );
        delete(&mut side).unwrap();
        assert_eq!(delete(&mut side).unwrap_err().resp2, NO_FAULT);
    }

    #[test]
    fn what_a_version_does_not_have_is_refused() {
        let page = CodePage::latin1();
        let given = flags(&[row::CLIENT, row::ROLE]).bytes(row::ROLE, *b"r");
        let refused = create(&mut side(SoapVersion::V11), &given, page).unwrap_err();
        assert_eq!(refused.resp2, OTHER_VERSION);
        let broken = flags(&[row::CLIENT, row::DETAIL]).bytes(row::DETAIL, *b"</detail>");
        let refused = create(&mut side(SoapVersion::V11), &broken, page).unwrap_err();
        assert_eq!(refused.resp2, NO_XML);
        let nothing = create(&mut ServiceSide::default(), &flags(&[row::CLIENT]), page);
        assert_eq!(nothing.unwrap_err().resp2, NO_NODE);
        let none = |side: &mut ServiceSide| {
            let added = add(side, &flags(&[]), page).unwrap_err();
            let deleted = delete(side).unwrap_err();
            [added, deleted].map(|refused| (refused.condition, refused.resp2))
        };
        let (inv_req, not_fnd) = (Condition::InvReq, Condition::NotFnd);
        let there = none(&mut side(SoapVersion::V11));
        assert_eq!(there, [(inv_req, NO_FAULT), (not_fnd, NO_FAULT)]);
        let elsewhere = none(&mut ServiceSide::default());
        assert_eq!(elsewhere, [(inv_req, NO_NODE), (inv_req, NO_NODE)]);
    }

    #[test]
    fn the_older_version_has_one_text_and_no_code_within_a_code() {
        let page = CodePage::latin1();
        let mut one = side(SoapVersion::V11);
        let first = flags(&[row::SERVER, row::FAULTSTRING]).bytes(row::FAULTSTRING, *b"first");
        create(&mut one, &first, page).unwrap();
        let more = flags(&[add_row::FAULTSTRING, add_row::SUBCODESTR])
            .bytes(add_row::FAULTSTRING, *b"second")
            .bytes(add_row::SUBCODESTR, *b"a:none");
        add(&mut one, &more, page).unwrap();
        let message = one.fault.unwrap().message(SoapVersion::V11);
        let text = String::from_utf8(message).unwrap();
        assert!(text.contains("second") && !text.contains("first"), "{text}");
        assert!(!text.contains("a:none"), "{text}");
    }
}
