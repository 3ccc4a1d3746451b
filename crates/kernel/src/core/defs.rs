//! Definitions, checked and compiled for look-up by name.

use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};

use link::{Name, ProgramEntry, ProgramFault, ProgramName, TransId};

use super::{BRIEF_NS, SHORT_NS};
use crate::types::{ClassDef, RegionDefinitions, StartError, StartRefusal, TransactionDef};

/// Definitions of one generation.
#[derive(Debug, Default)]
pub struct CompiledDefinitions {
    /// Number of this set.
    pub generation: u64,
    /// Transactions by number.
    pub transactions: Vec<Transaction>,
    /// Classes by number.
    pub classes: Vec<ClassDef>,
    /// How long each known program's runs took, by number.
    pub programs: Vec<ProgramPace>,
    /// The programs by number.
    pub program_table: Vec<ProgramEntry>,
    /// File commands run under the QR token.
    fc_qr_only: bool,
    by_transid: HashMap<TransId, usize, NameHash>,
    by_program: HashMap<ProgramName, usize, NameHash>,
}

/// A transaction with its class's number.
#[derive(Debug, Clone)]
pub struct Transaction {
    /// The definition.
    pub def: TransactionDef,
    /// Its class's number.
    pub class: Option<usize>,
}

/// Statistics of a program's runs.
#[derive(Debug, Clone, Copy, Default)]
pub struct ProgramPace {
    /// Moving average of the run times; `None` before the first run has ended.
    pub run: Option<RunTimes>,
}

/// The time that a run used of its worker, in nanoseconds.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct RunTimes {
    /// Time in which it occupied its worker and could run.
    pub held_ns: u64,
    /// Of that, time in which it waited for the region.
    pub waited_ns: u64,
}

impl RunTimes {
    /// True when such runs leave their processor to others most of the time.
    pub fn mostly_waits(self) -> bool {
        self.waited_ns > self.held_ns / 2
    }

    /// True when such runs end within microseconds.
    pub fn is_brief(self) -> bool {
        self.held_ns < BRIEF_NS
    }

    /// True when such runs take a processor for long.
    pub fn computes(self) -> bool {
        self.held_ns >= SHORT_NS && !self.mostly_waits()
    }
}

impl CompiledDefinitions {
    /// Checks the definitions: no name twice, every reference defined.
    pub fn build(generation: u64, definitions: &RegionDefinitions) -> Result<Self, StartError> {
        let mut compiled = CompiledDefinitions {
            generation,
            classes: definitions.classes.clone(),
            program_table: definitions.programs.clone(),
            fc_qr_only: definitions.fc_qr_only,
            ..CompiledDefinitions::default()
        };
        for (i, program) in definitions.programs.iter().enumerate() {
            if compiled.by_program.insert(program.name, i).is_some() {
                return Err(twice("PROGRAM", program.name.as_str()));
            }
        }
        compiled.programs = vec![ProgramPace::default(); definitions.programs.len()];
        let mut classes: HashMap<Name<8>, usize> = HashMap::new();
        for (i, class) in definitions.classes.iter().enumerate() {
            if classes.insert(class.name, i).is_some() {
                return Err(twice("TRANCLASS", class.name.as_str()));
            }
        }
        for (i, def) in definitions.transactions.iter().enumerate() {
            let missing = |missing: &str| StartError::Undefined {
                kind: "TRANSACTION",
                name: def.name.to_string(),
                missing: missing.to_owned(),
            };
            if compiled.by_transid.insert(def.name, i).is_some() {
                return Err(twice("TRANSACTION", def.name.as_str()));
            }
            let class = match def.class {
                None => None,
                Some(name) => Some(
                    *classes
                        .get(&name)
                        .ok_or_else(|| missing(&format!("TRANCLASS {name}")))?,
                ),
            };
            if !def.program.is_blank() && compiled.program(def.program).is_none() {
                return Err(missing(&format!("PROGRAM {}", def.program)));
            }
            compiled.transactions.push(Transaction {
                def: def.clone(),
                class,
            });
        }
        for (i, file) in definitions.files.iter().enumerate() {
            if definitions.files[..i].iter().any(|f| f.name == file.name) {
                return Err(twice("FILE", file.name.as_str()));
            }
        }
        Ok(compiled)
    }

