//! From tokens to commands. After an error in one command, the next command is
//! still read.

use base::{Diagnostic, Severity, suggestion, suggestion_or_all};

use super::define;
use super::keywords::{self, KeywordMeaning};
use super::lex::{Token, TokenKind, error};
use super::{CodeComparison, Command, ConditionCode, DataRef, EntryKind, Statement};
use crate::file::FileName;

/// A word with the parentheses that follow it.
#[derive(Debug, Clone)]
pub(super) struct KeywordOperand {
    /// Empty for parentheses without a word.
    pub word: String,
    pub args: Option<Vec<KeywordOperand>>,
    pub line: u32,
    pub column: u32,
}

/// A parser over a step's tokens.
pub(super) struct Parser<'p> {
    tokens: &'p [Token],
    at: usize,
    pub diagnostics: &'p mut Vec<Diagnostic>,
}

/// The command is unusable; the reason has been reported.
pub(super) struct UnusableCommand;

/// How deep parentheses and IFs may nest.
const MAX_DEPTH: u32 = 32;

/// Commands that change nothing.
const PASSED_OVER: &[&str] = &["LISTCAT", "PRINT", "VERIFY", "EXAMINE", "DIAGNOSE", "PARM"];

/// Commands that change something and are not supported.
const UNSUPPORTED: &[&str] = &[
    "ALLOCATE", "ALTER", "CHKLIST", "CNVTCAT", "CREATE", "DCOLLECT", "EXPORT", "EXPORTRA",
    "IMPORT", "IMPORTRA", "RESETCAT", "SETCACHE", "SHCDS",
];

/// Commands that are supported.
const VERBS: &[&str] = &["DEFINE", "DELETE", "REPRO", "BLDINDEX", "SET", "IF"];

/// Reads all commands.
pub(super) fn statements(tokens: &[Token], diagnostics: &mut Vec<Diagnostic>) -> Vec<Statement> {
    let mut parser = Parser {
        tokens,
        at: 0,
        diagnostics,
    };
    let mut statements = Vec::new();
    while parser.peek().is_some() {
        statements.extend(parser.statement(0));
    }
    statements
}

