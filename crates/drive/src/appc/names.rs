//! The names of the driver's nodes.
//!
//!
//! A server accepts one node of each name at a time, and several drivers may load
//! it at once. So the default name of a driver is unique to its process. Each of
//! its threads is a node with its own name.

use std::collections::BTreeSet;
use std::sync::OnceLock;

/// Maximum length of a name after its network.
const LONGEST: usize = 8;

/// This process's name, the same for all its populations, which may share nodes.
pub(super) fn own() -> &'static str {
    static OWN: OnceLock<String> = OnceLock::new();
    OWN.get_or_init(|| appc::own_name('D'))
}

/// The name of a thread's node. The first is `lu` itself. The others have their
/// number appended, and lose their last characters if it does not fit.
pub(super) fn of_thread(lu: &str, thread: usize) -> String {
    if thread == 0 {
        return lu.to_owned();
    }
    if numbered(lu, thread + 1).len() == lu.len() + digits(thread + 1) {
        return numbered(lu, thread + 1);
    }
    // If a shortened name is in use already, its number is skipped.
    let mut taken = BTreeSet::from([lu.to_owned()]);
    let mut number = 1;
    loop {
        number += 1;
        let name = numbered(lu, number);
        if taken.insert(name.clone()) && taken.len() > thread {
            return name;
        }
    }
}

fn numbered(lu: &str, number: usize) -> String {
    let (network, name) = match lu.split_once('.') {
        Some((network, name)) => (format!("{network}."), name),
        None => (String::new(), lu),
    };
    let room = LONGEST - digits(number);
    // Invalid names are rejected before this point.
    let kept: String = name.chars().take(room).collect();
    format!("{network}{kept}{number}")
}

fn digits(number: usize) -> usize {
    number.to_string().len()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn threads_after_the_first_have_their_number_after_the_name() {
        for (lu, thread, name) in [
            ("NET.DRIVE", 0, "NET.DRIVE"),
            ("NET.DRIVE", 1, "NET.DRIVE2"),
            ("DRIVE", 9, "DRIVE10"),
            ("NET.EIGHTLTR", 9, "NET.EIGHTL10"),
        ] {
            assert_eq!(of_thread(lu, thread), name);
        }
    }

    #[test]
    fn no_two_threads_have_one_name() {
        // Names that end with a thread's number, and others.
        for lu in ["NET.D1234562", "NET.D1234512", "NET.D1", "A1111111", own()] {
            let names: BTreeSet<String> = (0..300).map(|n| of_thread(lu, n)).collect();
            assert_eq!(names.len(), 300, "{lu}");
            for name in names {
                assert!(name.parse::<sna::LuName>().is_ok(), "{name}");
            }
        }
    }

    #[test]
    fn a_process_has_one_name() {
        assert_eq!(own(), own());
        assert!(own().starts_with("TUPELO.D"), "{}", own());
    }
}
