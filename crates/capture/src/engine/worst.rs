//! The few worst of many, in bounded memory.

/// Keeps the `limit` items with the largest cost; ties go to the smaller id.
#[derive(Debug)]
pub(super) struct WorstItems<T> {
    limit: usize,
    /// Worst first; boxed, so that making room moves little.
    items: Vec<(ItemRank, Box<T>)>,
}

/// The order of items: cost, then a second cost, then position in the file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct ItemRank {
    pub(super) cost_ns: i64,
    pub(super) second_ns: i64,
    pub(super) id: std::cmp::Reverse<(u64, u64)>,
}

impl ItemRank {
    /// The rank of an item with these costs; `id` must be unique.
    pub(super) fn new(cost_ns: i64, second_ns: i64, id: (u64, u64)) -> ItemRank {
        ItemRank {
            cost_ns,
            second_ns,
            id: std::cmp::Reverse(id),
        }
    }
}

impl<T> WorstItems<T> {
    /// Keeps nothing yet.
    pub(super) fn new(limit: usize) -> WorstItems<T> {
        WorstItems {
            limit,
            items: Vec::new(),
        }
    }

    /// Returns `true` if an item of this rank would be kept.
    #[inline]
    pub(super) fn qualifies(&self, rank: ItemRank) -> bool {
        self.items.len() < self.limit || self.items.last().is_some_and(|(last, _)| rank > *last)
    }

    /// Keeps the item if it qualifies.
    pub(super) fn insert(&mut self, rank: ItemRank, item: Box<T>) {
        if !self.qualifies(rank) {
            return;
        }
        let at = self.items.partition_point(|(other, _)| *other >= rank);
        self.items.insert(at, (rank, item));
        self.items.truncate(self.limit);
    }

    /// Takes the items of `other`.
    pub(super) fn merge(&mut self, other: WorstItems<T>) {
        for (rank, item) in other.items {
            self.insert(rank, item);
        }
    }

    /// The items, worst first.
    pub(super) fn into_items(self) -> impl Iterator<Item = T> {
        self.items.into_iter().map(|(_, item)| *item)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_worst_are_kept_in_any_order_of_arrival() {
        let costs = [5, 1, 9, 7, 9, 3];
        let mut worst = WorstItems::new(3);
        for (id, cost) in costs.iter().enumerate() {
            worst.insert(ItemRank::new(*cost, 0, (id as u64, 0)), Box::new(id));
        }
        assert_eq!(worst.into_items().collect::<Vec<_>>(), [2, 4, 3]);
    }

    #[test]
    fn a_limit_of_zero_keeps_nothing() {
        let mut worst = WorstItems::new(0);
        worst.insert(ItemRank::new(1, 0, (0, 0)), Box::new(()));
        assert_eq!(worst.into_items().count(), 0);
    }
}
