//! The order in which PICTURE symbols may follow each other.
//!
//! Reference: ISO/IEC 1989, "Precedence rules"; Enterprise COBOL Language
//! Reference, "PICTURE clause, symbol order". Each symbol of a string belongs
//! to a [`SymbolClass`]; of two symbols in one string the first's class must be
//! listed for the second's.

use super::{Symbol, SymbolRun};

/// A row of the precedence table.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum SymbolClass {
    Insertion,
    Comma,
    Point,
    LeadingSign,
    TrailingSign,
    CreditDebit,
    LeadingCurrency,
    TrailingCurrency,
    SuppressBefore,
    SuppressAfter,
    FloatSignBefore,
    FloatSignAfter,
    FloatCurrencyBefore,
    FloatCurrencyAfter,
    Nine,
    Letter,
    Signed,
    Assumed,
    ScalingRight,
    ScalingLeft,
    Wide,
}

use SymbolClass::{
    Assumed, Comma, CreditDebit, FloatCurrencyAfter, FloatCurrencyBefore, FloatSignAfter,
    FloatSignBefore, Insertion, LeadingCurrency, LeadingSign, Letter, Nine, Point, ScalingLeft,
    ScalingRight, Signed, SuppressAfter, SuppressBefore, TrailingCurrency, TrailingSign, Wide,
};

impl SymbolClass {
    /// The classes that may be anywhere before this one.
    fn may_follow(self) -> &'static [SymbolClass] {
        match self {
            Insertion => &[
                Insertion,
                Comma,
                Point,
                LeadingSign,
                LeadingCurrency,
                SuppressBefore,
                SuppressAfter,
                FloatSignBefore,
                FloatSignAfter,
                FloatCurrencyBefore,
                FloatCurrencyAfter,
                Nine,
                Letter,
                Assumed,
                ScalingLeft,
                ScalingRight,
                Wide,
            ],
            Comma => &[
                Insertion,
                Comma,
                Point,
                LeadingSign,
                LeadingCurrency,
                SuppressBefore,
                SuppressAfter,
                FloatSignBefore,
                FloatSignAfter,
                FloatCurrencyBefore,
                FloatCurrencyAfter,
                Nine,
                Assumed,
                ScalingLeft,
                ScalingRight,
            ],
            Point => &[
                Insertion,
                Comma,
                LeadingSign,
                LeadingCurrency,
                SuppressBefore,
                FloatSignBefore,
                FloatCurrencyBefore,
                Nine,
            ],
            LeadingSign | Signed => &[],
            TrailingSign | CreditDebit => &[
                Insertion,
                Comma,
                Point,
                LeadingCurrency,
                TrailingCurrency,
                SuppressBefore,
                SuppressAfter,
                FloatCurrencyBefore,
                FloatCurrencyAfter,
                Nine,
                Assumed,
                ScalingLeft,
                ScalingRight,
            ],
            LeadingCurrency => &[LeadingSign],
            TrailingCurrency => &[
                Insertion,
                Comma,
                Point,
                LeadingSign,
                SuppressBefore,
                SuppressAfter,
                Nine,
                Assumed,
                ScalingLeft,
                ScalingRight,
            ],
            SuppressBefore => &[
                Insertion,
                Comma,
                LeadingSign,
                LeadingCurrency,
                SuppressBefore,
            ],
            SuppressAfter => &[
                Insertion,
                Comma,
                Point,
                LeadingSign,
                LeadingCurrency,
                SuppressBefore,
                SuppressAfter,
                Assumed,
                ScalingLeft,
            ],
            FloatSignBefore => &[Insertion, Comma, LeadingCurrency, FloatSignBefore],
            FloatSignAfter => &[
                Insertion,
                Comma,
                Point,
                LeadingCurrency,
                FloatSignBefore,
                FloatSignAfter,
                Assumed,
                ScalingLeft,
            ],
            FloatCurrencyBefore => &[Insertion, Comma, LeadingSign, FloatCurrencyBefore],
            FloatCurrencyAfter => &[
                Insertion,
                Comma,
                Point,
                LeadingSign,
                FloatCurrencyBefore,
                FloatCurrencyAfter,
                Assumed,
                ScalingLeft,
            ],
            Nine => &[
                Insertion,
                Comma,
                Point,
                LeadingSign,
                LeadingCurrency,
                SuppressBefore,
                FloatSignBefore,
                FloatCurrencyBefore,
                Nine,
                Letter,
                Signed,
                Assumed,
                ScalingLeft,
            ],
            Letter => &[Insertion, Nine, Letter],
            Assumed => &[
                Insertion,
                Comma,
                LeadingSign,
                LeadingCurrency,
                SuppressBefore,
                FloatSignBefore,
                FloatCurrencyBefore,
                Nine,
                Signed,
                ScalingRight,
            ],
            ScalingRight => &[
                Insertion,
                Comma,
                LeadingSign,
                LeadingCurrency,
                SuppressBefore,
                FloatSignBefore,
                FloatCurrencyBefore,
                Nine,
                Signed,
                ScalingRight,
            ],
            ScalingLeft => &[LeadingSign, LeadingCurrency, Signed, Assumed, ScalingLeft],
            Wide => &[Insertion, Wide],
        }
    }

    /// Its name in a diagnostic.
    fn name(self) -> &'static str {
        match self {
            Insertion => "B, 0 or /",
            Comma => "the separator of thousands",
            Point => "the decimal point",
            LeadingSign => "a leading sign",
            TrailingSign => "a trailing sign",
            CreditDebit => "CR or DB",
            LeadingCurrency => "a leading currency symbol",
            TrailingCurrency => "a trailing currency symbol",
            SuppressBefore => "Z or * before the point",
            SuppressAfter => "Z or * after the point",
            FloatSignBefore => "a floating sign before the point",
            FloatSignAfter => "a floating sign after the point",
            FloatCurrencyBefore => "a floating currency symbol before the point",
            FloatCurrencyAfter => "a floating currency symbol after the point",
            Nine => "9",
            Letter => "A or X",
            Signed => "S",
            Assumed => "V",
            ScalingRight => "P at the right",
            ScalingLeft => "P at the left",
            Wide => "N or G",
        }
    }
}

