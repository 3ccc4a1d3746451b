//! The table itself, one file a domain.
//!
//! A served command is written with `command!`, which makes a module with its
//! number, an index for each option, and the row. The number is followed by what
//! EIBFN holds after the command: `eibfn` for the number itself, a code that other
//! commands may have too, or `own` where the code is not known here. A command that is not yet
//! supported is one line of `later!`, under the reason.

use super::row::Command;

/// Writes the module and row of a served command.
///
/// A resource that can be browsed has `browse NAME AT(..);` in the place of its
/// name: the options START, NEXT, END and AT, and their rules.
macro_rules! command {
    (
        $(#[$doc:meta])*
        $module:ident $number:literal $eibfn:tt $name:literal $verb:literal
        [$($word:literal),*] $domain:ident $served:ident;
        browse $resource:ident $(AT($at:expr))?;
        $($kind:ident $option:ident $(($($arg:expr),*))? $([$($modifier:ident $(($marg:expr))?),*])?;)*
        $(@rules $($rule:expr),*;)?
        $(@conditions $($condition:ident $(($($resp2:literal),*))?),*;)?
    ) => {
        command! {
            $(#[$doc])*
            $module $number $eibfn $name $verb [$($word),*] $domain $served;
            input $resource(OptionArgument::Optional);
            flag START;
            flag NEXT;
            flag END;
            $(input AT($at);)?
            $($kind $option $(($($arg),*))? $([$($modifier $(($marg))?),*])?;)*
            @rules
                OptionRule::AtMostOne(&["START", "NEXT", "END"])
                $(, command!(@at $at))?
                $($(, $rule)*)?;
            $(@conditions $($condition $(($($resp2),*))?),*;)?
        }
    };
    (@at $at:expr) => { OptionRule::Needs("AT", &["START"]) };
    (
        $(#[$doc:meta])*
        $module:ident $number:literal $eibfn:tt $name:literal $verb:literal
        $([$($word:literal),*])? $domain:ident $served:ident $($keywords:ident)?;
        $($kind:ident $option:ident $(($($arg:expr),*))? $([$($modifier:ident $(($marg:expr))?),*])?;)*
        $(@rules $($rule:expr),*;)?
        $(@conditions $($condition:ident $(($($resp2:literal),*))?),*;)?
    ) => {
        $(#[$doc])*
        #[allow(missing_docs)]
        pub mod $module {
            #[allow(unused_imports)]
            use crate::command::row::{
                OptionArgument::{self, *}, Command, ConditionRow, CommandDomain, AcceptedNames, OptionRow, OptionRule, CommandSupport,
            };
            #[allow(unused_imports)]
            use crate::resp::Condition;

            #[allow(non_camel_case_types, clippy::upper_case_acronyms, dead_code)]
            #[repr(u8)]
            enum Index { $($option,)* Count }

            /// The command's number in a command block.
            pub const NUMBER: u16 = $number;
            $(pub const $option: u8 = Index::$option as u8;)*
            const _: () = assert!((Index::Count as usize) <= crate::command::MAX_OPTIONS);

            pub const ROW: Command = Command {
                number: NUMBER,
                name: $name,
                domain: CommandDomain::$domain,
                eibfn: command!(@eibfn $eibfn),
                served: CommandSupport::$served,
                verb: $verb,
                words: &[$($($word),*)?],
                any_word: &[],
                options: &[$(
                    command!(@option $kind $option $(($($arg),*))?)
                        $($(.$modifier($($marg)?))*)?,
                )*],
                keywords: command!(@keywords $($keywords)?),
                rules: &[$($($rule),*)?],
                conditions: &[$($(ConditionRow {
                    condition: Condition::$condition,
                    resp2: &[$($($resp2),*)?],
                }),*)?],
            };
        }
    };
    (@eibfn own) => { ::core::option::Option::None };
    (@eibfn eibfn) => { ::core::option::Option::Some(NUMBER) };
    (@eibfn $code:literal) => { ::core::option::Option::Some($code) };
    (@keywords) => { AcceptedNames::None };
    (@keywords $k:ident) => { AcceptedNames::$k };
    (@option flag $o:ident) => { OptionRow::flag(stringify!($o)) };
    (@option alias $o:ident ($of:expr, $like:expr)) => { OptionRow::alias(stringify!($o), $of, $like) };
    (@option input $o:ident ($a:expr)) => { OptionRow::input(stringify!($o), $a) };
    (@option output $o:ident ($a:expr)) => { OptionRow::output(stringify!($o), $a) };
    (@option update $o:ident ($a:expr)) => { OptionRow::update(stringify!($o), $a) };
}

/// Writes the rows of commands that are not supported `until` there is what they
/// need; or, `because` of a reason, of those that never will be.
macro_rules! later {
    ($domain:ident until $why:literal; $($rows:tt)*) => {
        later!(@rows $domain (crate::command::row::CommandSupport::NotYet($why)); $($rows)*)
    };
    ($domain:ident because $why:literal; $($rows:tt)*) => {
        later!(@rows $domain (crate::command::row::CommandSupport::Refused($why)); $($rows)*)
    };
    (@rows $domain:ident $served:tt; $($number:literal $eibfn:tt $name:literal $verb:literal
      [$($word:literal),*] $(any [$($any:literal),*])? $($option:literal)*;)*) => {
        &[$(crate::command::row::Command {
            number: $number,
            name: $name,
            domain: crate::command::row::CommandDomain::$domain,
            eibfn: later!(@eibfn $eibfn $number),
            served: $served,
            verb: $verb,
            words: &[$($word),*],
            any_word: &[$($($any),*)?],
            options: &[$(crate::command::row::OptionRow::named($option)),*],
            keywords: crate::command::row::AcceptedNames::None,
            rules: &[],
            conditions: &[],
        }),*]
    };
    (@eibfn own $number:literal) => { None };
    (@eibfn eibfn $number:literal) => { Some($number) };
    (@eibfn $code:literal $number:literal) => { Some($code) };
}

mod activities;
mod channels;
mod conditions;
mod conversations;
mod counters;
mod definitions;
mod diagnostics;
mod environment;
mod files;
mod inquiry;
mod inquiry_queues;
mod inquiry_region;
mod inquiry_tasks;
mod journals;
mod maps;
mod operating;
mod programs;
mod queues;
mod refused;
mod security;
mod spool;
mod starting;
mod storage;
mod system;
mod terminal_inquiry;
mod terminals;
mod time;
mod transforms;
mod web;
mod web_inquiry;
mod web_services;

/// The rows of the served commands, one module each.
pub mod commands {
    pub use super::activities::rows::*;
    pub use super::channels::rows::*;
    pub use super::conditions::rows::*;
    pub use super::conversations::rows::*;
    pub use super::counters::rows::*;
    pub use super::definitions::rows::*;
    pub use super::diagnostics::rows::*;
    pub use super::environment::rows::*;
    pub use super::files::rows::*;
    pub use super::inquiry::rows::*;
    pub use super::inquiry_queues::rows::*;
    pub use super::inquiry_region::rows::*;
    pub use super::inquiry_tasks::rows::*;
    pub use super::journals::rows::*;
    pub use super::maps::rows::*;
    pub use super::operating::rows::*;
    pub use super::programs::rows::*;
    pub use super::queues::rows::*;
    pub use super::security::rows::*;
    pub use super::spool::rows::*;
    pub use super::starting::rows::*;
    pub use super::storage::rows::*;
    pub use super::terminal_inquiry::rows::*;
    pub use super::time::rows::*;
    pub use super::transforms::rows::*;
    pub use super::web::rows::*;
    pub use super::web_inquiry::rows::*;
    pub use super::web_services::rows::*;
}

/// Every row.
pub(super) const DOMAINS: &[&[Command]] = &[
    programs::SERVED,
    channels::SERVED,
    storage::SERVED,
    time::SERVED,
    conditions::SERVED,
    environment::SERVED,
    files::SERVED,
    queues::SERVED,
    counters::SERVED,
    starting::SERVED,
    maps::SERVED,
    terminals::MAPS,
    conversations::SERVED,
    terminal_inquiry::SERVED,
    terminals::TERMINALS,
    terminals::OTHER_CONVERSATIONS,
    terminals::BATCH_DATA,
    activities::SERVED,
    activities::LATER,
    web::SERVED,
    web_inquiry::SERVED,
    web_services::SERVED,
    transforms::SERVED,
    diagnostics::SERVED,
    journals::SERVED,
    spool::SERVED,
    inquiry::SERVED,
    inquiry_region::SERVED,
    inquiry_tasks::SERVED,
    inquiry_queues::SERVED,
    definitions::SERVED,
    operating::SERVED,
    security::SERVED,
];

/// The rows of commands that have no meaning here, and of system commands whose
/// resources are not supported yet.
pub(super) const REFUSED: &[&[&[Command]]] = &[refused::ALL, system::ALL];
