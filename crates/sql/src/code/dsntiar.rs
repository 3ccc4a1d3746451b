//! DSNTIAR and DSNTIAC: an SQLCA as text.
//!
//! The message area is as many lines of LRECL characters as fit. Reference: Db2
//! for z/OS Application Programming and SQL Guide, "DSNTIAR return codes".

use super::sqlca::Sqlca;

/// Return codes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(i32)]
pub enum TiarCode {
    /// The text is whole.
    Whole = 0,
    /// More text than the area holds.
    Cut = 4,
    /// LRECL is not between 72 and 240.
    Lrecl = 8,
    /// The area is not larger than a line.
    Area = 12,
}

/// Writes the text of an SQLCA into a message area, lines of `lrecl` characters.
pub fn dsntiar(ca: &Sqlca, area: &mut [u8], lrecl: usize) -> TiarCode {
    if !(72..=240).contains(&lrecl) {
        return TiarCode::Lrecl;
    }
    if area.len() < lrecl {
        return TiarCode::Area;
    }
    area.fill(b' ');
    let lines = message_lines(ca, lrecl);
    let room = area.len() / lrecl;
    for (line, text) in area.chunks_exact_mut(lrecl).zip(&lines) {
        for (place, c) in line.iter_mut().zip(text.chars()) {
            *place = crate::field::from_server(c);
        }
    }
    if lines.len() > room {
        TiarCode::Cut
    } else {
        TiarCode::Whole
    }
}

/// The text of an SQLCA in lines of at most `lrecl` characters.
pub fn message_lines(ca: &Sqlca, lrecl: usize) -> Vec<String> {
    let (id, what) = match ca.sqlcode {
        0 => ("DSNT400I", "SUCCESSFUL EXECUTION"),
        100 => ("DSNT404I", "NOT FOUND"),
        1.. => ("DSNT404I", "WARNING"),
        _ => ("DSNT408I", "ERROR"),
    };
    let mut lines = Vec::new();
    let mut add = |text: String| {
        // Continued lines begin in column 11.
        let mut rest = format!(" {text}");
        while rest.chars().count() > lrecl {
            let at: usize = rest
                .char_indices()
                .nth(lrecl)
                .map_or(rest.len(), |(i, _)| i);
            let cut = rest[..at].rfind(' ').filter(|c| *c > 12).unwrap_or(at);
            let tail = rest.split_off(cut);
            lines.push(rest);
            rest = format!("{:10} {}", "", tail.trim_start());
        }
        lines.push(rest);
    };
    if ca.sqlcode == 0 {
        add(format!("{id} SQLCODE = 000, {what}"));
    } else {
        add(format!(
            "{id} SQLCODE = {:03}, {what}:  {}",
            ca.sqlcode,
            message_text(ca)
        ));
    }
    add(format!(
        "DSNT418I SQLSTATE   = {} SQLSTATE RETURN CODE",
        ca.sqlstate
    ));
    let module = if ca.module.is_empty() {
        "DSN"
    } else {
        ca.module
    };
    add(format!(
        "DSNT415I SQLERRP    = {module} SQL PROCEDURE DETECTING ERROR"
    ));
    let decimal: Vec<String> = ca.errd.iter().map(ToString::to_string).collect();
    add(format!(
        "DSNT416I SQLERRD    = {} SQL DIAGNOSTIC INFORMATION",
        decimal.join("  ")
    ));
    let hexadecimal: Vec<String> = ca.errd.iter().map(|n| format!("X'{n:08X}'")).collect();
    add(format!(
        "DSNT416I SQLERRD    = {} SQL DIAGNOSTIC INFORMATION",
        hexadecimal.join("  ")
    ));
    lines
}

/// The text of a code, with its tokens in their places.
pub fn message_text(ca: &Sqlca) -> String {
    let Some((_, text)) = TEXTS.iter().find(|(code, _)| *code == ca.sqlcode) else {
        let tokens = ca.tokens.join(" ");
        return format!("SQLCODE {} {tokens}", ca.sqlcode)
            .trim_end()
            .to_owned();
    };
    let mut out = String::new();
    let mut tokens = ca.tokens.iter();
    let mut parts = text.split('%');
    out.push_str(parts.next().unwrap_or_default());
    for part in parts {
        out.push_str(tokens.next().map_or("", String::as_str));
        out.push_str(part);
    }
    out.trim_end().to_owned()
}

