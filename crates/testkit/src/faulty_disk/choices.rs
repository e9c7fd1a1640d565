//! Who decides what survives: a seed, which a failing test prints, or every possibility in turn.
//!
//! Nothing here is random: equal seeds give equal numbers.

/// A stream of numbers that depends on its seed alone.
#[derive(Debug, Clone)]
pub struct Seeded(u64);

impl Seeded {
    /// The stream of this seed.
    #[must_use]
    pub const fn new(seed: u64) -> Self {
        Self(seed)
    }

    /// The next number.
    pub const fn next_number(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    /// A number below `limit`; 0 when there is none.
    pub fn below(&mut self, limit: usize) -> usize {
        let limit = u64::try_from(limit).unwrap_or(u64::MAX).max(1);
        usize::try_from(self.next_number() % limit).unwrap_or_default()
    }
}

/// Every way to answer a series of choices, one after the other; for disks on which little is left to chance.
///
/// ```
/// use premath_testkit::faulty_disk::Every;
///
/// let mut every = Every::default();
/// let mut seen = Vec::new();
/// while every.more() {
///     seen.push((every.choose(2), every.choose(2)));
/// }
/// assert_eq!(seen, [(0, 0), (0, 1), (1, 0), (1, 1)]);
/// ```
#[derive(Debug, Clone, Default)]
pub struct Every {
    /// What was answered, and out of how many.
    answers: Vec<(usize, usize)>,
    /// How many of them were asked for again.
    asked: usize,
    begun: bool,
}

impl Every {
    /// Begins the next series; false when there is none.
    pub fn more(&mut self) -> bool {
        self.asked = 0;
        if !self.begun {
            self.begun = true;
            return true;
        }
        while let Some((answer, limit)) = self.answers.pop() {
            if answer + 1 < limit {
                self.answers.push((answer + 1, limit));
                return true;
            }
        }
        false
    }

    /// Answers the next choice of this series.
    pub fn choose(&mut self, limit: usize) -> usize {
        if self.asked == self.answers.len() {
            self.answers.push((0, limit));
        }
        let answer = self.answers.get(self.asked).map_or(0, |(answer, _)| *answer);
        self.asked += 1;
        answer
    }
}
