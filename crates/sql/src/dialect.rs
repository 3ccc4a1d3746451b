//! Db2's dialect for the SQL parser.
//!
//! Tokens are this crate's own; each carries its index as its place, so that an
//! error of the parser leads back to the source. Only words that Db2's grammar
//! gives a meaning are keywords to the parser; all others are names, so columns
//! called VALUE, TYPE or LIMIT parse. Forms that the parser does not know (labeled
//! durations, special registers, NEXT VALUE FOR) is read by the hooks here.
//!
//! Reference: Db2 for z/OS SQL Reference, "Reserved words", "Labeled durations".

use sqlparser::ast::{DataType, DateTimeField, Expr, Ident, Interval, ObjectName, ObjectNamePart};
use sqlparser::dialect::Dialect;
use sqlparser::parser::{Parser, ParserError};
use sqlparser::tokenizer::{Location, Span, Token, TokenWithSpan, Word};

use crate::text::{SqlToken, StatementProblem, TokenKind};
use crate::types::{self, is_type_name};

/// How deep expressions and queries may be nested.
const MAX_DEPTH: usize = 64;

/// Words that stay keywords.
const KEYWORDS: &[&str] = &[
    "ALL",
    "AND",
    "ANY",
    "AS",
    "ASC",
    "BETWEEN",
    "BOTH",
    "BY",
    "CASE",
    "CAST",
    "CROSS",
    "CUBE",
    "DELETE",
    "DESC",
    "DISTINCT",
    "ELSE",
    "END",
    "ESCAPE",
    "EXCEPT",
    "EXISTS",
    "EXTRACT",
    "FETCH",
    "FIRST",
    "FOLLOWING",
    "FROM",
    "FULL",
    "GROUP",
    "GROUPING",
    "HAVING",
    "IN",
    "INNER",
    "INSERT",
    "INTERSECT",
    "INTO",
    "IS",
    "JOIN",
    "LATERAL",
    "LEADING",
    "LEFT",
    "LIKE",
    "MATCHED",
    "MERGE",
    "NEXT",
    "NOT",
    "NULL",
    "NULLS",
    "LAST",
    "OFFSET",
    "ON",
    "ONLY",
    "OR",
    "ORDER",
    "OUTER",
    "OVER",
    "PARTITION",
    "PRECEDING",
    "RANGE",
    "RIGHT",
    "ROLLUP",
    "ROW",
    "ROWS",
    "SELECT",
    "SET",
    "SETS",
    "SOME",
    "TABLE",
    "THEN",
    "TRAILING",
    "TRIM",
    "UNBOUNDED",
    "UNION",
    "UPDATE",
    "USING",
    "VALUES",
    "WHEN",
    "WHERE",
    "WITH",
    "CURRENT",
];

/// Keywords that are functions when a parenthesis follows.
const FUNCTIONS: &[&str] = &[
    "LEFT", "RIGHT", "INSERT", "VALUES", "UPDATE", "DELETE", "SET",
];

/// Words of labeled durations, and their units.
const DURATIONS: &[(&str, &str)] = &[
    ("YEAR", "years"),
    ("YEARS", "years"),
    ("MONTH", "months"),
    ("MONTHS", "months"),
    ("DAY", "days"),
    ("DAYS", "days"),
    ("HOUR", "hours"),
    ("HOURS", "hours"),
    ("MINUTE", "mins"),
    ("MINUTES", "mins"),
    ("SECOND", "secs"),
    ("SECONDS", "secs"),
    ("MICROSECOND", "microseconds"),
    ("MICROSECONDS", "microseconds"),
];

/// Special registers of two words or of one with an underscore.
const REGISTERS: &[&str] = &[
    "DATE",
    "TIME",
    "TIMESTAMP",
    "TIMEZONE",
    "SQLID",
    "SCHEMA",
    "SERVER",
    "DEGREE",
    "MEMBER",
    "PATH",
    "PRECISION",
    "RULES",
    "PACKAGESET",
    "CLIENT_USERID",
    "CLIENT_APPLNAME",
    "CLIENT_WRKSTNNAME",
    "CLIENT_ACCTNG",
];

/// The name that replaces `NEXT VALUE FOR` and `PREVIOUS VALUE FOR`.
pub(crate) const NEXT_VALUE: &str = "NEXT VALUE FOR";
/// See [`NEXT_VALUE`].
pub(crate) const PREVIOUS_VALUE: &str = "PREVIOUS VALUE FOR";

