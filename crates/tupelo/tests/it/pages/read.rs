//! Blocks of commands of a page in Markdown.

/// A page and its commands.
#[derive(Debug, Default)]
pub struct DocPage {
    /// File name.
    pub name: String,
    /// Commands that are run, in their order.
    pub steps: Vec<DocCommand>,
    /// Blocks that are not run.
    pub left_out: Vec<LeftOut>,
}

/// One command.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DocCommand {
    /// Line of the page, from 1.
    pub line: usize,
    /// The text for the shell; it may have several lines.
    pub command: String,
    /// Lines that the page shows below it.
    pub expected: Vec<String>,
    /// Whether the command is visible on the rendered page.
    pub is_shown: bool,
}

/// A block that is not run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LeftOut {
    pub page: String,
    pub line: usize,
    pub commands: usize,
    pub reason: String,
}

/// Reads a page.
pub fn page(name: &str, text: &str) -> DocPage {
    let mut page = DocPage {
        name: name.to_owned(),
        ..DocPage::default()
    };
    let mut reason = None;
    let mut lines = (1..).zip(text.lines());
    while let Some((number, line)) = lines.next() {
        if let Some(why) = marker(line, "not run: ") {
            reason = Some(why.to_owned());
            continue;
        }
        if let Some(command) = marker(line, "first: ") {
            page.steps.push(DocCommand {
                line: number,
                command: command.to_owned(),
                expected: Vec::new(),
                is_shown: false,
            });
            continue;
        }
        let language = line.strip_prefix("```").map(str::trim);
        let Some(language) = language else {
            if !line.trim().is_empty() {
                reason = None;
            }
            continue;
        };
        let block: Vec<(usize, &str)> = lines
            .by_ref()
            .take_while(|(_, line)| !line.starts_with("```"))
            .collect();
        let steps = match language {
            "console" => console(&block),
            "sh" => script(&block),
            _ => Vec::new(),
        };
        match reason.take() {
            Some(reason) => page.left_out.push(LeftOut {
                page: page.name.clone(),
                line: number,
                commands: steps.len(),
                reason,
            }),
            None => page.steps.extend(steps),
        }
    }
    page
}

fn marker<'a>(line: &'a str, word: &str) -> Option<&'a str> {
    line.strip_prefix("<!-- ")?
        .strip_prefix(word)?
        .strip_suffix(" -->")
}

/// Commands after `$ ` with their outputs.
fn console(block: &[(usize, &str)]) -> Vec<DocCommand> {
    let mut steps: Vec<DocCommand> = Vec::new();
    let mut at = 0;
    while at < block.len() {
        let (line, text) = block[at];
        at += 1;
        let Some(first) = text.strip_prefix("$ ") else {
            if let Some(step) = steps.last_mut() {
                step.expected.push(text.to_owned());
            }
            continue;
        };
        let (command, end) = whole(first, block, at);
        at = end;
        steps.push(DocCommand {
            line,
            command,
            expected: Vec::new(),
            is_shown: true,
        });
    }
    steps
}

/// Commands, one a line.
fn script(block: &[(usize, &str)]) -> Vec<DocCommand> {
    let mut steps = Vec::new();
    let mut at = 0;
    while at < block.len() {
        let (line, text) = block[at];
        at += 1;
        if text.trim().is_empty() || text.starts_with('#') {
            continue;
        }
        let (command, end) = whole(text, block, at);
        at = end;
        steps.push(DocCommand {
            line,
            command,
            expected: Vec::new(),
            is_shown: true,
        });
    }
    steps
}

/// A command with its further lines: after a backslash, in a text up to its end
/// word, in a loop, or in an open quotation.
fn whole(first: &str, block: &[(usize, &str)], mut at: usize) -> (String, usize) {
    let mut command = first.to_owned();
    let end_word = first
        .split_once("<<")
        .map(|(_, word)| word.trim().to_owned());
    let mut last = first.to_owned();
    while at < block.len() {
        let in_text = end_word.as_ref().is_some_and(|word| last != *word);
        let in_loop = first.starts_with("for ") && last.trim() != "done";
        let in_quotes = command.matches('\'').count() % 2 == 1;
        if !(last.ends_with('\\') || in_text || in_loop || in_quotes) {
            break;
        }
        let next = block[at].1.trim_start_matches("> ");
        command = format!("{command}\n{next}");
        last = next.to_owned();
        at += 1;
    }
    (command, at)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_page_has_commands_with_outputs_and_blocks_that_are_not_run() {
        let text = "words\n```console\n$ a \\\n    -b\nout\n$ cat <<END\nx\nEND\n```\n\
                    <!-- not run: no -->\n```sh\nc\n```\n<!-- first: d -->\n```text\n$ e\n```\n";
        let page = page("p.md", text);
        let steps: Vec<(&str, usize, bool)> = page
            .steps
            .iter()
            .map(|s| (s.command.as_str(), s.expected.len(), s.is_shown))
            .collect();
        assert_eq!(
            steps,
            [
                ("a \\\n    -b", 1, true),
                ("cat <<END\nx\nEND", 0, true),
                ("d", 0, false)
            ]
        );
        assert_eq!(page.left_out[0].reason, "no");
        assert_eq!(page.left_out[0].commands, 1);
    }
}
