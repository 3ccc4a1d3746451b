//! Users and their passwords, what asks an external security manager, and what
//! asks for an application of a platform. Passwords are those of the user store;
//! there is no other manager, and a program gets what the manual has for that:
//! INVREQ 18, or 251 of REQUEST, "the interface to the external security manager
//! is not initialized", and APPNOTFOUND.
//!
//! INVREQ 18 of CHANGE PASSWORD and APPNOTFOUND without a platform were compared
//! with the manual, 251 with the page of FEPI REQUEST PASSTICKET; the others are
//! taken to have the same.
//!
//! Reference: CICS API reference, the commands' own pages.

use crate::command::row::Command;

/// The served rows of this domain.
pub(super) const SERVED: &[Command] = &[
    rows::change_password::ROW,
    rows::change_phrase::ROW,
    rows::request_encryptptkt::ROW,
    rows::request_passticket::ROW,
    rows::signoff::ROW,
    rows::signon::ROW,
    rows::verify_password::ROW,
    rows::verify_phrase::ROW,
    rows::verify_token::ROW,
    rows::invoke_application::ROW,
];

pub(super) mod rows {
    command! {
        /// Changes a password.
        change_password 0x7408 eibfn "CHANGE PASSWORD" "CHANGE" ["PASSWORD"] Security Worker;
        input PASSWORD(Name(8)) [required];
        input NEWPASSWORD(Name(8)) [required];
        input USERID(Name(8)) [required];
        output ESMREASON(Fullword);
        output ESMRESP(Fullword);
        output CHANGETIME(Packed(15));
        output DAYSLEFT(Halfword);
        output EXPIRYTIME(Packed(15));
        output INVALIDCOUNT(Halfword);
        output LASTUSETIME(Packed(15));
        @conditions InvReq(18);
    }

    command! {
        /// Changes a password or a phrase.
        change_phrase 0x88C1 0x740C "CHANGE PHRASE" "CHANGE" ["PHRASE"] Security Worker;
        input PHRASE(Area) [required, length("PHRASELEN")];
        input PHRASELEN(Fullword) [required];
        input NEWPHRASE(Area) [required, length("NEWPHRASELEN")];
        input NEWPHRASELEN(Fullword) [required];
        input USERID(Name(8)) [required];
        output ESMREASON(Fullword);
        output ESMRESP(Fullword);
        output CHANGETIME(Packed(15));
        output DAYSLEFT(Halfword);
        output EXPIRYTIME(Packed(15));
        output INVALIDCOUNT(Halfword);
        output LASTUSETIME(Packed(15));
        @conditions InvReq(18);
    }

    command! {
        /// Asks for an encrypted ticket.
        request_encryptptkt 0x88C2 0x7414 "REQUEST ENCRYPTPTKT" "REQUEST" ["ENCRYPTPTKT"] Security Worker;
        output ENCRYPTPTKT(PtrRef) [required, length("FLENGTH")];
        update FLENGTH(Fullword) [required];
        input ENCRYPTKEY(Area) [required];
        input ESMAPPNAME(Name(8)) [required];
        output ESMREASON(Fullword);
        output ESMRESP(Fullword);
        @conditions InvReq(251);
    }

    command! {
        /// Asks for a ticket.
        request_passticket 0x88C3 0x7410 "REQUEST PASSTICKET" "REQUEST" ["PASSTICKET"] Security Worker;
        output PASSTICKET(Chars(8)) [required];
        input ESMAPPNAME(Name(8)) [required];
        output ESMRESP(Fullword);
        output ESMREASON(Fullword);
        @conditions InvReq(251);
    }

    command! {
        /// Signs the user of the task's terminal off.
        signoff 0x7404 eibfn "SIGNOFF" "SIGNOFF" Security Region;
        @conditions InvReq(1, 2);
    }

