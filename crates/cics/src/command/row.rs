//! The shape of a row. Every part is const, so that a table is plain data.

use crate::resp::Condition;

/// One command of the API or of the system programming interface.
#[derive(Debug, Clone, Copy)]
pub struct Command {
    /// Stable number, unique in the table; EIBFN where the command has one
    /// of its own, else from 0x8000 upwards.
    pub number: u16,
    /// The name as the manual heads it.
    pub name: &'static str,
    /// The part of the manual it belongs to.
    pub domain: CommandDomain,
    /// The value of EIBFN after it; `None` where the code is not known here, and
    /// EIBFN is the number then. docs/internals/conditions.md names the source of
    /// the codes.
    pub eibfn: Option<u16>,
    /// The place where it is served.
    pub served: CommandSupport,
    /// First word of the command.
    pub verb: &'static str,
    /// Further words that must all be given for this row to be selected. Each
    /// is a keyword of its own or one of the options.
    pub words: &'static [&'static str],
    /// At least one of these must be given for this row to be selected.
    pub any_word: &'static [&'static str],
    /// The options in the order of their index.
    pub options: &'static [OptionRow],
    /// Names that are accepted in addition to the options.
    pub keywords: AcceptedNames,
    /// The rules between its options.
    pub rules: &'static [OptionRule],
    /// Conditions the manual documents for it.
    pub conditions: &'static [ConditionRow],
}

/// The place where a command is served.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CommandSupport {
    /// In the worker, by itself where it can.
    Worker,
    /// By the region, through the worker's call.
    Region,
    /// Known and not supported yet; the reason names what is missing. The translator
    /// warns, and the call, which has no operands then, ends the task with AEY9.
    NotYet(&'static str),
    /// The same for good: it has no meaning in a region of this kind, for this
    /// reason.
    Refused(&'static str),
}

impl CommandSupport {
    /// Whether a program gets an answer.
    pub const fn is_served(self) -> bool {
        matches!(self, CommandSupport::Worker | CommandSupport::Region)
    }

    /// Why it gets none.
    pub const fn why_not(self) -> Option<&'static str> {
        match self {
            CommandSupport::NotYet(why) | CommandSupport::Refused(why) => Some(why),
            CommandSupport::Worker | CommandSupport::Region => None,
        }
    }
}

/// Parts of the manual, for the reference page.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum CommandDomain {
    /// LINK, XCTL, RETURN, LOAD, RELEASE.
    Programs,
    /// Channels and containers.
    Channels,
    /// GETMAIN and FREEMAIN.
    Storage,
    /// Dates, times and time-driven requests.
    Time,
    /// HANDLE, IGNORE, PUSH, POP, ABEND.
    Conditions,
    /// ADDRESS, ASSIGN, SUSPEND, ENQ, built-in functions.
    Environment,
    /// File control.
    Files,
    /// SYNCPOINT.
    UnitsOfWork,
    /// Transient data and temporary storage.
    Queues,
    /// Named counters.
    Counters,
    /// START, RETRIEVE, CANCEL and the asynchronous API.
    Starting,
    /// Basic mapping support.
    Maps,
    /// Terminal control and APPC conversations.
    Terminals,
    /// Batch data interchange.
    BatchData,
    /// Business transaction services and events.
    Activities,
    /// WEB, DOCUMENT, TCP/IP and web services.
    Web,
    /// Sign-on, passwords, QUERY SECURITY.
    Security,
    /// Journals, dumps, trace, monitoring, the operator.
    Diagnostics,
    /// JES spool.
    Spool,
    /// The system programming interface.
    System,
}

impl CommandDomain {
    /// All domains.
    pub const ALL: [CommandDomain; 20] = [
        CommandDomain::Programs,
        CommandDomain::Channels,
        CommandDomain::Storage,
        CommandDomain::Time,
        CommandDomain::Conditions,
        CommandDomain::Environment,
        CommandDomain::Files,
        CommandDomain::UnitsOfWork,
        CommandDomain::Queues,
        CommandDomain::Counters,
        CommandDomain::Starting,
        CommandDomain::Maps,
        CommandDomain::Terminals,
        CommandDomain::BatchData,
        CommandDomain::Activities,
        CommandDomain::Web,
        CommandDomain::Security,
        CommandDomain::Diagnostics,
        CommandDomain::Spool,
        CommandDomain::System,
    ];

