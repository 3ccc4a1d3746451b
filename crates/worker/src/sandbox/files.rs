//! Landlock: which files a worker may still open.
//!
//! Modules and time zones may be read; nothing may be written, made, run, or
//! listed; no address bound or connected to; no process outside signalled or
//! traced. Open files stay usable, and memory files have no place
//! in the file system, so that a module's copy can still be loaded.
//! Reference: landlock(7).

use std::collections::BTreeSet;
use std::path::Path;

use landlock::{
    ABI, Access, AccessFs, AccessNet, PathBeneath, PathFd, Ruleset, RulesetAttr,
    RulesetCreatedAttr, RulesetError, Scope,
};
use link::WorkerConfig;

/// The version whose rights are asked for: with scopes, Linux 6.12.
const WANTED: ABI = ABI::V6;

/// The files of local time.
const ZONES: [&str; 2] = ["/etc/localtime", "/usr/share/zoneinfo"];

/// The version that the kernel has, 0 for none.
pub fn abi() -> u32 {
    const VERSION_FLAG: u32 = 1;
    // SAFETY: asked for its version the call reads no memory.
    let abi = unsafe {
        libc::syscall(
            libc::SYS_landlock_create_ruleset,
            std::ptr::null::<u8>(),
            0usize,
            VERSION_FLAG,
        )
    };
    u32::try_from(abi).unwrap_or(0)
}

/// Restricts this process as far as the kernel can.
pub fn restrict(config: &WorkerConfig) -> Result<(), RulesetError> {
    let modules = config.programs.iter().filter_map(|p| p.module.as_deref());
    // The folders: a module that is built again is another file.
    let here = |folder: &'static str| Path::new(folder);
    let folders: BTreeSet<&Path> = modules
        .filter_map(Path::parent)
        .map(|folder| {
            if folder == here("") {
                here(".")
            } else {
                folder
            }
        })
        .collect();
    let zones = ZONES.iter().map(Path::new);
    let mut rules = Ruleset::default()
        .handle_access(AccessFs::from_all(WANTED))?
        .handle_access(AccessNet::from_all(WANTED))?
        .scope(Scope::from_all(WANTED))?
        .create()?;
    for path in folders.into_iter().chain(zones) {
        // A missing file cannot be read either.
        if let Ok(place) = PathFd::new(path) {
            rules = rules.add_rule(PathBeneath::new(place, AccessFs::ReadFile))?;
        }
    }
    rules.restrict_self().map(drop)
}
