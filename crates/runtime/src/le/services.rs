//! The table of services, and how one is done.

use super::arguments::{CallArguments, ServiceHost};
use super::feedback::{self as fb, FEEDBACK_BYTES, FeedbackCode, OK};
use super::{messages, time};

/// Why a service did not end well.
pub(super) enum ServiceEnd {
    /// With a feedback code.
    Feedback(FeedbackCode),
    /// CEE3ABD: the program ends with this code, 0 to 4095.
    Abend(u16),
}

impl From<FeedbackCode> for ServiceEnd {
    fn from(code: FeedbackCode) -> Self {
        ServiceEnd::Feedback(code)
    }
}

/// Result of a service.
pub(super) type ServiceResult = Result<(), ServiceEnd>;

/// Why the program does not continue after a service.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ServiceError {
    /// It ended itself with a code from 0 to 4095.
    #[error("CEE3ABD with code {0}")]
    Abend(u16),
    /// A condition of severity 2 or more, and no argument for its feedback code.
    #[error("{0}")]
    Unhandled(String),
}

/// A service.
struct ServiceRow {
    name: &'static str,
    serve: fn(&mut dyn ServiceHost, &dyn CallArguments) -> ServiceResult,
    /// Place of the feedback code among the arguments.
    feedback: Option<usize>,
}

macro_rules! rows {
    ($($name:literal $serve:path, $feedback:expr;)*) => {
        const ROWS: &[ServiceRow] = &[$(ServiceRow { name: $name, serve: $serve, feedback: $feedback }),*];
    };
}

rows! {
    "CEE3ABD" messages::abend, None;
    "CEE3AB2" messages::abend, None;
    "CEE3DMP" messages::dump, Some(2);
    "CEECBLDY" time::cobol_days, Some(3);
    "CEEDATE" time::date, Some(3);
    "CEEDATM" time::timestamp, Some(3);
    "CEEDAYS" time::days, Some(3);
    "CEEDCOD" messages::decode, Some(8);
    "CEEDYWK" time::day_of_week, Some(2);
    "CEEGMT" time::utc, Some(2);
    "CEEGMTO" time::utc_offset, Some(3);
    "CEEISEC" time::integers_to_seconds, Some(8);
    "CEELOCT" time::local, Some(3);
    "CEEMGET" messages::get, Some(3);
    "CEEMOUT" messages::out, Some(2);
    "CEEMSG" messages::message, Some(1);
    "CEENCOD" messages::encode, Some(8);
    "CEEQCEN" time::century, Some(1);
    "CEESCEN" time::set_century, Some(1);
    "CEESECI" time::seconds_to_integers, Some(8);
    "CEESECS" time::seconds, Some(3);
    "CEEUTC" time::utc, Some(2);
}

/// The number of a service. Returns `None` for an unknown name.
pub fn find(name: &[u8]) -> Option<usize> {
    ROWS.iter().position(|row| row.name.as_bytes() == name)
}

/// Does the service of a number that [`find`] gave.
pub fn serve(
    number: usize,
    host: &mut dyn ServiceHost,
    arguments: &dyn CallArguments,
) -> Result<(), ServiceError> {
    let Some(row) = ROWS.get(number) else {
        return Ok(());
    };
    let said = match (row.serve)(host, arguments) {
        Ok(()) => OK,
        Err(ServiceEnd::Feedback(code)) => code,
        Err(ServiceEnd::Abend(code)) => return Err(ServiceError::Abend(code)),
    };
    let Some(place) = row.feedback else {
        return Ok(());
    };
    if arguments.size(place) > 0 {
        arguments.set_bytes(place, &said.emit()[..FEEDBACK_BYTES]);
        return Ok(());
    }
    if said.severity < 2 {
        return Ok(());
    }
    let text = format!("{} without a feedback code: {}", row.name, said.message());
    Err(ServiceError::Unhandled(text))
}

/// A text with its length in a halfword in front.
pub(super) fn text(arguments: &dyn CallArguments, at: usize) -> Vec<u8> {
    let bytes = arguments.bytes(at);
    let [high, low, text @ ..] = bytes.as_slice() else {
        return Vec::new();
    };
    // COMP is big-endian here; a COMP-5 length is not.
    let length = usize::from(u16::from_be_bytes([*high, *low]));
    let other = usize::from(u16::from_le_bytes([*high, *low]));
    let is_other = length > text.len() && other <= text.len();
    let length = if is_other { other } else { length };
    text[..length.min(text.len())].to_vec()
}

/// The condition token in an argument.
pub(super) fn token(
    arguments: &dyn CallArguments,
    at: usize,
) -> Result<FeedbackCode, FeedbackCode> {
    FeedbackCode::parse(&arguments.bytes(at)).ok_or(fb::TOKEN)
}
