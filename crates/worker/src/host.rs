//! The program table: which names can be run, and their loaded instances.
//!
//! Storage belongs to a program and a LINK level. An instance is a load of the
//! module with storage of its own; a level takes the one it finds free, and a
//! further one is loaded only when a program is entered again while all its
//! instances are taken (A links to B links to A). Instances stay loaded.
//!
//! Invariant: CALL and LINK find what is in this table, and CALL further the
//! listed library routines; nothing else of the process can be reached.

use std::ffi::{CString, c_void};
use std::fs::File;
use std::io;
use std::os::fd::{AsFd, OwnedFd};

use link::{ProgramEntry, ProgramFault, WorkerConfig};

use crate::cob::{LoadError, Module, Runtime};

/// Place of a program in the table.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ProgramId(usize);

/// An instance that a level holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Taken {
    program: usize,
    instance: usize,
}

/// The table.
#[derive(Default)]
pub struct Programs {
    list: Vec<Program>,
    by_name: Vec<(u64, usize)>,
    routines: Vec<(String, *mut c_void)>,
    copies: usize,
    /// Kept so that modules can be loaded when programs left no descriptor
    /// free.
    spare: Vec<OwnedFd>,
    used_up: bool,
}

struct Program {
    def: ProgramEntry,
    instances: Vec<Instance>,
}

struct Instance {
    module: Module,
    /// Level that holds it, counted from 1; 0 when it is free.
    level: usize,
}

impl Programs {
    /// The table of a configuration.
    pub fn new(config: &WorkerConfig, runtime: &Runtime) -> Self {
        let list: Vec<Program> = config
            .programs
            .iter()
            .map(|def| Program {
                def: def.clone(),
                instances: Vec::new(),
            })
            .collect();
        let mut by_name: Vec<(u64, usize)> = list
            .iter()
            .enumerate()
            .map(|(i, p)| (key(p.def.name.as_bytes()), i))
            .collect();
        by_name.sort_unstable();
        let allowed =
            |name: &str| config.callable.is_empty() || config.callable.iter().any(|c| c == name);
        let routines = ROUTINES
            .iter()
            .filter(|(name, _)| allowed(name))
            .filter_map(|(name, symbol)| {
                let symbol = CString::new(*symbol).ok()?;
                let address = runtime.libcob_symbol(&symbol);
                (!address.is_null()).then(|| ((*name).to_owned(), address))
            })
            .collect();
        Programs {
            list,
            by_name,
            routines,
            copies: 0,
            spare: spare(),
            used_up: false,
        }
    }

    /// The program of a name.
    pub fn find(&self, name: &[u8; 8]) -> Option<ProgramId> {
        let key = key(name);
        let at = self.by_name.binary_search_by_key(&key, |(k, _)| *k).ok()?;
        Some(ProgramId(self.by_name[at].1))
    }

    /// The program of a name that a level may run: here, or as a guest's.
    pub fn runnable(&self, name: &[u8; 8]) -> Result<ProgramId, ProgramFault> {
        let program = self.find(name).ok_or(ProgramFault::NotDefined)?;
        match self.definition(program).fault() {
            None => Ok(program),
            Some(fault) => Err(fault),
        }
    }

    /// The program's definition.
    pub fn definition(&self, program: ProgramId) -> &ProgramEntry {
        &self.list[program.0].def
    }

    /// The entry of the program's instance at a level: the one it has, a free
    /// one, or a new one. `taken` grows when the level did not have it.
    pub fn entry(
        &mut self,
        program: ProgramId,
        level: usize,
        taken: &mut Vec<Taken>,
    ) -> Result<*mut c_void, LoadError> {
        let p = &mut self.list[program.0];
        if let Some(i) = p.instances.iter().find(|i| i.level == level) {
            return Ok(i.module.entry());
        }
        let instance = match p.instances.iter().position(|i| i.level == 0) {
            Some(free) => free,
            None => {
                let name = p.def.name;
                let Some(path) = &p.def.module else {
                    return Err(LoadError::Entry {
                        path: "-".into(),
                        program: name.to_string(),
                    });
                };
                let copy = !p.instances.is_empty();
                let mut module = Module::load(path, name.as_str(), copy);
                if module.is_err() && no_descriptor_is_free() {
                    self.used_up = true;
                    self.spare.clear();
                    module = Module::load(path, name.as_str(), copy);
                }
                let module = module?;
                self.copies += usize::from(copy);
                p.instances.push(Instance { module, level: 0 });
                p.instances.len() - 1
            }
        };
        p.instances[instance].level = level;
        taken.push(Taken {
            program: program.0,
            instance,
        });
        Ok(p.instances[instance].module.entry())
    }

    /// The entry that a level already has of a program.
    pub fn entry_at(&self, program: ProgramId, level: usize) -> Option<*mut c_void> {
        let instances = &self.list[program.0].instances;
        instances
            .iter()
            .find(|i| i.level == level)
            .map(|i| i.module.entry())
    }

    /// True when programs left no descriptor free for a module.
    pub fn used_up_descriptors(&self) -> bool {
        self.used_up
    }

    /// Instances that are copies, each with a descriptor.
    pub fn copies(&self) -> usize {
        self.copies
    }

    /// Gives back what a level took.
    pub fn give_back(&mut self, taken: &mut Vec<Taken>) {
        for t in taken.drain(..) {
            self.list[t.program].instances[t.instance].level = 0;
        }
    }

    /// The library routine of that name, if CALL may reach it.
    pub fn routine(&self, name: &str) -> Option<*mut c_void> {
        self.routines
            .iter()
            .find(|(n, _)| n == name)
            .map(|(_, address)| *address)
    }
}

/// Descriptors for loading: a file, a copy of it, and the loader's own.
fn spare() -> Vec<OwnedFd> {
    const SPARE: usize = 8;
    let null = File::open("/dev/null").into_iter();
    null.flat_map(|file| (0..SPARE).filter_map(move |_| file.try_clone().ok()))
        .map(OwnedFd::from)
        .collect()
}

fn no_descriptor_is_free() -> bool {
    let input = io::stdin();
    let copy = input.as_fd().try_clone_to_owned();
    copy.is_err_and(|e| e.raw_os_error() == Some(libc::EMFILE))
}

fn key(name: &[u8; 8]) -> u64 {
    u64::from_be_bytes(*name)
}

/// Routines of the run-time library that touch nothing but their arguments,
/// with the functions that serve them.
const ROUTINES: &[(&str, &str)] = &[
    ("CBL_AND", "cob_sys_and"),
    ("CBL_OR", "cob_sys_or"),
    ("CBL_NOR", "cob_sys_nor"),
    ("CBL_XOR", "cob_sys_xor"),
    ("CBL_NOT", "cob_sys_not"),
    ("CBL_EQ", "cob_sys_eq"),
    ("CBL_IMP", "cob_sys_imp"),
    ("CBL_NIMP", "cob_sys_nimp"),
    ("CBL_TOUPPER", "cob_sys_toupper"),
    ("CBL_TOLOWER", "cob_sys_tolower"),
    ("C$TOUPPER", "cob_sys_toupper"),
    ("C$TOLOWER", "cob_sys_tolower"),
    ("C$JUSTIFY", "cob_sys_justify"),
    ("C$NARG", "cob_sys_return_args"),
    ("C$PARAMSIZE", "cob_sys_parameter_size"),
    ("C$CALLEDBY", "cob_sys_calledby"),
    ("CBL_GC_PRINTABLE", "cob_sys_printable"),
    ("\u{F4}", "cob_sys_xf4"),
    ("\u{F5}", "cob_sys_xf5"),
];
