//! Reads tables of the store from their first entry to their last.

use store::{ReadError, ReadStore, SeekKey, Table};

/// Passes every committed entry of a table to `each`, its key and its record, in the order of
/// the keys.
pub fn scan(
    reader: &mut dyn ReadStore,
    table: Table,
    each: &mut dyn FnMut(&[u8], &[u8]),
) -> Result<(), ReadError> {
    let mut last: Option<Vec<u8>> = None;
    loop {
        let seek = last.as_deref().map_or(SeekKey::First, SeekKey::Greater);
        let mut key = None;
        reader.seek_table(table, seek, &mut |entry| {
            key = Some(entry.key.to_vec());
            each(entry.key, entry.record);
        })?;
        match key {
            Some(_) => last = key,
            None => return Ok(()),
        }
    }
}
