//! Reads a statement's tokens from front to back.

use crate::text::{HostReference, SqlToken, StatementProblem, TokenKind};

/// The tokens of a statement and how far they were read.
pub struct Reader {
    /// All tokens.
    pub tokens: Vec<SqlToken>,
    /// The next one.
    pub at: usize,
}

impl Reader {
    pub fn new(tokens: Vec<SqlToken>) -> Self {
        Reader { tokens, at: 0 }
    }

    pub fn peek(&self) -> Option<&SqlToken> {
        self.tokens.get(self.at)
    }

    /// Offset in the text where reading stands.
    pub fn place(&self) -> usize {
        let last = || self.tokens.last().map_or(0, |t| t.at);
        self.peek().map_or_else(last, |t| t.at)
    }

    pub fn is_done(&self) -> bool {
        self.at >= self.tokens.len()
    }

    /// Takes the next token if it is this word.
    pub fn accept(&mut self, word: &str) -> bool {
        let found = self.peek().is_some_and(|t| t.is(word));
        self.at += usize::from(found);
        found
    }

    /// Takes the next tokens if they are these words.
    pub fn accept_all(&mut self, words: &[&str]) -> bool {
        let rest = &self.tokens[self.at.min(self.tokens.len())..];
        let found = rest.len() >= words.len() && rest.iter().zip(words).all(|(t, w)| t.is(w));
        self.at += if found { words.len() } else { 0 };
        found
    }

    pub fn accept_mark(&mut self, mark: &str) -> bool {
        let found = self.peek().is_some_and(|t| t.is_mark(mark));
        self.at += usize::from(found);
        found
    }

    pub fn expect(&mut self, word: &str) -> Result<(), StatementProblem> {
        if self.accept(word) {
            return Ok(());
        }
        Err(self.unexpected(word))
    }

    /// The problem that something else stands where reading is.
    pub fn unexpected(&self, wanted: &str) -> StatementProblem {
        match self.peek() {
            Some(t) => {
                let message = format!("{} stands where {wanted} is expected", shown(t));
                StatementProblem::error(t.at, -104, message).with_nearest(&t.text, [wanted])
            }
            None => StatementProblem::error(
                self.place(),
                -104,
                format!("the statement ends where {wanted} is expected"),
            ),
        }
    }

    /// A name; hyphens of cursor names are part of it.
    pub fn name(&mut self, wanted: &str) -> Result<String, StatementProblem> {
        let first = self
            .peek()
            .filter(|t| matches!(t.kind, TokenKind::Word | TokenKind::Quoted));
        let Some(first) = first else {
            return Err(self.unexpected(wanted));
        };
        let mut name = first.text.clone();
        self.at += 1;
        while let [hyphen, part, ..] = &self.tokens[self.at..] {
            let part_fits = matches!(part.kind, TokenKind::Word | TokenKind::Number);
            let joins = hyphen.is_mark("-") && !hyphen.spaced && !part.spaced;
            if !joins || !part_fits {
                break;
            }
            name.push('-');
            name.push_str(&part.text);
            self.at += 2;
        }
        Ok(name)
    }

    /// One host variable with its indicator.
    pub fn host(&mut self, wanted: &str) -> Result<HostReference, StatementProblem> {
        let Some(first) = self.peek().filter(|t| t.kind == TokenKind::Host) else {
            return Err(self.unexpected(wanted));
        };
        let (name, at) = (first.text.clone(), first.at);
        self.at += 1;
        if self.peek().is_some_and(|t| t.is_mark("(") && !t.spaced) {
            let message = format!(":{name} has a subscript");
            let help = "MOVE the element to an item of its own; SQL has no subscripts";
            return Err(StatementProblem::error(at, -104, message).with_help(help));
        }
        let save = self.at;
        let by_word = self.accept("INDICATOR");
        let indicator = match self.peek() {
            Some(t) if t.kind == TokenKind::Host => {
                let name = t.text.clone();
                self.at += 1;
                Some(name)
            }
            _ if by_word => {
                self.at = save + 1;
                return Err(self.unexpected("an indicator variable"));
            }
            _ => None,
        };
        Ok(HostReference {
            name,
            indicator,
            at,
        })
    }

    /// Host variables between commas.
    pub fn hosts(&mut self) -> Result<Vec<HostReference>, StatementProblem> {
        let mut list = vec![self.host("a host variable")?];
        while self.accept_mark(",") {
            list.push(self.host("a host variable")?);
        }
        Ok(list)
    }

    /// Everything that is left.
    pub fn rest(&mut self) -> Vec<SqlToken> {
        let rest = self.tokens.split_off(self.at.min(self.tokens.len()));
        self.at = self.tokens.len();
        rest
    }

    pub fn end(&self) -> Result<(), StatementProblem> {
        match self.peek() {
            None => Ok(()),
            Some(t) => {
                let message = format!("{} does not belong here", shown(t));
                Err(StatementProblem::error(t.at, -199, message))
            }
        }
    }
}

/// A token as a message shows it.
pub fn shown(token: &SqlToken) -> String {
    match token.kind {
        TokenKind::Host => format!(":{}", token.text),
        TokenKind::Text => format!("'{}'", token.text),
        TokenKind::Quoted => format!("\"{}\"", token.text),
        _ => token.text.clone(),
    }
}