/// The dialect.
#[derive(Debug, Default)]
pub(crate) struct Db2Dialect;

impl Dialect for Db2Dialect {
    fn is_identifier_start(&self, c: char) -> bool {
        c.is_alphabetic() || matches!(c, '_' | '#' | '@' | '$')
    }

    fn is_identifier_part(&self, c: char) -> bool {
        self.is_identifier_start(c) || c.is_ascii_digit()
    }

    fn supports_group_by_expr(&self) -> bool {
        true
    }

    fn allow_extract_custom(&self) -> bool {
        true
    }

    fn supports_subquery_as_function_arg(&self) -> bool {
        false
    }

    fn supports_insert_table_alias(&self) -> bool {
        true
    }

    fn is_column_alias(&self, kw: &sqlparser::keywords::Keyword, _parser: &mut Parser) -> bool {
        *kw == sqlparser::keywords::Keyword::NoKeyword
    }

    fn is_table_alias(&self, kw: &sqlparser::keywords::Keyword, _parser: &mut Parser) -> bool {
        *kw == sqlparser::keywords::Keyword::NoKeyword
    }

    fn parse_prefix(&self, parser: &mut Parser) -> Option<Result<Expr, ParserError>> {
        let word = |n: usize| match &parser.peek_nth_token_ref(n).token {
            Token::Word(w) if w.quote_style.is_none() => w.value.as_str(),
            _ => "",
        };
        let name = match (word(0), word(1), word(2)) {
            ("NEXT", "VALUE", "FOR") => Some((NEXT_VALUE, 3)),
            ("PREVIOUS" | "PREV", "VALUE", "FOR") => Some((PREVIOUS_VALUE, 3)),
            ("NEXTVAL", "FOR", _) => Some((NEXT_VALUE, 2)),
            ("PREVVAL", "FOR", _) => Some((PREVIOUS_VALUE, 2)),
            _ => None,
        };
        let (name, words) = name?;
        for _ in 0..words {
            parser.advance_token();
        }
        Some(parser.parse_object_name(false).map(|sequence| {
            Expr::Prefixed {
                prefix: Ident::new(name),
                value: Box::new(Expr::CompoundIdentifier(
                    sequence
                        .0
                        .into_iter()
                        .filter_map(|p| p.as_ident().cloned())
                        .collect(),
                )),
            }
        }))
    }

    fn get_next_precedence(&self, parser: &Parser) -> Option<Result<u8, ParserError>> {
        duration(&parser.peek_token_ref().token)?;
        // Tighter than multiplication.
        Some(Ok(90))
    }

    fn parse_infix(
        &self,
        parser: &mut Parser,
        expr: &Expr,
        _precedence: u8,
    ) -> Option<Result<Expr, ParserError>> {
        let unit = duration(&parser.peek_token_ref().token)?;
        parser.advance_token();
        Some(Ok(Expr::Interval(Interval {
            value: Box::new(expr.clone()),
            leading_field: Some(DateTimeField::Custom(Ident::new(unit))),
            leading_precision: None,
            last_field: None,
            fractional_seconds_precision: None,
        })))
    }

    fn parse_data_type(&self, parser: &mut Parser) -> Option<Result<DataType, ParserError>> {
        let Token::Word(first) = &parser.peek_token_ref().token else {
            return None;
        };
        if !is_type_name(&first.value) || first.quote_style.is_some() {
            return None;
        }
        let next_is_text = matches!(
            parser.peek_nth_token_ref(1).token,
            Token::SingleQuotedString(_)
        );
        let after_as =
            matches!(&parser.get_current_token().token, Token::Word(w) if w.value == "AS");
        if !(after_as || next_is_text) {
            return None;
        }
        // The type has its own reader, which reads the tokens that follow.
        let mut tokens = Vec::new();
        for n in 0..12 {
            let token = &parser.peek_nth_token_ref(n).token;
            let Some(token) = back(token, n) else { break };
            tokens.push(token);
        }
        let (_, used) = types::sql_type(&tokens)?;
        let used = if next_is_text { 1 } else { used };
        let text: Vec<String> = tokens[..used].iter().map(|t| t.text.clone()).collect();
        for _ in 0..used {
            parser.advance_token();
        }
        let name = ObjectNamePart::Identifier(Ident::new(text.join(" ")));
        Some(Ok(if next_is_text && text == ["DATE"] {
            DataType::Date
        } else if next_is_text && text == ["TIME"] {
            DataType::Time(None, sqlparser::ast::TimezoneInfo::None)
        } else if next_is_text && text == ["TIMESTAMP"] {
            DataType::Timestamp(None, sqlparser::ast::TimezoneInfo::None)
        } else {
            DataType::Custom(ObjectName(vec![name]), Vec::new())
        }))
    }
}