/// Checks the order of symbols; the error is a sentence.
pub fn check(runs: &[SymbolRun]) -> Result<(), String> {
    let classes: Vec<SymbolClass> = (0..runs.len()).map(|i| class(runs, i)).collect();
    for (index, &second) in classes.iter().enumerate() {
        let once = matches!(
            second,
            Point
                | Signed
                | Assumed
                | LeadingSign
                | TrailingSign
                | CreditDebit
                | LeadingCurrency
                | TrailingCurrency
        );
        if once && (runs[index].1 > 1 || classes[..index].contains(&second)) {
            return Err(format!(
                "{} may occur in a PICTURE only once",
                second.name()
            ));
        }
        let wrong = classes[..index]
            .iter()
            .find(|first| !second.may_follow().contains(first));
        if let Some(first) = wrong {
            return Err(format!(
                "{} cannot follow {} in a PICTURE",
                second.name(),
                first.name()
            ));
        }
    }
    let has = |wanted: Symbol| runs.iter().any(|(symbol, _)| *symbol == wanted);
    if has(Symbol::Blank) && has(Symbol::Star) {
        return Err("Z and * cannot be in the same PICTURE".into());
    }
    if has(Symbol::National) && has(Symbol::Dbcs) {
        return Err("N and G cannot be in the same PICTURE".into());
    }
    if has(Symbol::Dbcs) && has(Symbol::Comma) {
        return Err("only B can be inserted between G".into());
    }
    if has(Symbol::Sign('+')) && has(Symbol::Sign('-')) {
        return Err("+ and - cannot be in the same PICTURE".into());
    }
    let currency: Vec<u64> = runs
        .iter()
        .filter(|r| r.0 == Symbol::Currency)
        .map(|r| r.1)
        .collect();
    let has_digit = has(Symbol::Nine) || has(Symbol::Blank) || has(Symbol::Star);
    if currency == [1, 1] && !has_digit {
        return Err("a floating currency symbol must be repeated in a PICTURE".into());
    }
    check_scaling(runs)
}

