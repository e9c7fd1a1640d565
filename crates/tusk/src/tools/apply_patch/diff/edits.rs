//! The lines that go and come between two texts: what is common at both ends stays, and in between the longest common
//! subsequence, where it is cheap to find. It must not take more than a bounded time.

/// The most pairs of lines that are compared in the middle.
const MOST_PAIRS: usize = 1 << 20;

/// What becomes of one line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Edit<'l> {
    /// It stays.
    Keep(&'l str),
    /// It goes.
    Remove(&'l str),
    /// It comes.
    Add(&'l str),
}

/// The edits that make `new` of `old`, in order; of a change, what goes comes first.
pub(super) fn edits<'l>(old: &[&'l str], new: &[&'l str]) -> Vec<Edit<'l>> {
    let begin = old.iter().zip(new).take_while(|(left, right)| left == right).count();
    let (head, old) = old.split_at_checked(begin).unwrap_or((old, &[]));
    let new = new.get(begin..).unwrap_or_default();
    let end = old.iter().rev().zip(new.iter().rev()).take_while(|(left, right)| left == right).count();
    let (old, tail) = old.split_at_checked(old.len() - end).unwrap_or((old, &[]));
    let new = new.get(..new.len() - end).unwrap_or_default();
    let mut edits: Vec<Edit<'l>> = head.iter().map(|line| Edit::Keep(line)).collect();
    if old.len().saturating_mul(new.len()) <= MOST_PAIRS {
        edits.extend(middle(old, new));
    } else {
        edits.extend(old.iter().map(|line| Edit::Remove(line)));
        edits.extend(new.iter().map(|line| Edit::Add(line)));
    }
    edits.extend(tail.iter().map(|line| Edit::Keep(line)));
    edits
}

/// For each pair of ends the length of the longest common subsequence of what follows.
struct Lengths {
    width: usize,
    cells: Vec<u32>,
}

impl Lengths {
    fn of(old: &[&str], new: &[&str]) -> Self {
        let width = new.len() + 1;
        let mut lengths = Self { width, cells: vec![0; width * (old.len() + 1)] };
        for (row, left) in old.iter().enumerate().rev() {
            for (column, right) in new.iter().enumerate().rev() {
                let length = if left == right {
                    lengths.at(row + 1, column + 1) + 1
                } else {
                    lengths.at(row + 1, column).max(lengths.at(row, column + 1))
                };
                if let Some(cell) = lengths.cells.get_mut(row * width + column) {
                    *cell = length;
                }
            }
        }
        lengths
    }

    fn at(&self, row: usize, column: usize) -> u32 {
        self.cells.get(row * self.width + column).copied().unwrap_or(0)
    }
}

fn middle<'l>(old: &[&'l str], new: &[&'l str]) -> Vec<Edit<'l>> {
    let lengths = Lengths::of(old, new);
    let (mut row, mut column) = (0, 0);
    let mut edits = Vec::with_capacity(old.len() + new.len());
    loop {
        match (old.get(row), new.get(column)) {
            (Some(left), Some(right)) if left == right => {
                edits.push(Edit::Keep(left));
                (row, column) = (row + 1, column + 1);
            }
            (Some(left), right)
                if right.is_none() || lengths.at(row + 1, column) >= lengths.at(row, column + 1) =>
            {
                edits.push(Edit::Remove(left));
                row += 1;
            }
            (_, Some(right)) => {
                edits.push(Edit::Add(right));
                column += 1;
            }
            (_, None) => return edits,
        }
    }
}
