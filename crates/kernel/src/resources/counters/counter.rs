//! A counter and its arithmetic.
//!
//! Numbers are unsigned doublewords. A counter at its limit has a value one above its maximum,
//! which may need one bit more.
//!
//! Reference: CICS application programming, "Named counter server".
//! Invariant: no store and no name; a refused request changes nothing.

/// A counter.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct NamedCounter {
    /// The next number, from the minimum to one above the maximum.
    pub value: i128,
    /// The number after a wrap.
    pub minimum: u64,
    /// The last number that it gives.
    pub maximum: u64,
}

/// The options of GET.
#[derive(Debug, Clone, Copy, Default)]
pub struct CounterIncrement {
    /// How many numbers.
    pub increment: u64,
    /// Return the numbers that are left if there are fewer (REDUCE).
    pub reduce: bool,
    /// Wrap if no numbers are left.
    pub wrap: bool,
}

/// The condition on the number for a request to be granted.
#[derive(Debug, Clone, Copy, Default)]
pub struct CounterRange {
    /// COMPAREMIN.
    pub minimum: Option<i128>,
    /// COMPAREMAX.
    pub maximum: Option<i128>,
}

/// Why a request was refused.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CounterRefusal {
    /// The last number was given.
    AtLimit,
    /// There are numbers left.
    NotAtLimit,
    /// The number is not in the range asked for.
    OutOfRange,
    /// The new number is outside of the counter's limits.
    Value,
    /// More numbers than the counter has between its limits.
    Increment,
}

/// Bytes of a counter in the store.
const STORED_BYTES: usize = 32;

impl NamedCounter {
    /// A counter; none when its value is not between its limits.
    pub fn new(value: u64, minimum: u64, maximum: u64) -> Option<NamedCounter> {
        let counter = NamedCounter {
            value: value.into(),
            minimum,
            maximum,
        };
        (minimum <= maximum && counter.holds(value.into())).then_some(counter)
    }

    /// Returns the next number and advances.
    pub fn get(
        &mut self,
        wanted: CounterIncrement,
        range: CounterRange,
    ) -> Result<u64, CounterRefusal> {
        let mut increment = self.check_increment(wanted.increment)?;
        let mut value = self.value;
        let left = self.limit() - value;
        if left == 0 || increment > left {
            if left > 0 && wanted.reduce {
                increment = left;
            } else if wanted.wrap {
                value = self.minimum.into();
            } else {
                return Err(CounterRefusal::AtLimit);
            }
        }
        range.check(value)?;
        self.value = value + increment;
        // Below the limit, so it is a doubleword.
        Ok(value as u64)
    }

    /// Wraps, if fewer numbers than `increment` are left, or none.
    pub fn rewind(&mut self, increment: u64) -> Result<(), CounterRefusal> {
        let increment = self.check_increment(increment)?;
        let left = self.limit() - self.value;
        if left > 0 && left >= increment {
            return Err(CounterRefusal::NotAtLimit);
        }
        self.value = self.minimum.into();
        Ok(())
    }

    /// Sets the next number.
    pub fn update(&mut self, value: u64, range: CounterRange) -> Result<(), CounterRefusal> {
        let value = i128::from(value);
        if !self.holds(value) {
            return Err(CounterRefusal::Value);
        }
        range.check(self.value)?;
        self.value = value;
        Ok(())
    }

    /// As it is kept in the store: value, minimum, maximum, big endian.
    pub fn emit(&self) -> [u8; STORED_BYTES] {
        let mut bytes = [0; STORED_BYTES];
        bytes[..16].copy_from_slice(&self.value.to_be_bytes());
        bytes[16..24].copy_from_slice(&self.minimum.to_be_bytes());
        bytes[24..].copy_from_slice(&self.maximum.to_be_bytes());
        bytes
    }

    /// As [`NamedCounter::emit`] wrote it; none for anything else.
    pub fn parse(bytes: &[u8]) -> Option<NamedCounter> {
        let bytes: &[u8; STORED_BYTES] = bytes.try_into().ok()?;
        let (value, rest) = bytes.split_first_chunk::<16>()?;
        let (minimum, rest) = rest.split_first_chunk::<8>()?;
        let counter = NamedCounter {
            value: i128::from_be_bytes(*value),
            minimum: u64::from_be_bytes(*minimum),
            maximum: u64::from_be_bytes(*rest.first_chunk()?),
        };
        (counter.minimum <= counter.maximum && counter.holds(counter.value)).then_some(counter)
    }

    fn limit(&self) -> i128 {
        i128::from(self.maximum) + 1
    }

    fn holds(&self, value: i128) -> bool {
        (i128::from(self.minimum)..=self.limit()).contains(&value)
    }

