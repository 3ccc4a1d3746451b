//! Commands that inquire about queues and change them.
//!
//! An option that has no meaning here is in its row and answers INVREQ: the
//! translator warns of it.
//!
//! Reference: CICS system programming reference, the commands' own pages.

use crate::command::row::Command;

/// The served rows of this domain.
pub(super) const SERVED: &[Command] = &[
    rows::inquire_tsqueue::ROW,
    rows::inquire_tsqname::ROW,
    rows::inquire_tsmodel::ROW,
    rows::inquire_tdqueue::ROW,
    rows::inquire_tempstorage::ROW,
    rows::set_tsqueue::ROW,
    rows::set_tsqname::ROW,
    rows::set_tdqueue::ROW,
    rows::set_tempstorage::ROW,
];

pub(super) mod rows {
    command! {
        /// Returns attributes of a temporary storage queue by a name of up to 8 characters.
        inquire_tsqueue 0x8A9B 0x8002 "INQUIRE TSQUEUE" "INQUIRE" ["TSQUEUE"] System Region;
        browse TSQUEUE AT(Name(8));
        input POOLNAME(Name(8));
        input SYSID(Name(4));
        output EXPIRYINT(Fullword);
        output EXPIRYINTMIN(Fullword);
        output FLENGTH(Fullword);
        output LASTUSEDINT(Fullword);
        output LOCATION(Cvda);
        output MAXITEMLEN(Halfword);
        output MINITEMLEN(Halfword);
        output NUMITEMS(Halfword);
        output RECOVSTATUS(Cvda);
        output TRANSID(Chars(4));
        output TSMODEL(Chars(8));
        @conditions End(2), Illogic(1), InvReq(1), QIdErr(1), SysIdErr(4);
    }

    command! {
        /// Returns attributes of a temporary storage queue by a name of up to 16 characters.
        inquire_tsqname 0x8A9C 0x8012 "INQUIRE TSQNAME" "INQUIRE" ["TSQNAME"] System Region;
        browse TSQNAME AT(Name(16));
        input POOLNAME(Name(8));
        input SYSID(Name(4));
        output EXPIRYINT(Fullword);
        output EXPIRYINTMIN(Fullword);
        output FLENGTH(Fullword);
        output LASTUSEDINT(Fullword);
        output LOCATION(Cvda);
        output MAXITEMLEN(Halfword);
        output MINITEMLEN(Halfword);
        output NUMITEMS(Halfword);
        output RECOVSTATUS(Cvda);
        output TRANSID(Chars(4));
        output TSMODEL(Chars(8));
        @conditions End(2), Illogic(1), InvReq(1), QIdErr(1), SysIdErr(4);
    }

    command! {
        /// Returns attributes of a temporary storage model.
        inquire_tsmodel 0x8A99 0x8022 "INQUIRE TSMODEL" "INQUIRE" ["TSMODEL"] System Region;
        browse TSMODEL AT(Name(8));
        output CHANGEAGENT(OptionArgument::Any);
        output CHANGEAGREL(OptionArgument::Any);
        output CHANGETIME(OptionArgument::Any);
        output CHANGEUSRID(OptionArgument::Any);
        output DEFINESOURCE(OptionArgument::Any);
        output DEFINETIME(OptionArgument::Any);
        output EXPIRYINT(Fullword);
        output EXPIRYINTMIN(Fullword);
        output INSTALLAGENT(OptionArgument::Any);
        output INSTALLTIME(OptionArgument::Any);
        output INSTALLUSRID(OptionArgument::Any);
        output LOCATION(Cvda);
        output POOLNAME(Chars(8));
        output PREFIX(Chars(16));
        output RECOVSTATUS(Cvda);
        output REMOTEPREFIX(Chars(16));
        output REMOTESYSTEM(Chars(4));
        output SECURITYST(Cvda);
        @rules
            OptionRule::Unserved(&["CHANGEAGENT", "CHANGEAGREL", "CHANGETIME", "CHANGEUSRID", "DEFINESOURCE", "DEFINETIME", "INSTALLAGENT", "INSTALLTIME", "INSTALLUSRID"], Condition::InvReq);
        @conditions End(2), Illogic(1), InvReq(1), NotFnd(1);
    }

