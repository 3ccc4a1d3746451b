//! The records that a task has read for update.
//!
//! The region has the list that counts, with the locks. The worker has one of
//! the same kind for its task, so that it can answer a REWRITE without READ
//! UPDATE itself.
//!
//! Reference: CICS API reference, READ UPDATE, TOKEN, REWRITE, DELETE, UNLOCK.

/// A record read for update. `F` is what the holder names files by.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UpdateHold<F> {
    /// The file that has the record.
    pub file: F,
    /// The number that a command may name it by; never 0.
    pub token: u32,
    /// READ named TOKEN, so only a command with this TOKEN means the record.
    pub by_token: bool,
    /// The position of a browse at it: its key, or of a path the alternate key
    /// and its key.
    pub position: Box<[u8]>,
    /// The offset of its own key in the position.
    pub key_at: usize,
}

impl<F> UpdateHold<F> {
    /// The record's own key.
    pub fn key(&self) -> &[u8] {
        self.position.get(self.key_at..).unwrap_or_default()
    }

    /// The alternate key by which it was read.
    pub fn alternate_key(&self) -> Option<&[u8]> {
        let key = self.position.get(..self.key_at)?;
        (!key.is_empty()).then_some(key)
    }
}

/// All records that a task has read for update.
#[derive(Debug)]
pub struct HeldRecords<F> {
    list: Vec<UpdateHold<F>>,
    last_token: u32,
}

impl<F> Default for HeldRecords<F> {
    fn default() -> Self {
        HeldRecords {
            list: Vec::new(),
            last_token: 0,
        }
    }
}

impl<F: Copy + PartialEq> HeldRecords<F> {
    /// The token of the next record that is read for update.
    pub fn next_token(&mut self) -> u32 {
        self.last_token = self.last_token.wrapping_add(1).max(1);
        self.last_token
    }

    /// A record was read for update.
    pub fn add(&mut self, hold: UpdateHold<F>) {
        self.list.push(hold);
    }

    /// The record with this token, or the last one that was read without
    /// TOKEN.
    pub fn find(&self, file: F, token: Option<u32>) -> Option<&UpdateHold<F>> {
        let mut of_file = self.list.iter().rev().filter(|hold| hold.file == file);
        of_file.find(|hold| token.map_or(!hold.by_token, |token| hold.token == token))
    }

    /// Whether a record at this position, or with this key, is held.
    pub fn holds(&self, file: F, position: &[u8]) -> bool {
        let mut of_file = self.list.iter().filter(|hold| hold.file == file);
        of_file.any(|hold| *hold.position == *position || hold.key() == position)
    }

    /// The record of a token is no longer held.
    pub fn release(&mut self, file: F, token: u32) {
        self.list
            .retain(|hold| hold.file != file || hold.token != token);
    }

    /// Takes out the record of a token, or without one all of the file's.
    pub fn take(&mut self, file: F, token: Option<u32>) -> Vec<UpdateHold<F>> {
        let of = |hold: &mut UpdateHold<F>| {
            hold.file == file && token.is_none_or(|token| token == hold.token)
        };
        self.list.extract_if(.., of).collect()
    }

    /// No record is held beyond the end of a unit of work.
    pub fn clear(&mut self) {
        self.list.clear();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn hold(token: u32, by_token: bool, position: &[u8]) -> UpdateHold<u8> {
        UpdateHold {
            file: 0,
            token,
            by_token,
            position: position.into(),
            key_at: 2,
        }
    }

    #[test]
    fn a_token_alone_names_a_record_that_was_read_with_one() {
        let mut held = HeldRecords::default();
        held.add(hold(7, true, b"AAkey7"));
        assert_eq!(held.find(0, None), None);
        assert_eq!(held.find(0, Some(8)), None);
        assert_eq!(held.find(1, Some(7)), None);
        held.add(hold(8, false, b"BBkey8"));
        assert_eq!(held.find(0, Some(7)).unwrap().key(), b"key7");
        assert_eq!(held.find(0, None).unwrap().token, 8);
        assert!(held.holds(0, b"key8") && held.holds(0, b"BBkey8") && !held.holds(1, b"key8"));
        held.release(0, 7);
        assert_eq!(held.find(0, Some(7)), None);
        assert_eq!(held.take(0, None).len(), 1);
        assert_eq!(held.find(0, None), None);
    }

    #[test]
    fn tokens_are_never_zero() {
        let mut held = HeldRecords::<u8> {
            last_token: u32::MAX - 1,
            ..HeldRecords::default()
        };
        assert_eq!((held.next_token(), held.next_token()), (u32::MAX, 1));
    }
}
