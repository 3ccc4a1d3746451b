//! Lists of CPUs in the settings: `0-3,8`.

/// The CPUs of a list, ascending and without repeats.
pub fn parse(text: &str) -> Result<Vec<usize>, String> {
    let mut cpus = Vec::new();
    for part in text.split(',').map(str::trim) {
        let (first, last) = part.split_once('-').unwrap_or((part, part));
        let number = |n: &str| {
            n.trim()
                .parse::<usize>()
                .ok()
                .filter(|n| *n < MOST)
                .ok_or_else(|| format!("{n:?} is not a CPU's number in the list {text:?}"))
        };
        let (first, last) = (number(first)?, number(last)?);
        if first > last {
            return Err(format!("{part:?} runs backwards in the list {text:?}"));
        }
        cpus.extend(first..=last);
    }
    cpus.sort_unstable();
    cpus.dedup();
    Ok(cpus)
}

/// CPUs that a CPU set of Linux can name.
const MOST: usize = 1024;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_and_ranges_are_read() {
        assert_eq!(parse("0-2, 8,1").unwrap(), [0, 1, 2, 8]);
        for wrong in ["", "a", "3-1", "1,,2", "99999"] {
            assert!(parse(wrong).is_err(), "{wrong}");
        }
    }
}
