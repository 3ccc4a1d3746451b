//! File status: the two characters that every file statement ends with.
//!
//! Reference: IBM, *Enterprise COBOL for z/OS Language Reference*, "File status
//! key".

/// A file status.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Status(pub [u8; 2]);

macro_rules! statuses {
    ($($(#[$doc:meta])* $name:ident = $value:literal),+ $(,)?) => {
        impl Status {
            $($(#[$doc])* pub const $name: Status = Status(*$value);)+
        }
    };
}

statuses! {
    /// It was done.
    OK = b"00",
    /// It was done, and another record has this alternate key.
    DUPLICATE_KEY = b"02",
    /// The record is longer or shorter than the program's.
    LENGTH = b"04",
    /// The optional file is not there.
    OPTIONAL_MISSING = b"05",
    /// It was done, and REEL or NO REWIND means nothing for this file.
    NO_REEL = b"07",
    /// No record is left.
    AT_END = b"10",
    /// The record number is too large for the RELATIVE KEY.
    NUMBER_TOO_LARGE = b"14",
    /// Keys do not ascend, or a rewrite changes the key.
    SEQUENCE = b"21",
    /// There is a record with this key.
    DUPLICATE = b"22",
    /// The record does not exist.
    NOT_FOUND = b"23",
    /// No room in an indexed or relative file.
    NO_ROOM = b"24",
    /// The machine failed.
    PERMANENT = b"30",
    /// No room in a sequential file.
    BOUNDARY = b"34",
    /// The file is not there.
    MISSING = b"35",
    /// The file cannot be opened so.
    MODE = b"37",
    /// The file was closed WITH LOCK.
    LOCKED = b"38",
    /// The file's attributes conflict with the program's description.
    CONFLICT = b"39",
    /// It is open.
    OPEN_ALREADY = b"41",
    /// It is not open.
    NOT_OPEN = b"42",
    /// A sequential REWRITE or DELETE without a READ before it.
    NO_READ = b"43",
    /// A record of a length that the file cannot have.
    BAD_LENGTH = b"44",
    /// There is no next record: the end was reached, or a READ or START failed.
    NO_NEXT = b"46",
    /// READ or START of a file that is not open for it.
    NOT_INPUT = b"47",
    /// WRITE to a file that is not open for it.
    NOT_OUTPUT = b"48",
    /// REWRITE or DELETE in a file that is not open for it.
    NOT_UPDATE = b"49",
    /// The statement is not supported by the handler.
    LOGIC = b"92",
    /// Another process has it.
    IN_USE = b"93",
    /// The DD of a file to be written is missing.
    NO_DD = b"96",
}

impl Status {
    /// Whether the statement was done.
    pub fn is_done(self) -> bool {
        self.0[0] == b'0'
    }
}

impl std::fmt::Display for Status {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}{}", char::from(self.0[0]), char::from(self.0[1]))
    }
}
