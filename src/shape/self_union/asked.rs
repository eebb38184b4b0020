//! Which surfaces are asked whether parts of them overlap, while some work is done. The answer is the same whoever asks first; but
//! a run tells only of what it had to know, and a result that is kept for the next run must say what that is, alone.

use crate::shape::surface::Surface;
use std::cell::RefCell;

thread_local! {
    /// Those asked on this thread since somebody began to listen.
    static ASKED: RefCell<Option<Vec<*const Surface>>> = const { RefCell::new(None) };
}

/// The surfaces that some work asked, by their places.
#[derive(Debug)]
pub(crate) struct Asked(Vec<*const Surface>);

impl Asked {
    /// Whether a surface was; one that was there during the whole of the work.
    pub(crate) fn holds(&self, surface: &Surface) -> bool {
        self.0.iter().any(|s| std::ptr::eq(*s, surface))
    }
}

/// Does some work on this thread and takes note of the surfaces that it asks.
pub(crate) fn listen<R>(work: impl FnOnce() -> R) -> (R, Asked) {
    ASKED.with_borrow_mut(|list| *list = Some(Vec::new()));
    let result = work();
    (result, Asked(ASKED.take().unwrap_or_default()))
}

/// A surface is asked.
pub(crate) fn note(surface: &Surface) {
    ASKED.with_borrow_mut(|list| {
        if let Some(list) = list
            && !list.iter().any(|s| std::ptr::eq(*s, surface))
        {
            list.push(surface);
        }
    });
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::geom::Vec3;
    use crate::shape::surface::Inside;
    use crate::testkit::solids::block;

    #[test]
    fn every_asker_is_heard_and_not_only_the_first() {
        let of = |x: f64| Surface::new(&block([0.0; 3], [x, 1.0, 1.0]), &Vec3::zeros(), Inside::Solid);
        let (one, other) = (of(1.0), of(2.0));
        for _ in 0..2 {
            let (_, asked) = listen(|| one.overlaps());
            assert!(asked.holds(&one) && !asked.holds(&other));
        }
        other.solid();
        let ((), asked) = listen(|| ());
        assert!(!asked.holds(&one) && !asked.holds(&other));
    }
}
