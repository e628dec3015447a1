//! Checks of a tree that comes from elsewhere, before it is used.

use super::super::Misfit;
use super::{Node, ROOT, Stage, Tree};

impl Tree {
    /// Checks that this is a tree, and its counts as
    /// [`RecordState::check`](crate::kept::RecordState::check) does.
    ///
    /// # Errors
    /// If it is none.
    pub fn check(&self) -> Result<(), Misfit> {
        let root = self.units.get(&ROOT);
        if !root.is_some_and(|root| root.above.is_none() && root.path.is_empty()) {
            return Err(Misfit("it has no root"));
        }
        let mut given = 0;
        for (&id, node) in &self.units {
            if id >= self.next {
                return Err(Misfit("a unit has a number of later ones"));
            }
            self.check_node(id, node)?;
            given += node.given.len();
        }
        // Each but the root is at most once in the list of the unit above: see `check_node`.
        match given + 1 == self.units.len() {
            true => Ok(()),
            false => Err(Misfit("a unit belongs to none")),
        }
    }

    fn check_node(&self, id: u64, node: &Node) -> Result<(), Misfit> {
        match &node.stage {
            Stage::Fresh | Stage::Dropped => {}
            Stage::Begun(begun) => begun.check()?,
            Stage::Done(done) => done.product.record.check()?,
        }
        // Numbers grow downwards, so there is no circle, and within a list, where places differ.
        let ordered = node.given.iter().all(|&unit| unit > id);
        let mut places = Vec::new();
        for unit in &node.given {
            let above = self.units.get(unit).and_then(|unit| unit.above);
            let Some((_, at, place)) = above.filter(|&(above, ..)| above == id) else {
                return Err(Misfit("a unit is in another list"));
            };
            places.push((at, place));
        }
        places.sort_unstable();
        let differ = places.windows(2).all(|pair| pair[0] != pair[1]);
        let path = node.above.is_none_or(|(_, at, _)| at as usize == node.path.len());
        match ordered && differ && path {
            true => Ok(()),
            false => Err(Misfit("a unit is at no place")),
        }
    }
}
