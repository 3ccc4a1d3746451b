//! File control and units of work.
//!
//! LENGTH is a halfword in both directions; on input commands it receives the
//! record's length. RIDFLD receives the key of the record that was found by
//! browses, and the address of a new record by WRITE with RBA or XRBA.

use crate::command::row::Command;

/// The served rows of this domain.
pub(super) const SERVED: &[Command] = &[
    rows::read::ROW,
    rows::write::ROW,
    rows::rewrite::ROW,
    rows::delete::ROW,
    rows::unlock::ROW,
    rows::startbr::ROW,
    rows::readnext::ROW,
    rows::readprev::ROW,
    rows::endbr::ROW,
    rows::resetbr::ROW,
    rows::syncpoint::ROW,
];

pub(super) mod rows {
    command! {
        /// Reads a record by key.
        read 0x0602 eibfn "READ" "READ" Files Worker;
        input FILE(Name(8)) [required];
        alias DATASET("FILE", Name(8));
        output INTO(Area) [length("LENGTH")];
        output SET(PtrRef) [length("LENGTH")];
        input RIDFLD(Area) [required, length("KEYLENGTH")];
        input KEYLENGTH(Halfword);
        flag GENERIC;
        update LENGTH(Halfword);
        flag UPDATE;
        output TOKEN(Fullword);
        flag GTEQ;
        flag EQUAL;
        flag RBA;
        flag RRN;
        flag XRBA;
        flag DEBKEY;
        flag DEBREC;
        flag UNCOMMITTED;
        flag CONSISTENT;
        flag REPEATABLE;
        flag NOSUSPEND;
        input SYSID(Name(4));
        @rules
            OptionRule::ExactlyOne(&["INTO", "SET"]),
            OptionRule::Needs("GENERIC", &["KEYLENGTH"]),
            OptionRule::AtMostOne(&["GTEQ", "EQUAL"]),
            OptionRule::AtMostOne(&["RBA", "RRN", "XRBA", "DEBKEY", "DEBREC"]),
            OptionRule::AtMostOne(&["UNCOMMITTED", "CONSISTENT", "REPEATABLE", "UPDATE"]),
            OptionRule::Excludes("TOKEN", &["UNCOMMITTED", "CONSISTENT", "REPEATABLE"]);
        @conditions
            Disabled(50), DupKey(140), FileNotFound(1), Illogic(110),
            InvReq(20, 25, 26, 28, 40, 42, 44, 51, 52, 55, 56), IoErr(120), IscInvReq(70),
            LengErr(10, 11, 13), Loading(104), Locked(106), NotAuth(101), NotFnd(80), NotOpen(60),
            RecordBusy(107), SysIdErr(130, 131, 132);
    }

    command! {
        /// Adds a record.
        write 0x0604 eibfn "WRITE" "WRITE" Files Region;
        input FILE(Name(8)) [required];
        alias DATASET("FILE", Name(8));
        input FROM(Area) [required, length("LENGTH")];
        update RIDFLD(Area) [required, length("KEYLENGTH")];
        input KEYLENGTH(Halfword);
        input LENGTH(Halfword);
        flag MASSINSERT;
        flag RBA;
        flag RRN;
        flag XRBA;
        flag NOSUSPEND;
        input SYSID(Name(4));
        @rules OptionRule::AtMostOne(&["RBA", "RRN", "XRBA"]);
        @conditions
            Disabled(50), DupRec(150), FileNotFound(1), Illogic(110),
            InvReq(20, 23, 26, 38, 40, 44, 51, 55, 56), IoErr(120), IscInvReq(70),
            LengErr(10, 12, 14), Loading(104), Locked(106), NoSpace(100, 102, 103, 108),
            NotAuth(101), NotOpen(60), RecordBusy(107), Suppressed(105), SysIdErr(130, 131, 132);
    }

    command! {
        /// Replaces the record that was read for update.
        rewrite 0x0606 eibfn "REWRITE" "REWRITE" Files Region;
        input FILE(Name(8)) [required];
        alias DATASET("FILE", Name(8));
        input TOKEN(Fullword);
        input FROM(Area) [required, length("LENGTH")];
        input LENGTH(Halfword);
        flag NOSUSPEND;
        input SYSID(Name(4));
        @conditions
            Changed(109), Disabled(50), DupRec(150), FileNotFound(1), Illogic(110),
            InvReq(20, 30, 46, 47, 55, 56), IoErr(120), IscInvReq(70), LengErr(10, 12, 14),
            Loading(104), Locked(106), NoSpace(100, 102, 103, 108), NotAuth(101), NotFnd(80),
            NotOpen(60), RecordBusy(107), Suppressed(105), SysIdErr(130, 131, 132);
    }