impl Parser<'_> {
    /// Reports an error.
    pub fn error(
        &mut self,
        at: &KeywordOperand,
        message: impl Into<String>,
        help: &str,
    ) -> UnusableCommand {
        let help = Some(help.to_owned()).filter(|help| !help.is_empty());
        self.diagnostics
            .push(error(at.line, at.column, message, help));
        UnusableCommand
    }

    fn peek(&self) -> Option<&Token> {
        self.tokens.get(self.at)
    }

    /// The next word, if one is next.
    fn word(&mut self) -> Option<String> {
        match self.peek().map(|token| token.kind.clone()) {
            Some(TokenKind::Word(word)) => {
                self.at += 1;
                Some(word)
            }
            _ => None,
        }
    }

    /// The place of the next token, or the last.
    fn here(&self) -> KeywordOperand {
        let token = self.peek().or(self.tokens.last());
        KeywordOperand {
            word: String::new(),
            args: None,
            line: token.map_or(1, |token| token.line),
            column: token.map_or(1, |token| token.column),
        }
    }

    /// Skips the rest of a command.
    fn skip(&mut self) {
        while self
            .peek()
            .is_some_and(|token| token.kind != TokenKind::End)
        {
            self.at += 1;
        }
        self.at += 1;
    }

    /// The next command; `None` if there is nothing or it cannot be used.
    fn statement(&mut self, depth: u32) -> Option<Statement> {
        let here = self.here();
        if self
            .peek()
            .is_some_and(|token| token.kind == TokenKind::End)
        {
            self.at += 1;
            return None;
        }
        let command = match self.word() {
            Some(verb) => self.command(&verb, &here, depth),
            None => Err(self.error(&here, "expected a command, which begins with a word", "")),
        };
        match command {
            Ok(command) => Some(Statement {
                line: here.line,
                column: here.column,
                command,
            }),
            Err(UnusableCommand) => {
                self.skip();
                None
            }
        }
    }

    fn command(
        &mut self,
        verb: &str,
        here: &KeywordOperand,
        depth: u32,
    ) -> Result<Command, UnusableCommand> {
        match verb {
            "DEFINE" | "DEF" => self.define(),
            "DELETE" | "DEL" => self.delete(),
            "REPRO" => self.repro(here),
            "BLDINDEX" | "BIX" => self.build_index(here),
            "SET" => self.set(),
            "IF" => self.conditional(here, depth),
            "LISTC" => self.pass_over("LISTCAT", here),
            other => {
                if let Some(known) = PASSED_OVER.iter().find(|known| **known == other) {
                    return self.pass_over(known, here);
                }
                let help = suggestion_or_all(other, VERBS, "there are");
                let known = UNSUPPORTED.contains(&other);
                let message = if known {
                    format!("{other} is not supported")
                } else {
                    format!("{other} is not a command of IDCAMS")
                };
                Err(self.error(here, message, if known { "" } else { &help }))
            }
        }
    }

    fn pass_over(
        &mut self,
        verb: &'static str,
        here: &KeywordOperand,
    ) -> Result<Command, UnusableCommand> {
        self.diagnostics.push(
            Diagnostic::new(
                Severity::Warning,
                (here.line, here.column),
                format!("{verb} is not supported and is skipped"),
            )
            .with_help(match verb {
                "LISTCAT" => "`tupelo file stat` lists the files".to_owned(),
                "PRINT" => "`tupelo file dump` writes a file's records".to_owned(),
                "VERIFY" | "EXAMINE" | "DIAGNOSE" => {
                    "`tupelo file check` checks the store".to_owned()
                }
                _ => "it changes nothing".to_owned(),
            }),
        );
        self.skip();
        Ok(Command::PassedOver(verb))
    }

    /// Everything up to the end of the command.
    fn operands(&mut self) -> Result<Vec<KeywordOperand>, UnusableCommand> {
        let operands = self.list(0)?;
        let here = self.here();
        match self.peek().map(|token| &token.kind) {
            Some(TokenKind::Close) => Err(self.error(&here, "unexpected )", "")),
            _ => {
                self.at += 1;
                Ok(operands)
            }
        }
    }

    /// Operands up to a `)` or the end of the command, which stay.
    fn list(&mut self, depth: u32) -> Result<Vec<KeywordOperand>, UnusableCommand> {
        let mut operands: Vec<KeywordOperand> = Vec::new();
        // Whether a `(` belongs to the word before it.
        let mut takes_args = false;
        loop {
            let mut here = self.here();
            match self.peek().map(|token| token.kind.clone()) {
                None | Some(TokenKind::End | TokenKind::Close) => return Ok(operands),
                Some(TokenKind::Word(word) | TokenKind::Quoted(word)) => {
                    self.at += 1;
                    here.word = word;
                    operands.push(here);
                    takes_args = true;
                }
                Some(TokenKind::Compare(sign)) => {
                    return Err(self.stray_sign(&here, &sign));
                }
                Some(TokenKind::Open) => {
                    if depth == MAX_DEPTH {
                        return Err(self.error(&here, "parentheses are nested too deep", ""));
                    }
                    self.at += 1;
                    let args = self.list(depth + 1)?;
                    if !self
                        .peek()
                        .is_some_and(|token| token.kind == TokenKind::Close)
                    {
                        let help = "a command ends with its line unless - or + ends the line";
                        return Err(self.error(&here, "this ( is not closed", help));
                    }
                    self.at += 1;
                    match operands.last_mut().filter(|_| takes_args) {
                        Some(last) => last.args = Some(args),
                        None => {
                            here.args = Some(args);
                            operands.push(here);
                        }
                    }
                    takes_args = false;
                }
            }
        }
    }

    /// A sign where none can be; `<` is most likely a placeholder's.
    fn stray_sign(&mut self, here: &KeywordOperand, sign: &str) -> UnusableCommand {
        let is_close =
            |token: &Token| matches!(&token.kind, TokenKind::Compare(sign) if sign == ">");
        let next = (self.tokens.get(self.at + 1), self.tokens.get(self.at + 2));
        match next {
            (
                Some(Token {
                    kind: TokenKind::Word(word),
                    ..
                }),
                Some(end),
            ) if sign == "<" && is_close(end) => {
                let message = format!("<{word}> is a placeholder");
                let help = format!("replace it by a value: --set '<{word}>=VALUE'");
                self.error(here, message, &help)
            }
            _ => self.error(here, format!("{sign} is not allowed here"), ""),
        }
    }

    fn define(&mut self) -> Result<Command, UnusableCommand> {
        let here = self.here();
        let Some(object) = self.word() else {
            let help = "CLUSTER, ALTERNATEINDEX or PATH";
            return Err(self.error(&here, "DEFINE needs an object", help));
        };
        // The object is an operand like any other: NAME and so on are its.
        self.at -= 1;
        let operands = self.operands()?;
        let read = match object.as_str() {
            "CLUSTER" | "CL" => define::cluster(self, &operands).map(Command::DefineCluster),
            "ALTERNATEINDEX" | "AIX" => define::index(self, &operands).map(Command::DefineIndex),
            "PATH" => define::path(self, &operands).map(Command::DefinePath),
            _ => {
                let message = format!("DEFINE {object} is not supported");
                Err(self.error(
                    &here,
                    message,
                    "CLUSTER, ALTERNATEINDEX and PATH are supported",
                ))
            }
        };
        read.inspect_err(|_| self.rewind())
    }

    /// Goes back to the end of the command that was just read.
    fn rewind(&mut self) {
        self.at -= 1;
    }

    fn delete(&mut self) -> Result<Command, UnusableCommand> {
        let here = self.here();
        let operands = self.operands()?;
        let read = self.read_delete(&here, &operands);
        read.inspect_err(|_| self.rewind())
    }

    fn read_delete(
        &mut self,
        here: &KeywordOperand,
        operands: &[KeywordOperand],
    ) -> Result<Command, UnusableCommand> {
        let Some((first, keywords)) = operands.split_first() else {
            return Err(self.error(here, "DELETE needs a name", ""));
        };
        let entries = match &first.args {
            Some(args) if first.word.is_empty() => args.clone(),
            _ => vec![first.clone()],
        };
        // A store has no entries of these kinds.
        const ELSEWHERE: [&str; 3] = ["ALIAS", "GENERATIONDATAGROUP", "NONVSAM"];
        let mut only = None;
        for keyword in keywords {
            let name = self.keyword(keyword)?;
            only = match name {
                Some("CLUSTER") => Some(EntryKind::Cluster),
                Some("ALTERNATEINDEX") => Some(EntryKind::AlternateIndex),
                Some("PATH") => Some(EntryKind::Path),
                _ => only,
            };
            if let Some(kind) = name.filter(|name| ELSEWHERE.contains(name)) {
                self.diagnostics.push(
                    Diagnostic::new(
                        Severity::Warning,
                        (keyword.line, keyword.column),
                        format!("DELETE of {kind} is skipped"),
                    )
                    .with_help("only clusters, alternate indexes and paths are deleted"),
                );
                return Ok(Command::PassedOver("DELETE"));
            }
        }
        self.only_keywords("DELETE", keywords)?;
        let mut names = Vec::new();
        for entry in &entries {
            if entry.args.is_some() || entry.word.contains('*') {
                let help = "name each entry";
                return Err(self.error(entry, "members and generic names are not supported", help));
            }
            names.push(self.name(entry)?);
        }
        Ok(Command::Delete { names, kind: only })
    }

    fn repro(&mut self, here: &KeywordOperand) -> Result<Command, UnusableCommand> {
        let operands = self.operands()?;
        self.read_repro(here, &operands)
            .inspect_err(|_| self.rewind())
    }

    fn read_repro(
        &mut self,
        here: &KeywordOperand,
        operands: &[KeywordOperand],
    ) -> Result<Command, UnusableCommand> {
        let (mut from, mut to) = (None, None);
        let (mut replace, mut reuse, mut skip, mut count) = (false, false, 0, None);
        for operand in operands {
            match self.keyword(operand)? {
                Some("INFILE") => from = Some(DataRef::Dd(self.one(operand)?.word.clone())),
                Some("INDATASET") => from = Some(DataRef::DataSet(self.data_set(operand)?)),
                Some("OUTFILE") => to = Some(DataRef::Dd(self.one(operand)?.word.clone())),
                Some("OUTDATASET") => to = Some(DataRef::DataSet(self.data_set(operand)?)),
                Some("REPLACE") => replace = true,
                Some("REUSE") => reuse = true,
                Some("SKIP") => {
                    let number = self.one(operand)?;
                    skip = self.number(number)?;
                }
                Some("COUNT") => {
                    let number = self.one(operand)?;
                    count = Some(self.number(number)?);
                }
                Some("NOREPLACE" | "NOREUSE") | None => {}
                Some(other) => {
                    return Err(self.error(operand, format!("REPRO has no {other}"), ""));
                }
            }
        }
        match (from, to) {
            (Some(from), Some(to)) => Ok(Command::Repro {
                from,
                to,
                replace,
                reuse,
                skip,
                count,
            }),
            (None, _) => Err(self.error(here, "REPRO needs INFILE or INDATASET", "")),
            (_, None) => Err(self.error(here, "REPRO needs OUTFILE or OUTDATASET", "")),
        }
    }

    fn build_index(&mut self, here: &KeywordOperand) -> Result<Command, UnusableCommand> {
        let operands = self.operands()?;
        self.read_build_index(here, &operands)
            .inspect_err(|_| self.rewind())
    }

    fn read_build_index(
        &mut self,
        here: &KeywordOperand,
        operands: &[KeywordOperand],
    ) -> Result<Command, UnusableCommand> {
        let (mut base, mut indexes) = (None, Vec::new());
        for operand in operands {
            let keyword = self.keyword(operand)?;
            let refs = operand.args.as_deref().unwrap_or_default().iter();
            let words = refs.map(|arg| without_password(&arg.word).to_owned());
            match keyword {
                Some("INFILE") => base = Some(DataRef::Dd(self.one(operand)?.word.clone())),
                Some("INDATASET") => base = Some(DataRef::DataSet(self.data_set(operand)?)),
                Some("OUTFILE") => indexes.extend(words.map(DataRef::Dd)),
                Some("OUTDATASET") => indexes.extend(words.map(DataRef::DataSet)),
                Some("CATALOG") | None => {}
                Some(other) => {
                    return Err(self.error(operand, format!("BLDINDEX has no {other}"), ""));
                }
            }
        }
        match base {
            Some(base) if !indexes.is_empty() => Ok(Command::BuildIndex { base, indexes }),
            Some(_) => Err(self.error(here, "BLDINDEX needs OUTFILE or OUTDATASET", "")),
            None => Err(self.error(here, "BLDINDEX needs INFILE or INDATASET", "")),
        }
    }

    fn set(&mut self) -> Result<Command, UnusableCommand> {
        let code = self.code("SET")?;
        let here = self.here();
        if self.compare() != Some(CodeComparison::Equal) {
            return Err(self.error(&here, "SET wants =", "SET MAXCC = 0"));
        }
        let value = self.value()?;
        let here = self.here();
        match self.peek().map(|token| &token.kind) {
            None | Some(TokenKind::End) => {
                self.at += 1;
                Ok(Command::Set(code, value))
            }
            Some(_) => Err(self.error(&here, "unexpected text after the value of SET", "")),
        }
    }

    fn conditional(
        &mut self,
        begin: &KeywordOperand,
        depth: u32,
    ) -> Result<Command, UnusableCommand> {
        if depth == MAX_DEPTH {
            return Err(self.error(begin, "IFs are nested too deep", ""));
        }
        let code = self.code("IF")?;
        let here = self.here();
        let help = "IF MAXCC <= 8 THEN SET MAXCC = 0";
        let Some(compare) = self.compare() else {
            return Err(self.error(&here, "IF needs =, ¬=, <, >, <= or >=", help));
        };
        let value = self.value()?;
        let here = self.here();
        if self.word().as_deref() != Some("THEN") {
            return Err(self.error(&here, "IF needs THEN", help));
        }
        let then = self.branch(depth);
        let otherwise = match self.peek().map(|token| &token.kind) {
            Some(TokenKind::Word(word)) if word == "ELSE" => {
                self.at += 1;
                self.branch(depth)
            }
            _ => Vec::new(),
        };
        Ok(Command::If {
            code,
            compare,
            value,
            then,
            otherwise,
        })
    }

    /// A command, or those between DO and END.
    fn branch(&mut self, depth: u32) -> Vec<Statement> {
        let here = self.here();
        let is = |parser: &Self, wanted: &str| matches!(parser.peek().map(|token| &token.kind), Some(TokenKind::Word(word)) if word == wanted);
        if !is(self, "DO") {
            return self.statement(depth + 1).into_iter().collect();
        }
        self.at += 1;
        let mut statements = Vec::new();
        while !is(self, "END") {
            if self.peek().is_none() {
                self.error(&here, "this DO has no END", "");
                return statements;
            }
            statements.extend(self.statement(depth + 1));
        }
        self.skip();
        statements
    }

    fn code(&mut self, verb: &str) -> Result<ConditionCode, UnusableCommand> {
        let here = self.here();
        match self.word().as_deref() {
            Some("MAXCC") => Ok(ConditionCode::Max),
            Some("LASTCC") => Ok(ConditionCode::Last),
            _ => Err(self.error(&here, format!("{verb} needs MAXCC or LASTCC"), "")),
        }
    }

    fn compare(&mut self) -> Option<CodeComparison> {
        let sign = match &self.peek()?.kind {
            TokenKind::Compare(sign) | TokenKind::Word(sign) => sign.clone(),
            _ => return None,
        };
        self.at += 1;
        Some(match sign.as_str() {
            "=" | "EQ" => CodeComparison::Equal,
            "¬=" | "<>" | "NE" => CodeComparison::NotEqual,
            ">" | "GT" => CodeComparison::Greater,
            "<" | "LT" => CodeComparison::Less,
            ">=" | "GE" => CodeComparison::GreaterOrEqual,
            "<=" | "LE" => CodeComparison::LessOrEqual,
            _ => return None,
        })
    }

    fn value(&mut self) -> Result<u32, UnusableCommand> {
        let here = self.here();
        let value = self.word().and_then(|word| word.parse().ok());
        value.ok_or_else(|| self.error(&here, "expected a number", ""))
    }

    /// The keyword that an operand is; `None` for one without meaning here.
    pub fn keyword(
        &mut self,
        operand: &KeywordOperand,
    ) -> Result<Option<&'static str>, UnusableCommand> {
        match keywords::meaning(&operand.word) {
            Some(KeywordMeaning::Keyword(name)) => Ok(Some(name)),
            Some(KeywordMeaning::Nothing) => Ok(None),
            Some(KeywordMeaning::Unsupported) => {
                let message = format!("{} is not supported", operand.word);
                Err(self.error(operand, message, ""))
            }
            None => {
                let help = suggestion(&operand.word, keywords::all()).unwrap_or_default();
                let message = format!("{:?} is not a parameter of IDCAMS", operand.word);
                Err(self.error(operand, message, &help))
            }
        }
    }

    fn only_keywords(
        &mut self,
        verb: &str,
        operands: &[KeywordOperand],
    ) -> Result<(), UnusableCommand> {
        for operand in operands {
            if self.keyword(operand)?.is_some_and(|name| {
                !matches!(name, "CLUSTER" | "ALTERNATEINDEX" | "PATH" | "CATALOG")
            }) {
                return Err(self.error(operand, format!("{verb} has no {}", operand.word), ""));
            }
        }
        Ok(())
    }

    /// The one thing in an operand's parentheses; more may follow it.
    pub fn one<'o>(
        &mut self,
        operand: &'o KeywordOperand,
    ) -> Result<&'o KeywordOperand, UnusableCommand> {
        let first = operand.args.as_deref().and_then(<[KeywordOperand]>::first);
        first.ok_or_else(|| {
            let message = format!("{} needs a value in parentheses", operand.word);
            self.error(operand, message, "")
        })
    }

    /// The data set name in an operand's parentheses.
    fn data_set(&mut self, operand: &KeywordOperand) -> Result<String, UnusableCommand> {
        Ok(without_password(&self.one(operand)?.word).to_owned())
    }

    /// A name for the catalogue.
    pub fn name(&mut self, operand: &KeywordOperand) -> Result<FileName, UnusableCommand> {
        let name = without_password(&operand.word).parse::<FileName>();
        name.map_err(|error| self.error(operand, error.to_string(), ""))
    }

    /// A number.
    pub fn number<N: std::str::FromStr>(
        &mut self,
        operand: &KeywordOperand,
    ) -> Result<N, UnusableCommand> {
        operand.word.parse().map_err(|_| {
            self.error(
                operand,
                format!("{:?} is not a valid number here", operand.word),
                "",
            )
        })
    }

    /// The numbers in an operand's parentheses, which must be two.
    pub fn two(&mut self, operand: &KeywordOperand) -> Result<(u32, u32), UnusableCommand> {
        match operand.args.as_deref() {
            Some([a, b]) => Ok((self.number(a)?, self.number(b)?)),
            _ => {
                let message = format!("{} needs two numbers", operand.word);
                let help = match operand.word.as_str() {
                    "KEYS" => "KEYS(length offset)",
                    _ => "RECORDSIZE(average maximum)",
                };
                Err(self.error(operand, message, help))
            }
        }
    }
}

/// A name without the password that may follow it.
fn without_password(name: &str) -> &str {
    name.split('/').next().unwrap_or_default()
}