/// A token of the parser as one of this crate, for the reader of types.
fn back(token: &Token, at: usize) -> Option<SqlToken> {
    let (kind, text) = match token {
        Token::Word(w) if w.quote_style.is_none() => (TokenKind::Word, w.value.clone()),
        Token::Number(n, _) => (TokenKind::Number, n.clone()),
        Token::LParen => (TokenKind::Mark, "(".to_owned()),
        Token::RParen => (TokenKind::Mark, ")".to_owned()),
        Token::Comma => (TokenKind::Mark, ",".to_owned()),
        _ => return None,
    };
    Some(SqlToken {
        kind,
        text,
        at,
        end: at,
        spaced: true,
    })
}

/// The unit of a labeled duration's word.
fn duration(token: &Token) -> Option<&'static str> {
    let Token::Word(word) = token else {
        return None;
    };
    if word.quote_style.is_some() {
        return None;
    }
    let found = DURATIONS.iter().find(|(name, _)| *name == word.value);
    found.map(|(_, unit)| *unit)
}

/// Whether a token may be the unit of a labeled duration.
pub(crate) fn is_duration(token: &SqlToken) -> bool {
    token.kind == TokenKind::Word && DURATIONS.iter().any(|(name, _)| *name == token.text)
}

/// A parser over a statement's tokens.
pub(crate) fn parser<'a>(dialect: &'a Db2Dialect, tokens: &[SqlToken]) -> Parser<'a> {
    let place = |index: usize| Location::new(1, index as u64 + 1);
    let mut out: Vec<TokenWithSpan> = Vec::with_capacity(tokens.len() + 1);
    let mut at = 0;
    while at < tokens.len() {
        let (token, used) = convert(tokens, at);
        out.push(TokenWithSpan::new(token, Span::new(place(at), place(at))));
        // TRIM (LEADING FROM x) takes blanks away.
        let side = tokens[at].is_any(&["LEADING", "TRAILING", "BOTH"]);
        if side && tokens.get(at + 1).is_some_and(|t| t.is("FROM")) {
            let blank = Token::SingleQuotedString(" ".to_owned());
            out.push(TokenWithSpan::new(blank, Span::new(place(at), place(at))));
        }
        at += used;
    }
    out.push(TokenWithSpan::new(
        Token::EOF,
        Span::new(place(tokens.len()), place(tokens.len())),
    ));
    Parser::new(dialect)
        .with_recursion_limit(MAX_DEPTH)
        .with_tokens_with_locations(out)
}

fn convert(tokens: &[SqlToken], at: usize) -> (Token, usize) {
    let token = &tokens[at];
    let text = token.text.clone();
    let single = match token.kind {
        TokenKind::Word => return word(tokens, at),
        TokenKind::Quoted => Token::make_word(&text, Some('"')),
        TokenKind::Number => Token::Number(text, false),
        TokenKind::Text => Token::SingleQuotedString(text),
        TokenKind::Hex => Token::HexStringLiteral(text),
        TokenKind::BinaryHex => Token::SingleQuotedByteStringLiteral(text),
        TokenKind::Graphic => Token::SingleQuotedString(text),
        TokenKind::GraphicHex => Token::HexStringLiteral(text),
        TokenKind::Host => Token::Placeholder(format!("${text}")),
        TokenKind::Marker => Token::Placeholder("?".to_owned()),
        TokenKind::Mark => mark(&text),
    };
    (single, 1)
}

