//! Named counters: unique numbers for every task, COUNTER in fullwords and
//! DCOUNTER in doublewords.
//!
//! The two commands of a pair have the same options in the same places, so
//! that one function serves both.
//!
//! Reference: CICS API reference, DEFINE, DELETE, GET, QUERY, REWIND and UPDATE
//! COUNTER and DCOUNTER; "Return codes" of the named counter call interface for
//! 101 to 103, 201 and 202.

use crate::command::row::Command;

/// The served rows of this domain.
pub(super) const SERVED: &[Command] = &[
    rows::define_counter::ROW,
    rows::define_dcounter::ROW,
    rows::delete_counter::ROW,
    rows::delete_dcounter::ROW,
    rows::get_counter::ROW,
    rows::get_dcounter::ROW,
    rows::query_counter::ROW,
    rows::query_dcounter::ROW,
    rows::rewind_counter::ROW,
    rows::rewind_dcounter::ROW,
    rows::update_counter::ROW,
    rows::update_dcounter::ROW,
];

pub(super) mod rows {
    command! {
        /// Makes a counter.
        define_counter 0x8541 0x2004 "DEFINE COUNTER" "DEFINE" ["COUNTER"] Counters Region;
        input COUNTER(Name(16)) [required];
        input POOL(Name(8));
        input VALUE(Fullword);
        input MINIMUM(Fullword);
        input MAXIMUM(Fullword);
        flag NOSUSPEND;
        @rules OptionRule::Needs("MINIMUM", &["VALUE"]);
        @conditions InvReq(202, 303, 403, 404, 405);
    }

    command! {
        /// Makes a counter.
        define_dcounter 0x8542 0x2014 "DEFINE DCOUNTER" "DEFINE" ["DCOUNTER"] Counters Region;
        input DCOUNTER(Name(16)) [required];
        input POOL(Name(8));
        input VALUE(Doubleword);
        input MINIMUM(Doubleword);
        input MAXIMUM(Doubleword);
        flag NOSUSPEND;
        @rules OptionRule::Needs("MINIMUM", &["VALUE"]);
        @conditions InvReq(202, 303, 403, 404, 405);
    }

    command! {
        /// Deletes a counter.
        delete_counter 0x8543 0x200A "DELETE COUNTER" "DELETE" ["COUNTER"] Counters Region;
        input COUNTER(Name(16)) [required];
        input POOL(Name(8));
        flag NOSUSPEND;
        @conditions InvReq(201, 303, 403, 404);
    }

    command! {
        /// Deletes a counter.
        delete_dcounter 0x8544 0x201A "DELETE DCOUNTER" "DELETE" ["DCOUNTER"] Counters Region;
        input DCOUNTER(Name(16)) [required];
        input POOL(Name(8));
        flag NOSUSPEND;
        @conditions InvReq(201, 303, 403, 404);
    }

    command! {
        /// Gives the next number and moves the counter on.
        get_counter 0x8545 0x2006 "GET COUNTER" "GET" ["COUNTER"] Counters Region;
        input COUNTER(Name(16)) [required];
        input POOL(Name(8));
        output VALUE(Fullword) [required];
        input INCREMENT(Fullword);
        flag REDUCE;
        flag WRAP;
        input COMPAREMIN(Fullword);
        input COMPAREMAX(Fullword);
        flag NOSUSPEND;
        @conditions InvReq(201, 303, 403, 404, 406), Suppressed(101, 103), LengErr(1, 2, 3);
    }

    command! {
        /// Gives the next number and moves the counter on.
        get_dcounter 0x8546 0x2016 "GET DCOUNTER" "GET" ["DCOUNTER"] Counters Region;
        input DCOUNTER(Name(16)) [required];
        input POOL(Name(8));
        output VALUE(Doubleword) [required];
        input INCREMENT(Doubleword);
        flag REDUCE;
        flag WRAP;
        input COMPAREMIN(Doubleword);
        input COMPAREMAX(Doubleword);
        flag NOSUSPEND;
        @conditions InvReq(201, 303, 403, 404, 406), Suppressed(101, 103);
    }

    command! {
        /// Returns the value of a counter, and its limits.
        query_counter 0x8547 0x200E "QUERY COUNTER" "QUERY" ["COUNTER"] Counters Region;
        input COUNTER(Name(16)) [required];
        input POOL(Name(8));
        output VALUE(Fullword);
        output MINIMUM(Fullword);
        output MAXIMUM(Fullword);
        flag NOSUSPEND;
        @conditions InvReq(201, 303, 403, 404), LengErr(1, 2, 3);
    }

    command! {
        /// Returns the value of a counter, and its limits.
        query_dcounter 0x8548 0x201E "QUERY DCOUNTER" "QUERY" ["DCOUNTER"] Counters Region;
        input DCOUNTER(Name(16)) [required];
        input POOL(Name(8));
        output VALUE(Doubleword);
        output MINIMUM(Doubleword);
        output MAXIMUM(Doubleword);
        flag NOSUSPEND;
        @conditions InvReq(201, 303, 403, 404);
    }

    command! {
        /// Sets a counter that is at its limit back to its minimum.
        rewind_counter 0x8549 0x200C "REWIND COUNTER" "REWIND" ["COUNTER"] Counters Region;
        input COUNTER(Name(16)) [required];
        input POOL(Name(8));
        input INCREMENT(Fullword);
        flag NOSUSPEND;
        @conditions InvReq(201, 303, 403, 404, 406), Suppressed(102);
    }

    command! {
        /// Sets a counter that is at its limit back to its minimum.
        rewind_dcounter 0x854A 0x201C "REWIND DCOUNTER" "REWIND" ["DCOUNTER"] Counters Region;
        input DCOUNTER(Name(16)) [required];
        input POOL(Name(8));
        input INCREMENT(Doubleword);
        flag NOSUSPEND;
        @conditions InvReq(201, 303, 403, 404, 406), Suppressed(102);
    }

    command! {
        /// Sets a counter's next number.
        update_counter 0x854B 0x2008 "UPDATE COUNTER" "UPDATE" ["COUNTER"] Counters Region;
        input COUNTER(Name(16)) [required];
        input POOL(Name(8));
        input VALUE(Fullword) [required];
        input COMPAREMIN(Fullword);
        input COMPAREMAX(Fullword);
        flag NOSUSPEND;
        @conditions InvReq(201, 303, 403, 404, 405), Suppressed(103);
    }

    command! {
        /// Sets a counter's next number.
        update_dcounter 0x854C 0x2018 "UPDATE DCOUNTER" "UPDATE" ["DCOUNTER"] Counters Region;
        input DCOUNTER(Name(16)) [required];
        input POOL(Name(8));
        input VALUE(Doubleword) [required];
        input COMPAREMIN(Doubleword);
        input COMPAREMAX(Doubleword);
        flag NOSUSPEND;
        @conditions InvReq(201, 303, 403, 404, 405), Suppressed(103);
    }
}
