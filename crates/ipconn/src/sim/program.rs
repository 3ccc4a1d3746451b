//! The programs of a region: they write numbers in both regions, in units.

use std::cell::RefCell;
use std::rc::Rc;

use base::SeededRandom;
use region::sim::node::{Node, TaskAnswer};

use super::host::LinkInput;
use super::line::SimulatedReceiver;
use super::{SimWorld, UnitOutcome};
use crate::wire::{ReplyMessage, RequestBuilder, RequestEnding, RequestHead, UnitStep};
use region::CallFailure;

/// Queues of a region.
const QUEUES: u64 = 3;

/// A step of a program.
#[derive(Debug, Clone, Copy)]
enum ProgramStep {
    /// Writes the unit's number to a queue here.
    Here(u8),
    /// LINKs to a program there, which writes it; to queue 0, nothing.
    There(u8, bool),
    Syncpoint,
    Rollback,
}

/// The event that it waits for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum AwaitedEvent {
    Nothing,
    Put,
    /// A LINK to a program that writes to a queue.
    Link(u8),
    Syncpoint,
    Rollback,
    End,
}

/// A program that runs, or is about to.
#[derive(Debug)]
pub struct Program {
    task: u32,
    script: std::vec::IntoIter<ProgramStep>,
    waits: AwaitedEvent,
    /// The number of its unit. `None` before its first change.
    pub number: Option<u64>,
    /// It has abended: its unit is backed out.
    abended: bool,
}

impl Program {
    /// One with its own script.
    pub fn new(random: &mut SeededRandom, node: &Rc<RefCell<Node>>) -> Program {
        let mut script = Vec::new();
        for _ in 0..1 + random.below(3) {
            // A third of the units change something only there.
            let here = !random.one_in(3);
            for _ in 0..1 + random.below(3) {
                let queue = 1 + random.below(QUEUES) as u8;
                script.push(match random.below(5) {
                    0 | 1 if here => ProgramStep::Here(queue),
                    2 if random.one_in(3) => ProgramStep::There(0, false),
                    _ => ProgramStep::There(queue, random.one_in(15)),
                });
            }
            script.push(if random.one_in(8) {
                ProgramStep::Rollback
            } else {
                ProgramStep::Syncpoint
            });
        }
        // Changes after the last syncpoint end with the task.
        if random.one_in(2) {
            script.pop();
        }
        Program {
            task: node.borrow_mut().begin(),
            script: script.into_iter(),
            waits: AwaitedEvent::Nothing,
            number: None,
            abended: false,
        }
    }
}

impl SimWorld {
    /// One of a region's programs makes progress.
    pub(super) fn advance(&mut self, at: usize) {
        let count = self.sides[at].programs.len();
        if count == 0 {
            return;
        }
        let chosen = self.random.below(count as u64) as usize;
        let node = self.sides[at].node.clone();
        let program = &mut self.sides[at].programs[chosen];
        match program.waits {
            AwaitedEvent::Nothing => self.act(at, chosen),
            AwaitedEvent::Link(_) => {}
            AwaitedEvent::End => {
                if node.borrow().is_over(program.task) {
                    let program = self.sides[at].programs.swap_remove(chosen);
                    let answer = node.borrow_mut().take_answer(program.task);
                    assert_eq!(answer, None, "an answer after the end");
                    // Whether the end was an abend is not looked at: all or
                    // nothing is there.
                    if let Some(number) = program.number {
                        let outcome = if program.abended {
                            UnitOutcome::BackedOut
                        } else {
                            UnitOutcome::Nothing
                        };
                        self.record_answer(number, outcome);
                    }
                }
            }
            waits => {
                let Some(said) = node.borrow_mut().take_answer(program.task) else {
                    return;
                };
                program.waits = AwaitedEvent::Nothing;
                self.answered(at, chosen, waits, &said);
            }
        }
    }