    command! {
        /// Removes the record read for update, one by key, or a group.
        delete 0x0608 eibfn "DELETE" "DELETE" Files Region;
        input FILE(Name(8)) [required];
        alias DATASET("FILE", Name(8));
        input TOKEN(Fullword);
        input RIDFLD(Area) [length("KEYLENGTH")];
        input KEYLENGTH(Halfword);
        flag GENERIC;
        output NUMREC(Halfword);
        flag RBA;
        flag RRN;
        flag XRBA;
        flag NOSUSPEND;
        input SYSID(Name(4));
        @rules
            OptionRule::AtMostOne(&["TOKEN", "RIDFLD"]),
            OptionRule::Needs("KEYLENGTH", &["RIDFLD"]),
            OptionRule::Needs("GENERIC", &["KEYLENGTH"]),
            OptionRule::Needs("NUMREC", &["GENERIC"]),
            OptionRule::AtMostOne(&["RBA", "RRN", "XRBA"]);
        @conditions
            Changed(109), Disabled(50), DupKey(140), FileNotFound(1), Illogic(110),
            InvReq(20, 21, 22, 24, 25, 26, 27, 31, 42, 44, 47, 49, 51, 55, 56), IoErr(120),
            IscInvReq(70), Loading(104), Locked(106), NotAuth(101), NotFnd(80), NotOpen(60),
            RecordBusy(107), SysIdErr(130, 131, 132);
    }

    command! {
        /// Gives up the record read for update.
        unlock 0x060A eibfn "UNLOCK" "UNLOCK" Files Region;
        input FILE(Name(8)) [required];
        alias DATASET("FILE", Name(8));
        input TOKEN(Fullword);
        input SYSID(Name(4));
        @conditions
            Disabled(50), FileNotFound(1), Illogic(110), InvReq(47), IoErr(120), IscInvReq(70),
            NotAuth(101), NotOpen(60), SysIdErr(130, 131, 132);
    }

    command! {
        /// Says where a browse starts.
        startbr 0x060C eibfn "STARTBR" "STARTBR" Files Worker;
        input FILE(Name(8)) [required];
        alias DATASET("FILE", Name(8));
        input RIDFLD(Area) [required, length("KEYLENGTH")];
        input KEYLENGTH(Halfword);
        flag GENERIC;
        input REQID(Halfword);
        flag GTEQ;
        flag EQUAL;
        flag RBA;
        flag RRN;
        flag XRBA;
        flag DEBKEY;
        flag DEBREC;
        input SYSID(Name(4));
        @rules
            OptionRule::Needs("GENERIC", &["KEYLENGTH"]),
            OptionRule::AtMostOne(&["GTEQ", "EQUAL"]),
            OptionRule::AtMostOne(&["RBA", "RRN", "XRBA", "DEBKEY", "DEBREC"]);
        @conditions
            Disabled(50), FileNotFound(1), Illogic(110), InvReq(20, 25, 26, 33, 42, 44, 51),
            IoErr(120), IscInvReq(70), Loading(104), NotAuth(101), NotFnd(80), NotOpen(60),
            SysIdErr(130, 131, 132);
    }

