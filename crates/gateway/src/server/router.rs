//! From a path to the operations that serve it.
//!
//! Templates form a tree of segments; a segment's own name wins over a
//! variable. A request's path is cut and matched without being copied.

use smallvec::SmallVec;

/// Most variables in one path.
const MAX_VARIABLES: usize = 16;

/// A tree of path templates with a value at each.
#[derive(Debug)]
pub(crate) struct PathRouter<T> {
    nodes: Vec<Node<T>>,
}

#[derive(Debug)]
struct Node<T> {
    /// In their order.
    names: Vec<(Box<str>, usize)>,
    variable: Option<usize>,
    value: Option<(T, Vec<Box<str>>)>,
}

/// A match: the value, and the variables with their raw texts.
pub(crate) struct RouteMatch<'r, 'p, T> {
    pub value: &'r T,
    pub variables: SmallVec<[(&'r str, &'p str); 2]>,
}

impl<T> Node<T> {
    fn new() -> Node<T> {
        Node {
            names: Vec::new(),
            variable: None,
            value: None,
        }
    }

    /// The node after a segment of this name.
    fn named(&self, segment: &str) -> Option<usize> {
        let at = self
            .names
            .binary_search_by(|(name, _)| (**name).cmp(segment));
        at.ok().map(|at| self.names[at].1)
    }

    fn name(&mut self, segment: &str, node: usize) {
        let at = self.names.partition_point(|(name, _)| **name < *segment);
        self.names.insert(at, (segment.into(), node));
    }
}

impl<T> PathRouter<T> {
    pub fn new() -> PathRouter<T> {
        PathRouter {
            nodes: vec![Node::new()],
        }
    }

    /// The value of a template, made if it is new.
    pub fn entry(&mut self, template: &str, default: impl FnOnce() -> T) -> &mut T {
        let mut at = 0;
        let mut variables: Vec<Box<str>> = Vec::new();
        for segment in segments(template) {
            let next = match segment.strip_prefix('{').and_then(|s| s.strip_suffix('}')) {
                Some(name) => {
                    variables.push(name.into());
                    self.nodes[at].variable
                }
                None => self.nodes[at].named(segment),
            };
            at = match next {
                Some(next) => next,
                None => {
                    self.nodes.push(Node::new());
                    let new = self.nodes.len() - 1;
                    if segment.starts_with('{') && segment.ends_with('}') {
                        self.nodes[at].variable = Some(new)
                    } else {
                        self.nodes[at].name(segment, new)
                    }
                    new
                }
            };
        }
        &mut self.nodes[at]
            .value
            .get_or_insert_with(|| (default(), variables))
            .0
    }

    /// Finds the template that a path fits; a slash at its end does not count.
    pub fn find<'r, 'p>(&'r self, path: &'p str) -> Option<RouteMatch<'r, 'p, T>> {
        let mut taken: [&'p str; MAX_VARIABLES] = [""; MAX_VARIABLES];
        let path = path.strip_prefix('/')?;
        let path = path.strip_suffix('/').unwrap_or(path);
        let (node, count) = self.walk(0, path, path.is_empty(), &mut taken, 0)?;
        let (value, names) = self.nodes[node].value.as_ref()?;
        let variables = names
            .iter()
            .map(|n| &**n)
            .zip(taken[..count].iter().copied());
        Some(RouteMatch {
            value,
            variables: variables.collect(),
        })
    }

    fn walk<'p>(
        &self,
        at: usize,
        rest: &'p str,
        done: bool,
        taken: &mut [&'p str; MAX_VARIABLES],
        count: usize,
    ) -> Option<(usize, usize)> {
        let node = &self.nodes[at];
        if done {
            return node.value.is_some().then_some((at, count));
        }
        // Segments are short: a search for longer texts costs more than it finds.
        let (segment, tail) = match rest.bytes().position(|b| b == b'/') {
            Some(at) => (&rest[..at], Some(&rest[at + 1..])),
            None => (rest, None),
        };
        let last = tail.is_none();
        let tail = tail.unwrap_or("");
        let named = node.named(segment).or_else(|| {
            let encoded = segment.contains('%');
            let text = encoded.then(|| percent_encoding::percent_decode_str(segment).decode_utf8());
            node.named(&text?.ok()?)
        });
        if let Some(next) = named
            && let Some(found) = self.walk(next, tail, last, taken, count)
        {
            return Some(found);
        }
        if let Some(next) = node.variable
            && !segment.is_empty()
            && count < MAX_VARIABLES
        {
            taken[count] = segment;
            return self.walk(next, tail, last, taken, count + 1);
        }
        None
    }
}

fn segments(template: &str) -> impl Iterator<Item = &str> {
    let trimmed = template.trim_matches('/');
    trimmed.split('/').filter(move |_| !trimmed.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn router() -> PathRouter<&'static str> {
        let mut router = PathRouter::new();
        for template in [
            "/",
            "/a",
            "/a/{id}",
            "/a/{id}/b",
            "/a/new",
            "/a/{x}/{y}/c",
            "/é",
        ] {
            router.entry(template, || template);
        }
        router
    }

    fn find(path: &str) -> Option<(&'static str, String)> {
        let router = router();
        let found = router.find(path)?;
        let texts: Vec<_> = found
            .variables
            .iter()
            .map(|(n, v)| format!("{n}={v}"))
            .collect();
        Some((found.value, texts.join("&")))
    }

    #[test]
    fn names_win_over_variables_and_variables_are_taken_raw() {
        assert_eq!(find("/a/new"), Some(("/a/new", String::new())));
        assert_eq!(find("/a/new/b"), Some(("/a/{id}/b", "id=new".into())));
        assert_eq!(find("/a/7%2F8"), Some(("/a/{id}", "id=7%2F8".into())));
        assert_eq!(find("/a/1/2/c"), Some(("/a/{x}/{y}/c", "x=1&y=2".into())));
        assert_eq!(find("/a/"), Some(("/a", String::new())));
        assert_eq!(find("/"), Some(("/", String::new())));
        assert_eq!(find("/%C3%A9"), Some(("/é", String::new())));
        assert_eq!(find("/a//b"), None);
        assert_eq!(find("/b"), None);
        assert_eq!(find("*"), None);
    }

    proptest::proptest! {
        #[test]
        fn no_path_panics(path in "[/a%é{}.]{0,30}") {
            let _ = find(&path);
        }
    }
}