    fn check_increment(&self, increment: u64) -> Result<i128, CounterRefusal> {
        let increment = i128::from(increment);
        if increment <= self.limit() - i128::from(self.minimum) {
            Ok(increment)
        } else {
            Err(CounterRefusal::Increment)
        }
    }
}

impl CounterRange {
    /// Both comparisons hold; or either, where the minimum is above the
    /// maximum.
    fn check(&self, value: i128) -> Result<(), CounterRefusal> {
        let above = self.minimum.is_none_or(|min| value >= min);
        let below = self.maximum.is_none_or(|max| value <= max);
        let either = matches!((self.minimum, self.maximum), (Some(min), Some(max)) if min > max);
        if (above && below) || (either && (above || below)) {
            Ok(())
        } else {
            Err(CounterRefusal::OutOfRange)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const ONE: CounterIncrement = CounterIncrement {
        increment: 1,
        reduce: false,
        wrap: false,
    };
    const ANY: CounterRange = CounterRange {
        minimum: None,
        maximum: None,
    };

    #[test]
    fn the_last_number_is_given_once_and_then_the_counter_is_at_its_limit() {
        let mut c = NamedCounter::new(u64::MAX - 1, 5, u64::MAX).unwrap();
        assert_eq!(c.rewind(1), Err(CounterRefusal::NotAtLimit));
        assert_eq!(c.get(ONE, ANY), Ok(u64::MAX - 1));
        assert_eq!(c.get(ONE, ANY), Ok(u64::MAX));
        assert_eq!(c.get(ONE, ANY), Err(CounterRefusal::AtLimit));
        assert_eq!(NamedCounter::parse(&c.emit()), Some(c));
        assert_eq!(c.rewind(1), Ok(()));
        assert_eq!(c.get(ONE, ANY), Ok(5));
    }

    #[test]
    fn an_increment_that_is_too_large_fails_or_is_reduced_or_begins_again() {
        let at_8 = NamedCounter::new(8, 1, 10).unwrap();
        let five = CounterIncrement {
            increment: 5,
            ..ONE
        };
        let (mut c, reduce, wrap) = (
            at_8,
            CounterIncrement {
                reduce: true,
                ..five
            },
            CounterIncrement { wrap: true, ..five },
        );
        assert_eq!(c.get(five, ANY), Err(CounterRefusal::AtLimit));
        assert_eq!(c.rewind(3), Err(CounterRefusal::NotAtLimit));
        assert_eq!((c.get(reduce, ANY), c.value), (Ok(8), 11));
        c = at_8;
        assert_eq!((c.get(wrap, ANY), c.value), (Ok(1), 6));
        c = at_8;
        assert_eq!(c.rewind(5), Ok(()));
        assert_eq!(
            c.get(
                CounterIncrement {
                    increment: 11,
                    ..ONE
                },
                ANY
            ),
            Err(CounterRefusal::Increment)
        );
    }

    #[test]
    fn a_range_with_minimum_over_maximum_needs_only_one_comparison() {
        let range = |minimum, maximum| CounterRange {
            minimum: Some(minimum),
            maximum: Some(maximum),
        };
        let mut c = NamedCounter::new(50, 0, 100).unwrap();
        assert_eq!(c.get(ONE, range(60, 70)), Err(CounterRefusal::OutOfRange));
        assert_eq!(c.get(ONE, range(70, 60)), Ok(50));
        assert_eq!(c.get(ONE, range(70, 50)), Err(CounterRefusal::OutOfRange));
        assert_eq!(c.update(101, range(51, 51)), Ok(()));
        assert_eq!(c.update(102, ANY), Err(CounterRefusal::Value));
    }

    proptest! {
        /// After any command the counter is between its limits and reads
        /// back as it was written.
        #[test]
        fn a_counter_never_leaves_its_limits(
            (minimum, maximum) in (0u64..20, 20u64..40),
            steps in prop::collection::vec((0u8..6, 0u64..45), 0..60),
        ) {
            let mut c = NamedCounter::new(minimum, minimum, maximum).unwrap();
            for (what, n) in steps {
                let wanted = CounterIncrement { increment: n, reduce: what & 1 != 0, wrap: what & 2 != 0 };
                match what {
                    0..4 => if let Ok(given) = c.get(wanted, ANY) {
                        prop_assert!((minimum..=maximum).contains(&given));
                    },
                    4 => { let _ = c.rewind(n); }
                    _ => { let _ = c.update(n, ANY); }
                }
                prop_assert_eq!(NamedCounter::parse(&c.emit()), Some(c));
            }
        }

        #[test]
        fn no_stored_bytes_make_the_reader_panic(bytes in prop::collection::vec(any::<u8>(), 0..40)) {
            if let Some(mut c) = NamedCounter::parse(&bytes) {
                let _ = c.get(ONE, ANY);
            }
        }
    }
}
