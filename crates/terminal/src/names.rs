//! Names of logical units and terminal identifiers.
//!
//! A client that asks for no LU gets the next free name `LU00Tnnn`; one that
//! asks for a name gets it unless it is in use. The terminal identifier is the
//! last four characters of the LU's name, as autoinstall does it, or a generated
//! one where those are taken.
//! Reference: CICS customization guide, "The autoinstall control program".

use std::collections::HashSet;
use std::sync::{Mutex, MutexGuard, PoisonError};

use region::Name;
use tn3270::LuName;

/// The names of connected terminals.
#[derive(Debug, Default)]
pub struct NameTable(Mutex<TakenNames>);

#[derive(Debug, Default)]
struct TakenNames {
    units: HashSet<LuName>,
    terminals: HashSet<Name<4>>,
    next: u32,
}

/// The names of one terminal.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TerminalNames {
    /// The logical unit.
    pub unit: LuName,
    /// EIBTRMID.
    pub terminal: Name<4>,
    /// The name was generated, so another client may have it next.
    pub generated: bool,
}

impl NameTable {
    /// Takes names for a terminal. Returns `None` if the name that it asks for is
    /// in use, or all generated ones are.
    pub fn take(&self, asked: Option<&LuName>) -> Option<TerminalNames> {
        let mut names = self.lock();
        let Some(asked) = asked else {
            let terminal = names.free_terminal()?;
            let unit = LuName::parse(format!("LU00{terminal}").as_bytes())?;
            names.units.insert(unit.clone()).then_some(())?;
            names.terminals.insert(terminal);
            return Some(TerminalNames {
                unit,
                terminal,
                generated: true,
            });
        };
        if names.units.contains(asked) {
            return None;
        }
        let text = asked.as_str();
        let last = &text[text.len().saturating_sub(4)..];
        let own = Name::new(last).ok();
        let own = own.filter(|name| !names.terminals.contains(name));
        let terminal = match own {
            Some(own) => own,
            None => names.free_terminal()?,
        };
        names.units.insert(asked.clone());
        names.terminals.insert(terminal);
        Some(TerminalNames {
            unit: asked.clone(),
            terminal,
            generated: false,
        })
    }

    /// Gives the names of a terminal back.
    pub fn release(&self, given: &TerminalNames) {
        let mut names = self.lock();
        names.units.remove(&given.unit);
        names.terminals.remove(&given.terminal);
    }

    fn lock(&self) -> MutexGuard<'_, TakenNames> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl TakenNames {
    /// The next of T000 to TZZZ that is free.
    fn free_terminal(&mut self) -> Option<Name<4>> {
        const DIGITS: &[u8; 36] = b"0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ";
        for _ in 0..COUNT {
            self.next = self.next % COUNT + 1;
            let number = self.next % COUNT;
            let digit = |place: u32| DIGITS[(number / 36u32.pow(place) % 36) as usize];
            let name = Name::from_bytes([b'T', digit(2), digit(1), digit(0)]);
            if !self.terminals.contains(&name) {
                return Some(name);
            }
        }
        None
    }
}

/// Generated identifiers.
const COUNT: u32 = 36 * 36 * 36;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn generated_names_go_round_and_asked_names_are_kept_apart() {
        let table = NameTable::default();
        let first = table.take(None).unwrap();
        assert_eq!(first.unit.as_str(), "LU00T001");
        assert_eq!(first.terminal.to_string(), "T001");
        let asked = LuName::parse(b"BRANCH01").unwrap();
        let own = table.take(Some(&asked)).unwrap();
        assert_eq!(
            (own.terminal.to_string().as_str(), own.generated),
            ("CH01", false)
        );
        assert_eq!(table.take(Some(&asked)), None);
        let other = LuName::parse(b"XXCH01").unwrap();
        let other = table.take(Some(&other)).unwrap();
        assert_eq!(other.terminal.to_string(), "T002");
        table.release(&own);
        assert_eq!(table.take(Some(&asked)), Some(own));
    }
}
