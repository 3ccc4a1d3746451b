//! The position of a scan within a statement, and the resulting use of a field
//! that is named there.

use super::FieldUse;
use cics::cobol::VERBS;

/// The position of the scan within a statement.
#[derive(Default)]
pub(super) struct StatementScan {
    pub verb: String,
    /// The words just passed.
    last: [String; 2],
    /// The following fields are written.
    pub receiving: bool,
    /// The following fields are results only (GIVING, REMAINDER).
    result: bool,
    /// SET gives an address to the record itself, or to a part of it.
    pub own_address: bool,
    /// In an EXEC CICS command.
    command: Option<Command>,
    /// Open parentheses: a subscript is read.
    depth: u32,
}

#[derive(Default)]
struct Command {
    verb: String,
    option: String,
}

impl StatementScan {
    pub fn word(&mut self, word: &str) {
        match word {
            "(" => self.depth += 1,
            ")" => self.depth = self.depth.saturating_sub(1),
            "." => self.depth = 0,
            "EXEC" | "EXECUTE" => self.command = Some(Command::default()),
            "END-EXEC" => {
                self.command = None;
                self.verb.clear();
                self.receiving = false;
            }
            word => match &mut self.command {
                Some(command) if self.depth == 0 => {
                    if command.verb.is_empty() && word != "CICS" {
                        command.verb = word.to_owned();
                    }
                    command.option = word.to_owned();
                }
                Some(_) => {}
                None => self.statement(word),
            },
        }
        if !matches!(word, "(" | ")") {
            self.last.swap(0, 1);
            self.last[1] = word.to_owned();
        }
    }

    /// A word of COBOL's own statements.
    fn statement(&mut self, word: &str) {
        if VERBS.contains(&word) || matches!(word, "XML" | "JSON" | "INVOKE") {
            self.verb = word.to_owned();
            self.receiving = matches!(word, "COMPUTE" | "SET" | "INITIALIZE" | "ACCEPT");
            self.result = false;
            self.own_address = false;
            return;
        }
        let verb = self.verb.as_str();
        match (verb, word) {
            ("SET", "TO" | "UP" | "DOWN")
            | ("COMPUTE", "=" | "EQUAL")
            | ("ACCEPT", "FROM")
            | ("INITIALIZE", "BY") => self.receiving = false,
            ("MOVE" | "ADD", "TO")
            | ("SUBTRACT", "FROM")
            | ("MULTIPLY", "BY")
            | ("DIVIDE", "INTO" | "BY")
            | ("STRING" | "UNSTRING" | "READ" | "RETURN", "INTO") => self.receiving = true,
            ("ADD" | "SUBTRACT" | "MULTIPLY" | "DIVIDE", "GIVING" | "REMAINDER") => {
                (self.receiving, self.result) = (true, true);
            }
            _ => {}
        }
    }

    /// Whether EXEC CICS is at one of its own words, and not at a value.
    pub fn at_option(&self) -> bool {
        self.command.is_some() && self.depth == 0
    }

    /// Whether the words just passed are `LENGTH OF`.
    pub fn about_length(&self) -> bool {
        self.last[1] == "OF" && self.last[0] == "LENGTH"
    }

    /// Whether the words just passed are `ADDRESS OF`.
    pub fn about_address(&self) -> bool {
        self.last[1] == "OF" && self.last[0] == "ADDRESS"
    }

    /// The use of the field named here; `in_part` if only some of its
    /// characters are selected.
    pub fn mention(&self, in_part: bool) -> FieldUse {
        match &self.command {
            Some(_) if self.depth > 1 => FieldUse::READ,
            Some(command) => command.mention(),
            None if self.depth > 0 => FieldUse::READ,
            None => self.mention_in_statement(in_part),
        }
    }

    fn mention_in_statement(&self, in_part: bool) -> FieldUse {
        let after = |words: &[&str]| words.contains(&self.last[1].as_str());
        match self.verb.as_str() {
            // Others may do anything with it.
            "CALL" | "INSPECT" | "XML" | "JSON" | "INVOKE" | "SORT" | "MERGE" => FieldUse::BOTH,
            "ADD" | "SUBTRACT" | "MULTIPLY" | "DIVIDE" => match (self.receiving, self.result) {
                (false, _) => FieldUse::READ,
                (true, false) => FieldUse::BOTH,
                (true, true) => FieldUse::WRITTEN,
            },
            "PERFORM" | "SEARCH" if after(&["VARYING", "AFTER"]) => FieldUse::BOTH,
            "STRING" | "UNSTRING" if after(&["POINTER", "TALLYING"]) => FieldUse::BOTH,
            "MOVE" | "COMPUTE" | "SET" | "INITIALIZE" | "ACCEPT" | "STRING" | "UNSTRING"
            | "READ" | "RETURN"
                if self.receiving =>
            {
                // The other characters keep their values.
                if in_part {
                    FieldUse::BOTH
                } else {
                    FieldUse::WRITTEN
                }
            }
            _ => FieldUse::READ,
        }
    }
}

impl Command {
    fn mention(&self) -> FieldUse {
        match (self.verb.as_str(), self.option.as_str()) {
            ("ASSIGN" | "ASKTIME", _) | (_, "RESP" | "RESP2" | "INTO") => FieldUse::WRITTEN,
            ("FORMATTIME", "ABSTIME" | "DATESEP" | "TIMESEP") => FieldUse::READ,
            ("FORMATTIME", _) => FieldUse::WRITTEN,
            ("READ" | "DELETE" | "STARTBR" | "RESETBR" | "UNLOCK", "RIDFLD") => FieldUse::READ,
            ("INQUIRE", _) => FieldUse::BOTH,
            (
                _,
                "FROM" | "PROGRAM" | "FILE" | "DATASET" | "QUEUE" | "QNAME" | "CONTAINER"
                | "CHANNEL" | "TRANSID" | "ABCODE" | "SYSID" | "KEYLENGTH" | "FROMLENGTH"
                | "FROMFLENGTH" | "INTERVAL" | "MAP" | "MAPSET",
            ) => FieldUse::READ,
            // COMMAREA and RIDFLD of a browse among them.
            _ => FieldUse::BOTH,
        }
    }
}