    /// The domain in one word, as traces have it.
    pub const fn name(self) -> &'static str {
        match self {
            CommandDomain::Programs => "programs",
            CommandDomain::Channels => "channels",
            CommandDomain::Storage => "storage",
            CommandDomain::Time => "time",
            CommandDomain::Conditions => "conditions",
            CommandDomain::Environment => "environment",
            CommandDomain::Files => "files",
            CommandDomain::UnitsOfWork => "units",
            CommandDomain::Queues => "queues",
            CommandDomain::Counters => "counters",
            CommandDomain::Starting => "starting",
            CommandDomain::Maps => "maps",
            CommandDomain::Terminals => "terminals",
            CommandDomain::BatchData => "batch",
            CommandDomain::Activities => "activities",
            CommandDomain::Web => "web",
            CommandDomain::Security => "security",
            CommandDomain::Diagnostics => "diagnostics",
            CommandDomain::Spool => "spool",
            CommandDomain::System => "system",
        }
    }

    /// Heading of the reference page.
    pub const fn title(self) -> &'static str {
        match self {
            CommandDomain::Programs => "Programs",
            CommandDomain::Channels => "Channels and containers",
            CommandDomain::Storage => "Storage",
            CommandDomain::Time => "Dates and times",
            CommandDomain::Conditions => "Conditions and abends",
            CommandDomain::Environment => "Task and environment",
            CommandDomain::Files => "Files",
            CommandDomain::UnitsOfWork => "Units of work",
            CommandDomain::Queues => "Temporary storage and transient data",
            CommandDomain::Counters => "Named counters",
            CommandDomain::Starting => "Starting transactions",
            CommandDomain::Maps => "Maps",
            CommandDomain::Terminals => "Terminals and conversations",
            CommandDomain::BatchData => "Batch data interchange",
            CommandDomain::Activities => "Business transactions and events",
            CommandDomain::Web => "Web, documents and web services",
            CommandDomain::Security => "Security",
            CommandDomain::Diagnostics => "Journals, dumps, trace and operator",
            CommandDomain::Spool => "Spool",
            CommandDomain::System => "System programming",
        }
    }
}

/// One option of a command.
#[derive(Debug, Clone, Copy)]
pub struct OptionRow {
    /// The name as programs write it.
    pub name: &'static str,
    /// The option that this one is another name of; its bit is used then.
    pub alias_of: Option<&'static str>,
    /// Its argument in parentheses.
    pub argument: OptionArgument,
    /// Which way the argument's data go.
    pub direction: DataDirection,
    /// The option that gives or receives this argument's length.
    pub length: Option<&'static str>,
    /// Bytes of the longest data that the command takes, where it has a limit.
    /// A greater length gets a condition, and the data are not read: a program
    /// has no storage of that length.
    pub most_bytes: Option<u32>,
    /// The command is wrong without it.
    pub required: bool,
    /// Allowed without its argument; the option then only names the subject of
    /// the command.
    pub bare: bool,
    /// The number that it means without an argument.
    pub bare_value: Option<&'static str>,
}

/// The argument of an option.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OptionArgument {
    /// Nothing: a keyword.
    None,
    /// Nothing or something, as DATESEP.
    Optional,
    /// A name of up to so many characters: literal or data.
    Name(u8),
    /// Characters of exactly this size where a size is given.
    Chars(u16),
    /// A binary halfword; fullwords and literals are taken as well.
    Halfword,
    /// A binary fullword.
    Fullword,
    /// A binary doubleword.
    Doubleword,
    /// Packed decimal with so many digits, as ABSTIME.
    Packed(u8),
    /// Data of any shape; its own size counts where no length is given.
    Area,
    /// A pointer or ADDRESS OF that the command reads.
    PtrValue,
    /// A pointer or ADDRESS OF that the command sets.
    PtrRef,
    /// A CVDA in a fullword.
    Cvda,
    /// hhmmss in packed decimal or as a number.
    HhMmSs,
    /// A paragraph or section of the program.
    Label,
    /// Something that a command not yet supported takes.
    Any,
}

impl OptionArgument {
    /// Whether parentheses must follow.
    pub const fn is_required(self) -> bool {
        !matches!(
            self,
            OptionArgument::None | OptionArgument::Optional | OptionArgument::Any
        )
    }

    /// Whether parentheses may follow.
    pub const fn is_allowed(self) -> bool {
        !matches!(self, OptionArgument::None)
    }
}

/// Which way an argument's data go.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DataDirection {
    /// The command reads it.
    In,
    /// The command writes it.
    Out,
    /// Both, as LENGTH of READ INTO.
    InOut,
}

/// Names that a command accepts in addition to its options.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AcceptedNames {
    /// None.
    None,
    /// Condition names, with or without a label.
    ConditionLabels,
    /// Condition names alone.
    Conditions,
    /// Attention identifiers, with or without a label.
    AidLabels,
}

