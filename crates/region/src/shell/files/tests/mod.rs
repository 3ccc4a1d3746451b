//! Commands of tasks on files, over a kernel in virtual time and real files.

mod journals;
mod pool;
mod queues;
mod spool;

use std::collections::HashMap;
use std::sync::atomic::AtomicU64;

use kernel::KernelConfig;
use kernel::resources::world::KernelFixture;

use super::perform;

/// A world with files.
fn over(config: KernelConfig) -> KernelFixture {
    with_files(KernelFixture::new(config))
}

fn with_files(world: KernelFixture) -> KernelFixture {
    let mut files = HashMap::new();
    let records = AtomicU64::new(0);
    world.with_files(move |work| {
        let open = files.entry(work.file).or_insert(None);
        perform(open, work.ask, &records)
    })
}
