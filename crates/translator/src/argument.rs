//! The text in the parentheses of an option.

use cics::command::{DataDirection, OptionArgument, OptionRow};

use crate::token::{Token, TokenKind};

/// The kind of an argument.
#[derive(Debug, Clone)]
pub(crate) enum ArgumentValue {
    /// A data item with its subscripts and qualifiers.
    Item(Vec<Token>),
    /// A literal with its quotes.
    Literal(Token),
    /// A whole number.
    Integer(String),
    /// Something to compute.
    Expression(Vec<Token>),
    /// `ADDRESS OF` a data item.
    AddressOf(Vec<Token>),
    /// The option's value when it has no argument.
    Default(&'static str),
}

/// Whether an option's argument is a number.
pub(crate) fn is_number(argument: OptionArgument) -> bool {
    matches!(
        argument,
        OptionArgument::Halfword
            | OptionArgument::Fullword
            | OptionArgument::Doubleword
            | OptionArgument::Packed(_)
            | OptionArgument::Cvda
            | OptionArgument::HhMmSs
    )
}

pub(crate) fn wanted(option: &OptionRow) -> String {
    let what = match option.argument {
        OptionArgument::Name(n) => format!("a name of up to {n} characters"),
        OptionArgument::PtrRef | OptionArgument::PtrValue => {
            "a pointer or ADDRESS OF a data item".to_owned()
        }
        a if is_number(a) && option.direction == DataDirection::Out => {
            "a numeric data item".to_owned()
        }
        a if is_number(a) => "a number".to_owned(),
        _ => "a data item".to_owned(),
    };
    if option.direction == DataDirection::Out {
        format!("{what} to put its result in")
    } else {
        what
    }
}

/// Characters of a literal as the program will hold them.
pub(crate) fn literal_length(text: &str) -> usize {
    let Some(open) = text.find(['\'', '"']) else {
        return text.chars().count();
    };
    let quote = if text[open..].starts_with('"') {
        '"'
    } else {
        '\''
    };
    let inner: Vec<char> = text[open + 1..].chars().collect();
    let inner = &inner[..inner.len().saturating_sub(1)];
    if text[..open].eq_ignore_ascii_case("X") {
        return inner.len() / 2;
    }
    let doubled = inner
        .windows(2)
        .filter(|w| w[0] == quote && w[1] == quote)
        .count();
    inner.len() - doubled.min(inner.len() / 2)
}

/// The bytes of a literal as the program will hold them.
pub(crate) fn literal_bytes(text: &str) -> Vec<u8> {
    let Some(open) = text.find(['\'', '"']) else {
        return crate::source::encode(text);
    };
    let quote = &text[open..open + 1];
    let inner = text[open + 1..].strip_suffix(quote).unwrap_or("");
    if !text[..open].eq_ignore_ascii_case("X") {
        return crate::source::encode(&inner.replace(&quote.repeat(2), quote));
    }
    let digits: Vec<u8> = inner
        .chars()
        .filter_map(|c| c.to_digit(16))
        .map(|d| d as u8)
        .collect();
    digits
        .chunks_exact(2)
        .map(|pair| pair[0] << 4 | pair[1])
        .collect()
}

/// Characters of a literal without the blanks at its end, which a name may
/// have in any number.
pub(crate) fn significant_length(text: &str) -> usize {
    let body = text.trim_end_matches(['\'', '"']);
    let blanks = body.len() - body.trim_end_matches(' ').len();
    literal_length(text) - blanks.min(literal_length(text))
}

/// The kind of an argument's tokens. Returns `None` without tokens.
pub(crate) fn classify(tokens: &[Token]) -> Option<ArgumentValue> {
    let first = tokens.first()?;
    if tokens.len() == 1 {
        if first.kind == TokenKind::Literal {
            return Some(ArgumentValue::Literal(first.clone()));
        }
        if first.is_any(&["ZERO", "ZEROS", "ZEROES"]) {
            return Some(ArgumentValue::Integer("0".to_owned()));
        }
    }
    if let Some(number) = integer(tokens) {
        return Some(ArgumentValue::Integer(number));
    }
    if first.is("ADDRESS") && tokens.len() > 1 {
        let of = usize::from(tokens[1].is("OF"));
        return Some(ArgumentValue::AddressOf(tokens[1 + of..].to_vec()));
    }
    if first.is_any(&["LENGTH", "FUNCTION"]) && tokens.len() > 1 || is_arithmetic(tokens) {
        return Some(ArgumentValue::Expression(tokens.to_vec()));
    }
    Some(ArgumentValue::Item(tokens.to_vec()))
}

fn integer(tokens: &[Token]) -> Option<String> {
    let (sign, number) = match tokens {
        [n] => ("", n),
        [s, n] if s.is_mark('+') => ("", n),
        [s, n] if s.is("-") => ("-", n),
        _ => return None,
    };
    let digits = number.text.strip_prefix('-').unwrap_or(&number.text);
    (number.kind == TokenKind::Word
        && !digits.is_empty()
        && digits.bytes().all(|b| b.is_ascii_digit()))
    .then(|| format!("{sign}{}", number.text))
}

/// An operator outside all parentheses, or a number where no name is.
pub(crate) fn is_arithmetic(tokens: &[Token]) -> bool {
    let mut depth = 0i32;
    for (i, t) in tokens.iter().enumerate() {
        if t.is_mark('(') {
            if i == 0 {
                return true;
            }
            depth += 1;
        } else if t.is_mark(')') {
            depth -= 1;
        } else if depth == 0
            && i > 0
            && (t.is("-") || t.is_mark('+') || t.is_mark('*') || t.is_mark('/'))
        {
            return true;
        }
    }
    false
}
