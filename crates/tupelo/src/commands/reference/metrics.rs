//! The reference page of `/metrics`, made from the server's own output.
//!
//! Reference: Prometheus, "Exposition formats", text format 0.0.4.

use std::collections::BTreeSet;
use std::fmt::Write;

/// The page.
pub fn page() -> String {
    let mut text = gateway::metrics_sample();
    crate::app::metrics::write(&region::RegionStatistics::default(), &mut text);
    let limit = region::LimitInfo { name: "starts", count_limit: Some(1), bytes_limit: Some(1), ..region::LimitInfo::default() };
    crate::app::metrics::write_limits(&[limit], &mut text);
    sockets::metrics_sample(&mut text);
    terminal::metrics_sample(&mut text);
    database::metrics_sample(&mut text);
    web::metrics_sample(&mut text);
    gateway::mainframe_metrics_sample(&mut text);
    let one = [("NAME".to_owned(), ipconn::ConnectionConfig::default())];
    let config = ipconn::IpconnConfig { connections: one.into(), ..Default::default() };
    ipconn::ConnectionDirectory::new(&config).metrics(&mut text);
    let mut page = String::from(
        "# /metrics\n\n\
         The metrics that the administration port of `tupelo serve` exports to Prometheus. \
         This page is made by `tupelo reference metrics`.\n\n\
         | metric | type | labels | meaning |\n|---|---|---|---|\n",
    );
    for figure in text.split("# HELP ").skip(1) {
        let mut lines = figure.lines();
        let (name, help) = lines.next().and_then(|l| l.split_once(' ')).unwrap_or_default();
        let kind = lines.next().and_then(|l| l.rsplit(' ').next()).unwrap_or_default();
        let labels = labels(lines).join(", ");
        let _ = writeln!(page, "| `{name}` | {kind} | {labels} | {help} |");
    }
    page
}

/// The labels of a metric; a label with few values is listed with them.
fn labels<'a>(lines: impl Iterator<Item = &'a str>) -> Vec<String> {
    let mut found: Vec<(&str, BTreeSet<&str>)> = Vec::new();
    for line in lines {
        let Some((_, inside)) = line.split_once('{') else { continue };
        for pair in inside.split('}').next().unwrap_or_default().split(',') {
            let Some((label, value)) = pair.split_once('=') else { continue };
            let value = value.trim_matches('"');
            match found.iter_mut().find(|(l, _)| *l == label) {
                Some((_, values)) => _ = values.insert(value),
                None => found.push((label, BTreeSet::from([value]))),
            }
        }
    }
    let text = |(label, values): &(&str, BTreeSet<&str>)| match values.len() {
        // One value is the sample's own, and bounds of a histogram are many.
        2..=8 => {
            let values: Vec<String> = values.iter().map(|value| format!("`{value}`")).collect();
            format!("{label}: {}", values.join(" "))
        }
        _ => (*label).to_owned(),
    };
    found.iter().map(text).collect()
}

#[cfg(test)]
mod tests {
    #[test]
    fn the_page_shows_type_labels_and_meaning_of_a_figure() {
        let page = super::page();
        for row in [
            "| `tupelo_gateway_requests_total` | counter | api, method, path, status |",
            "| `tupelo_region_tasks_active` | gauge |  |",
            "| `tupelo_engine_cpu_seconds_total` | counter | engine: `general` `offload` |",
        ] {
            assert!(page.contains(row), "{row}\n{page}");
        }
    }
}
