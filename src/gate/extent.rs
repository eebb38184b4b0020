//! How bad a finding is, in one number or two, and when one is worse than another.

/// What a finding is held against later. Lengths in mm.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Extent {
    /// Of an interference: the overlap depth; more is worse.
    Depth(f64),
    /// Of a clearance: the gap; less is worse.
    Gap(f64),
    /// Of an undecided pair: between these bounds lies its gap.
    Bracket([f64; 2]),
}

/// A number that was written in another unit and read again is off by this much of itself, at most.
const ROUNDING: f64 = 4.0 * f64::EPSILON;

/// Whether `x` is more than `limit`, rounding aside.
pub(super) fn exceeds(x: f64, limit: f64) -> bool {
    x - limit > ROUNDING * x.abs().max(limit.abs())
}

impl Extent {
    /// The same with its lengths in another unit.
    #[must_use]
    pub fn map(self, to: impl Fn(f64) -> f64) -> Self {
        match self {
            Self::Depth(depth) => Self::Depth(to(depth)),
            Self::Gap(gap) => Self::Gap(to(gap)),
            Self::Bracket(bracket) => Self::Bracket(bracket.map(to)),
        }
    }

    /// Whether it is worse than `before` by more than `slack`; of brackets, whether the lower end is lower. `None` where the two
    /// are not of one kind.
    pub(super) fn is_worse(self, before: Self, slack: f64) -> Option<bool> {
        match (before, self) {
            (Self::Depth(before), Self::Depth(now)) => Some(exceeds(now, before + slack)),
            (Self::Gap(before), Self::Gap(now)) | (Self::Bracket([before, _]), Self::Bracket([now, _])) => {
                Some(exceeds(before - slack, now))
            }
            _ => None,
        }
    }

    /// Whether both ends of two brackets are the same within `slack`.
    pub(super) fn is_same_bracket(self, before: Self, slack: f64) -> bool {
        let (Self::Bracket(before), Self::Bracket(now)) = (before, self) else { return false };
        before.iter().zip(now).all(|(b, n)| !exceeds(n, b + slack) && !exceeds(b - slack, n))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn deeper_and_nearer_are_worse_and_equality_is_not() {
        let worse = |now: Extent, before| now.is_worse(before, 0.01);
        assert_eq!(worse(Extent::Depth(0.31), Extent::Depth(0.3)), Some(false));
        assert_eq!(worse(Extent::Depth(0.311), Extent::Depth(0.3)), Some(true));
        assert_eq!(worse(Extent::Gap(1.24), Extent::Gap(1.25)), Some(false));
        assert_eq!(worse(Extent::Gap(1.239), Extent::Gap(1.25)), Some(true));
        assert_eq!(worse(Extent::Gap(1.0), Extent::Depth(1.0)), None);
        assert_eq!(worse(Extent::Bracket([-0.5, 9.0]), Extent::Bracket([-0.4, 0.0])), Some(true));
    }

    #[test]
    fn a_unit_and_back_is_not_worse() {
        for k in 1..2000 {
            let mm = f64::from(k) * 0.0137;
            for unit in crate::geom::LengthUnit::ALL {
                let back = mm / unit.mm() * unit.mm();
                assert_eq!(Extent::Depth(mm).is_worse(Extent::Depth(back), 0.0), Some(false), "{mm}");
                assert_eq!(Extent::Gap(mm).is_worse(Extent::Gap(back), 0.0), Some(false), "{mm}");
            }
        }
        assert_eq!(Extent::Depth(1.0 + 1e-12).is_worse(Extent::Depth(1.0), 0.0), Some(true));
    }

    #[test]
    fn a_bracket_is_the_same_when_both_ends_are() {
        let before = Extent::Bracket([-0.5, 0.5]);
        assert!(Extent::Bracket([-0.49, 0.51]).is_same_bracket(before, 0.01));
        assert!(!Extent::Bracket([-0.4, 0.5]).is_same_bracket(before, 0.01));
        assert!(!Extent::Bracket([-0.5, 0.6]).is_same_bracket(before, 0.01));
        assert!(!Extent::Depth(0.5).is_same_bracket(before, 1.0));
    }
}
