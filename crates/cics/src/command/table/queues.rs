//! Temporary storage and transient data.
//!
//! The manual gives no RESP2 values for most conditions of these commands.

use crate::command::row::Command;

/// The served rows of this domain.
pub(super) const SERVED: &[Command] = &[
    rows::deleteq_td::ROW,
    rows::deleteq_ts::ROW,
    rows::readq_td::ROW,
    rows::readq_ts::ROW,
    rows::writeq_td::ROW,
    rows::writeq_ts::ROW,
];

pub(super) mod rows {
    command! {
        /// Deletes everything that a transient data queue holds.
        deleteq_td 0x0806 eibfn "DELETEQ TD" "DELETEQ" ["TD"] Queues Region;
        flag TD;
        input QUEUE(Name(4)) [required];
        input SYSID(Name(4));
        @conditions
            Disabled, InvReq, IscInvReq, Locked, NotAuth(101), QIdErr, SysIdErr;
    }

    command! {
        /// Deletes a temporary storage queue with its items.
        deleteq_ts 0x0A06 eibfn "DELETEQ TS" "DELETEQ" Queues Region;
        flag TS;
        input QUEUE(Name(8));
        input QNAME(Name(16));
        input SYSID(Name(4));
        @rules OptionRule::ExactlyOne(&["QUEUE", "QNAME"]);
        @conditions InvReq, IoErr, IscInvReq, Locked, NotAuth(101), QIdErr, SysIdErr;
    }

    command! {
        /// Takes the next record from a transient data queue.
        readq_td 0x0804 eibfn "READQ TD" "READQ" ["TD"] Queues Region;
        flag TD;
        input QUEUE(Name(4)) [required];
        output INTO(Area) [length("LENGTH")];
        output SET(PtrRef) [length("LENGTH")];
        update LENGTH(Halfword);
        input SYSID(Name(4));
        flag NOSUSPEND;
        @rules OptionRule::ExactlyOne(&["INTO", "SET"]);
        @conditions
            Disabled, InvReq, IoErr, IscInvReq, LengErr, Locked, NotAuth(101), NotOpen, QBusy,
            QIdErr, QZero, SysIdErr;
    }

    command! {
        /// Reads an item of a temporary storage queue.
        readq_ts 0x0A04 eibfn "READQ TS" "READQ" Queues Region;
        flag TS;
        input QUEUE(Name(8));
        input QNAME(Name(16));
        output INTO(Area) [length("LENGTH")];
        output SET(PtrRef) [length("LENGTH")];
        update LENGTH(Halfword);
        output NUMITEMS(Halfword);
        flag NEXT;
        input ITEM(Halfword);
        input SYSID(Name(4));
        @rules
            OptionRule::ExactlyOne(&["QUEUE", "QNAME"]),
            OptionRule::ExactlyOne(&["INTO", "SET"]),
            OptionRule::AtMostOne(&["NEXT", "ITEM"]);
        @conditions
            InvReq, IoErr, IscInvReq, ItemErr, LengErr, NotAuth(101), QIdErr, SysIdErr;
    }

    command! {
        /// Adds a record to a transient data queue.
        writeq_td 0x0802 eibfn "WRITEQ TD" "WRITEQ" ["TD"] Queues Region;
        flag TD;
        input QUEUE(Name(4)) [required];
        input FROM(Area) [required, length("LENGTH")];
        input LENGTH(Halfword);
        input SYSID(Name(4));
        @conditions
            Disabled, Error, InvReq, IoErr, IscInvReq, LengErr, Locked, NoSpace, NotAuth(101),
            NotOpen, QIdErr, SysIdErr;
    }

    command! {
        /// Adds an item to a temporary storage queue, or replaces one.
        writeq_ts 0x0A02 eibfn "WRITEQ TS" "WRITEQ" Queues Region;
        flag TS;
        input QUEUE(Name(8));
        input QNAME(Name(16));
        input FROM(Area) [required, length("LENGTH"), most(32_763)];
        input LENGTH(Halfword);
        output NUMITEMS(Halfword);
        update ITEM(Halfword);
        flag REWRITE;
        input SYSID(Name(4));
        flag AUXILIARY;
        flag MAIN;
        flag NOSUSPEND;
        @rules
            OptionRule::ExactlyOne(&["QUEUE", "QNAME"]),
            OptionRule::Needs("REWRITE", &["ITEM"]),
            OptionRule::AtMostOne(&["AUXILIARY", "MAIN"]);
        @conditions
            InvReq, IoErr, IscInvReq, ItemErr, LengErr, Locked, NoSpace, NotAuth(101), QIdErr,
            SysIdErr;
    }
}
