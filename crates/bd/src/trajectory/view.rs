//! The log as a question sees it: an index over its beginning where there is one that can be believed, and the lines
//! behind it, read one by one.
//!
//! The index is believed when its digest, rolled on over those lines, comes out at what the log's reader vouches for: an
//! index of other lines, however many, does not. It must not answer anything itself.

use premath_kernel::Value;

use super::Trajectory;
use super::index::{Index, afresh, brought_up};
use super::order::{Entry, Keyed};
use super::step::{Flaw, Step, read_line};
use super::tally::{Tally, Warning};
use crate::error::StoreError;
use crate::log::{Extent, LogReader, Place, Standing};

/// What a question takes from the steps behind the index.
pub(super) trait Collect {
    /// One more step.
    fn step(&mut self, step: &Step<'_>, entry: &Entry);
}

/// How far an index is relied on. A question that finds one damaged is asked again with the next.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Reliance {
    /// On the one that lies there.
    Found,
    /// On one that is made now.
    Rebuilt,
    /// On none.
    LogOnly,
}

impl Reliance {
    /// In the order in which they are tried.
    pub(super) const ALL: [Self; 3] = [Self::Found, Self::Rebuilt, Self::LogOnly];
}

/// A log and what was collected from it.
#[derive(Debug)]
pub(super) struct View<C> {
    pub(super) reader: LogReader,
    /// Covers what `collected` does not.
    pub(super) index: Option<Index>,
    /// Over the whole log.
    pub(super) tally: Tally,
    pub(super) collected: C,
    is_as_vouched: bool,
}

impl Trajectory {
    /// Looks at the log once. `make` begins a collection, and begins it anew when an index proves false.
    pub(super) fn view<C: Collect>(
        &self,
        reliance: Reliance,
        make: impl Fn() -> C,
    ) -> Result<View<C>, StoreError> {
        // The index first: the log is then at least as long as what the index was made of.
        let found = match reliance {
            Reliance::Found => Index::open(self.log.disk().as_ref(), &self.index_path()),
            Reliance::Rebuilt | Reliance::LogOnly => None,
        };
        let reader = self.log.read()?;
        if let Some(index) = brought_up(self, &reader, found) {
            let (pass, collected) = read_on(&reader, Some(&index), make())?;
            if pass.extent == reader.extent() {
                return Ok(View {
                    reader,
                    index: Some(index),
                    tally: pass.tally,
                    collected,
                    is_as_vouched: true,
                });
            }
        }
        let index = if reliance == Reliance::LogOnly { None } else { afresh(self, &reader) };
        let (pass, collected) = read_on(&reader, index.as_ref(), make())?;
        let is_as_vouched = pass.extent == reader.extent();
        Ok(View { reader, index, tally: pass.tally, collected, is_as_vouched })
    }
}

fn read_on<C: Collect>(
    reader: &LogReader,
    index: Option<&Index>,
    mut collected: C,
) -> Result<(Pass, C), StoreError> {
    let mut pass = index
        .map_or_else(Pass::default, |index| Pass { extent: index.extent(), tally: index.tally().clone() });
    reader.each_line::<StoreError>(pass.extent.bytes, |place, line| {
        pass.line(place, line, |step| collected.step(step, &Entry::of(step, place)));
        Ok(())
    })?;
    let rest = reader.rest();
    if let Some(line) = reader.unterminated_line() {
        let length = u32::try_from(line.len()).unwrap_or(u32::MAX);
        let place = Place { offset: reader.extent().bytes, length };
        pass.row(pass.extent.rows + 1, place, line, |step| collected.step(step, &Entry::of(step, place)));
    } else if !rest.iter().all(u8::is_ascii_whitespace) {
        pass.tally.flaw(pass.extent.rows + 1, Flaw::Torn);
    }
    Ok((pass, collected))
}

/// Lines that were read one after another: how far, and what they amount to.
#[derive(Debug, Default)]
pub(super) struct Pass {
    pub(super) extent: Extent,
    pub(super) tally: Tally,
}

impl Pass {
    /// The next line. A step is handed to `visit`.
    pub(super) fn line<R>(
        &mut self,
        place: Place,
        line: &[u8],
        visit: impl FnOnce(&Step<'_>) -> R,
    ) -> Option<R> {
        self.extent = self.extent.and(line);
        self.row(self.extent.rows, place, line, visit)
    }

    fn row<R>(
        &mut self,
        number: u64,
        place: Place,
        line: &[u8],
        visit: impl FnOnce(&Step<'_>) -> R,
    ) -> Option<R> {
        if place.length == u32::MAX {
            self.tally.flaw(number, Flaw::TooLong);
            return None;
        }
        let value = match read_line(line) {
            Ok(value) => value?,
            Err(flaw) => {
                self.tally.flaw(number, flaw);
                return None;
            }
        };
        match Step::of(&value) {
            Ok(step) => {
                self.tally.step(&Entry::of(&step, place));
                Some(visit(&step))
            }
            Err(flaw) => {
                self.tally.flaw(number, flaw);
                None
            }
        }
    }
}

impl<C> View<C> {
    /// The log, and what was collected from it.
    pub(super) fn apart(self) -> (View<()>, C) {
        let Self { reader, index, tally, collected, is_as_vouched } = self;
        (View { reader, index, tally, collected: (), is_as_vouched }, collected)
    }

    /// The row at a place, which a step was found at.
    pub(super) fn row(&self, place: Place) -> Option<Value<'static>> {
        let line = if place.offset < self.reader.extent().bytes {
            self.reader.line(place).ok()?
        } else {
            self.reader.unterminated_line().unwrap_or_default().to_vec()
        };
        read_line(&line).ok()?.map(Value::into_owned)
    }

    /// What a reader should know about the log, how many such things there are, and the first of them.
    pub(super) fn warnings(&self) -> (u64, Vec<Warning>) {
        let whole = |class, detail: &str| Some(Warning { class, line: None, detail: detail.to_owned() });
        let about_the_log = match self.reader.standing() {
            Standing::Shorter => {
                whole("harness_trajectory.log.shorter", "rows that its head knows of are gone")
            }
            Standing::Changed => {
                whole("harness_trajectory.log.changed", "rows that its head knows of were changed")
            }
            Standing::Anchored | Standing::Longer | Standing::Unanchored if !self.is_as_vouched => {
                whole("harness_trajectory.log.changed", "rows are not what its head says")
            }
            Standing::Anchored | Standing::Longer | Standing::Unanchored => None,
        };
        let count = self.tally.flawed + u64::from(about_the_log.is_some());
        (count, about_the_log.into_iter().chain(self.tally.warnings()).collect())
    }
}

/// The step that an index's entry stands for; `None` when the log has another one, or none, at that place.
pub(super) fn keyed_at(reader: &LogReader, entry: &Entry) -> Option<Keyed> {
    let line = reader.line(entry.place).ok()?;
    let value = read_line(&line).ok()??;
    let keyed = Keyed::of(&Step::of(&value).ok()?, entry.place);
    (keyed.entry == *entry).then_some(keyed)
}
