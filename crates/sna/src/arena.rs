//! A table of values under keys that are never reused.
//!
//! Sessions and conversations are created and removed. An event or a verb for a
//! removed one must find nothing, not its successor. So a key is a slot number and
//! the slot's generation.

use std::marker::PhantomData;

/// A key made by an [`Arena`]: slot number below, generation above.
pub trait Key: Copy + Eq {
    /// The key with this raw value.
    fn from_raw(raw: u64) -> Self;
    /// The raw value.
    fn raw(self) -> u64;
}

/// Values by key; insertion, look-up and removal take constant time.
#[derive(Debug)]
pub(crate) struct Arena<K, T> {
    slots: Vec<(u32, Option<T>)>,
    free: Vec<u32>,
    live: usize,
    keys: PhantomData<K>,
}

impl<K: Key, T> Arena<K, T> {
    pub fn new() -> Self {
        Arena {
            slots: Vec::new(),
            free: Vec::new(),
            live: 0,
            keys: PhantomData,
        }
    }

    pub fn len(&self) -> usize {
        self.live
    }

    pub fn insert(&mut self, value: T) -> K {
        self.live += 1;
        let at = match self.free.pop() {
            Some(at) => at,
            None => {
                self.slots.push((1, None));
                self.slots.len() as u32 - 1
            }
        };
        let slot = &mut self.slots[at as usize];
        slot.1 = Some(value);
        K::from_raw(u64::from(slot.0) << 32 | u64::from(at))
    }

    pub fn get(&self, key: K) -> Option<&T> {
        let (at, generation) = split(key.raw());
        match self.slots.get(at) {
            Some((g, value)) if *g == generation => value.as_ref(),
            _ => None,
        }
    }

    pub fn get_mut(&mut self, key: K) -> Option<&mut T> {
        let (at, generation) = split(key.raw());
        match self.slots.get_mut(at) {
            Some((g, value)) if *g == generation => value.as_mut(),
            _ => None,
        }
    }

    pub fn remove(&mut self, key: K) -> Option<T> {
        let (at, generation) = split(key.raw());
        let slot = self.slots.get_mut(at).filter(|s| s.0 == generation)?;
        let value = slot.1.take()?;
        slot.0 = slot.0.wrapping_add(1).max(1);
        self.free.push(at as u32);
        self.live -= 1;
        Some(value)
    }

    pub fn iter(&self) -> impl Iterator<Item = (K, &T)> {
        self.slots
            .iter()
            .enumerate()
            .filter_map(|(at, (g, value))| {
                let key = K::from_raw(u64::from(*g) << 32 | at as u64);
                value.as_ref().map(|v| (key, v))
            })
    }
}

fn split(raw: u64) -> (usize, u32) {
    ((raw & 0xFFFF_FFFF) as usize, (raw >> 32) as u32)
}

/// Declares a key newtype.
macro_rules! key {
    ($(#[$doc:meta])* $name:ident) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub struct $name(u64);

        impl $crate::arena::Key for $name {
            fn from_raw(raw: u64) -> Self {
                $name(raw)
            }
            fn raw(self) -> u64 {
                self.0
            }
        }

        impl std::fmt::Display for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                write!(f, "{}.{}", self.0 & 0xFFFF_FFFF, self.0 >> 32)
            }
        }
    };
}
pub(crate) use key;

#[cfg(test)]
mod tests {
    use super::*;
    key!(
        /// A key for the tests.
        TestKey
    );

    #[test]
    fn a_key_of_a_removed_value_finds_nothing() {
        let mut arena: Arena<TestKey, &str> = Arena::new();
        let a = arena.insert("a");
        assert_eq!(arena.remove(a), Some("a"));
        let b = arena.insert("b");
        assert_ne!(a, b);
        assert_eq!(arena.get(a), None);
        assert_eq!(arena.get_mut(b), Some(&mut "b"));
        assert_eq!(arena.remove(a), None);
        assert_eq!(arena.len(), 1);
    }
}
