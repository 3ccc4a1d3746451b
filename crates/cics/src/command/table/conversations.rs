//! Mapped APPC conversations.
//!
//! RECEIVE, SEND and CONVERSE are for terminals too. The options of terminals and
//! of other session types answer INVREQ on a conversation.

use crate::command::row::Command;

/// The served rows of this domain.
pub(super) const SERVED: &[Command] = &[
    rows::allocate::ROW,
    rows::connect_process::ROW,
    rows::converse::ROW,
    rows::extract_attributes::ROW,
    rows::extract_process::ROW,
    rows::free::ROW,
    rows::issue_abend::ROW,
    rows::issue_confirmation::ROW,
    rows::issue_error::ROW,
    rows::issue_signal::ROW,
    rows::receive::ROW,
    rows::send::ROW,
    rows::wait_convid::ROW,
];

pub(super) mod rows {
    command! {
        /// Gets a session with a partner.
        allocate 0x0420 eibfn "ALLOCATE" "ALLOCATE" Terminals Region;
        input SYSID(Name(4));
        input PROFILE(Name(8));
        input PARTNER(Name(8));
        flag NOQUEUE;
        output STATE(Cvda);
        input SESSION(Name(4));
        @rules
            OptionRule::ExactlyOne(&["SYSID", "PARTNER", "SESSION"]),
            OptionRule::Unserved(&["SESSION"], Condition::SessionErr);
        @conditions
            InvReq, SysIdErr, SessionErr, SysBusy, CbIdErr, PartnerIdErr;
    }
    command! {
        /// Starts a process in the partner.
        connect_process 0x0432 eibfn "CONNECT PROCESS" "CONNECT" ["PROCESS"] Terminals Region;
        flag PROCESS;
        input CONVID(Name(4));
        input SESSION(Name(4));
        input PROCNAME(Area) [length("PROCLENGTH")];
        input PROCLENGTH(Halfword);
        input PARTNER(Name(8));
        input PIPLIST(Area) [length("PIPLENGTH")];
        input PIPLENGTH(Halfword);
        input SYNCLEVEL(Halfword);
        output STATE(Cvda);
        @rules
            OptionRule::AtMostOne(&["CONVID", "SESSION"]),
            OptionRule::ExactlyOne(&["PROCNAME", "PARTNER"]),
            OptionRule::UnservedValue("SYNCLEVEL", "2", Condition::InvReq);
        @conditions
            InvReq, LengErr, NotAlloc, PartnerIdErr, TermErr;
    }
    command! {
        /// Sends, and receives the answer.
        converse 0x0406 eibfn "CONVERSE" "CONVERSE" Terminals Region;
        input FROM(Area) [length("FROMLENGTH")];
        input FROMLENGTH(Halfword);
        input FROMFLENGTH(Fullword);
        output INTO(Area) [length("TOLENGTH")];
        output SET(PtrRef) [length("TOLENGTH")];
        update TOLENGTH(Halfword);
        update TOFLENGTH(Fullword);
        input MAXLENGTH(Halfword);
        input MAXFLENGTH(Fullword);
        flag NOTRUNCATE;
        input CONVID(Name(4));
        output STATE(Cvda);
        flag ERASE;
        flag DEFAULT;
        flag ALTERNATE;
        input CTLCHAR(Area);
        flag DEFRESP;
        flag ASIS;
        flag FMH;
        input SESSION(Name(4));
        input ATTACHID(Name(8));
        input LDC(Name(2));
        flag STRFIELD;
        input LINEADDR(Halfword);
        flag LEAVEKB;
        flag PSEUDOBIN;
        @rules
            OptionRule::ExactlyOne(&["INTO", "SET"]),
            OptionRule::AtMostOne(&["FROMLENGTH", "FROMFLENGTH"]),
            OptionRule::AtMostOne(&["TOLENGTH", "TOFLENGTH"]),
            OptionRule::AtMostOne(&["MAXLENGTH", "MAXFLENGTH"]),
            OptionRule::AtMostOne(&["CONVID", "SESSION"]),
            OptionRule::Unserved(&["ATTACHID", "FMH", "LDC", "LINEADDR", "PSEUDOBIN"], Condition::InvReq);
        @conditions
            Eoc, InvReq, LengErr, NotAlloc, Signal, TermErr;
    }
    command! {
        /// Returns the state of a conversation.
        extract_attributes 0x043E eibfn "EXTRACT ATTRIBUTES" "EXTRACT" ["ATTRIBUTES"] Terminals Region;
        flag ATTRIBUTES;
        input CONVID(Name(4));
        input SESSION(Name(4));
        output STATE(Cvda) [required];
        @rules
            OptionRule::AtMostOne(&["CONVID", "SESSION"]);
        @conditions
            InvReq, NotAlloc;
    }
    command! {
        /// Returns the transaction that the partner attached, and its data.
        extract_process 0x042E eibfn "EXTRACT PROCESS" "EXTRACT" ["PROCESS"] Terminals Region;
        flag PROCESS;
        output PROCNAME(Area);
        output PROCLENGTH(Halfword);
        input MAXPROCLEN(Halfword);
        input CONVID(Name(4));
        output SYNCLEVEL(Halfword);
        output PIPLIST(PtrRef);
        output PIPLENGTH(Halfword);
        @rules
            OptionRule::Needs("PROCNAME", &["PROCLENGTH"]);
        @conditions
            InvReq, LengErr, NotAlloc;
    }
    command! {
        /// Gives a conversation up.
        free 0x0422 eibfn "FREE" "FREE" Terminals Region;
        input CONVID(Name(4));
        input SESSION(Name(4));
        output STATE(Cvda);
        @rules
            OptionRule::AtMostOne(&["CONVID", "SESSION"]);
        @conditions
            InvReq, NotAlloc;
    }
    command! {
        /// Ends a conversation as failed.
        issue_abend 0x0430 eibfn "ISSUE ABEND" "ISSUE" ["ABEND"] Terminals Region;
        flag ABEND;
        input CONVID(Name(4));
        output STATE(Cvda);
        @conditions
            InvReq, NotAlloc, TermErr;
    }
    command! {
        /// Confirms.
        issue_confirmation 0x0434 eibfn "ISSUE CONFIRMATION" "ISSUE" ["CONFIRMATION"] Terminals Region;
        flag CONFIRMATION;
        input CONVID(Name(4));
        output STATE(Cvda);
        @conditions
            InvReq, NotAlloc, Signal, TermErr;
    }
    command! {
        /// Reports an error to the partner.
        issue_error 0x0436 eibfn "ISSUE ERROR" "ISSUE" ["ERROR"] Terminals Region;
        flag ERROR;
        input CONVID(Name(4));
        output STATE(Cvda);
        @conditions
            InvReq, NotAlloc, Signal, TermErr;
    }
    command! {
        /// Asks for the right to send.
        issue_signal 0x041E eibfn "ISSUE SIGNAL" "ISSUE" ["SIGNAL"] Terminals Region;
        flag SIGNAL;
        input CONVID(Name(4));
        output STATE(Cvda);
        input SESSION(Name(4));
        @rules
            OptionRule::AtMostOne(&["CONVID", "SESSION"]);
        @conditions
            InvReq, NotAlloc, TermErr;
    }
    command! {
        /// Receives a record.
        receive 0x0402 eibfn "RECEIVE" "RECEIVE" Terminals Region;
        flag ASIS;
        flag BUFFER;
        input CONVID(Name(4));
        update FLENGTH(Fullword);
        output INTO(Area) [length("LENGTH")];
        update LENGTH(Halfword);
        input MAXFLENGTH(Fullword);
        input MAXLENGTH(Halfword);
        flag NOTRUNCATE;
        input SESSION(Name(4));
        output SET(PtrRef) [length("LENGTH")];
        output STATE(Cvda);
        flag LEAVEKB;
        flag PASSBK;
        flag PSEUDOBIN;
        @rules
            OptionRule::AtMostOne(&["INTO", "SET"]),
            OptionRule::AtMostOne(&["LENGTH", "FLENGTH"]),
            OptionRule::AtMostOne(&["MAXLENGTH", "MAXFLENGTH"]),
            OptionRule::AtMostOne(&["CONVID", "SESSION"]),
            OptionRule::Unserved(&["BUFFER", "PSEUDOBIN"], Condition::InvReq);
        @conditions
            Eoc, InvReq, LengErr, NotAlloc, Signal, TermErr;
    }
    command! {
        /// Sends a record.
        send 0x0404 eibfn "SEND" "SEND" Terminals Region;
        flag ALTERNATE;
        flag ASIS;
        input ATTACHID(Name(8));
        flag CBUFF;
        flag CNOTCOMPL;
        input CTLCHAR(Area);
        flag DEFAULT;
        flag DEFRESP;
        flag ERASE;
        input FLENGTH(Fullword);
        flag FMH;
        input FROM(Area) [length("LENGTH")];
        flag INVITE;
        flag LAST;
        flag LEAVEKB;
        input LENGTH(Halfword);
        input LINEADDR(Halfword);
        flag PASSBK;
        flag PSEUDOBIN;
        input SESSION(Name(4));
        output STATE(Cvda);
        flag STRFIELD;
        flag WAIT;
        flag CONFIRM;
        input CONVID(Name(4));
        input LDC(Name(2));
        @rules
            OptionRule::AtMostOne(&["LENGTH", "FLENGTH"]),
            OptionRule::AtMostOne(&["INVITE", "LAST"]),
            OptionRule::AtMostOne(&["CONFIRM", "WAIT"]),
            OptionRule::AtMostOne(&["CONVID", "SESSION"]),
            OptionRule::Unserved(&["ATTACHID", "CBUFF", "CNOTCOMPL", "FMH", "LDC", "LINEADDR", "PSEUDOBIN"], Condition::InvReq);
        @conditions
            InvReq, LengErr, NotAlloc, Signal, TermErr;
    }
    command! {
        /// Sends the buffered data.
        wait_convid 0x042C eibfn "WAIT CONVID" "WAIT" ["CONVID"] Terminals Region;
        input CONVID(Name(4)) [required];
        output STATE(Cvda);
        @conditions
            InvReq, NotAlloc, TermErr;
    }
}
