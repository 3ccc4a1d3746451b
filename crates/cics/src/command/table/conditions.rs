//! Reactions to conditions, attention keys and abends: HANDLE, IGNORE, PUSH, POP, ABEND.

use crate::command::row::Command;

/// The served rows of this domain.
pub(super) const SERVED: &[Command] = &[
    rows::handle_condition::ROW,
    rows::handle_aid::ROW,
    rows::handle_abend::ROW,
    rows::ignore_condition::ROW,
    rows::push_handle::ROW,
    rows::pop_handle::ROW,
    rows::abend::ROW,
];

pub(super) mod rows {
    command! {
        /// Names labels for conditions.
        handle_condition 0x0204 eibfn "HANDLE CONDITION" "HANDLE" ["CONDITION"] Conditions Worker ConditionLabels;
        flag CONDITION;
    }

    command! {
        /// Names labels for attention identifiers.
        handle_aid 0x0206 eibfn "HANDLE AID" "HANDLE" ["AID"] Conditions Worker AidLabels;
        flag AID;
    }

    command! {
        /// Names a label or program for abnormal ends.
        handle_abend 0x0E0E eibfn "HANDLE ABEND" "HANDLE" ["ABEND"] Conditions Worker;
        flag ABEND;
        flag CANCEL;
        input PROGRAM(Name(8));
        input LABEL(Label);
        flag RESET;
        @rules OptionRule::AtMostOne(&["CANCEL", "PROGRAM", "LABEL", "RESET"]);
        @conditions NotAuth(101), PgmIdErr(1, 2, 3, 9);
    }

    command! {
        /// Lets the program continue when conditions arise.
        ignore_condition 0x020A eibfn "IGNORE CONDITION" "IGNORE" ["CONDITION"] Conditions Worker Conditions;
        flag CONDITION;
    }

    command! {
        /// Suspends all HANDLE and IGNORE commands in effect.
        push_handle 0x020C eibfn "PUSH HANDLE" "PUSH" ["HANDLE"] Conditions Worker;
        flag HANDLE;
    }

    command! {
        /// Restores what PUSH HANDLE suspended.
        pop_handle 0x020E eibfn "POP HANDLE" "POP" ["HANDLE"] Conditions Worker;
        flag HANDLE;
        @conditions InvReq;
    }

    command! {
        /// Ends the task abnormally.
        abend 0x0E0C eibfn "ABEND" "ABEND" Conditions Worker;
        input ABCODE(Name(4));
        flag CANCEL;
        flag NODUMP;
    }
}