    fn answered(&mut self, at: usize, chosen: usize, waits: AwaitedEvent, said: &TaskAnswer) {
        let program = &mut self.sides[at].programs[chosen];
        match (waits, said) {
            (AwaitedEvent::Put, TaskAnswer::Normal(_)) => {
                if let Some(number) = program.number {
                    self.units.entry(number).or_default().puts[at] += 1;
                }
            }
            (AwaitedEvent::Syncpoint, said) => {
                let outcome = match said {
                    TaskAnswer::Normal(_) => UnitOutcome::Committed,
                    TaskAnswer::Raised(_) => UnitOutcome::BackedOut,
                    TaskAnswer::Abend(_) => UnitOutcome::Nothing,
                };
                // After ASP7 it ends, and nothing of a further unit is there.
                program.abended = outcome == UnitOutcome::Nothing;
                if let Some(number) = program.number.take() {
                    self.record_answer(number, outcome);
                }
            }
            (AwaitedEvent::Rollback, _) => {
                if let Some(number) = program.number.take() {
                    self.record_answer(number, UnitOutcome::BackedOut);
                }
            }
            (_, TaskAnswer::Abend(_)) => program.abended = true,
            (_, said) => panic!("{waits:?} is answered {said:?}"),
        }
    }

    fn act(&mut self, at: usize, chosen: usize) {
        let side = &mut self.sides[at];
        let program = &mut side.programs[chosen];
        let task = program.task;
        let act = program.script.next().filter(|_| !program.abended);
        let mut node = side.node.borrow_mut();
        match act {
            None => {
                program.waits = AwaitedEvent::End;
                node.end(task, !program.abended);
            }
            Some(ProgramStep::Syncpoint) => {
                program.waits = AwaitedEvent::Syncpoint;
                node.syncpoint(task);
            }
            Some(ProgramStep::Rollback) => {
                program.waits = AwaitedEvent::Rollback;
                node.rollback(task);
            }
            Some(ProgramStep::Here(queue)) => {
                self.last_number += 1;
                let number = *program.number.get_or_insert(self.last_number);
                program.waits = AwaitedEvent::Put;
                node.put(task, queue, number);
            }
            Some(ProgramStep::There(queue, abends)) => {
                self.last_number += 1;
                let number = match queue {
                    0 => 0,
                    _ => *program.number.get_or_insert(self.last_number),
                };
                let unit = node.join(task, side.participant);
                drop(node);
                let of = side.coordinating.join(unit.0);
                if side.coordinating.is_lost(unit.0) {
                    program.abended = true;
                    return;
                }
                program.waits = AwaitedEvent::Link(queue);
                let asked = LinkInput {
                    link: self.last_number,
                    number,
                    queue,
                    abends,
                };
                let head = RequestHead {
                    link: true,
                    unit: Some(of),
                    ..RequestHead::default()
                };
                let area = asked.emit();
                let mut builder = RequestBuilder::new(head, area.len());
                let filled = builder.set_commarea(area.len(), |into| {
                    into.copy_from_slice(&area);
                    Ok::<(), std::convert::Infallible>(())
                });
                let Ok(()) = filled;
                let waiter = SimulatedReceiver::Program(task);
                self.lines[at].send(self.now, builder.finish(), waiter);
            }
        }
    }

    /// The answer to a program's LINK.
    pub(super) fn linked(
        &mut self,
        at: usize,
        task: u32,
        reply: Result<ReplyMessage, CallFailure>,
    ) {
        let side = &mut self.sides[at];
        let programs = side.programs.iter_mut();
        let program = programs.into_iter().find(|p| p.task == task);
        let program = program.expect("who waits is there");
        let AwaitedEvent::Link(queue) = program.waits else {
            panic!("{program:?} waits for no answer");
        };
        program.waits = AwaitedEvent::Nothing;
        let unit = side.node.borrow_mut().join(task, side.participant);
        let before = match side.coordinating.join(unit.0).step {
            UnitStep::Link(before) => before,
            _ => 0,
        };
        let takes_part = match &reply {
            Ok(reply) => side.coordinating.linked(unit.0, before, reply.head.in_unit),
            Err(CallFailure::Lost(_)) => {
                side.coordinating.lost(unit.0);
                true
            }
            Err(_) => side.coordinating.not_taken(unit.0, before),
        };
        if !takes_part {
            side.node.borrow_mut().leave(task, side.participant);
        }
        match reply.map(|reply| reply.head.ending) {
            Ok(RequestEnding::Normal) => {
                self.report.links += 1;
                if let Some(number) = program.number.filter(|_| queue > 0) {
                    self.units.entry(number).or_default().puts[1 - at] += 1;
                }
            }
            // It continues now and then: its unit cannot be committed, or has
            // no branch there.
            Ok(_) | Err(_) => {
                let goes_on = self.random.one_in(2);
                program.abended = !goes_on;
            }
        }
    }
}