    command! {
        /// Returns attributes of a transient data queue.
        inquire_tdqueue 0x8A90 0x5C02 "INQUIRE TDQUEUE" "INQUIRE" ["TDQUEUE"] System Region;
        browse TDQUEUE AT(Name(4));
        output ATIFACILITY(Cvda);
        output ATITERMID(Chars(4));
        output ATITRANID(Chars(4));
        output ATIUSERID(Chars(8));
        output BLOCKFORMAT(OptionArgument::Any);
        output BLOCKSIZE(OptionArgument::Any);
        output CHANGEAGENT(OptionArgument::Any);
        output CHANGEAGREL(OptionArgument::Any);
        output CHANGETIME(OptionArgument::Any);
        output CHANGEUSRID(OptionArgument::Any);
        output DATABUFFERS(OptionArgument::Any);
        output DDNAME(Chars(8));
        output DEFINESOURCE(OptionArgument::Any);
        output DEFINETIME(OptionArgument::Any);
        output DISPOSITION(Cvda);
        output DSNAME(Chars(44));
        output EMPTYSTATUS(Cvda);
        output ENABLESTATUS(Cvda);
        output ERROROPTION(OptionArgument::Any);
        output INDIRECTNAME(Chars(4));
        output INDOUBT(OptionArgument::Any);
        output INDOUBTWAIT(OptionArgument::Any);
        output INSTALLAGENT(OptionArgument::Any);
        output INSTALLTIME(OptionArgument::Any);
        output INSTALLUSRID(OptionArgument::Any);
        output IOTYPE(Cvda);
        output MEMBER(OptionArgument::Any);
        output NUMITEMS(Fullword);
        output OPENSTATUS(Cvda);
        output PRINTCONTROL(OptionArgument::Any);
        output RECORDFORMAT(Cvda);
        output RECORDLENGTH(Fullword);
        output RECOVSTATUS(Cvda);
        output REMOTENAME(Chars(4));
        output REMOTESYSTEM(Chars(4));
        output REWIND(OptionArgument::Any);
        output SYSOUTCLASS(OptionArgument::Any);
        output TRIGGERLEVEL(Fullword);
        output TYPE(Cvda);
        @rules
            OptionRule::Unserved(&["BLOCKFORMAT", "BLOCKSIZE", "CHANGEAGENT", "CHANGEAGREL", "CHANGETIME", "CHANGEUSRID", "DATABUFFERS", "DEFINESOURCE", "DEFINETIME", "ERROROPTION", "INDOUBT", "INDOUBTWAIT", "INSTALLAGENT", "INSTALLTIME", "INSTALLUSRID", "MEMBER", "PRINTCONTROL", "REWIND", "SYSOUTCLASS"], Condition::InvReq);
        @conditions End(2), Illogic(1), InvReq(1), QIdErr(1);
    }

    command! {
        /// Returns the size of temporary storage and how much is in use.
        inquire_tempstorage 0x8A91 own "INQUIRE TEMPSTORAGE" "INQUIRE" ["TEMPSTORAGE"] System Region;
        flag TEMPSTORAGE;
        output TSMAININUSE(Doubleword);
        output TSMAINLIMIT(Doubleword);
        @conditions InvReq(1);
    }

    command! {
        /// Deletes a temporary storage queue.
        set_tsqueue 0x8AD2 0x8004 "SET TSQUEUE" "SET" ["TSQUEUE"] System Region;
        input TSQUEUE(Name(8)) [required];
        input SYSID(Name(4));
        input POOLNAME(OptionArgument::Any);
        input ACTION(Cvda);
        input LASTUSEDINT(Fullword);
        @rules
            OptionRule::Unserved(&["POOLNAME"], Condition::InvReq);
        @conditions InvReq(1, 2, 3, 4), NotFnd(1), QIdErr(1), SysIdErr(4);
    }

    command! {
        /// Deletes a temporary storage queue.
        set_tsqname 0x8AD3 0x8014 "SET TSQNAME" "SET" ["TSQNAME"] System Region;
        input TSQNAME(Name(16)) [required];
        input SYSID(Name(4));
        input POOLNAME(OptionArgument::Any);
        input ACTION(Cvda);
        input LASTUSEDINT(Fullword);
        @rules
            OptionRule::Unserved(&["POOLNAME"], Condition::InvReq);
        @conditions InvReq(1, 2, 3, 4), NotFnd(1), QIdErr(1), SysIdErr(4);
    }

    command! {
        /// Changes a transient data queue.
        set_tdqueue 0x8AC9 0x5C04 "SET TDQUEUE" "SET" ["TDQUEUE"] System Region;
        input TDQUEUE(Name(4)) [required];
        input ATIFACILITY(Cvda);
        flag NOTERMINAL;
        flag TERMINAL;
        input ATITERMID(OptionArgument::Any);
        input ATITRANID(Name(4));
        input ATIUSERID(Name(8));
        input ENABLESTATUS(Cvda);
        flag DISABLED;
        flag ENABLED;
        input OPENSTATUS(Cvda);
        flag CLOSED;
        flag OPEN;
        input TRIGGERLEVEL(Fullword);
        @rules
            OptionRule::Unserved(&["TERMINAL", "ATITERMID"], Condition::InvReq);
        @conditions InvReq(1, 2, 4, 5, 6, 7, 8, 9, 18), QIdErr(1);
    }

    command! {
        /// Changes how much temporary storage there may be.
        set_tempstorage 0x8ACA own "SET TEMPSTORAGE" "SET" ["TEMPSTORAGE"] System Region;
        flag TEMPSTORAGE;
        input TSMAINLIMIT(Doubleword);
        @conditions InvReq(1);
    }
}
