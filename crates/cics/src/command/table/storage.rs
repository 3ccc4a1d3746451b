//! GETMAIN and FREEMAIN.

use crate::command::row::Command;

/// The served rows of this domain.
pub(super) const SERVED: &[Command] = &[rows::getmain::ROW, rows::freemain::ROW];

pub(super) mod rows {
    command! {
        /// Gets storage that the task owns.
        getmain 0x0C02 eibfn "GETMAIN" "GETMAIN" Storage Region;
        output SET(PtrRef) [required];
        input FLENGTH(Fullword);
        input LENGTH(Halfword);
        input INITIMG(Chars(1));
        flag BELOW;
        flag SHARED;
        flag NOSUSPEND;
        flag USERDATAKEY;
        flag CICSDATAKEY;
        flag EXECUTABLE;
        @rules
            OptionRule::ExactlyOne(&["FLENGTH", "LENGTH"]),
            OptionRule::Needs("BELOW", &["FLENGTH"]),
            OptionRule::AtMostOne(&["USERDATAKEY", "CICSDATAKEY"]);
        @conditions LengErr(1), NoStg(2);
    }

    command! {
        /// Gives storage back.
        freemain 0x0C04 eibfn "FREEMAIN" "FREEMAIN" Storage Region;
        update DATA(Area);
        input DATAPOINTER(PtrValue);
        @rules OptionRule::ExactlyOne(&["DATA", "DATAPOINTER"]);
        @conditions InvReq(1, 2);
    }
}
