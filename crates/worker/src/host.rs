//! The program table: which names can be run, and their loaded instances.
//!
//! Storage belongs to a program and a LINK level. An instance is a load of the
//! module with storage of its own; a level takes the one it finds free, and a
//! further one is loaded only when a program is entered again while all its
//! instances are taken (A links to B links to A). Instances stay loaded. The
//! programs and ENTRY names of one module share its instance of a level.
//!
//! Invariant: CALL and LINK find only programs in this table, and CALL also the
//! listed library routines; no other symbol of the process can be reached.

use std::collections::HashMap;
use std::ffi::{CString, c_void};
use std::fs::File;
use std::io;
use std::os::fd::{AsFd, OwnedFd};
use std::path::{Path, PathBuf};

use link::{ProgramEntry, ProgramFault, WorkerConfig};

use crate::cob::{CobolRuntime, LoadError, ModuleInstance};

/// Place of a program in the table.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ProgramId(usize);

/// An instance that a level holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TakenInstance {
    module: usize,
    instance: usize,
}

/// The table.
#[derive(Default)]
pub struct ProgramTable {
    list: Vec<Program>,
    modules: Vec<LoadedModule>,
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
    /// Place of its module among all.
    module: Option<usize>,
    /// Its entry in each instance of the module; null until it was asked for.
    entries: Vec<*mut c_void>,
}

struct LoadedModule {
    path: PathBuf,
    instances: Vec<ProgramInstance>,
}

struct ProgramInstance {
    module: ModuleInstance,
    /// Level that holds it, counted from 1; 0 when it is free.
    level: usize,
}

impl ProgramTable {
    /// The table of a configuration.
    pub fn new(config: &WorkerConfig, runtime: &CobolRuntime) -> Self {
        let mut modules: Vec<LoadedModule> = Vec::new();
        let mut places: HashMap<&Path, usize> = HashMap::new();
        let mut list: Vec<Program> = Vec::with_capacity(config.programs.len());
        for def in &config.programs {
            let module = def.module.as_deref().map(|path| {
                *places.entry(path).or_insert_with(|| {
                    modules.push(LoadedModule {
                        path: path.to_owned(),
                        instances: Vec::new(),
                    });
                    modules.len() - 1
                })
            });
            list.push(Program {
                def: def.clone(),
                module,
                entries: Vec::new(),
            });
        }
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
        ProgramTable {
            list,
            modules,
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
        taken: &mut Vec<TakenInstance>,
    ) -> Result<*mut c_void, LoadError> {
        let p = &self.list[program.0];
        let Some(at) = p.module else {
            return Err(LoadError::Entry {
                path: "-".into(),
                program: p.def.name.to_string(),
            });
        };
        if let Some(i) = self.held(at, level) {
            return self.entry_of(program, at, i);
        }
        let free = self.modules[at].instances.iter().position(|i| i.level == 0);
        let instance = match free {
            Some(free) => free,
            None => self.load(at)?,
        };
        self.modules[at].instances[instance].level = level;
        taken.push(TakenInstance {
            module: at,
            instance,
        });
        self.entry_of(program, at, instance)
    }

    /// The instance of a module that a level holds.
    fn held(&self, module: usize, level: usize) -> Option<usize> {
        let mut instances = self.modules[module].instances.iter();
        instances.position(|i| i.level == level)
    }

    /// Loads a further instance of a module and returns its place.
    fn load(&mut self, at: usize) -> Result<usize, LoadError> {
        let LoadedModule { path, instances } = &mut self.modules[at];
        let copy = !instances.is_empty();
        let mut module = ModuleInstance::load(path, copy);
        if module.is_err() && no_descriptor_is_free() {
            self.used_up = true;
            self.spare.clear();
            module = ModuleInstance::load(path, copy);
        }
        let module = module?;
        self.copies += usize::from(copy);
        instances.push(ProgramInstance { module, level: 0 });
        Ok(instances.len() - 1)
    }

    fn entry_of(
        &mut self,
        program: ProgramId,
        module: usize,
        instance: usize,
    ) -> Result<*mut c_void, LoadError> {
        let p = &mut self.list[program.0];
        if p.entries.len() <= instance {
            p.entries.resize(instance + 1, std::ptr::null_mut());
        }
        if p.entries[instance].is_null() {
            let loaded = &self.modules[module];
            let entry = loaded.instances[instance].module.entry(p.def.name.as_str());
            if entry.is_null() {
                return Err(LoadError::Entry {
                    path: loaded.path.display().to_string(),
                    program: p.def.name.to_string(),
                });
            }
            p.entries[instance] = entry;
        }
        Ok(p.entries[instance])
    }

    /// The entry that a level already has of a program.
    pub fn entry_at(&self, program: ProgramId, level: usize) -> Option<*mut c_void> {
        let p = &self.list[program.0];
        let entry = p.entries.get(self.held(p.module?, level)?)?;
        (!entry.is_null()).then_some(*entry)
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
    pub fn give_back(&mut self, taken: &mut Vec<TakenInstance>) {
        for t in taken.drain(..) {
            self.modules[t.module].instances[t.instance].level = 0;
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

/// Descriptors for loading: a file, its copy, and the loader's own.
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
