//! Texts that try to give orders to a model: words, fake structure, and characters that a reader does not see.
//!
//! A pattern cannot know what a text means; what it finds is a reason to be careful, and by default nothing more. It must
//! not change a text.

mod hidden;
mod phrases;
#[cfg(test)]
mod tests;

use premath_tusk::policy::Finding;

pub(crate) use self::phrases::is_ready;

/// Everything that looks like an order, in order of where it stands.
pub(crate) fn find(text: &str) -> Vec<Finding> {
    let mut found = phrases::find(text);
    let unseen = hidden::find(text);
    if !unseen.is_empty() {
        // Letters with invisible characters between them read like letters.
        let shown = phrases::find(&hidden::shown(text));
        for finding in shown {
            if !found.iter().any(|known| known.label == finding.label) {
                found.push(Finding { span: None, ..finding });
            }
        }
        found.extend(unseen);
    }
    found.sort_by_key(|finding| finding.span.as_ref().map_or(usize::MAX, |span| span.start));
    found
}
