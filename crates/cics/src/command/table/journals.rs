//! Journals.
//!
//! The manual gives no RESP2 values for the conditions of these commands.

use crate::command::row::Command;

/// The served rows of this domain.
pub(super) const SERVED: &[Command] = &[
    rows::journal::ROW,
    rows::wait_journalname::ROW,
    rows::wait_journalnum::ROW,
    rows::write_journalname::ROW,
    rows::write_journalnum::ROW,
];

pub(super) mod rows {
    command! {
        /// Writes a record to a journal by number, as older programs do.
        journal 0x8901 own "JOURNAL" "JOURNAL" Diagnostics Region;
        input JFILEID(Halfword) [required];
        input JTYPEID(Chars(2)) [required];
        input FROM(Area) [required, length("LENGTH")];
        input LENGTH(Halfword);
        output REQID(Fullword);
        input PREFIX(Area) [length("PFXLENG")];
        input PFXLENG(Halfword);
        flag WAIT;
        flag STARTIO;
        flag NOSUSPEND;
        @rules OptionRule::Needs("PFXLENG", &["PREFIX"]);
        @conditions InvReq, IoErr, JidErr, LengErr, NoJBufSp, NotAuth, NotOpen;
    }

    command! {
        /// Waits until the records of a journal are on the disk.
        wait_journalname 0x1408 eibfn "WAIT JOURNALNAME" "WAIT" ["JOURNALNAME"] Diagnostics Region;
        input JOURNALNAME(Name(8)) [required];
        input REQID(Fullword);
        @conditions InvReq, IoErr, JidErr, NotAuth, NotOpen;
    }

    command! {
        /// Waits until the records of a journal are on the disk.
        wait_journalnum 0x1404 eibfn "WAIT JOURNALNUM" "WAIT" ["JOURNALNUM"] Diagnostics Region;
        input JOURNALNUM(Halfword) [required];
        input REQID(Fullword);
        @conditions InvReq, IoErr, JidErr, NotAuth, NotOpen;
    }

    command! {
        /// Writes a record to a journal.
        write_journalname 0x1406 eibfn "WRITE JOURNALNAME" "WRITE" ["JOURNALNAME"] Diagnostics Region;
        input JOURNALNAME(Name(8)) [required];
        input JTYPEID(Chars(2)) [required];
        input FROM(Area) [required, length("FLENGTH"), most(1 << 20)];
        input FLENGTH(Fullword);
        output REQID(Fullword);
        input PREFIX(Area) [length("PFXLENG")];
        input PFXLENG(Halfword);
        flag WAIT;
        flag NOSUSPEND;
        @rules OptionRule::Needs("PFXLENG", &["PREFIX"]);
        @conditions InvReq, IoErr, JidErr, LengErr, NoJBufSp, NotAuth, NotOpen;
    }

    command! {
        /// Writes a record to a journal by number: nn is DFHJnn.
        write_journalnum 0x1402 eibfn "WRITE JOURNALNUM" "WRITE" ["JOURNALNUM"] Diagnostics Region;
        input JOURNALNUM(Halfword) [required];
        input JTYPEID(Chars(2)) [required];
        input FROM(Area) [required, length("FLENGTH"), most(1 << 20)];
        input FLENGTH(Fullword);
        alias LENGTH("FLENGTH", Halfword);
        output REQID(Fullword);
        input PREFIX(Area) [length("PFXLENG")];
        input PFXLENG(Halfword);
        flag WAIT;
        flag STARTIO;
        flag NOSUSPEND;
        @rules OptionRule::Needs("PFXLENG", &["PREFIX"]);
        @conditions InvReq, IoErr, JidErr, LengErr, NoJBufSp, NotAuth, NotOpen;
    }
}