    command! {
        /// Reads the next record of a browse.
        readnext 0x060E eibfn "READNEXT" "READNEXT" Files Worker;
        input FILE(Name(8)) [required];
        alias DATASET("FILE", Name(8));
        output INTO(Area) [length("LENGTH")];
        output SET(PtrRef) [length("LENGTH")];
        update RIDFLD(Area) [required, length("KEYLENGTH")];
        input KEYLENGTH(Halfword);
        input REQID(Halfword);
        update LENGTH(Halfword);
        flag UPDATE;
        output TOKEN(Fullword);
        flag RBA;
        flag RRN;
        flag XRBA;
        flag UNCOMMITTED;
        flag CONSISTENT;
        flag REPEATABLE;
        flag NOSUSPEND;
        input SYSID(Name(4));
        @rules
            OptionRule::ExactlyOne(&["INTO", "SET"]),
            OptionRule::Needs("UPDATE", &["TOKEN"]),
            OptionRule::AtMostOne(&["RBA", "RRN", "XRBA"]),
            OptionRule::AtMostOne(&["UNCOMMITTED", "CONSISTENT", "REPEATABLE", "UPDATE"]);
        @conditions
            Disabled(50), DupKey(140), EndFile(90), FileNotFound(1), Illogic(110),
            InvReq(20, 25, 26, 34, 37, 42, 52, 55, 56), IoErr(120), IscInvReq(70), LengErr(10, 11, 13),
            Loading(104), Locked(106), NotAuth(101), NotFnd(80), NotOpen(60), RecordBusy(107),
            SysIdErr(130, 131, 132);
    }

    command! {
        /// Reads the record before in a browse.
        readprev 0x0610 eibfn "READPREV" "READPREV" Files Worker;
        input FILE(Name(8)) [required];
        alias DATASET("FILE", Name(8));
        output INTO(Area) [length("LENGTH")];
        output SET(PtrRef) [length("LENGTH")];
        update RIDFLD(Area) [required, length("KEYLENGTH")];
        input KEYLENGTH(Halfword);
        input REQID(Halfword);
        update LENGTH(Halfword);
        flag UPDATE;
        output TOKEN(Fullword);
        flag RBA;
        flag RRN;
        flag XRBA;
        flag UNCOMMITTED;
        flag CONSISTENT;
        flag REPEATABLE;
        flag NOSUSPEND;
        input SYSID(Name(4));
        @rules
            OptionRule::ExactlyOne(&["INTO", "SET"]),
            OptionRule::Needs("UPDATE", &["TOKEN"]),
            OptionRule::AtMostOne(&["RBA", "RRN", "XRBA"]),
            OptionRule::AtMostOne(&["UNCOMMITTED", "CONSISTENT", "REPEATABLE", "UPDATE"]);
        @conditions
            Disabled(50), DupKey(140), EndFile(90), FileNotFound(1), Illogic(110),
            InvReq(20, 24, 26, 37, 39, 41, 52, 55, 56), IoErr(120), IscInvReq(70), LengErr(10, 11, 13),
            Loading(104), Locked(106), NotAuth(101), NotFnd(80), NotOpen(60), RecordBusy(107),
            SysIdErr(130, 131, 132);
    }

    command! {
        /// Ends a browse.
        endbr 0x0612 eibfn "ENDBR" "ENDBR" Files Worker;
        input FILE(Name(8)) [required];
        alias DATASET("FILE", Name(8));
        input REQID(Halfword);
        input SYSID(Name(4));
        @conditions
            Disabled(50), FileNotFound(1), Illogic(110), InvReq(35), IoErr(120), IscInvReq(70),
            NotAuth(101), NotOpen(60), SysIdErr(130, 131, 132);
    }

    command! {
        /// Moves a browse to another start.
        resetbr 0x0614 eibfn "RESETBR" "RESETBR" Files Worker;
        input FILE(Name(8)) [required];
        alias DATASET("FILE", Name(8));
        input RIDFLD(Area) [required, length("KEYLENGTH")];
        input KEYLENGTH(Halfword);
        flag GENERIC;
        input REQID(Halfword);
        flag GTEQ;
        flag EQUAL;
        flag RBA;
        flag RRN;
        flag XRBA;
        input SYSID(Name(4));
        @rules
            OptionRule::Needs("GENERIC", &["KEYLENGTH"]),
            OptionRule::AtMostOne(&["GTEQ", "EQUAL"]),
            OptionRule::AtMostOne(&["RBA", "RRN", "XRBA"]);
        @conditions
            Disabled(50), FileNotFound(1), Illogic(110), InvReq(20, 25, 26, 36, 42, 44), IoErr(120),
            IscInvReq(70), NotAuth(101), NotFnd(80), NotOpen(60), SysIdErr(130, 131, 132);
    }

    command! {
        /// Commits the unit of work, or backs it out.
        syncpoint 0x1602 eibfn "SYNCPOINT" "SYNCPOINT" UnitsOfWork Region;
        flag ROLLBACK;
        @conditions InvReq(200), RolledBack;
    }
}