fn word(tokens: &[SqlToken], at: usize) -> (Token, usize) {
    let text = &tokens[at].text;
    let next = tokens.get(at + 1);
    let next_opens = next.is_some_and(|t| t.is_mark("("));
    let plain = |value: String| {
        Token::Word(Word {
            value,
            quote_style: None,
            keyword: sqlparser::keywords::Keyword::NoKeyword,
        })
    };
    if text == "CURRENT"
        && let Some(register) = next.filter(|t| t.is_any(REGISTERS))
    {
        return (plain(format!("CURRENT {}", register.text)), 2);
    }
    if let Some(register) = text.strip_prefix("CURRENT_")
        && REGISTERS.contains(&register)
    {
        return (plain(format!("CURRENT {register}")), 1);
    }
    if text == "CONCAT" && !next_opens && at > 0 {
        return (Token::StringConcat, 1);
    }
    let after_into = at > 0 && tokens[at - 1].is_any(&["INTO", "UPDATE", "FROM"]);
    let function = FUNCTIONS.contains(&text.as_str()) && next_opens && at > 0;
    // VALUES after INSERT's columns, and SET after UPDATE's table, are not calls.
    let clause = match text.as_str() {
        "VALUES" | "SET" => true,
        "INSERT" | "UPDATE" | "DELETE" => tokens[at - usize::from(at > 0)].is("THEN"),
        _ => false,
    };
    if (function && !clause) || (after_into && !KEYWORDS.contains(&text.as_str())) {
        return (plain(text.clone()), 1);
    }
    // TABLE (fullselect) sees the tables before it in FROM.
    let is_query = |t: &SqlToken| t.is_any(&["SELECT", "WITH"]);
    if text == "TABLE" && next_opens && tokens.get(at + 2).is_some_and(is_query) {
        return (Token::make_keyword("LATERAL"), 1);
    }
    if KEYWORDS.contains(&text.as_str()) {
        return (Token::make_keyword(text), 1);
    }
    (plain(text.clone()), 1)
}

fn mark(text: &str) -> Token {
    match text {
        "||" => Token::StringConcat,
        "<>" => Token::Neq,
        "<=" => Token::LtEq,
        ">=" => Token::GtEq,
        "=" => Token::Eq,
        "<" => Token::Lt,
        ">" => Token::Gt,
        "+" => Token::Plus,
        "-" => Token::Minus,
        "*" => Token::Mul,
        "/" => Token::Div,
        "(" => Token::LParen,
        ")" => Token::RParen,
        "," => Token::Comma,
        "." => Token::Period,
        ";" => Token::SemiColon,
        "[" => Token::LBracket,
        "]" => Token::RBracket,
        "=>" => Token::RArrow,
        _ => Token::Colon,
    }
}

/// A problem for an error of the parser.
pub(crate) fn problem(error: &ParserError, tokens: &[SqlToken]) -> StatementProblem {
    let text = match error {
        ParserError::RecursionLimitExceeded => {
            let message = "the statement is nested too deeply";
            return StatementProblem::error(tokens.first().map_or(0, |t| t.at), -101, message);
        }
        ParserError::ParserError(text) | ParserError::TokenizerError(text) => text,
    };
    let (message, place) = match text.rsplit_once(" at Line: 1, Column: ") {
        Some((message, column)) => (message, column.trim().parse::<usize>().ok()),
        None => (text.as_str(), None),
    };
    let index = place.map_or(0, |column| column.saturating_sub(1));
    let end = tokens.last().map_or(0, |t| t.at);
    let at = tokens.get(index).map_or(end, |t| t.at);
    let message = match message
        .strip_prefix("Expected: ")
        .and_then(|m| m.split_once(", found: "))
    {
        Some((wanted, "EOF")) => format!("the statement ends where {wanted} is expected"),
        Some((wanted, found)) => format!("{found} stands where {wanted} is expected"),
        None => message.to_owned(),
    };
    let mut problem = StatementProblem::error(at, -104, message);
    // A misspelt keyword is often the word before: it was taken for an alias.
    for token in [index.checked_sub(1), Some(index)].into_iter().flatten() {
        let Some(token) = tokens.get(token).filter(|t| t.kind == TokenKind::Word) else {
            continue;
        };
        if KEYWORDS.contains(&token.text.as_str()) {
            continue;
        }
        if let Some(near) = base::nearest(&token.text, KEYWORDS.iter().copied()) {
            problem.at = token.at;
            problem.help = Some(format!("{} stands there; did you mean {near}?", token.text));
            break;
        }
    }
    problem
}
