//! Threads and system calls around the core.
pub struct Shared;
pub struct SlotLease;
impl SlotLease {
    pub fn bytes(&self, _offset: usize, _bytes: usize) -> &[u8] {
        todo!()
    }
    pub fn task(&self) -> u64 {
        todo!()
    }
}
