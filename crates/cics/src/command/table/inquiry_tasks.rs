//! Commands that inquire about tasks, their units of work, and STARTs that wait.
//!
//! An option that has no meaning here is in its row and answers INVREQ: the
//! translator warns of it.
//!
//! Reference: CICS system programming reference, the commands' own pages.

use crate::command::row::Command;

/// The served rows of this domain.
pub(super) const SERVED: &[Command] = &[
    rows::inquire_task_list::ROW,
    rows::inquire_association_list::ROW,
    rows::set_association::ROW,
    rows::inquire_uowlink::ROW,
    rows::inquire_reqid::ROW,
    rows::inquire_uow::ROW,
    rows::inquire_uowenq::ROW,
    rows::inquire_enq::ROW,
    rows::inquire_tclass::ROW,
    rows::set_tclass::ROW,
    rows::set_uow::ROW,
];

pub(super) mod rows {
    command! {
        /// Lists the tasks.
        inquire_task_list 0x8A8C 0x5E02 "INQUIRE TASK LIST" "INQUIRE" ["TASK", "LIST"] System Region;
        flag TASK;
        flag LIST;
        output LISTSIZE(Fullword);
        flag DISPATCHABLE;
        flag RUNNING;
        flag SUSPENDED;
        output SET(PtrRef);
        output SETTRANSID(PtrRef);
    }

    command! {
        /// Lists the tasks by their correlation data.
        inquire_association_list 0x8A44 own "INQUIRE ASSOCIATION LIST" "INQUIRE" ["ASSOCIATION", "LIST"] System Region;
        flag ASSOCIATION;
        flag LIST;
        output LISTSIZE(Fullword) [required];
        input DNAME(OptionArgument::Any);
        input DNAMELEN(OptionArgument::Any);
        input REALM(OptionArgument::Any);
        input REALMLEN(OptionArgument::Any);
        output SET(PtrRef);
        input USERCORRDATA(Chars(64));
        @rules
            OptionRule::Unserved(&["DNAME", "DNAMELEN", "REALM", "REALMLEN"], Condition::InvReq);
    }

    command! {
        /// Gives the task correlation data.
        set_association 0x8AB4 0xC404 "SET ASSOCIATION" "SET" ["ASSOCIATION"] System Region;
        flag ASSOCIATION;
        input USERCORRDATA(Chars(64));
    }

    command! {
        /// Returns the participants in units of work except the region's own files
        /// and queues. A link is named by what distinguishes it from others at
        /// that moment.
        inquire_uowlink 0x8AA0 own "INQUIRE UOWLINK" "INQUIRE" ["UOWLINK"] System Region;
        browse UOWLINK;
        output HOST(Chars(255));
        output PORT(Fullword);
        output BRANCHQUAL(OptionArgument::Any);
        output LINK(Chars(8));
        output NETUOWID(OptionArgument::Any);
        output PROTOCOL(Cvda);
        output RESYNCSTATUS(Cvda);
        output RMIQFY(Chars(8));
        output ROLE(Cvda);
        output SYSID(Chars(4));
        output TYPE(Cvda);
        update UOW(Chars(8));
        output URID(OptionArgument::Any);
        output XID(OptionArgument::Any);
        @rules
            OptionRule::Unserved(&["BRANCHQUAL", "NETUOWID", "URID", "XID"], Condition::InvReq);
        @conditions End(2), Illogic(1), InvReq(1), UowLNotFound(1), UowNotFound(1);
    }

    command! {
        /// Returns attributes of a request to start a task that waits for its time.
        inquire_reqid 0x8A80 own "INQUIRE REQID" "INQUIRE" ["REQID"] System Region;
        browse REQID;
        output REQTYPE(Cvda);
        output TERMID(Chars(4));
        output TRANSID(Chars(4));
        output TIME(HhMmSs);
        output INTERVAL(HhMmSs);
        flag AFTER;
        output HOURS(Fullword);
        output MINUTES(Fullword);
        output SECONDS(Fullword);
        flag AT;
        output SET(PtrRef);
        output LENGTH(Fullword);
        output FMHSTATUS(Cvda);
        output RTRANSID(Chars(4));
        output RTERMID(Chars(4));
        output QUEUE(Chars(8));
        output USERID(Chars(8));
        @conditions End(2), Illogic(1), InvReq(1), NotFnd(1);
    }

