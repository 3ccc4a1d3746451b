//! One bar: phases and stalls of an exchange or a capture, side by side.

use measure::report::escape;

use super::colour;
use super::{ms, percent};

/// A bar of parts, each with a name and nanoseconds; stalls are coloured by
/// cause, phases grey to green.
pub(super) fn split_bar(parts: &[(String, i64, u64)]) -> String {
    let total: i64 = parts.iter().map(|p| p.1).sum();
    if total <= 0 {
        return String::new();
    }
    let mut bar = String::new();
    let mut keys = String::new();
    let mut x = 0.0;
    // Stalls of each colour so far: the next one is paler.
    let mut used = [0_usize; 8];
    for (n, (name, ns, _)) in parts.iter().enumerate() {
        let width = percent(*ns, total) * WIDTH / 100.0;
        let fill = fill(name, n, &mut used);
        bar += &format!(
            r#"<rect x="{x:.2}" y="0" width="{width:.2}" height="26" {fill}><title>{}: {} ms</title></rect>"#,
            escape(name),
            ms(*ns)
        );
        keys += &format!(
            r#"<span class=key><svg viewBox="0 0 12 12" style="width:12px;display:inline-block;vertical-align:-1px;margin-right:5px"><rect width="12" height="12" {fill}/></svg>{} {} ms ({:.1} %)</span>"#,
            escape(name),
            ms(*ns),
            percent(*ns, total)
        );
        x += width;
    }
    format!(
        r#"<svg viewBox="0 0 {WIDTH} 26" preserveAspectRatio="none" style="height:26px">{bar}</svg><p>{keys}</p>"#
    )
}

fn fill(name: &str, n: usize, used: &mut [usize; 8]) -> String {
    match name.strip_prefix("stall: ") {
        Some(rule) => {
            let place = colour(rule);
            let pale = [1.0, 0.6, 0.35][used[place].min(2)];
            used[place] += 1;
            format!(r#"style="fill:var(--c{place})" opacity="{pale}""#)
        }
        None if name.starts_with("server think") => r#"style="fill:var(--c2)""#.to_owned(),
        None => format!(
            r#"style="fill:var(--faint)" opacity="{}""#,
            0.35 + 0.15 * (n % 4) as f64
        ),
    }
}

/// Width in the picture's own units.
const WIDTH: f64 = 1000.0;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_two_stalls_of_a_bar_look_the_same() {
        let rules = [
            "tcp.rto",
            "tcp.syn.lost",
            "tcp.retransmit.fast",
            "tcp.nagle",
            "tcp.ack.delayed",
        ];
        let parts: Vec<_> = rules
            .iter()
            .map(|r| (format!("stall: {r}"), 10, 1))
            .collect();
        let bar = split_bar(&parts);
        let mut fills: Vec<_> = bar
            .split(r#"<rect x="#)
            .skip(1)
            .map(|rect| &rect[rect.find("style").unwrap()..rect.find('>').unwrap()])
            .collect();
        fills.sort_unstable();
        fills.dedup();
        assert_eq!(fills.len(), rules.len(), "{fills:?}");
    }
}
