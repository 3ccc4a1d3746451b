//! Entries with keys that are never used for another entry later: an event of
//! epoll for a closed socket finds no entry.

/// Names an entry of a slab; a removed entry is not found.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Key {
    index: u32,
    generation: u32,
}

impl Key {
    /// The key as epoll keeps it.
    pub fn to_bits(self) -> u64 {
        u64::from(self.generation) << 32 | u64::from(self.index)
    }

    /// The key of these bits.
    pub fn from_bits(bits: u64) -> Key {
        Key {
            index: bits as u32,
            generation: (bits >> 32) as u32,
        }
    }
}

/// Entries by their keys.
pub struct KeyedSlab<T> {
    places: Vec<SlabSlot<T>>,
    free: Vec<u32>,
}

struct SlabSlot<T> {
    generation: u32,
    value: Option<T>,
}

impl<T> Default for KeyedSlab<T> {
    fn default() -> Self {
        KeyedSlab {
            places: Vec::new(),
            free: Vec::new(),
        }
    }
}

impl<T> KeyedSlab<T> {
    /// Inserts an entry that contains its key.
    pub fn insert(&mut self, value: impl FnOnce(Key) -> T) -> Key {
        let index = self.free.pop().unwrap_or_else(|| {
            self.places.push(SlabSlot {
                generation: 0,
                value: None,
            });
            (self.places.len() - 1) as u32
        });
        let place = &mut self.places[index as usize];
        let generation = place.generation;
        let key = Key { index, generation };
        place.value = Some(value(key));
        key
    }

    /// An entry.
    pub fn get(&self, key: Key) -> Option<&T> {
        let place = self.places.get(key.index as usize)?;
        let same = place.generation == key.generation;
        place.value.as_ref().filter(|_| same)
    }

    /// Takes an entry out that [`KeyedSlab::put_back`] or [`KeyedSlab::forget`] follows.
    pub fn take(&mut self, key: Key) -> Option<T> {
        let place = self.places.get_mut(key.index as usize)?;
        if place.generation == key.generation {
            place.value.take()
        } else {
            None
        }
    }

    /// Puts an entry back that was taken out.
    pub fn put_back(&mut self, key: Key, value: T) {
        self.places[key.index as usize].value = Some(value);
    }

    /// Frees the place of an entry that was taken out.
    pub fn forget(&mut self, key: Key) {
        let place = &mut self.places[key.index as usize];
        place.generation = place.generation.wrapping_add(1);
        self.free.push(key.index);
    }

    /// Removes an entry.
    pub fn remove(&mut self, key: Key) -> Option<T> {
        let value = self.take(key)?;
        self.forget(key);
        Some(value)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_of_an_entry_that_is_gone_finds_nothing_though_its_place_is_used_again() {
        let mut slab = KeyedSlab::default();
        let first = slab.insert(|_| "first");
        assert_eq!(slab.take(first), Some("first"));
        assert_eq!(slab.get(first), None);
        assert_eq!(slab.remove(first), None);
        slab.put_back(first, "again");
        assert_eq!(slab.remove(first), Some("again"));
        let second = slab.insert(|key| {
            assert_ne!(key, first);
            "second"
        });
        assert_eq!(second.to_bits() as u32, first.to_bits() as u32);
        assert_eq!(slab.get(first), None);
        assert_eq!(slab.take(first), None);
        assert_eq!(slab.get(Key::from_bits(second.to_bits())), Some(&"second"));
        assert_eq!(slab.get(Key::from_bits(u64::MAX)), None);
    }
}
