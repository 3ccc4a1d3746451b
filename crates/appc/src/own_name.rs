//! A generated logical unit name for a process without a configured one.
//!
//! Two nodes of one name cannot both have sessions with a third: session limits
//! apply to a pair of names. So a client without a configured name generates
//! one that no other process has, on this machine or on another.

use std::hash::BuildHasher;

/// The network of names that are made up.
const NETWORK: &str = "TUPELO";
/// A logical unit's name has eight characters at most; the first is a letter.
const DIGITS: usize = 7;
const ALPHABET: &[u8; 36] = b"0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ";

/// A name that begins with this letter and is this process's own.
///
/// The seven characters after the letter are derived from the process id and random
/// bytes. Process ids alone are equal in many containers.
pub fn own_name(letter: char) -> String {
    let random = std::collections::hash_map::RandomState::new();
    name(letter, random.hash_one(std::process::id()))
}

fn name(letter: char, mut number: u64) -> String {
    let mut digits = String::with_capacity(DIGITS);
    for _ in 0..DIGITS {
        digits.push(ALPHABET[(number % 36) as usize] as char);
        number /= 36;
    }
    format!("{NETWORK}.{letter}{digits}")
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn every_number_makes_a_valid_name() {
        for number in [0, 1, 35, 36, u64::MAX, 0x8000_0000_0000_0000] {
            let name = name('C', number);
            let lu: sna::LuName = name.parse().unwrap();
            assert_eq!(lu.as_str(), name);
            assert_eq!(lu.lu().len(), 8, "{name}");
        }
    }

    #[test]
    fn names_of_many_processes_differ() {
        let names: BTreeSet<String> = (0..1000).map(|_| own_name('A')).collect();
        assert_eq!(names.len(), 1000);
    }
}