/// Short texts of the codes in our own words; `%` is a token.
#[rustfmt::skip]
const TEXTS: &[(i32, &str)] = &[
    (100, "ROW NOT FOUND FOR FETCH, UPDATE OR DELETE, OR THE RESULT OF A QUERY IS AN EMPTY TABLE"),
    (-104, "ILLEGAL SYMBOL \"%\". THE STATEMENT CANNOT BE PARSED THERE"),
    (-117, "THE NUMBER OF VALUES ASSIGNED IS NOT THE NUMBER OF COLUMNS"),
    (-138, "THE SECOND OR THIRD ARGUMENT OF SUBSTR IS OUT OF RANGE"),
    (-180, "THE DATE, TIME, OR TIMESTAMP VALUE HAS AN INVALID FORM"),
    (-181, "THE STRING IS NOT A VALID DATE, TIME, OR TIMESTAMP VALUE"),
    (-204, "% IS AN UNDEFINED NAME"),
    (-205, "% IS NOT A COLUMN OF THE TABLE"),
    (-206, "% IS NOT VALID IN THE CONTEXT WHERE IT IS USED"),
    (-302, "THE VALUE OF AN INPUT HOST VARIABLE IS INVALID OR TOO LARGE FOR ITS TARGET"),
    (-304, "A VALUE DOES NOT FIT THE OUTPUT HOST VARIABLE %"),
    (-305, "THE NULL VALUE CANNOT BE ASSIGNED TO OUTPUT HOST VARIABLE NUMBER % WITHOUT AN INDICATOR"),
    (-310, "DECIMAL HOST VARIABLE % CONTAINS NO DECIMAL DATA"),
    (-311, "THE LENGTH OF INPUT HOST VARIABLE % IS NEGATIVE OR TOO LARGE"),
    (-407, "AN UPDATE OR INSERT VALUE IS NULL, BUT COLUMN % CANNOT CONTAIN NULL VALUES"),
    (-413, "OVERFLOW OCCURRED DURING NUMERIC DATA TYPE CONVERSION"),
    (-420, "THE VALUE OF A STRING ARGUMENT IS NOT A NUMBER"),
    (-501, "THE CURSOR OF A FETCH OR CLOSE IS NOT OPEN"),
    (-502, "THE CURSOR OF AN OPEN IS ALREADY OPEN"),
    (-507, "THE CURSOR OF AN UPDATE OR DELETE IS NOT OPEN"),
    (-508, "THE CURSOR OF AN UPDATE OR DELETE IS NOT POSITIONED ON A ROW"),
    (-514, "THE CURSOR % IS NOT IN A PREPARED STATE"),
    (-518, "THE EXECUTE STATEMENT DOES NOT NAME A PREPARED STATEMENT"),
    (-530, "THE INSERT OR UPDATE VALUE OF FOREIGN KEY % IS INVALID"),
    (-531, "A PARENT KEY CANNOT BE UPDATED BECAUSE ROWS OF % DEPEND ON IT"),
    (-532, "THE RELATIONSHIP % RESTRICTS THE DELETION OF A ROW"),
    (-545, "THE CHECK CONSTRAINT % IS NOT SATISFIED"),
    (-551, "THE AUTHORIZATION ID HAS NO PRIVILEGE ON OBJECT %"),
    (-601, "THE NAME % IS THAT OF AN EXISTING OBJECT"),
    (-803, "AN INSERTED OR UPDATED VALUE IS INVALID BECAUSE THE INDEX % ALLOWS NO DUPLICATES. ROW ID %"),
    (-805, "PROGRAM % WAS NOT FOUND IN THE PLAN"),
    (-811, "A SELECT INTO OR SUBSELECT HAS MORE THAN ONE ROW"),
    (-818, "THE STATEMENT IS OF ANOTHER BUILD OF THE PROGRAM"),
    (-901, "A SYSTEM ERROR ENDED THE STATEMENT: %"),
    (-904, "A RESOURCE IS UNAVAILABLE. REASON %, TYPE %, NAME %"),
    (-911, "THE UNIT OF WORK WAS ROLLED BACK DUE TO DEADLOCK OR TIMEOUT. REASON %"),
    (-913, "THE STATEMENT ENDED DUE TO DEADLOCK OR TIMEOUT. REASON %"),
    (-922, "AUTHORIZATION FAILURE: %"),
    (-923, "NO CONNECTION TO THE DATABASE: %"),
    (-924, "THE CONNECTION TO THE DATABASE BROKE: %"),
    (-925, "COMMIT IS NOT VALID IN CICS; USE EXEC CICS SYNCPOINT"),
    (-926, "ROLLBACK IS NOT VALID IN CICS; USE EXEC CICS SYNCPOINT ROLLBACK"),
    (-952, "THE STATEMENT WAS CANCELLED: %"),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_error_has_its_lines_and_codes() {
        let ca = Sqlca::of(-803, &["XACCT", "0000000301"]);
        let mut area = [0; 720];
        assert_eq!(dsntiar(&ca, &mut area, 72), TiarCode::Whole);
        let text = String::from_utf8(area.to_vec()).unwrap();
        assert!(
            text.starts_with(" DSNT408I SQLCODE = -803, ERROR:  AN INSERTED"),
            "{text}"
        );
        assert!(text.contains("XACCT") && text.contains("DSNT418I SQLSTATE   = 23505"));
        assert!(text.contains("X'FFFFFF92'"));
        assert_eq!(dsntiar(&ca, &mut area[..144], 72), TiarCode::Cut);
        assert_eq!(dsntiar(&ca, &mut area, 20), TiarCode::Lrecl);
        assert_eq!(dsntiar(&ca, &mut area[..50], 72), TiarCode::Area);
    }

    #[test]
    fn not_found_is_a_404_message() {
        let mut area = [0; 720];
        dsntiar(&Sqlca::not_found(), &mut area, 72);
        assert!(area.starts_with(b" DSNT404I SQLCODE = 100, NOT FOUND"));
    }
}
