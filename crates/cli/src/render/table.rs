//! Tables that fit the terminal: columns as wide as what stands in them, one of them giving way where it gets narrow.

use anstyle::Style;
use unicode_width::{UnicodeWidthChar as _, UnicodeWidthStr as _};

use crate::output::DIM;

/// The least that is left of a column that gives way.
const NARROW: usize = 12;
/// What stands between columns.
const GAP: &str = "  ";

/// One cell: text that is safe to print, and how it looks.
#[derive(Debug, Clone)]
pub(crate) struct Cell {
    text: String,
    style: Style,
}

impl Cell {
    /// Text without a style.
    pub(crate) fn new(text: impl Into<String>) -> Self {
        Self { text: text.into(), style: Style::new() }
    }

    /// The same with a style.
    pub(crate) fn styled(text: impl Into<String>, style: Style) -> Self {
        Self { text: text.into(), style }
    }
}

/// Rows under headings.
#[derive(Debug)]
pub(crate) struct Table {
    headings: Vec<&'static str>,
    flexible: usize,
    rows: Vec<Vec<Cell>>,
}

impl Table {
    /// A table with these headings, of which the one at `flexible` gives way.
    pub(crate) fn new(headings: &[&'static str], flexible: usize) -> Self {
        Self { headings: headings.to_vec(), flexible, rows: Vec::new() }
    }

    /// One more row; missing cells are empty.
    pub(crate) fn row(&mut self, cells: Vec<Cell>) {
        self.rows.push(cells);
    }

    /// The table, at most so wide. Without a width nothing is cut. A column with nothing in it is left out.
    pub(crate) fn render(&self, width: Option<usize>) -> String {
        let mut widths = self.widths();
        if let Some(width) = width {
            self.fit(&mut widths, width);
        }
        let mut text = String::new();
        let headings: Vec<Cell> = self.headings.iter().map(|heading| Cell::styled(*heading, DIM)).collect();
        for row in std::iter::once(&headings).chain(&self.rows) {
            push_row(&mut text, row, &widths);
        }
        text
    }

    fn widths(&self) -> Vec<usize> {
        let of = |column: usize| {
            let cells = self.rows.iter().filter_map(|row| row.get(column));
            cells.map(|cell| cell.text.width()).max().unwrap_or(0)
        };
        let headings = self.headings.iter().enumerate();
        headings
            .map(|(column, heading)| match of(column) {
                0 => 0,
                widest => widest.max(heading.width()),
            })
            .collect()
    }

    fn fit(&self, widths: &mut [usize], width: usize) {
        let shown = widths.iter().filter(|width| **width > 0).count();
        let all = widths.iter().sum::<usize>() + GAP.len() * shown.saturating_sub(1);
        let over = all.saturating_sub(width);
        if let Some(flexible) = widths.get_mut(self.flexible) {
            *flexible = flexible.saturating_sub(over).max(NARROW.min(*flexible));
        }
    }
}

fn push_row(text: &mut String, row: &[Cell], widths: &[usize]) {
    let empty = Cell::new("");
    let mut line = String::new();
    let mut pending = 0;
    for (column, width) in widths.iter().enumerate().filter(|(_, width)| **width > 0) {
        let cell = row.get(column).unwrap_or(&empty);
        let shown = shortened(&cell.text, *width);
        let padding = width.saturating_sub(shown.width());
        if !shown.is_empty() {
            line.extend(std::iter::repeat_n(' ', pending));
            pending = 0;
            let style = cell.style;
            line.push_str(&format!("{style}{shown}{style:#}"));
        } else {
            pending += shown.width();
        }
        pending += padding + GAP.len();
    }
    text.push_str(&line);
    text.push('\n');
}

/// Text that is at most so many columns wide; what was cut shows as `…`.
pub(crate) fn shortened(text: &str, width: usize) -> String {
    if text.width() <= width {
        return text.to_owned();
    }
    let mut shortened = String::new();
    let mut used = 0;
    for character in text.chars() {
        let wide = character.width().unwrap_or(0);
        if used + wide + 1 > width {
            break;
        }
        used += wide;
        shortened.push(character);
    }
    shortened.push('…');
    shortened
}

#[cfg(test)]
mod tests;
