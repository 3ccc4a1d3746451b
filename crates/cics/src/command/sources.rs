//! Which values of RESP2 were compared with a public text.
//!
//! The other values were written from memory of the manual. The source for each
//! group is in docs/internals/conditions.md.

use super::row::Command;
use crate::resp::Condition;
use crate::resp::Condition::{
    Changed, ChannelErr, Disabled, DupRec, End, EndFile, FileNotFound, Illogic, InvReq, IoErr,
    IscInvReq, LengErr, Locked, NoSpace, NotAuth, NotFnd, NotOpen, PgmIdErr, RecordBusy, SysIdErr,
    TcIdErr,
};

/// Commands whose whole list was compared, except the values that [`OPEN`] names.
const WHOLE: &[&str] = &[
    "DELAY",
    "DELETE",
    "DELETE CHANNEL",
    "DELETE CONTAINER (CHANNEL)",
    "DELETE COUNTER",
    "DOCUMENT DELETE",
    "DUMP TRANSACTION",
    "ENDBROWSE CONTAINER (CHANNEL)",
    "ENTER TRACENUM",
    "FETCH ANY",
    "FETCH CHILD",
    "FORMATTIME",
    "FREE CHILD",
    "GET CONTAINER (CHANNEL)",
    "GET COUNTER",
    "GETNEXT CONTAINER (CHANNEL)",
    "LINK",
    "RETURN",
    "RUN TRANSID",
    "SPOOLCLOSE",
    "START",
    "WAIT EVENT",
    "WEB ENDBROWSE FORMFIELD",
    "WEB READ HTTPHEADER",
    "WEB READNEXT FORMFIELD",
    "WEB READNEXT HTTPHEADER",
    "XCTL",
];

/// Values of those for which no text was found.
const OPEN: &[(&str, Condition, &[u16])] = &[
    ("DELETE", InvReq, &[47]),
    ("DELETE", SysIdErr, &[130, 131, 132]),
];

/// Single values, by the beginning of the commands' names.
const VALUES: &[(&[&str], Condition, &[u16])] = &[
    (FILES, FileNotFound, &[1]),
    (FILES, InvReq, &[20, 24, 25, 26, 33, 34, 35, 36, 41, 42]),
    (FILES, Disabled, &[50]),
    (FILES, NotOpen, &[60]),
    (FILES, NotFnd, &[80]),
    (FILES, EndFile, &[90]),
    (FILES, Illogic, &[110]),
    (FILES, LengErr, &[12, 13, 14]),
    (&["REWRITE"], Changed, &[109]),
    (&["REWRITE"], DupRec, &[150]),
    (&["REWRITE"], InvReq, &[30, 46, 47, 55, 56]),
    (&["REWRITE"], IoErr, &[120]),
    (&["REWRITE"], IscInvReq, &[70]),
    (&["REWRITE"], LengErr, &[10]),
    (&["REWRITE"], Locked, &[106]),
    (&["REWRITE"], NoSpace, &[100, 102, 103, 108]),
    (&["REWRITE"], NotAuth, &[101]),
    (&["REWRITE"], RecordBusy, &[107]),
    (&["REWRITE"], SysIdErr, &[130, 131, 132]),
    (&["SET FILE"], InvReq, &[2, 4, 5, 7, 12, 14, 16, 17]),
    (&["SET FILE"], FileNotFound, &[18]),
    (&["WSACONTEXT DELETE"], ChannelErr, &[1, 2]),
    (&["WSACONTEXT DELETE"], InvReq, &[5]),
    (&["WSACONTEXT DELETE"], NotFnd, &[3]),
    (&["DISCARD URIMAP"], InvReq, &[4]),
    (&["DISCARD URIMAP", "SET URIMAP"], NotFnd, &[3]),
    (&["DISCARD"], InvReq, &[1, 11]),
    (&["DISCARD"], PgmIdErr, &[7]),
    (&["SET TCLASS"], InvReq, &[2]),
    (&["SET TCLASS"], TcIdErr, &[1]),
    (&["SET TSQUEUE", "SET TSQNAME"], InvReq, &[1, 2, 3, 4]),
    (&["CHANGE PASSWORD", "VERIFY PASSWORD"], InvReq, &[18]),
    (&["VERIFY PASSWORD"], NotAuth, &[2, 19]),
    (&["REQUEST PASSTICKET"], InvReq, &[251]),
    (&["CHANGE TASK"], InvReq, &[1]),
    (&["CONVERTTIME"], InvReq, &[1]),
    (&["ENQ", "DEQ"], LengErr, &[1]),
    (
        &["SOAPFAULT CREATE", "SOAPFAULT ADD", "SOAPFAULT DELETE"],
        InvReq,
        &[3],
    ),
    (&["SOAPFAULT DELETE"], NotFnd, &[2]),
    (&["STARTBROWSE CONTAINER (CHANNEL)"], ChannelErr, &[2]),
    (&["LOAD", "RELEASE", "HANDLE ABEND"], PgmIdErr, &[9]),
    (&["SPOOLOPEN INPUT"], Illogic, &[3]),
    (&["SPOOLOPEN INPUT"], InvReq, &[4, 8, 16, 36, 40]),
    (&["SPOOLREAD"], Illogic, &[3]),
    (&["SPOOLREAD"], InvReq, &[4, 8, 12, 24, 40]),
    (&["SPOOLWRITE"], InvReq, &[4, 8, 28, 40]),
    (&["WEB STARTBROWSE HTTPHEADER"], Illogic, &[10]),
    (&["WEB STARTBROWSE HTTPHEADER"], InvReq, &[1, 3, 43]),
    (&["WEB STARTBROWSE HTTPHEADER"], NotFnd, &[1]),
    (&["WEB STARTBROWSE HTTPHEADER"], NotOpen, &[27]),
];