    command! {
        /// Returns attributes of a unit of work.
        inquire_uow 0x8A9D own "INQUIRE UOW" "INQUIRE" ["UOW"] System Region;
        browse UOW;
        output AGE(Fullword);
        output LINK(Chars(8));
        output NETNAME(Chars(8));
        output NETUOWID(OptionArgument::Any);
        output OTSTID(OptionArgument::Any);
        output SYSID(Chars(4));
        output TASKID(Packed(4));
        output TERMID(Chars(4));
        output TRANSID(Chars(4));
        output UOWSTATE(Cvda);
        output USERID(Chars(8));
        output WAITCAUSE(Cvda);
        output WAITSTATE(Cvda);
        @rules
            OptionRule::Unserved(&["NETUOWID", "OTSTID"], Condition::InvReq);
        @conditions End(2), Illogic(1), InvReq(1), UowNotFound(1);
    }

    command! {
        /// Returns the owner of an enqueue, and the tasks that wait for it.
        inquire_uowenq 0x8A9F own "INQUIRE UOWENQ" "INQUIRE" ["UOWENQ"] System Region;
        flag UOWENQ;
        flag START;
        flag NEXT;
        flag END;
        update RESOURCE(Chars(255)) [length("RESLEN")];
        update RESLEN(Halfword);
        update UOW(Chars(8));
        output ENQSCOPE(OptionArgument::Any);
        output DURATION(OptionArgument::Any);
        output ENQFAILS(Fullword);
        output NETUOWID(OptionArgument::Any);
        output QUALIFIER(Chars(255));
        output QUALLEN(Halfword);
        output RELATION(Cvda);
        output STATE(Cvda);
        output TASKID(Packed(4));
        output TRANSID(Chars(4));
        output TYPE(Cvda);
        @rules
            OptionRule::ExactlyOne(&["START", "NEXT", "END"]),
            OptionRule::Unserved(&["ENQSCOPE", "DURATION", "NETUOWID"], Condition::InvReq);
        @conditions End(2), Illogic(1), InvReq(1), UowNotFound(1);
    }

    command! {
        /// Returns the owner of an enqueue, and the tasks that wait for it.
        inquire_enq 0x8A59 own "INQUIRE ENQ" "INQUIRE" ["ENQ"] System Region;
        flag ENQ;
        flag START;
        flag NEXT;
        flag END;
        update RESOURCE(Chars(255)) [length("RESLEN")];
        update RESLEN(Halfword);
        update UOW(Chars(8));
        output ENQSCOPE(OptionArgument::Any);
        output DURATION(OptionArgument::Any);
        output ENQFAILS(Fullword);
        output NETUOWID(OptionArgument::Any);
        output QUALIFIER(Chars(255));
        output QUALLEN(Halfword);
        output RELATION(Cvda);
        output STATE(Cvda);
        output TASKID(Packed(4));
        output TRANSID(Chars(4));
        output TYPE(Cvda);
        @rules
            OptionRule::ExactlyOne(&["START", "NEXT", "END"]),
            OptionRule::Unserved(&["ENQSCOPE", "DURATION", "NETUOWID"], Condition::InvReq);
        @conditions End(2), Illogic(1), InvReq(1), UowNotFound(1);
    }

    command! {
        /// Returns attributes of a transaction class by its number.
        inquire_tclass 0x8A8D 0x5E12 "INQUIRE TCLASS" "INQUIRE" ["TCLASS"] System Region;
        input TCLASS(Fullword) [required];
        output CURRENT(Fullword);
        output MAXIMUM(Fullword);
        @conditions TcIdErr(1);
    }

    command! {
        /// Changes a transaction class by its number.
        set_tclass 0x8AF2 0x5E14 "SET TCLASS" "SET" ["TCLASS"] System Region;
        input TCLASS(Fullword) [required];
        input MAXIMUM(Fullword);
        @conditions InvReq(2), TcIdErr(1);
    }

    command! {
        /// Resolves a unit of work that is in doubt.
        set_uow 0x8AD4 own "SET UOW" "SET" ["UOW"] System Region;
        input UOW(Name(8)) [required];
        input UOWSTATE(Cvda);
        flag COMMIT;
        flag BACKOUT;
        flag FORCE;
        @conditions InvReq(3, 4), UowNotFound(1);
    }
}
