//! The reference page that is printed from the table.

use std::fmt::Write;

use super::lookup::all;
use super::row::{Command, CommandDomain, CommandSupport};
use super::sources::is_compared;

/// Markdown: every command by domain with its options, and whether it is
/// supported.
pub fn reference_page() -> String {
    let rows: Vec<&Command> = all().collect();
    let served = rows.iter().filter(|c| c.served.is_served()).count();
    let meaningless = |c: &&&Command| matches!(c.served, CommandSupport::Refused(_));
    let meaningless = rows.iter().filter(meaningless).count();
    let later = rows.len() - served - meaningless;
    let mut page = String::new();
    page.push_str("# EXEC CICS commands\n\n");
    let _ = writeln!(
        page,
        "{served} of {} commands are supported. {meaningless} others have no meaning in a region of\n\
         this kind, and {later} are not supported yet; the reasons are below. The translator names what is not supported with its line\n\
         and column; a program that has it compiles, and ends with AEY9 when it reaches it.\n\
         RESP, RESP2 and NOHANDLE belong to every command.\n",
        rows.len()
    );
    let (values, compared) = counts(&rows);
    let _ = writeln!(
        page,
        "Of {values} values of RESP2 {compared} were compared with the manual's lists of conditions, with\n\
         quotations of them or with public programs that were written by them. Values in *italics*\n\
         were not: no public text of them was found, and they are written from experience. The\n\
         manual's summary lists the conditions of each command. [Where conditions come\n\
         from](../internals/conditions.md) names the texts.\n",
    );
    let mut domains: Vec<CommandDomain> = rows.iter().map(|c| c.domain).collect();
    domains.sort_unstable();
    domains.dedup();
    for domain in domains {
        let _ = writeln!(page, "## {}\n", domain.title());
        let of: Vec<&&Command> = rows.iter().filter(|c| c.domain == domain).collect();
        let supported: Vec<_> = of.iter().filter(|c| c.served.is_served()).collect();
        if !supported.is_empty() {
            page.push_str(
                "| command | served by | options | conditions (RESP2) |\n|---|---|---|---|\n",
            );
            for c in supported {
                let by = if c.served == CommandSupport::Worker {
                    "worker"
                } else {
                    "region"
                };
                let _ = writeln!(
                    page,
                    "| {} | {by} | {} | {} |",
                    c.name,
                    options(c),
                    conditions(c)
                );
            }
            page.push('\n');
        }
        let later = |c: &Command| matches!(c.served, CommandSupport::NotYet(_));
        page.push_str(&unsupported("not supported yet", &of, later));
        let never = |c: &Command| matches!(c.served, CommandSupport::Refused(_));
        page.push_str(&unsupported("will not be supported", &of, never));
    }
    page.truncate(page.trim_end().len());
    page.push('\n');
    page
}

/// The commands of a domain that are not supported, a row a reason.
fn unsupported(how: &str, of: &[&&Command], meant: fn(&Command) -> bool) -> String {
    let mut reasons: Vec<(&str, Vec<&str>)> = Vec::new();
    for c in of.iter().filter(|c| meant(c)) {
        let Some(why) = c.served.why_not() else {
            continue;
        };
        match reasons.iter_mut().find(|(known, _)| *known == why) {
            Some((_, names)) => names.push(c.name),
            None => reasons.push((why, vec![c.name])),
        }
    }
    let mut table = String::new();
    if !reasons.is_empty() {
        let _ = writeln!(table, "| {how} | because |\n|---|---|");
        for (why, names) in reasons {
            let _ = writeln!(table, "| {} | {why} |", names.join(", "));
        }
        table.push('\n');
    }
    table
}

fn options(c: &Command) -> String {
    let list: Vec<String> = c
        .options
        .iter()
        .filter(|o| !c.words.contains(&o.name) || o.argument.is_required())
        .map(|o| {
            let suffix = if o.argument.is_required() { "()" } else { "" };
            if o.required {
                format!("**{}{suffix}**", o.name)
            } else {
                format!("{}{suffix}", o.name)
            }
        })
        .collect();
    list.join(" ")
}

/// How many values of RESP2 the served commands have, and how many were compared.
fn counts(rows: &[&Command]) -> (usize, usize) {
    let served = rows.iter().filter(|c| c.served.is_served());
    let values = served.flat_map(|c| {
        let rows = c.conditions.iter();
        rows.flat_map(|row| row.resp2.iter().map(|value| (*c, row.condition, *value)))
    });
    values.fold((0, 0), |(all, compared), (c, condition, value)| {
        (
            all + 1,
            compared + usize::from(is_compared(c, condition, value)),
        )
    })
}

fn conditions(c: &Command) -> String {
    let list: Vec<String> = c
        .conditions
        .iter()
        .map(|row| {
            if row.resp2.is_empty() {
                return row.condition.name().to_owned();
            }
            let value = |value: &u16| {
                if is_compared(c, row.condition, *value) {
                    value.to_string()
                } else {
                    format!("*{value}*")
                }
            };
            let values: Vec<String> = row.resp2.iter().map(value).collect();
            format!("{} ({})", row.condition, values.join(", "))
        })
        .collect();
    list.join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_page_lists_supported_and_unsupported_commands() {
        let page = reference_page();
        assert!(page.contains("| READ | worker | **FILE()**"), "{page}");
        assert!(page.contains("NOTFND (80)"));
        assert!(page.contains("INVREQ (20, 25, 26, *28*"), "{page}");
        assert!(page.contains("| not supported yet | because |"));
        assert!(page.contains("SEND MAP"));
        assert!(page.contains("| GETMAIN64, FREEMAIN64 | it is for assembler"));
    }
}
