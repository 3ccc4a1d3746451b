//! BAQCSTUB: one call with everything in it.
//!
//! BAQ-RETURN-CODE: 0 success, 1 error of the API, 2 error of the requester, 3
//! error of the call itself, 4 no response. BAQ-STATUS-CODE is the HTTP status
//! where there is one, and BAQ-STATUS-MESSAGE what was said.

use super::blocks::{information, message, pointer, set, storage, text, word};
use super::{ApiCall, operand, outcome};
use crate::le::{LeArguments, LeResult, ServiceEnd};
use crate::worker::Worker;

/// API-INFO, request info, request and its length, response info, response and
/// its length.
const ARGUMENTS: usize = 7;
const MAX_LENGTH: i64 = 16 << 20;
/// Offsets of BAQ-RESPONSE-INFO.
const STUB_NAME: usize = 4;
const RETURN_CODE: usize = 12;
const STATUS_CODE: usize = 16;
const MESSAGE: usize = 20;
const MESSAGE_LENGTH: usize = 1044;
/// Return codes.
const IN_API: i32 = 1;
const IN_REQUESTER: i32 = 2;
const IN_STUB: i32 = 3;
const NO_RESPONSE: i32 = 4;
/// Texts of BAQ-REQUEST-INFO: offset, name of the parameter. The length follows
/// the 256 characters.
const CREDENTIALS: [(usize, &str); 4] = [
    (4, "BAQHAPI-oAuth-Username"),
    (264, "BAQHAPI-oAuth-Password"),
    (524, "BAQHAPI-oAuth-ClientId"),
    (784, "BAQHAPI-oAuth-ClientSecret"),
];
const CREDENTIAL_BYTES: usize = 256;
const SCOPE: usize = 1044;

/// BAQCSTUB.
pub(crate) fn stub(w: &mut Worker, args: &LeArguments<'_>) -> LeResult {
    if args.count() != ARGUMENTS {
        return finish(args, IN_STUB, 0, "BAQCSTUB takes seven arguments");
    }
    let Some([api, path, method]) = args.get(0).and_then(|a| information(a.bytes(), 0)) else {
        return finish(
            args,
            IN_STUB,
            0,
            "the first argument is not an API information block",
        );
    };
    let (request, response) = (args.int(3), args.int(6));
    if !(0..=MAX_LENGTH).contains(&request) || !(0..=MAX_LENGTH).contains(&response) {
        return finish(args, IN_STUB, 0, "a length is negative or too large");
    }
    let address = |at: usize| args.get(at).map_or(std::ptr::null_mut(), |a| a.pointer());
    let (from, to) = (address(2), address(5));
    let credentials = args.get(1).map_or(Vec::new(), |a| credentials(a.bytes()));
    let asked = ApiCall {
        stub: true,
        api: &api,
        path: &path,
        method: &method,
        // SAFETY: the bytes are copied before the program runs again.
        base: unsafe { storage(from, request as usize) },
        parameters: credentials,
    };
    let answer = asked.send(w).map_err(ServiceEnd::Stop)?.operands;
    let reported = String::from_utf8_lossy(answer.get_bytes(operand::MESSAGE).unwrap_or_default());
    let status = answer.get_int(operand::STATUS).unwrap_or(0);
    let code = match answer.get_int(operand::OUTCOME) {
        Some(outcome::MAPPED) => 0,
        Some(outcome::UNMAPPED) => IN_API,
        Some(outcome::NO_RESPONSE) => NO_RESPONSE,
        _ => IN_REQUESTER,
    };
    let base = answer.get_bytes(operand::BASE).unwrap_or_default();
    if code == 0 && !base.is_empty() {
        if to.is_null() || base.len() > response as usize {
            let why = format!(
                "the response needs {} bytes, there are {response}",
                base.len()
            );
            return finish(args, IN_STUB, status, &why);
        }
        // SAFETY: the program says that so many bytes are there; a wrong
        // address is its own check.
        unsafe { std::ptr::copy(base.as_ptr(), to, base.len()) };
        args.set_int(6, base.len() as i64);
    }
    finish(args, code, status, &reported)
}

/// BAQCTERM: there is no connection to close.
pub(crate) fn stub_end(_: &mut Worker, _: &LeArguments<'_>) -> LeResult {
    Ok(())
}

/// Credentials that the program gives.
fn credentials(block: &[u8]) -> Vec<(String, Vec<u8>)> {
    let mut all = Vec::new();
    for (at, name) in CREDENTIALS {
        let length = word(block, at + CREDENTIAL_BYTES) as usize;
        let value = block.get(at..at + CREDENTIAL_BYTES).unwrap_or_default();
        if (1..=value.len()).contains(&length) {
            all.push((name.to_owned(), text(&value[..length]).into_bytes()));
        }
    }
    let length = word(block, SCOPE + 8) as usize;
    if (1..=MAX_LENGTH as usize).contains(&length) && block.len() >= SCOPE + 12 {
        // SAFETY: it is copied at once.
        let scope = unsafe { storage(pointer(block, SCOPE), length) };
        all.push(("BAQHAPI-oAuth-Scope".to_owned(), scope.to_vec()));
    }
    all
}

fn finish(args: &LeArguments<'_>, code: i32, status: i64, reported: &str) -> LeResult {
    if let Some(block) = args.get(4) {
        let (message, length) = message(reported);
        set(&block, STUB_NAME, b"BAQCSTUB");
        set(&block, RETURN_CODE, &code.to_ne_bytes());
        set(&block, STATUS_CODE, &(status as i32).to_ne_bytes());
        set(&block, MESSAGE, &message);
        set(&block, MESSAGE_LENGTH, &length);
    }
    Ok(())
}
