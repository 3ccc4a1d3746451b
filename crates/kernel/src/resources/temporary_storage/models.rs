//! TSMODEL: the attributes of the queues whose names begin with a prefix.
//!
//! In a prefix, `+` matches any one character. The longest prefix that matches
//! is used; of two with the same length, the one with fewer `+`.

use crate::types::TsModelDef;

/// The models, the most specific first.
#[derive(Debug, Default)]
pub struct TsModels(Vec<TsModelDef>);

impl TsModels {
    /// Puts models in the order in which they are tried.
    pub fn new(models: &[TsModelDef]) -> Self {
        let mut models = models.to_vec();
        let any = |m: &TsModelDef| m.prefix.iter().filter(|b| **b == b'+').count();
        models.sort_by_key(|m| (std::cmp::Reverse(m.prefix.len()), any(m)));
        TsModels(models)
    }

    /// The models in this order.
    pub fn all(&self) -> &[TsModelDef] {
        &self.0
    }

    /// The model of a queue.
    pub fn of(&self, name: &[u8; 16]) -> Option<&TsModelDef> {
        let fits = |m: &&TsModelDef| {
            let mut pairs = m.prefix.iter().zip(name);
            m.prefix.len() <= name.len() && pairs.all(|(p, n)| *p == b'+' || p == n)
        };
        self.0.iter().find(fits)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn model(prefix: &str) -> TsModelDef {
        TsModelDef {
            prefix: prefix.as_bytes().to_vec(),
            ..TsModelDef::default()
        }
    }

    #[test]
    fn the_longest_prefix_that_fits_is_taken() {
        let models = TsModels::new(&[model("A"), model("AB+"), model("ABC"), model("ABCD++")]);
        let of = |name: &[u8; 16]| {
            let prefix = models.of(name).map(|m| m.prefix.clone());
            prefix.map(|p| String::from_utf8_lossy(&p).into_owned())
        };
        assert_eq!(of(b"ABC             ").as_deref(), Some("ABC"));
        assert_eq!(of(b"ABCD12          ").as_deref(), Some("ABCD++"));
        assert_eq!(of(b"ABX             ").as_deref(), Some("AB+"));
        assert_eq!(of(b"AX              ").as_deref(), Some("A"));
        assert_eq!(of(b"X               "), None);
    }
}
