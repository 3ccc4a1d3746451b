//! The operands of a CALL as libcob describes them.

use runtime::sql::SqlAreas;

use crate::le::LeArguments;

/// Operands of the program in control.
pub(super) struct WorkerAreas<'a, 'c>(pub &'a LeArguments<'c>);

impl SqlAreas for WorkerAreas<'_, '_> {
    fn count(&self) -> usize {
        self.0.count()
    }

    fn address(&self, at: usize) -> usize {
        self.0.get(at).map_or(0, |a| a.data().addr())
    }

    fn bytes(&self, at: usize) -> &[u8] {
        self.0.get(at).map_or(&[], |a| a.bytes())
    }

    fn bytes_mut(&mut self, at: usize) -> &mut [u8] {
        match self.0.get(at) {
            // SAFETY: the program's storage of that size. The program waits, and
            // the borrow of the operands excludes other readers meanwhile.
            Some(a) => unsafe { std::slice::from_raw_parts_mut(a.data(), a.size()) },
            None => &mut [],
        }
    }

    fn pointed_at(&mut self, address: usize, bytes: usize) -> &mut [u8] {
        if address == 0 {
            return &mut [];
        }
        let data = std::ptr::with_exposed_provenance_mut(address);
        // SAFETY: the program says that its storage is there; it waits. A wrong pointer
        // is the program's own fault and ends its task, as a MOVE through it would.
        unsafe { std::slice::from_raw_parts_mut(data, bytes) }
    }
}