    command! {
        /// Signs a user on at the task's terminal.
        signon 0x7402 eibfn "SIGNON" "SIGNON" Security Region;
        input USERID(Name(8)) [required];
        output ESMREASON(Fullword);
        output ESMRESP(Fullword);
        input GROUPID(Name(8));
        input LANGUAGECODE(Name(3));
        input NATLANG(Name(1));
        output LANGINUSE(Chars(3));
        output NATLANGINUSE(Chars(1));
        input PASSWORD(Name(8));
        input NEWPASSWORD(Name(8));
        input PHRASE(Area) [length("PHRASELEN")];
        input PHRASELEN(Fullword);
        input NEWPHRASE(Area) [length("NEWPHRASELEN")];
        input NEWPHRASELEN(Fullword);
        input OIDCARD(Area);
        output CHANGETIME(Packed(15));
        output DAYSLEFT(Halfword);
        output EXPIRYTIME(Packed(15));
        output INVALIDCOUNT(Halfword);
        output LASTUSETIME(Packed(15));
        @rules
            OptionRule::AtMostOne(&["PASSWORD", "PHRASE"]),
            OptionRule::Unserved(&["NEWPASSWORD", "NEWPHRASE", "OIDCARD"], Condition::InvReq);
        @conditions InvReq(9, 10, 18), NotAuth(1, 2, 19), UserIdErr(8);
    }

    command! {
        /// Compares a password.
        verify_password 0x7406 eibfn "VERIFY PASSWORD" "VERIFY" ["PASSWORD"] Security Region;
        input PASSWORD(Name(8)) [required];
        input USERID(Name(8)) [required];
        input GROUPID(Name(8));
        output CHANGETIME(Packed(15));
        output DAYSLEFT(Halfword);
        output ESMREASON(Fullword);
        output ESMRESP(Fullword);
        output EXPIRYTIME(Packed(15));
        output INVALIDCOUNT(Halfword);
        output LASTUSETIME(Packed(15));
        @conditions InvReq(18), NotAuth(2, 19), UserIdErr(8);
    }

    command! {
        /// Compares a password or a phrase.
        verify_phrase 0x88C5 0x740A "VERIFY PHRASE" "VERIFY" ["PHRASE"] Security Region;
        input PHRASE(Area) [required, length("PHRASELEN")];
        input PHRASELEN(Fullword) [required];
        input USERID(Name(8)) [required];
        input GROUPID(Name(8));
        output CHANGETIME(Packed(15));
        output DAYSLEFT(Halfword);
        output ESMREASON(Fullword);
        output ESMRESP(Fullword);
        output EXPIRYTIME(Packed(15));
        output INVALIDCOUNT(Halfword);
        output LASTUSETIME(Packed(15));
        @conditions InvReq(18), NotAuth(2, 19), UserIdErr(8);
    }

    command! {
        /// Verifies a token.
        verify_token 0x88C6 0x740E "VERIFY TOKEN" "VERIFY" ["TOKEN"] Security Worker;
        input TOKEN(Area) [required, length("TOKENLEN")];
        input TOKENLEN(Fullword) [required];
        input TOKENTYPE(Cvda);
        flag BASICAUTH;
        flag JWT;
        flag KERBEROS;
        output ISUSERID(Chars(8));
        input DATATYPE(Cvda);
        flag BIT;
        flag BASE64;
        output ENCRYPTKEY(PtrRef);
        output OUTTOKEN(PtrRef) [length("OUTTOKENLEN")];
        output OUTTOKENLEN(Fullword);
        output ESMRESP(Fullword);
        output ESMREASON(Fullword);
        @rules
            OptionRule::AtMostOne(&["TOKENTYPE", "BASICAUTH", "JWT", "KERBEROS"]),
            OptionRule::AtMostOne(&["DATATYPE", "BIT", "BASE64"]);
        @conditions InvReq(18);
    }

    command! {
        /// Links to the entry point of an application.
        invoke_application 0x8101 0x0E10 "INVOKE APPLICATION" "INVOKE" ["APPLICATION"] Programs Worker;
        input APPLICATION(Name(64)) [required];
        input OPERATION(Name(64)) [required];
        input PLATFORM(Name(64));
        input MAJORVERSION(Fullword);
        input MINORVERSION(Fullword);
        flag EXACTMATCH;
        flag MINIMUM;
        input COMMAREA(Area) [length("LENGTH")];
        input LENGTH(Halfword);
        input CHANNEL(Name(16));
        @rules
            OptionRule::AtMostOne(&["EXACTMATCH", "MINIMUM"]),
            OptionRule::AtMostOne(&["COMMAREA", "CHANNEL"]),
            OptionRule::Needs("LENGTH", &["COMMAREA"]);
        @conditions AppNotFound;
    }
}
