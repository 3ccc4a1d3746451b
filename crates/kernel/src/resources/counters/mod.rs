//! Named counters: numbers that are given to one task only.
//!
//! Counters belong to no unit of work: a number that GET returned is not given again, whatever
//! happens to the task. They survive the region: a change is answered when it is in the store,
//! and the changes of several tasks are committed together. All pools are in the one store, by
//! name; in a region without a store, counters exist as long as the region.
//!
//! Reference: CICS API reference, DEFINE to UPDATE COUNTER and DCOUNTER. RESP2 405 and 406
//! (VALUE, INCREMENT) are returned for any value that does not fit its limits. The manual's
//! higher numbers are about a coupling facility, which Tupelo does not have.

mod counter;
mod kept;
#[cfg(test)]
mod tests;

use cics::command::commands::{
    define_counter, define_dcounter, delete_counter, delete_dcounter, get_counter, get_dcounter,
    query_counter, query_dcounter, rewind_counter, rewind_dcounter, update_counter,
    update_dcounter,
};
use cics::resp::Condition;
use link::{CallAnswer, CommandOperands};

use self::counter::{CounterIncrement, CounterRange, CounterRefusal, NamedCounter};
pub use self::kept::CounterTable;
use self::kept::{Key, StoreScope, change, read_counter, require_counter};
use super::{Manager, Resources};
use crate::core::TaskKey;
use crate::kernel::{
    CallResult, CommandFailure, KernelContext, Request, condition, done_with, done_with_condition,
};

/// The commands of this manager.
pub const MANAGER: Manager = Manager {
    commands: &[
        (define_counter::NUMBER, |r, cx, q| define(r, cx, q, FULL)),
        (define_dcounter::NUMBER, |r, cx, q| define(r, cx, q, DOUBLE)),
        (delete_counter::NUMBER, |r, cx, q| delete(r, cx, q)),
        (delete_dcounter::NUMBER, |r, cx, q| delete(r, cx, q)),
        (get_counter::NUMBER, |r, cx, q| get(r, cx, q, FULL)),
        (get_dcounter::NUMBER, |r, cx, q| get(r, cx, q, DOUBLE)),
        (query_counter::NUMBER, |r, cx, q| query(r, cx, q, FULL)),
        (query_dcounter::NUMBER, |r, cx, q| query(r, cx, q, DOUBLE)),
        (rewind_counter::NUMBER, |r, cx, q| rewind(r, cx, q, FULL)),
        (rewind_dcounter::NUMBER, |r, cx, q| rewind(r, cx, q, DOUBLE)),
        (update_counter::NUMBER, |r, cx, q| update(r, cx, q, FULL)),
        (update_dcounter::NUMBER, |r, cx, q| update(r, cx, q, DOUBLE)),
    ],
    task_ended: |resources, _, caller| resources.counters.account.task_ended(caller.key),
    ..Manager::IDLE
};

const POOL_BYTES: usize = 8;
const NAME_BYTES: usize = 16;

/// The format in which a command has numbers.
#[derive(Debug, Clone, Copy)]
struct NumberWidth {
    /// The greatest number, and MAXIMUM where none is given.
    most: u64,
}

/// COUNTER: fullwords with a sign.
const FULL: NumberWidth = NumberWidth {
    most: i32::MAX as u64,
};
/// DCOUNTER: doublewords without a sign.
const DOUBLE: NumberWidth = NumberWidth { most: u64::MAX };

fn define(
    resources: &mut Resources,
    cx: &mut KernelContext<'_>,
    request: &mut Request,
    width: NumberWidth,
) -> CallResult {
    use define_counter as row;
    let key = key_of(request)?;
    let number = |option| width.number(request, option, INVALID_VALUE);
    let minimum = number(row::MINIMUM)?.unwrap_or(0);
    let maximum = number(row::MAXIMUM)?.unwrap_or(width.most);
    let value = number(row::VALUE)?.unwrap_or(minimum);
    change(
        resources,
        cx,
        (request.caller.key, &key),
        StoreScope::Separate,
        |counter| {
            if counter.is_some() {
                return condition(Condition::InvReq, DUPLICATE);
            }
            *counter = NamedCounter::new(value, minimum, maximum);
            match counter {
                Some(_) => Ok(CallAnswer::default()),
                None => condition(Condition::InvReq, INVALID_VALUE),
            }
        },
    )
}

