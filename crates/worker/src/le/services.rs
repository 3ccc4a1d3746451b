//! The table of services.

use super::arguments::Arguments;
use super::feedback::Feedback;
use super::{messages, time};
use crate::baq;
use crate::exec::Stop;
use crate::eza;
use crate::markup;
use crate::sql;
use crate::worker::Worker;

/// Why a service did not end well.
pub(crate) enum End {
    /// With a feedback code.
    Feedback(Feedback),
    /// It does not come back.
    Stop(Stop),
    /// With this in RETURN-CODE.
    ReturnCode(i32),
}

impl From<Feedback> for End {
    fn from(code: Feedback) -> Self {
        End::Feedback(code)
    }
}

/// Result of a service.
pub(crate) type Served = Result<(), End>;

/// A service.
pub(crate) struct Row {
    pub name: &'static str,
    pub serve: fn(&mut Worker, &Arguments<'_>) -> Served,
    /// Place of the feedback code among the arguments.
    pub feedback: Option<usize>,
}

macro_rules! rows {
    ($($name:literal $serve:path, $feedback:expr;)*) => {
        /// Every service, by its place here.
        pub(crate) const ROWS: &[Row] = &[$(Row { name: $name, serve: $serve, feedback: $feedback }),*];
    };
}

rows! {
    "BAQCSTUB" baq::stub, None;
    "BAQCTERM" baq::stub_end, None;
    "BAQEXEC" baq::exec, None;
    "BAQFREE" baq::free, None;
    "BAQGETN" baq::get_next, None;
    "BAQINIT" baq::init, None;
    "BAQPUTN" baq::put_next, None;
    "BAQTERM" baq::terminate, None;
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
    "DFHEI3" markup::serve, None;
    "DSNHLI" sql::serve, None;
    "DSNTIAC" sql::tiac, None;
    "DSNTIAR" sql::tiar, None;
    "EZACIC04" eza::to_ascii, None;
    "EZACIC05" eza::to_host, None;
    "EZACIC06" eza::masks, None;
    "EZACIC08" eza::host_entry, None;
    "EZACIC09" eza::address_entry, None;
    "EZACIC14" eza::to_latin, None;
    "EZACIC15" eza::from_latin, None;
    "EZACICSO" eza::call, None;
    "EZASOKET" eza::call, None;
}