/// A rule between the options of one command.
#[derive(Debug, Clone, Copy)]
pub enum OptionRule {
    /// Exactly one of them.
    ExactlyOne(&'static [&'static str]),
    /// None or one of them.
    AtMostOne(&'static [&'static str]),
    /// One or more of them.
    AtLeastOne(&'static [&'static str]),
    /// The first needs one of the others.
    Needs(&'static str, &'static [&'static str]),
    /// The first is not allowed with any of the others.
    Excludes(&'static str, &'static [&'static str]),
    /// The first, where neither it nor one of the last is there, names the data
    /// item that is named like the literal of the second, with this suffix.
    DefaultArea(
        &'static str,
        &'static str,
        &'static str,
        &'static [&'static str],
    ),
    /// The command answers this condition when it has one of them: what they
    /// ask for is not supported.
    Unserved(&'static [&'static str], Condition),
    /// The same for one value of an option.
    UnservedValue(&'static str, &'static str, Condition),
}

/// A condition of a command and RESP2 values it may come with. `sources` says
/// which of them were compared with a public text.
#[derive(Debug, Clone, Copy)]
pub struct ConditionRow {
    /// The condition.
    pub condition: Condition,
    /// RESP2 values.
    pub resp2: &'static [u16],
}

impl Command {
    /// Index of an option, through its alias if it is one.
    pub fn index_of(&self, name: &str) -> Option<u8> {
        match name {
            "RESP" => return Some(super::RESP),
            "RESP2" => return Some(super::RESP2),
            "NOHANDLE" => return Some(super::NOHANDLE),
            _ => {}
        }
        let at = self.options.iter().position(|o| o.name == name)?;
        match self.options[at].alias_of {
            Some(main) => self.index_of(main),
            None => u8::try_from(at).ok(),
        }
    }

    /// Whether the row lists a condition with this RESP2. Any condition may
    /// come without one, and with any where the manual names none.
    pub fn documents(&self, condition: Condition, resp2: u32) -> bool {
        if condition == Condition::Normal {
            return true;
        }
        let mut rows = self.conditions.iter().filter(|c| c.condition == condition);
        rows.any(|c| {
            let known = c.resp2.iter().any(|n| u32::from(*n) == resp2);
            resp2 == 0 || c.resp2.is_empty() || known
        })
    }

    /// Bytes of the longest data that an option with a limit takes. Panics for
    /// an option without one.
    pub const fn most_bytes(&self, index: u8) -> u32 {
        match self.options[index as usize].most_bytes {
            Some(bytes) => bytes,
            None => panic!("the option has no limit"),
        }
    }

    /// The option of an index below [`super::MAX_OPTIONS`].
    pub fn option(&self, index: u8) -> Option<&'static OptionRow> {
        self.options.get(usize::from(index))
    }
}

const fn option(
    name: &'static str,
    argument: OptionArgument,
    direction: DataDirection,
) -> OptionRow {
    OptionRow {
        name,
        alias_of: None,
        argument,
        direction,
        length: None,
        most_bytes: None,
        required: false,
        bare: false,
        bare_value: None,
    }
}

impl OptionRow {
    /// A keyword.
    pub(super) const fn flag(name: &'static str) -> Self {
        option(name, OptionArgument::None, DataDirection::In)
    }

    /// Another name of an option.
    pub(super) const fn alias(name: &'static str, of: &'static str, like: OptionArgument) -> Self {
        let mut row = option(name, like, DataDirection::In);
        row.alias_of = Some(of);
        row
    }

    /// An argument that the command reads.
    pub(super) const fn input(name: &'static str, argument: OptionArgument) -> Self {
        option(name, argument, DataDirection::In)
    }

    /// An argument that the command writes.
    pub(super) const fn output(name: &'static str, argument: OptionArgument) -> Self {
        option(name, argument, DataDirection::Out)
    }

    /// An argument that the command reads and writes.
    pub(super) const fn update(name: &'static str, argument: OptionArgument) -> Self {
        option(name, argument, DataDirection::InOut)
    }

    /// The option that gives or receives this argument's length.
    pub(super) const fn length(mut self, option: &'static str) -> Self {
        self.length = Some(option);
        self
    }

    /// The longest data that the command takes, in bytes.
    pub(super) const fn most(mut self, bytes: u32) -> Self {
        self.most_bytes = Some(bytes);
        self
    }

    /// The command is wrong without it.
    pub(super) const fn required(mut self) -> Self {
        self.required = true;
        self
    }

    /// Allowed without its argument, which is this number then.
    pub(super) const fn bare_as(mut self, number: &'static str) -> Self {
        self.bare_value = Some(number);
        self
    }

    /// Allowed without its argument.
    pub(super) const fn bare(mut self) -> Self {
        self.bare = true;
        self
    }

    /// `NAME` for a keyword, `NAME()` for an option with an argument.
    pub(super) const fn named(spec: &'static str) -> Self {
        let bytes = spec.as_bytes();
        let len = bytes.len();
        if len > 2 && bytes[len - 1] == b')' {
            option(
                spec.split_at(len - 2).0,
                OptionArgument::Any,
                DataDirection::In,
            )
        } else {
            option(spec, OptionArgument::None, DataDirection::In)
        }
    }
}
