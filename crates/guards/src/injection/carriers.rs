//! Places where a text is that readers of a page do not see, or that nobody but a machine needs: comments, hidden elements,
//! attributes. It must not judge what stands there: most of it is harmless.

use std::sync::LazyLock;

use aho_corasick::AhoCorasick;
use memchr::memmem;

use super::score::Carrier;

/// A comment or an element that is longer is looked at up to here.
const LONGEST: usize = 4_000;
/// So many are looked at; a page with more is looked at without the rest.
const MOST: usize = 2_000;

/// What begins such a place, what ends it, and what it is worth.
struct Kind {
    begins: &'static str,
    ends: &'static str,
    points: i32,
    label: &'static str,
}

const HIDDEN: i32 = 6;
const COMMENT: i32 = 4;

const fn element(begins: &'static str) -> Kind {
    Kind { begins, ends: "</", points: HIDDEN, label: "hidden-markup" }
}

const fn attribute(begins: &'static str) -> Kind {
    Kind { begins, ends: "\"", points: COMMENT, label: "hidden-markup" }
}

const fn comment(begins: &'static str, ends: &'static str, points: i32) -> Kind {
    Kind { begins, ends, points, label: "hidden-comment" }
}

const KINDS: &[Kind] = &[
    comment("<!--", "-->", COMMENT),
    comment("[//]: #", "\n", COMMENT),
    comment("[comment]:", "\n", COMMENT),
    comment("/*", "*/", 2),
    comment("// ", "\n", 2),
    comment("\n# ", "\n", 1),
    comment("\n-- ", "\n", 2),
    comment("\"\"\"", "\"\"\"", 1),
    element("display:none"),
    element("display: none"),
    element("visibility:hidden"),
    element("visibility: hidden"),
    element("font-size:0"),
    element("font-size: 0"),
    element("font-size:1px"),
    element("opacity:0"),
    element("opacity: 0"),
    element("color:transparent"),
    element("color:#fff;background:#fff"),
    element("color:white;background:white"),
    element("left:-9999"),
    element("text-indent:-"),
    element("height:0"),
    element("height:1px"),
    element(" hidden>"),
    element(" hidden "),
    element("aria-hidden=\"true\""),
    element("class=\"sr-only\""),
    element("<template"),
    element("<noscript"),
    element("<desc"),
    attribute("alt=\""),
    attribute("title=\""),
    attribute("content=\""),
    attribute("data-ai=\""),
    attribute("usercomment\":\""),
    Kind { begins: "\u{1b}[8m", ends: "\u{1b}[0m", points: HIDDEN, label: "hidden-markup" },
];

static BEGINNINGS: LazyLock<Option<AhoCorasick>> = LazyLock::new(|| {
    AhoCorasick::builder().ascii_case_insensitive(true).build(KINDS.iter().map(|kind| kind.begins)).ok()
});

pub(super) fn is_ready() -> bool {
    BEGINNINGS.is_some()
}

/// Every such place, in order; none overlaps the one before.
pub(super) fn find(text: &str) -> Vec<Carrier> {
    let Some(beginnings) = BEGINNINGS.as_ref() else { return Vec::new() };
    let mut found: Vec<Carrier> = Vec::new();
    if let Some(carrier) = leading_comment(text) {
        found.push(carrier);
    }
    for hit in beginnings.find_iter(text) {
        let Some(kind) = KINDS.get(hit.pattern().as_usize()) else { continue };
        if found.last().is_some_and(|last| hit.start() < last.place.end && kind.points <= last.points) {
            continue;
        }
        // Documentation of code is for readers.
        let is_documentation =
            kind.begins == "// " && text.get(..hit.start()).is_some_and(|before| before.ends_with('/'));
        if is_documentation {
            continue;
        }
        if kind.begins.starts_with(" hidden") && !is_in_tag(text, hit.start()) {
            continue;
        }
        let most = text.floor_char_boundary(hit.end() + LONGEST);
        let rest = text.get(hit.end()..most).unwrap_or_default();
        let length = memmem::find(rest.as_bytes(), kind.ends.as_bytes()).unwrap_or(rest.len());
        if let Some(last) = found.last_mut().filter(|last| last.place.end > hit.start()) {
            last.place.end = hit.start();
        }
        found.push(Carrier {
            place: hit.start()..hit.end() + length,
            points: kind.points,
            label: kind.label,
        });
        if found.len() == MOST {
            break;
        }
    }
    found
}

/// Whether a place is between the brackets of a tag.
fn is_in_tag(text: &str, at: usize) -> bool {
    let from = text.floor_char_boundary(at.saturating_sub(200));
    let before = text.get(from..at).unwrap_or_default();
    matches!((before.rfind('<'), before.rfind('>')), (Some(open), close) if close.is_none_or(|close| close < open))
}

/// A text that begins with a comment of a script or of SQL.
fn leading_comment(text: &str) -> Option<Carrier> {
    if !text.starts_with("# ") && !text.starts_with("-- ") {
        return None;
    }
    let end = memchr::memchr(b'\n', text.as_bytes()).unwrap_or(text.len());
    Some(Carrier { place: 0..end, points: 1, label: "hidden-comment" })
}
