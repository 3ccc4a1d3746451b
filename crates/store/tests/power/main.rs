//! A loss of power at every point: each image that the disk could be left with
//! is opened, and has every acknowledged unit, no part of a unit,
//! and none whose task received a failure.
//!
//! Units are applied ahead of their second flush as a region's committer does
//! it. Two mutants show that the test would fail: one acknowledges a flush too
//! early, the other never flushes.
//!
//! Apart from the other tests, since the whole process has another disk.

mod bank;
mod disk;

use std::path::Path;

use bank::{Fates, Number, judge, options};
use base::SeededRandom;
use disk::{Disk, Fault, Kept, Watched};
use store::{ApplyError, CommitDurability, LmdbOptions, LmdbStore, Table, UnitOfWork, WriteStore};

/// How a history is played.
#[derive(Clone, Copy)]
struct Plan {
    seed: u64,
    batches: usize,
    /// Draws of kept writes, in addition to the four that are always checked.
    draws: u64,
    fault: Option<Fault>,
    /// A mutant: acknowledge before the flush that makes it true.
    early: bool,
    durability: CommitDurability,
}

impl Plan {
    fn new(seed: u64) -> Self {
        Plan {
            seed,
            batches: 28,
            draws: 4,
            fault: None,
            early: false,
            durability: CommitDurability::Flush,
        }
    }
}

/// The result of a history.
#[derive(Default)]
struct Played {
    images: usize,
    calls: usize,
    flushes: usize,
    fates: Fates,
    refused: bool,
    wrong: Vec<String>,
}

/// One history, with the power lost at each of its points.
struct History {
    plan: Plan,
    watched: Watched,
    scratch: tempfile::TempDir,
    fates: Fates,
    played: Played,
}

impl History {
    /// The power is lost now, or was before one of the flushes since the last
    /// time: every image is checked. No task received an answer meanwhile.
    fn lose_power(&mut self) {
        let mut disks = self.watched.before_flushes();
        disks.push(self.watched.disk());
        for disk in disks {
            let seed = self.played.images as u64 + self.plan.seed * 1_000_003;
            let drawn = (0..self.plan.draws).map(|n| Kept::Some(seed + n));
            let always = [Kept::Nothing, Kept::All, Kept::MetaPages, Kept::OtherPages];
            for kept in always.into_iter().chain(drawn) {
                self.check_image(&disk, kept);
            }
        }
    }

    fn check_image(&mut self, disk: &Disk, kept: Kept) {
        self.played.images += 1;
        disk::install(&disk.image(kept), self.scratch.path());
        if let Err(wrong) = judge(self.scratch.path(), &self.fates) {
            let calls = self.watched.calls();
            self.played
                .wrong
                .push(format!("after {calls} calls, {kept:?} kept: {wrong}"));
        }
    }

    fn report_outcomes(&mut self, ahead: &mut Vec<Number>, settled: &Result<(), ApplyError>) {
        for number in ahead.drain(..) {
            self.fates.report_outcome(number, settled);
        }
    }

    /// Applies batches of units like a committer.
    fn play(&mut self, home: &Path) {
        let options = LmdbOptions {
            durability: self.plan.durability,
            ..options()
        };
        let Ok(mut store) = LmdbStore::open(home, &options) else {
            return;
        };
        let mut reader = store.disk_reader().unwrap();
        let mut chance = SeededRandom::new(self.plan.seed);
        let mut number = 0;
        let mut ahead: Vec<Number> = Vec::new();
        for _ in 0..self.plan.batches {
            let numbers: Vec<Number> = (1..=1 + chance.below(4)).map(|n| number + n).collect();
            number += numbers.len() as u64;
            let Some(units) = bank::units(&mut reader, &numbers) else {
                self.played.refused = true;
                break;
            };
            let applied = store.apply_ahead(&units);
            // Between the two flushes of this batch, and before the tasks of
            // the last one are answered.
            self.lose_power();
            self.report_outcomes(&mut ahead, &applied.earlier.map_err(ApplyError::from));
            for (number, result) in numbers.iter().zip(&applied.results) {
                match result {
                    Ok(()) if self.plan.early => self.fates.report_outcome(*number, result),
                    Ok(()) => ahead.push(*number),
                    Err(_) => self.fates.report_outcome(*number, result),
                }
            }
            if applied.settled {
                self.report_outcomes(&mut ahead, &Ok(()));
            }
            self.lose_power();
            // No unit waits.
            if chance.below(3) == 0 {
                let settled = store.settle().map_err(ApplyError::from);
                self.lose_power();
                self.report_outcomes(&mut ahead, &settled);
                self.lose_power();
            }
            // Lost changes may be missing from reads, too.
            if !self.fates.reported_unknown.is_empty() {
                let mut unit = UnitOfWork::new();
                unit.put(Table::new("late"), b"k", b"v");
                let late = store.apply_ahead(&[unit]).results.remove(0);
                assert!(matches!(
                    late,
                    Err(ApplyError::Storage(store::StorageError::Refused { .. }))
                ));
                self.played.refused = true;
                break;
            }
            let refused = |result: &Result<(), ApplyError>| {
                matches!(
                    result,
                    Err(ApplyError::Storage(store::StorageError::Refused { .. }))
                )
            };
            if applied.results.iter().any(refused) {
                self.played.refused = true;
                break;
            }
        }
        let settled = store.settle().map_err(ApplyError::from);
        self.lose_power();
        self.report_outcomes(&mut ahead, &settled);
        drop((reader, store));
        self.lose_power();
    }
}

