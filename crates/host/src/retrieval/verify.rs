//! Whether an answer is borne out by what it cites: sentence by sentence, against the passages as they are now.
//!
//! Deterministic, and modest: it says whether words are those of the source, not whether a thought follows from them. It
//! must not ask a model.

use std::collections::BTreeSet;

use premath_bd::StoreError;
use premath_bd::desk::Desk;
use premath_kernel::Digest;

use super::chunks::Citation;
use super::rank::words;

/// Shorter sentences claim nothing that could be checked.
const LEAST_WORDS: usize = 4;
/// So many words in a row are a quotation, with marks or without.
const QUOTED_WORDS: usize = 6;
/// Of so many of its longer words a sentence must share one with its source to be a paraphrase of it.
const SHARED: usize = 5;

/// How a sentence stands to its sources.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Support {
    /// Its words are those of a source.
    Quote,
    /// It names a source, and shares words with it.
    Paraphrase,
    /// What it cites has changed or is gone since it was read.
    Drifted,
    /// It names no source, one that nobody gave it, or one that says nothing of the kind.
    Uncited,
}

impl Support {
    /// The token on the wire.
    #[must_use]
    pub const fn token(self) -> &'static str {
        match self {
            Self::Quote => "quote",
            Self::Paraphrase => "paraphrase",
            Self::Drifted => "drifted",
            Self::Uncited => "uncited",
        }
    }
}

/// A sentence of an answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct VerifiedSentence {
    /// The sentence, without its marks.
    pub text: String,
    /// How it stands.
    pub support: Support,
    /// The marks of the sources that it names, as it wrote them.
    pub marks: Vec<String>,
}

/// Checks an answer against the passages that it was given.
///
/// # Errors
/// The desk gave no answer.
pub fn verify_citations(
    desk: &Desk,
    answer: &str,
    given: &[Citation],
) -> Result<Vec<VerifiedSentence>, StoreError> {
    let mut verified = Vec::new();
    for (text, marks) in sentences(answer) {
        if words(&text).len() < LEAST_WORDS && marks.is_empty() {
            continue;
        }
        let mut best = Support::Uncited;
        let mut drifted = false;
        for citation in given.iter().filter(|citation| marks.contains(&citation.mark())) {
            match current(desk, citation)? {
                None => drifted = true,
                Some(source) => best = best.min(support(&text, &source)),
            }
        }
        let support = if drifted && best == Support::Uncited { Support::Drifted } else { best };
        verified.push(VerifiedSentence { text, support, marks });
    }
    Ok(verified)
}

/// The passage, if it is still what it was.
fn current(desk: &Desk, citation: &Citation) -> Result<Option<String>, StoreError> {
    let Ok(read) = desk.read_file(&citation.file_id, None)? else { return Ok(None) };
    let is_it = |text: &str| Digest::of_bytes(text.as_bytes()).as_str() == citation.digest;
    let in_place = read.content.get(citation.start..citation.end).filter(|text| is_it(text));
    if let Some(text) = in_place {
        return Ok(Some(text.to_owned()));
    }
    // Something before it may have grown: it is where it would be found again.
    let moved = super::chunks::chunks(&read.file, &read.content);
    Ok(moved.into_iter().map(|chunk| chunk.text).find(|text| is_it(text)))
}

fn support(sentence: &str, source: &str) -> Support {
    let (sentence_words, source_words) = (words(sentence), words(source));
    let quoted = quotations(sentence);
    let is_in = |quoted: &[String]| {
        !quoted.is_empty() && source_words.windows(quoted.len()).any(|window| window == quoted)
    };
    if !quoted.is_empty() {
        // Words in quotation marks that the source does not have are nobody's.
        let all = quoted.iter().all(|quoted| is_in(&words(quoted)));
        return if all { Support::Quote } else { Support::Uncited };
    }
    if sentence_words.windows(QUOTED_WORDS).any(is_in)
        || (!sentence_words.is_empty() && is_in(&sentence_words))
    {
        return Support::Quote;
    }
    let long: BTreeSet<&String> = sentence_words.iter().filter(|word| word.chars().count() > 3).collect();
    let shared = long.iter().filter(|word| source_words.contains(word)).count();
    if shared > 0 && shared * SHARED >= long.len() { Support::Paraphrase } else { Support::Uncited }
}

/// What stands in quotation marks.
fn quotations(sentence: &str) -> Vec<String> {
    let mut quotations = Vec::new();
    let mut open: Option<String> = None;
    for letter in sentence.chars() {
        match (letter, open.as_mut()) {
            ('"' | '”' | '“' | '„', Some(_)) => quotations.extend(open.take()),
            ('"' | '“' | '„', None) => open = Some(String::new()),
            (letter, Some(text)) => text.push(letter),
            (_, None) => {}
        }
    }
    quotations.retain(|text| !words(text).is_empty());
    quotations
}

/// The sentences of an answer, each with the marks in it or right behind it.
fn sentences(answer: &str) -> Vec<(String, Vec<String>)> {
    let mut sentences: Vec<(String, Vec<String>)> = Vec::new();
    for line in answer.lines() {
        let mut text = String::new();
        let mut rest = line;
        while let Some(letter) = rest.chars().next() {
            let (taken, after) = rest.split_at(letter.len_utf8());
            text.push_str(taken);
            rest = after;
            let ends =
                matches!(letter, '.' | '!' | '?') && rest.chars().next().is_none_or(char::is_whitespace);
            if ends {
                take(&mut sentences, &std::mem::take(&mut text));
            }
        }
        take(&mut sentences, &text);
    }
    sentences
}

fn take(sentences: &mut Vec<(String, Vec<String>)>, piece: &str) {
    let mut text = String::new();
    let mut marks = Vec::new();
    let mut rest = piece;
    while let Some((before, behind)) = rest.split_once("[c:") {
        text.push_str(before);
        let Some((mark, after)) = behind.split_once(']') else {
            rest = behind;
            continue;
        };
        marks.push(format!("[c:{mark}]"));
        // What stands before a mark at the beginning belongs to the sentence before it.
        if words(&text).is_empty()
            && let Some((_, earlier)) = sentences.last_mut()
        {
            earlier.append(&mut marks);
        }
        rest = after;
    }
    text.push_str(rest);
    let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
    if !words(&text).is_empty() {
        sentences.push((text, marks));
    }
}