    /// A transaction's number.
    pub fn transaction(&self, name: TransId) -> Option<usize> {
        self.by_transid.get(&name).copied()
    }

    /// True when a program's runs need the QR token: from their start, or for
    /// their file commands, as far as is known.
    pub fn needs_qr(&self, program: usize) -> bool {
        let threadsafe = self.program_table.get(program).is_none_or(|p| p.threadsafe);
        self.fc_qr_only || !threadsafe
    }

    /// Whether a program can be run here.
    pub fn can_run(&self, name: ProgramName) -> Result<(), StartRefusal> {
        let fault = match self.program(name) {
            None => Some(ProgramFault::NotDefined),
            Some(number) => self.program_table[number].fault(),
        };
        fault.map_or(Ok(()), |fault| Err(StartRefusal::Program(name, fault)))
    }

    /// A program's number.
    pub fn program(&self, name: ProgramName) -> Option<usize> {
        self.by_program.get(&name).copied()
    }

    /// Reorders the classes so that those of `old` keep their numbers. A removed class stays
    /// until its tasks have ended, and admits no more.
    pub fn adopt_class_numbers(&mut self, old: &CompiledDefinitions) {
        let mut classes = old.classes.clone();
        for class in &self.classes {
            let known = classes.iter().position(|c| c.name == class.name);
            let free = || classes.iter().position(|c| c.name.is_blank());
            match known.or_else(free) {
                Some(at) => classes[at] = class.clone(),
                None => classes.push(class.clone()),
            }
        }
        for transaction in &mut self.transactions {
            let name = transaction.def.class;
            transaction.class = classes.iter().position(|c| Some(c.name) == name);
        }
        self.classes = classes;
    }
}

impl ProgramPace {
    /// Adds one more run to the average.
    pub fn add(&mut self, run: RunTimes) {
        let mix = |old: u64, new: u64| old - old / 8 + new / 8;
        self.run = Some(match self.run {
            None => run,
            Some(old) => RunTimes {
                held_ns: mix(old.held_ns, run.held_ns),
                waited_ns: mix(old.waited_ns, run.waited_ns),
            },
        });
    }
}

fn twice(kind: &'static str, name: &str) -> StartError {
    StartError::Twice {
        kind,
        name: name.to_owned(),
    }
}

/// A hash for short fixed names. The keys come from definitions, not from a peer, so no
/// protection against chosen collisions is needed.
#[derive(Default, Clone)]
pub struct NameHasher(u64);

type NameHash = BuildHasherDefault<NameHasher>;

impl Hasher for NameHasher {
    fn write(&mut self, bytes: &[u8]) {
        for chunk in bytes.chunks(8) {
            let mut word = [0; 8];
            word[..chunk.len()].copy_from_slice(chunk);
            self.write_u64(u64::from_le_bytes(word));
        }
    }
    fn write_usize(&mut self, n: usize) {
        self.write_u64(n as u64);
    }
    fn write_u64(&mut self, n: u64) {
        self.0 = (self.0 ^ n)
            .wrapping_mul(0x9E37_79B9_7F4A_7C15)
            .rotate_left(29);
    }
    fn finish(&self) -> u64 {
        self.0.wrapping_mul(0x9E37_79B9_7F4A_7C15)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_transaction_of_an_undefined_class_is_an_error() {
        let definitions = RegionDefinitions {
            transactions: vec![TransactionDef {
                name: TransId::new("AAAA").unwrap(),
                class: Some(Name::new("NOCLASS").unwrap()),
                ..TransactionDef::default()
            }],
            ..RegionDefinitions::default()
        };
        let error = CompiledDefinitions::build(1, &definitions).unwrap_err();
        assert_eq!(
            error.to_string(),
            "TRANSACTION AAAA names TRANCLASS NOCLASS, which is not defined"
        );
    }

    #[test]
    fn the_average_follows_the_runs() {
        let mut pace = ProgramPace::default();
        for (held_ns, waited_ns) in [(800, 800), (1600, 0)] {
            pace.add(RunTimes { held_ns, waited_ns });
        }
        let run = pace.run.unwrap();
        assert_eq!((run.held_ns, run.waited_ns), (900, 700));
        assert!(run.mostly_waits());
    }
}