fn delete(
    resources: &mut Resources,
    cx: &mut KernelContext<'_>,
    request: &mut Request,
) -> CallResult {
    let key = key_of(request)?;
    change(
        resources,
        cx,
        (request.caller.key, &key),
        StoreScope::Separate,
        |counter| {
            require_counter(counter.take())?;
            Ok(CallAnswer::default())
        },
    )
}

fn get(
    resources: &mut Resources,
    cx: &mut KernelContext<'_>,
    request: &mut Request,
    width: NumberWidth,
) -> CallResult {
    use get_counter as row;
    let key = key_of(request)?;
    let wanted = CounterIncrement {
        increment: width
            .number(request, row::INCREMENT, INVALID_INCREMENT)?
            .unwrap_or(1),
        reduce: request.operands.has(row::REDUCE),
        wrap: request.operands.has(row::WRAP),
    };
    let range = width.range(request, row::COMPAREMIN, row::COMPAREMAX);
    change(
        resources,
        cx,
        (request.caller.key, &key),
        StoreScope::OtherGets,
        |counter| {
            let mut found = require_counter(*counter)?;
            let value = found.get(wanted, range).map_err(refusal)?;
            *counter = Some(found);
            let mut answer = match width.overflow(value.into()) {
                0 => CallAnswer::default(),
                resp2 => CallAnswer::of_condition(Condition::LengErr, resp2),
            };
            answer.data = CommandOperands::default()
                .int(row::VALUE, value as i64)
                .emit();
            Ok(answer)
        },
    )
}

fn query(
    resources: &mut Resources,
    cx: &mut KernelContext<'_>,
    request: &mut Request,
    width: NumberWidth,
) -> CallResult {
    use query_counter as row;
    let key = key_of(request)?;
    read_counter(resources, cx, &key, |counter| {
        let mut operands = CommandOperands::default();
        let mut overflow = 0;
        for (option, value) in [
            (row::VALUE, counter.value),
            (row::MINIMUM, counter.minimum.into()),
            (row::MAXIMUM, counter.maximum.into()),
        ] {
            if request.operands.has(option) {
                overflow = overflow.max(width.overflow(value));
                operands = operands.int(option, value as i64);
            }
        }
        match overflow {
            0 => done_with(operands),
            resp2 => done_with_condition(Condition::LengErr, resp2, operands),
        }
    })
}

fn rewind(
    resources: &mut Resources,
    cx: &mut KernelContext<'_>,
    request: &mut Request,
    width: NumberWidth,
) -> CallResult {
    let key = key_of(request)?;
    let increment = width.number(request, rewind_counter::INCREMENT, INVALID_INCREMENT)?;
    alter(resources, cx, (request.caller.key, &key), |counter| {
        counter.rewind(increment.unwrap_or(1))
    })
}

fn update(
    resources: &mut Resources,
    cx: &mut KernelContext<'_>,
    request: &mut Request,
    width: NumberWidth,
) -> CallResult {
    use update_counter as row;
    let key = key_of(request)?;
    let value = width
        .number(request, row::VALUE, INVALID_VALUE)?
        .unwrap_or(0);
    let range = width.range(request, row::COMPAREMIN, row::COMPAREMAX);
    alter(resources, cx, (request.caller.key, &key), |counter| {
        counter.update(value, range)
    })
}

/// Changes an existing counter.
fn alter(
    resources: &mut Resources,
    cx: &mut KernelContext<'_>,
    key: (TaskKey, &Key),
    make: impl FnOnce(&mut NamedCounter) -> Result<(), CounterRefusal>,
) -> CallResult {
    change(resources, cx, key, StoreScope::Separate, |counter| {
        let mut found = require_counter(*counter)?;
        make(&mut found).map_err(refusal)?;
        *counter = Some(found);
        Ok(CallAnswer::default())
    })
}

impl NumberWidth {
    /// The number of an option, or the error `resp2` for one that is negative
    /// and cannot be.
    fn number(
        self,
        request: &Request,
        option: u8,
        resp2: u32,
    ) -> Result<Option<u64>, CommandFailure> {
        match request.operands.get_int(option) {
            Some(n) if n < 0 && self.is_signed() => condition(Condition::InvReq, resp2),
            n => Ok(n.map(|n| n as u64)),
        }
    }

