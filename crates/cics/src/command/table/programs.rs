//! LINK, XCTL, RETURN, LOAD and RELEASE.

use crate::command::row::Command;

/// The served rows of this domain.
pub(super) const SERVED: &[Command] = &[
    rows::link::ROW,
    rows::xctl::ROW,
    rows::ret::ROW,
    rows::load::ROW,
    rows::release::ROW,
];

pub(super) mod rows {
    command! {
        /// Runs a program at the next LINK level.
        link 0x0E02 eibfn "LINK" "LINK" Programs Worker;
        input PROGRAM(Name(8)) [required];
        update COMMAREA(Area) [length("LENGTH")];
        input LENGTH(Halfword);
        input DATALENGTH(Halfword);
        input CHANNEL(Name(16));
        input SYSID(Name(4));
        flag SYNCONRETURN;
        input TRANSID(Name(4));
        input INPUTMSG(Area) [length("INPUTMSGLEN")];
        input INPUTMSGLEN(Halfword);
        @rules
            OptionRule::AtMostOne(&["COMMAREA", "CHANNEL"]),
            OptionRule::Needs("LENGTH", &["COMMAREA"]),
            OptionRule::Needs("DATALENGTH", &["COMMAREA"]),
            OptionRule::Needs("INPUTMSGLEN", &["INPUTMSG"]),
            OptionRule::Excludes("INPUTMSG", &["SYSID", "SYNCONRETURN", "TRANSID"]);
        @conditions
            ChannelErr(1), InvReq(8, 14, 15, 16, 17, 19, 30, 50, 200),
            LengErr(11, 12, 13, 26, 27), NotAuth(101), PgmIdErr(1, 2, 3, 7, 9, 21, 25),
            ResUnavail(0), RolledBack(29), SysIdErr(18, 19, 20, 21, 22), TermErr(17);
    }

    command! {
        /// Gives control to a program at the same LINK level.
        xctl 0x0E04 eibfn "XCTL" "XCTL" Programs Worker;
        input PROGRAM(Name(8)) [required];
        input COMMAREA(Area) [length("LENGTH")];
        input LENGTH(Halfword);
        input CHANNEL(Name(16));
        input INPUTMSG(Area) [length("INPUTMSGLEN")];
        input INPUTMSGLEN(Halfword);
        @rules
            OptionRule::AtMostOne(&["COMMAREA", "CHANNEL"]),
            OptionRule::Needs("LENGTH", &["COMMAREA"]),
            OptionRule::Needs("INPUTMSGLEN", &["INPUTMSG"]);
        @conditions
            ChannelErr(1), InvReq(8, 29, 30, 50, 200), LengErr(11, 26, 27, 28), NotAuth(101),
            PgmIdErr(1, 2, 3, 9), ResUnavail(0);
    }

    command! {
        /// Ends the program, and the task at the highest level.
        ret 0x0E08 eibfn "RETURN" "RETURN" Programs Region;
        input TRANSID(Name(4));
        input COMMAREA(Area) [length("LENGTH")];
        input LENGTH(Halfword);
        input CHANNEL(Name(16));
        flag IMMEDIATE;
        input INPUTMSG(Area) [length("INPUTMSGLEN")];
        input INPUTMSGLEN(Halfword);
        flag ENDACTIVITY;
        @rules
            OptionRule::AtMostOne(&["COMMAREA", "CHANNEL"]),
            OptionRule::Needs("IMMEDIATE", &["TRANSID"]),
            OptionRule::Needs("LENGTH", &["COMMAREA"]),
            OptionRule::Needs("INPUTMSGLEN", &["INPUTMSG"]);
        @conditions ChannelErr(1), InvReq(1, 2, 4, 8, 30, 200), LengErr(11, 26, 27), NotAuth(101);
    }

    command! {
        /// Makes a program or table addressable.
        load 0x0E06 eibfn "LOAD" "LOAD" Programs Worker;
        input PROGRAM(Name(8)) [required];
        output SET(PtrRef);
        output LENGTH(Halfword);
        output FLENGTH(Fullword);
        output ENTRY(PtrRef);
        flag HOLD;
        @rules OptionRule::AtMostOne(&["LENGTH", "FLENGTH"]);
        @conditions InvReq(30), LengErr(19), NotAuth(101), PgmIdErr(1, 2, 3, 9, 42);
    }

    command! {
        /// Gives up what LOAD made addressable.
        release 0x0E0A eibfn "RELEASE" "RELEASE" Programs Worker;
        input PROGRAM(Name(8)) [required];
        @conditions InvReq(5, 6, 17, 30), NotAuth(101), PgmIdErr(1, 2, 9, 42);
    }
}