/// P is at one end of the digits; only S, V and signs are outside it.
fn check_scaling(runs: &[SymbolRun]) -> Result<(), String> {
    let Some(at) = runs.iter().position(|r| r.0 == Symbol::Scaling) else {
        return Ok(());
    };
    let before = &runs[..at];
    let after = &runs[at + 1..];
    let outside =
        |runs: &[SymbolRun], allowed: &[Symbol]| runs.iter().all(|r| allowed.contains(&r.0));
    let at_start = outside(before, &[Symbol::Signed, Symbol::Assumed]);
    let at_end = outside(after, &[Symbol::Assumed]);
    if at_start || at_end {
        Ok(())
    } else {
        Err("P must be at the start or the end of a PICTURE".into())
    }
}

/// Whether the sign or currency run at `index` is part of a floating string:
/// repeated, or repeated across insertion symbols.
pub fn is_floating(runs: &[SymbolRun], index: usize) -> bool {
    let (symbol, count) = runs[index];
    if !matches!(symbol, Symbol::Sign(_) | Symbol::Currency) {
        return false;
    }
    let inserted = |run: &&SymbolRun| matches!(run.0, Symbol::Insertion | Symbol::Comma);
    let next = runs[index + 1..].iter().find(|r| !inserted(r));
    let previous = runs[..index].iter().rev().find(|r| !inserted(r));
    // A string that floats before the point continues after it.
    let point = |run: &&SymbolRun| matches!(run.0, Symbol::Point | Symbol::Assumed);
    let across = runs[..index]
        .iter()
        .rev()
        .find(|r| !inserted(r) && !point(r));
    count > 1
        || next.is_some_and(|r| r.0 == symbol)
        || previous.is_some_and(|r| r.0 == symbol)
        || across.is_some_and(|r| r.0 == symbol && r.1 > 1)
}

/// The class of the run at `index`.
fn class(runs: &[SymbolRun], index: usize) -> SymbolClass {
    let before = &runs[..index];
    let after_point = before
        .iter()
        .any(|r| matches!(r.0, Symbol::Point | Symbol::Assumed));
    let last = index + 1 == runs.len();
    let before_sign = match &runs[index + 1..] {
        [] => true,
        [(symbol, 1)] => matches!(symbol, Symbol::Sign(_) | Symbol::CreditDebit),
        _ => false,
    };
    let floating = is_floating(runs, index);
    match runs[index].0 {
        Symbol::Alphabetic | Symbol::Any => Letter,
        Symbol::Nine => Nine,
        Symbol::National | Symbol::Dbcs => Wide,
        Symbol::Insertion => Insertion,
        Symbol::Comma => Comma,
        Symbol::Point => Point,
        Symbol::CreditDebit => CreditDebit,
        Symbol::Signed => Signed,
        Symbol::Assumed => Assumed,
        Symbol::Blank | Symbol::Star if after_point => SuppressAfter,
        Symbol::Blank | Symbol::Star => SuppressBefore,
        Symbol::Sign(_) if floating && after_point => FloatSignAfter,
        Symbol::Sign(_) if floating => FloatSignBefore,
        Symbol::Sign(_) if last && index > 0 => TrailingSign,
        Symbol::Sign(_) => LeadingSign,
        Symbol::Currency if floating && after_point => FloatCurrencyAfter,
        Symbol::Currency if floating => FloatCurrencyBefore,
        // As for `cobc`, a symbol after one run of others is not at the end, and a
        // trailing sign may still follow.
        Symbol::Currency if before_sign && index >= 2 => TrailingCurrency,
        Symbol::Currency => LeadingCurrency,
        Symbol::Scaling => {
            let digits_before = before.iter().any(|r| {
                matches!(
                    r.0,
                    Symbol::Nine
                        | Symbol::Blank
                        | Symbol::Star
                        | Symbol::Sign(_)
                        | Symbol::Currency
                )
            });
            if digits_before {
                ScalingRight
            } else {
                ScalingLeft
            }
        }
    }
}