    /// The range of COMPAREMIN and COMPAREMAX.
    fn range(self, request: &Request, minimum: u8, maximum: u8) -> CounterRange {
        let number = |option| {
            let number = request.operands.get_int(option)?;
            Some(if self.is_signed() {
                number.into()
            } else {
                (number as u64).into()
            })
        };
        CounterRange {
            minimum: number(minimum),
            maximum: number(maximum),
        }
    }

    /// RESP2 of LENGERR when a number does not fit: 1 when it looks negative,
    /// 2 and 3 when it is cut, with 1 or more in front; 0 when it fits.
    fn overflow(self, value: i128) -> u32 {
        if !self.is_signed() || value <= self.most.into() {
            return 0;
        }
        match value >> 32 {
            0 => 1,
            1 => 2,
            _ => 3,
        }
    }

    fn is_signed(self) -> bool {
        self.most < u64::MAX
    }
}

/// The counter that a command names.
fn key_of(request: &Request) -> Result<Key, CommandFailure> {
    let operands = &request.operands;
    let name: [u8; NAME_BYTES] = operands
        .get_name(define_counter::COUNTER)
        .unwrap_or([b' '; NAME_BYTES]);
    let pool: [u8; POOL_BYTES] = operands
        .get_name(define_counter::POOL)
        .unwrap_or([b' '; POOL_BYTES]);
    let begins_well = |c: u8| !c.is_ascii_digit() && c != b'_' && c != b' ';
    if !is_name(&pool) {
        return condition(Condition::InvReq, INVALID_POOL);
    }
    if !is_name(&name) || !begins_well(name[0]) {
        return condition(Condition::InvReq, INVALID_NAME);
    }
    let mut key = [0; POOL_BYTES + NAME_BYTES];
    key[..POOL_BYTES].copy_from_slice(&pool);
    key[POOL_BYTES..].copy_from_slice(&name);
    Ok(key)
}

/// A to Z, 0 to 9, $ @ # and _, then blanks to the end.
fn is_name(name: &[u8]) -> bool {
    let allowed = |c: &u8| matches!(c, b'A'..=b'Z' | b'0'..=b'9' | b'$' | b'@' | b'#' | b'_');
    name.trim_ascii_end().iter().all(allowed)
}

fn refusal(refused: CounterRefusal) -> CommandFailure {
    let (condition, resp2) = match refused {
        CounterRefusal::AtLimit => (Condition::Suppressed, 101),
        CounterRefusal::NotAtLimit => (Condition::Suppressed, 102),
        CounterRefusal::OutOfRange => (Condition::Suppressed, 103),
        CounterRefusal::Value => (Condition::InvReq, INVALID_VALUE),
        CounterRefusal::Increment => (Condition::InvReq, INVALID_INCREMENT),
    };
    CommandFailure::Condition(condition, resp2)
}

// RESP2 of INVREQ.
const NOT_FOUND: u32 = 201;
const DUPLICATE: u32 = 202;
const SERVER_ERROR: u32 = 303;
const INVALID_POOL: u32 = 403;
const INVALID_NAME: u32 = 404;
const INVALID_VALUE: u32 = 405;
const INVALID_INCREMENT: u32 = 406;

// One function serves both commands of a pair.
const _: () = {
    assert!(define_counter::MAXIMUM == define_dcounter::MAXIMUM);
    assert!(delete_counter::POOL == delete_dcounter::POOL);
    assert!(get_counter::COMPAREMAX == get_dcounter::COMPAREMAX);
    assert!(query_counter::MAXIMUM == query_dcounter::MAXIMUM);
    assert!(rewind_counter::INCREMENT == rewind_dcounter::INCREMENT);
    assert!(update_counter::COMPAREMAX == update_dcounter::COMPAREMAX);
    assert!(define_counter::POOL == get_counter::POOL);
    assert!(define_counter::POOL == query_counter::POOL);
    assert!(define_counter::POOL == rewind_counter::POOL);
    assert!(define_counter::POOL == update_counter::POOL);
    assert!(define_counter::POOL == delete_counter::POOL);
};