/// The commands of file control.
const FILES: &[&str] = &[
    "READ", "WRITE", "REWRITE", "DELETE", "UNLOCK", "STARTBR", "READNEXT", "READPREV", "ENDBR",
    "RESETBR",
];

/// True when a public text says that a command gives this value with a condition.
pub(super) fn is_compared(command: &Command, condition: Condition, resp2: u16) -> bool {
    let listed = |list: &[(&str, Condition, &[u16])]| {
        let mut list = list.iter();
        list.any(|(name, of, values)| {
            *name == command.name && *of == condition && values.contains(&resp2)
        })
    };
    if WHOLE.contains(&command.name) {
        return !listed(OPEN);
    }
    let browsed = command.options.iter().any(|option| option.name == "NEXT")
        && command.verb == "INQUIRE"
        && matches!((condition, resp2), (End, 2) | (Illogic, 1));
    browsed
        || VALUES.iter().any(|(names, of, values)| {
            names.contains(&command.name) && *of == condition && values.contains(&resp2)
        })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::command::all;

    #[test]
    fn every_value_that_was_compared_is_one_that_a_command_gives() {
        let gives = |name: &str, condition: Condition, value: Option<u16>| {
            all().any(|command| {
                command.name == name
                    && command.conditions.iter().any(|row| {
                        row.condition == condition
                            && value.is_none_or(|value| row.resp2.contains(&value))
                    })
            })
        };
        for name in WHOLE.iter().chain(FILES) {
            assert!(all().any(|command| command.name == *name), "{name}");
        }
        for (name, condition, values) in OPEN {
            assert!(WHOLE.contains(name), "{name}");
            for value in *values {
                assert!(gives(name, *condition, Some(*value)), "{name} {value}");
            }
        }
        for (names, condition, values) in VALUES {
            let known = |value| names.iter().any(|name| gives(name, *condition, value));
            assert!(known(None), "{names:?} {condition}");
            for value in *values {
                assert!(known(Some(*value)), "{names:?} {condition} {value}");
            }
        }
    }
}
