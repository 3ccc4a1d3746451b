//! Conditions: the values of RESP, and what happens when a program handles none.
//!
//! Reference: CICS API reference, "RESP values", and messages and codes,
//! "AEIA" (the abend codes of unhandled conditions). All numbers were compared
//! with a public assembler language server's table, and the numbers and codes
//! of 30 conditions with the manual's "Response codes of EXEC CICS commands";
//! they agree. The actions of conditions that the manual does not list, and the
//! codes of NOTALLOC, SYMBOLERR, APPNOTFOUND and UOWNOTFOUND (which the manual
//! lists without one), follow from their neighbours.
//! Invariant: this is the only place that maps a condition to its number, its
//! name and its abend code.

use crate::names::AbendCode;

/// The reaction to an unhandled condition, when the command has neither RESP nor
/// NOHANDLE and no HANDLE or IGNORE CONDITION is active for it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DefaultAction {
    /// The task ends with this code.
    Abend(AbendCode),
    /// The program continues.
    Ignore,
    /// The task waits until the cause is removed.
    Suspend,
}

/// Why a command was not done.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CommandFailure {
    /// A condition for the program, with RESP2.
    Condition(Condition, u32),
    /// The task ends with this code.
    Abend([u8; 4]),
}

macro_rules! conditions {
    ($($(#[$doc:meta])* $variant:ident = $number:literal $name:literal $action:ident $($code:literal)?;)*) => {
        /// A condition, by its RESP number.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        #[repr(u16)]
        pub enum Condition {
            $($(#[$doc])* #[doc = concat!("`", $name, "`")] $variant = $number,)*
        }

        impl Condition {
            /// Every condition in ascending number.
            pub const ALL: &'static [Condition] = &[$(Condition::$variant,)*];

            /// The condition of a RESP number.
            pub fn from_number(number: u16) -> Option<Self> {
                match number {
                    $($number => Some(Condition::$variant),)*
                    _ => None,
                }
            }

            /// The condition of a name in upper case, DSIDERR, the older name of
            /// FILENOTFOUND, among them.
            pub fn from_name(name: &str) -> Option<Self> {
                match name {
                    "DSIDERR" => Some(Condition::FileNotFound),
                    $($name => Some(Condition::$variant),)*
                    _ => None,
                }
            }

            /// The name as programs write it.
            pub const fn name(self) -> &'static str {
                match self { $(Condition::$variant => $name,)* }
            }

            /// The reaction when the program does not handle it.
            pub const fn default_action(self) -> DefaultAction {
                match self { $(Condition::$variant => conditions!(@action $action $($code)?),)* }
            }
        }
    };
    (@action Abend $code:literal) => { DefaultAction::Abend(AbendCode::literal($code)) };
    (@action Ignore) => { DefaultAction::Ignore };
    (@action Suspend) => { DefaultAction::Suspend };
}

impl Condition {
    /// The number that RESP and EIBRESP hold.
    pub const fn number(self) -> u16 {
        self as u16
    }
}

#[allow(clippy::derivable_impls, reason = "the variants come from a macro")]
impl Default for Condition {
    fn default() -> Self {
        Condition::Normal
    }
}

impl std::fmt::Display for Condition {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.pad(self.name())
    }
}

conditions! {
    Normal = 0 "NORMAL" Ignore;
    Error = 1 "ERROR" Abend b"AEIA";
    RdAtt = 2 "RDATT" Ignore;
    WrBrk = 3 "WRBRK" Ignore;
    Eof = 4 "EOF" Abend b"AEID";
    Eods = 5 "EODS" Abend b"AEIE";
    Eoc = 6 "EOC" Ignore;
    InbFmh = 7 "INBFMH" Abend b"AEIG";
    EndInpt = 8 "ENDINPT" Abend b"AEIH";
    NonVal = 9 "NONVAL" Abend b"AEII";
    NoStart = 10 "NOSTART" Abend b"AEIJ";
    TermIdErr = 11 "TERMIDERR" Abend b"AEIK";
    FileNotFound = 12 "FILENOTFOUND" Abend b"AEIL";
    NotFnd = 13 "NOTFND" Abend b"AEIM";
    DupRec = 14 "DUPREC" Abend b"AEIN";
    DupKey = 15 "DUPKEY" Abend b"AEIO";
    InvReq = 16 "INVREQ" Abend b"AEIP";
    IoErr = 17 "IOERR" Abend b"AEIQ";
    NoSpace = 18 "NOSPACE" Abend b"AEIR";
    NotOpen = 19 "NOTOPEN" Abend b"AEIS";
    EndFile = 20 "ENDFILE" Abend b"AEIT";
    Illogic = 21 "ILLOGIC" Abend b"AEIU";
    LengErr = 22 "LENGERR" Abend b"AEIV";
    QZero = 23 "QZERO" Abend b"AEIW";
    Signal = 24 "SIGNAL" Ignore;
    QBusy = 25 "QBUSY" Suspend;
    ItemErr = 26 "ITEMERR" Abend b"AEIZ";
    PgmIdErr = 27 "PGMIDERR" Abend b"AEI0";
    TransIdErr = 28 "TRANSIDERR" Abend b"AEI1";
    EndData = 29 "ENDDATA" Abend b"AEI2";
    InvTsReq = 30 "INVTSREQ" Abend b"AEI3";
    Expired = 31 "EXPIRED" Ignore;
    RetPage = 32 "RETPAGE" Ignore;
    RteFail = 33 "RTEFAIL" Ignore;
    RteSome = 34 "RTESOME" Ignore;
    TsIoErr = 35 "TSIOERR" Abend b"AEI8";
    MapFail = 36 "MAPFAIL" Abend b"AEI9";
    InvErrTerm = 37 "INVERRTERM" Abend b"AEYA";
    InvMpSz = 38 "INVMPSZ" Abend b"AEYB";
    IgReqId = 39 "IGREQID" Abend b"AEYC";
    Overflow = 40 "OVERFLOW" Ignore;
    InvLdc = 41 "INVLDC" Abend b"AEYE";
    NoStg = 42 "NOSTG" Suspend;
    JidErr = 43 "JIDERR" Abend b"AEYG";
    QIdErr = 44 "QIDERR" Abend b"AEYH";
    NoJBufSp = 45 "NOJBUFSP" Suspend;
    DsStat = 46 "DSSTAT" Abend b"AEYJ";
    SelnErr = 47 "SELNERR" Abend b"AEYK";
    FuncErr = 48 "FUNCERR" Abend b"AEYL";
    UnexpIn = 49 "UNEXPIN" Abend b"AEYM";
    NoPassBkRd = 50 "NOPASSBKRD" Abend b"AEYN";
    NoPassBkWr = 51 "NOPASSBKWR" Abend b"AEYO";
    SegIdErr = 52 "SEGIDERR" Abend b"AEYP";
    SysIdErr = 53 "SYSIDERR" Abend b"AEYQ";
    IscInvReq = 54 "ISCINVREQ" Abend b"AEYR";
    EnqBusy = 55 "ENQBUSY" Suspend;
    EnvDefErr = 56 "ENVDEFERR" Abend b"AEYT";
    IgReqCd = 57 "IGREQCD" Abend b"AEYU";
    SessionErr = 58 "SESSIONERR" Abend b"AEYV";
    SysBusy = 59 "SYSBUSY" Suspend;
    SessBusy = 60 "SESSBUSY" Suspend;
    NotAlloc = 61 "NOTALLOC" Abend b"AEYY";
    CbIdErr = 62 "CBIDERR" Abend b"AEYZ";
    InvExitReq = 63 "INVEXITREQ" Abend b"AEY0";
    InvPartnSet = 64 "INVPARTNSET" Abend b"AEY1";
    InvPartn = 65 "INVPARTN" Abend b"AEY2";
    PartnFail = 66 "PARTNFAIL" Abend b"AEY3";
    UserIdErr = 69 "USERIDERR" Abend b"AEYX";
    NotAuth = 70 "NOTAUTH" Abend b"AEY7";
    VolIdErr = 71 "VOLIDERR" Abend b"AEXV";
    Suppressed = 72 "SUPPRESSED" Abend b"AEIA";
    ResIdErr = 75 "RESIDERR" Abend b"AEXC";
    NoSpool = 80 "NOSPOOL" Ignore;
    TermErr = 81 "TERMERR" Abend b"AEXI";
    RolledBack = 82 "ROLLEDBACK" Abend b"AEXJ";
    End = 83 "END" Abend b"AEXK";
    Disabled = 84 "DISABLED" Abend b"AEXL";
    AllocErr = 85 "ALLOCERR" Ignore;
    StrelErr = 86 "STRELERR" Ignore;
    OpenErr = 87 "OPENERR" Ignore;
    SpolBusy = 88 "SPOLBUSY" Ignore;
    SpolErr = 89 "SPOLERR" Ignore;
    NodeIdErr = 90 "NODEIDERR" Ignore;
    TaskIdErr = 91 "TASKIDERR" Abend b"AEXX";
    TcIdErr = 92 "TCIDERR" Abend b"AEX0";
    DsnNotFound = 93 "DSNNOTFOUND" Abend b"AEX1";
    Loading = 94 "LOADING" Abend b"AEX2";
    ModelIdErr = 95 "MODELIDERR" Abend b"AEX3";
    OutDescrErr = 96 "OUTDESCRERR" Ignore;
    PartnerIdErr = 97 "PARTNERIDERR" Abend b"AEX5";
    ProfileIdErr = 98 "PROFILEIDERR" Abend b"AEX6";
    NetnameIdErr = 99 "NETNAMEIDERR" Abend b"AEX7";
    Locked = 100 "LOCKED" Abend b"AEX8";
    RecordBusy = 101 "RECORDBUSY" Abend b"AEX9";
    UowNotFound = 102 "UOWNOTFOUND" Abend b"AEX4";
    UowLNotFound = 103 "UOWLNOTFOUND" Abend b"AEXG";
    LinkAbend = 104 "LINKABEND" Ignore;
    Changed = 105 "CHANGED" Abend b"AEZE";
    ProcessBusy = 106 "PROCESSBUSY" Abend b"AEZF";
    ActivityBusy = 107 "ACTIVITYBUSY" Abend b"AEZG";
    ProcessErr = 108 "PROCESSERR" Abend b"AEZH";
    ActivityErr = 109 "ACTIVITYERR" Abend b"AEZI";
    ContainerErr = 110 "CONTAINERERR" Abend b"AEZJ";
    EventErr = 111 "EVENTERR" Abend b"AEZK";
    TokenErr = 112 "TOKENERR" Abend b"AEZL";
    NotFinished = 113 "NOTFINISHED" Abend b"AEZM";
    PoolErr = 114 "POOLERR" Abend b"AEZN";
    TimerErr = 115 "TIMERERR" Abend b"AEZO";
    SymbolErr = 116 "SYMBOLERR" Abend b"AEZP";
    TemplatErr = 117 "TEMPLATERR" Abend b"AEZQ";
    NotSuperuser = 118 "NOTSUPERUSER" Abend b"AEZR";
    CsdErr = 119 "CSDERR" Abend b"AEZS";
    DupRes = 120 "DUPRES" Abend b"AEZT";
    ResUnavail = 121 "RESUNAVAIL" Abend b"AEZU";
    ChannelErr = 122 "CHANNELERR" Abend b"AEZV";
    CcsidErr = 123 "CCSIDERR" Abend b"AEZW";
    TimedOut = 124 "TIMEDOUT" Abend b"AEZX";
    CodepageErr = 125 "CODEPAGEERR" Abend b"AEZY";
    Incomplete = 126 "INCOMPLETE" Abend b"AEZZ";
    AppNotFound = 127 "APPNOTFOUND" Abend b"AEZ1";
    Busy = 128 "BUSY" Abend b"AEZ2";
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_and_names_lead_back_to_the_condition() {
        for &c in Condition::ALL {
            assert_eq!(Condition::from_number(c.number()), Some(c));
            assert_eq!(Condition::from_name(c.name()), Some(c));
        }
        assert_eq!(Condition::from_number(68), None);
        assert_eq!(
            Condition::from_name("DSIDERR"),
            Some(Condition::FileNotFound)
        );
    }

    #[test]
    fn numbers_are_those_of_the_manual() {
        for (name, number) in [
            ("NOTFND", 13),
            ("DUPREC", 14),
            ("INVREQ", 16),
            ("ENDFILE", 20),
            ("LENGERR", 22),
            ("PGMIDERR", 27),
            ("QIDERR", 44),
            ("SYSIDERR", 53),
            ("NOTAUTH", 70),
            ("END", 83),
            ("DISABLED", 84),
            ("LOCKED", 100),
            ("CONTAINERERR", 110),
            ("TOKENERR", 112),
            ("CHANNELERR", 122),
            ("CCSIDERR", 123),
        ] {
            assert_eq!(
                Condition::from_name(name).unwrap().number(),
                number,
                "{name}"
            );
        }
    }

    #[test]
    fn abend_codes_of_unhandled_conditions_differ() {
        let mut seen = std::collections::HashSet::new();
        for &c in Condition::ALL {
            // AEIA stands for conditions without a code of their own.
            if let DefaultAction::Abend(code) = c.default_action()
                && code != AbendCode::literal(b"AEIA")
            {
                assert!(seen.insert(code), "{c} shares {code}");
            }
        }
        assert_eq!(
            Condition::PgmIdErr.default_action(),
            DefaultAction::Abend(AbendCode::literal(b"AEI0"))
        );
    }
}