fn play(plan: Plan) -> Played {
    let home = tempfile::tempdir().unwrap();
    bank::make(home.path());
    let scratch = tempfile::tempdir().unwrap();
    let mut history = History {
        plan,
        watched: Watched::new(&home.path().join("data.mdb"), plan.fault),
        scratch,
        fates: Fates::default(),
        played: Played::default(),
    };
    history.play(home.path());
    let mut played = history.played;
    played.calls = history.watched.calls();
    played.flushes = history.watched.disk().flushes;
    // The same machine continues: it reads what its memory has.
    drop(history.watched);
    if plan.fault.is_none()
        && plan.durability == CommitDurability::Flush
        && let Err(wrong) = judge(home.path(), &history.fates)
    {
        played.wrong.push(format!("at the end: {wrong}"));
    }
    played.fates = history.fates;
    played
}

#[test]
fn every_acknowledged_unit_survives_a_loss_of_power_at_any_point() {
    for seed in 1..=3 {
        let played = play(Plan::new(seed));
        assert!(
            played.wrong.is_empty(),
            "seed {seed}: {:#?}",
            &played.wrong[..played.wrong.len().min(5)]
        );
        assert!(played.images > 500, "{} images", played.images);
        assert!(
            played.fates.reported_committed.len() > 45 && played.fates.reported_failed.is_empty()
        );
        // One a batch, and one more if no unit waited; opening has some.
        assert!(played.flushes < 28 + 25, "{} flushes", played.flushes);
    }
}

#[test]
fn an_acknowledgement_one_flush_early_is_found_out() {
    let plan = Plan {
        early: true,
        ..Plan::new(1)
    };
    let wrong = play(plan).wrong;
    assert!(
        wrong.iter().any(|text| text.contains("is lost")),
        "{wrong:?}"
    );
}

#[test]
fn a_store_that_is_never_flushed_is_found_out() {
    let plan = Plan {
        durability: CommitDurability::NoFlush,
        ..Plan::new(1)
    };
    let wrong = play(plan).wrong;
    assert!(
        wrong.iter().any(|text| text.contains("damaged")),
        "{wrong:?}"
    );
}

/// Plays a history again and again, each time with another call that fails.
fn with_each_call_failing(fault: impl Fn(usize) -> Fault) -> [usize; 3] {
    let short = Plan {
        batches: 6,
        draws: 1,
        ..Plan::new(7)
    };
    let calls = play(short).calls;
    let mut met = [0; 3];
    for at in 0..calls {
        let fault = fault(at);
        let played = play(Plan {
            fault: Some(fault),
            ..short
        });
        assert!(
            played.wrong.is_empty(),
            "{fault:?}: {:#?}",
            &played.wrong[..played.wrong.len().min(5)]
        );
        met[0] += played.fates.reported_failed.len();
        met[1] += played.fates.reported_unknown.len();
        met[2] += usize::from(played.refused);
    }
    met
}

#[test]
fn a_write_or_flush_that_fails_once_is_reported_correctly() {
    let [failed, unknown, refused] = with_each_call_failing(|at| Fault {
        at,
        for_good: false,
        code: libc::EIO,
        drops: false,
    });
    // A meta page that could not be flushed is written again. One that cannot
    // be written at all ends LMDB's environment.
    assert!(failed > 0 && refused > 0, "{failed} {refused}");
    assert_eq!(unknown, 0);
}

#[test]
fn a_full_disk_is_reported_correctly() {
    let [_, unknown, _] = with_each_call_failing(|at| Fault {
        at,
        for_good: false,
        code: libc::ENOSPC,
        drops: false,
    });
    assert_eq!(unknown, 0);
}

#[test]
fn a_disk_that_fails_for_good_leaves_units_in_doubt_and_the_store_takes_no_more() {
    let [failed, unknown, refused] = with_each_call_failing(|at| Fault {
        at,
        for_good: true,
        code: libc::EIO,
        drops: false,
    });
    assert!(
        failed > 0 && unknown > 0 && refused > 0,
        "{failed} {unknown} {refused}"
    );
}

#[test]
fn pages_that_a_failed_flush_drops_are_not_taken_for_written() {
    let [failed, unknown, refused] = with_each_call_failing(|at| Fault {
        at,
        for_good: false,
        code: libc::EIO,
        drops: true,
    });
    assert!(
        failed > 0 && unknown > 0 && refused > 0,
        "{failed} {unknown} {refused}"
    );
}
