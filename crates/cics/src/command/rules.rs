//! Whether the options of a command are allowed together.
//!
//! The translator checks programs by these rules and the command interpreter the
//! input of a user. Each has its own messages.

use super::row::{Command, OptionRule};

/// A rule between the options of a command that is broken.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum BrokenRule {
    /// One of these is needed.
    Missing(Vec<&'static str>),
    /// Only one of these may be there; all of them are.
    Together(Vec<&'static str>),
    /// The option needs one of the others.
    Needs(&'static str, &'static [&'static str]),
    /// The option is there, and so are these, which exclude it.
    Excludes(&'static str, Vec<&'static str>),
}

impl Command {
    /// The rules that the given options break, by bit. An option
    /// in `meant`, such as one that is misspelt, is not reported as missing.
    pub fn broken_rules(&self, given: u128, meant: u128) -> Vec<BrokenRule> {
        let is_in =
            |bits: u128, name: &str| self.index_of(name).is_some_and(|i| bits >> i & 1 == 1);
        let has = |name: &str| is_in(given, name);
        let present = |list: &[&'static str]| -> Vec<&'static str> {
            list.iter().copied().filter(|name| has(name)).collect()
        };
        let absent = |list: &[&str]| !list.iter().any(|name| is_in(given | meant, name));
        let required = self.options.iter().filter(|o| o.required);
        let missing = required.filter(|o| absent(&[o.name]));
        let mut broken: Vec<BrokenRule> = missing
            .map(|option| BrokenRule::Missing(vec![option.name]))
            .collect();
        for rule in self.rules {
            match rule {
                OptionRule::ExactlyOne(list) | OptionRule::AtLeastOne(list) if absent(list) => {
                    broken.push(BrokenRule::Missing(list.to_vec()));
                }
                OptionRule::ExactlyOne(list) | OptionRule::AtMostOne(list)
                    if present(list).len() > 1 =>
                {
                    broken.push(BrokenRule::Together(present(list)));
                }
                OptionRule::Needs(name, list) if has(name) && absent(list) => {
                    broken.push(BrokenRule::Needs(name, list));
                }
                OptionRule::Excludes(name, list) if has(name) && !present(list).is_empty() => {
                    broken.push(BrokenRule::Excludes(name, present(list)));
                }
                _ => {}
            }
        }
        broken
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::command::commands::read;

    fn bits(names: &[&str]) -> u128 {
        let index = |name: &&str| read::ROW.index_of(name).unwrap();
        names.iter().map(index).fold(0, |bits, i| bits | 1 << i)
    }

    #[test]
    fn options_that_are_missing_or_exclude_each_other_are_reported() {
        let broken =
            |given: &[&str], meant: &[&str]| read::ROW.broken_rules(bits(given), bits(meant));
        assert_eq!(broken(&["FILE", "RIDFLD", "INTO"], &[]), []);
        let missing = BrokenRule::Missing(vec!["FILE"]);
        assert_eq!(broken(&["RIDFLD", "INTO"], &[]), [missing]);
        assert_eq!(broken(&["RIDFLD", "INTO"], &["FILE"]), []);
        let both = BrokenRule::Together(vec!["INTO", "SET"]);
        assert_eq!(broken(&["FILE", "RIDFLD", "INTO", "SET"], &[]), [both]);
        let none = BrokenRule::Missing(vec!["INTO", "SET"]);
        assert_eq!(broken(&["FILE", "RIDFLD"], &[]), [none]);
    }
}
