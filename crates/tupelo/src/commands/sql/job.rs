//! Statements in a job: the SYSIN of its DSNTIAD and DSNTEP2 steps.
//!
//! Lines that are not SQL become empty, so that messages have the job's lines.

/// The text of a file, with `NAME=TEXT` replaced. Of a job only the SYSIN is kept.
pub fn statements(text: &str, set: &[(String, String)]) -> String {
    let mut text = text.to_owned();
    for (name, value) in set {
        text = text.replace(name, value);
    }
    let first = text.lines().find(|line| !line.trim().is_empty());
    if first.is_some_and(|line| line.starts_with("//")) {
        sysin(&text)
    } else {
        text
    }
}

fn sysin(job: &str) -> String {
    let mut is_inside = false;
    let mut kept = String::new();
    for line in job.lines() {
        if line.starts_with("//") {
            let mut words = line.split_whitespace();
            let is_sysin = words.next() == Some("//SYSIN") && words.next() == Some("DD");
            is_inside = is_sysin && matches!(words.next(), Some("*" | "DATA"));
        } else if line.starts_with("/*") {
            is_inside = false;
        } else if is_inside {
            kept.push_str(line);
        }
        kept.push('\n');
    }
    kept
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_sysin_of_a_job_keeps_its_lines() {
        let job = "//J JOB 1\n//S EXEC PGM=IKJEFT01\n//SYSTSIN DD *\n RUN PROGRAM(DSNTIAD)\n/*\n\
                   //SYSIN DD *\n  DROP TABLE <DB>.T;\n/*\n//\n";
        let set = [("<DB>".to_owned(), "GENA".to_owned())];
        assert_eq!(statements(job, &set), "\n\n\n\n\n\n  DROP TABLE GENA.T;\n\n\n");
        assert_eq!(statements("DROP TABLE <DB>.T;\n", &set), "DROP TABLE GENA.T;\n");
    }
}
