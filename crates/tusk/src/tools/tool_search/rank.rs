//! BM25 over the names, descriptions and arguments of tools. The same query over the same tools gives the same order.

use std::collections::{BTreeMap, BTreeSet};

const SATURATION: f64 = 1.2;
const LENGTH_WEIGHT: f64 = 0.75;
/// A word of the name says more than one of the description.
const NAME_WEIGHT: u32 = 3;

/// Words that every description has and no query means.
const EMPTY_WORDS: [&str; 8] = ["a", "an", "and", "in", "of", "or", "the", "to"];

/// A tool as words.
pub(super) struct Document<'d> {
    name: &'d str,
    counts: BTreeMap<String, u32>,
    length: u32,
}

impl<'d> Document<'d> {
    pub(super) fn new(name: &'d str, description: &str, arguments: &[&str]) -> Self {
        let mut document = Self { name, counts: BTreeMap::new(), length: 0 };
        document.add(&words(name), NAME_WEIGHT);
        document.add(&[name.to_lowercase()], NAME_WEIGHT);
        document.add(&words(description), 1);
        for argument in arguments {
            document.add(&words(argument), 1);
        }
        document
    }

    fn add(&mut self, words: &[String], weight: u32) {
        for word in words {
            let count = self.counts.entry(word.clone()).or_default();
            *count = count.saturating_add(weight);
            self.length = self.length.saturating_add(weight);
        }
    }
}

/// The names of the documents that have a word of the query, best first, ties by name.
pub(super) fn rank<'d>(query: &str, documents: &[Document<'d>]) -> Vec<&'d str> {
    let mut wanted: BTreeSet<String> = words(query).into_iter().collect();
    wanted.insert(query.trim().to_lowercase());
    let total: f64 = documents.iter().map(|document| f64::from(document.length)).sum();
    let count = f64::from(u32::try_from(documents.len()).unwrap_or(u32::MAX)).max(1.0);
    let average = (total / count).max(1.0);
    let mut scored: Vec<(f64, &'d str)> = Vec::new();
    let rarity: BTreeMap<&str, f64> =
        wanted.iter().map(|word| (word.as_str(), rarity(word, documents, count))).collect();
    for document in documents {
        let score: f64 = rarity.iter().map(|(word, rarity)| rarity * weight(document, word, average)).sum();
        if score > 0.0 {
            // Rounded, so that the last bits of a sum decide nothing.
            scored.push(((score * 1e6).round(), document.name));
        }
    }
    scored.sort_by(|left, right| right.0.total_cmp(&left.0).then_with(|| left.1.cmp(right.1)));
    scored.into_iter().map(|(_, name)| name).collect()
}

fn rarity(word: &str, documents: &[Document<'_>], count: f64) -> f64 {
    let holding = documents.iter().filter(|document| document.counts.contains_key(word)).count();
    let holding = f64::from(u32::try_from(holding).unwrap_or(u32::MAX));
    (1.0 + (count - holding + 0.5) / (holding + 0.5)).ln()
}

fn weight(document: &Document<'_>, word: &str, average: f64) -> f64 {
    let count = document.counts.get(word).copied().map_or(0.0, f64::from);
    let length = f64::from(document.length) / average;
    count * (SATURATION + 1.0) / (count + SATURATION * (1.0 - LENGTH_WEIGHT + LENGTH_WEIGHT * length))
}

/// Words in lower case: split where a text is no letter or digit, and where a capital follows a small letter.
fn words(text: &str) -> Vec<String> {
    let mut words = vec![String::new()];
    let mut was_small = false;
    for character in text.chars() {
        if !character.is_alphanumeric() || (was_small && character.is_uppercase()) {
            words.push(String::new());
        }
        if character.is_alphanumeric()
            && let Some(word) = words.last_mut()
        {
            word.extend(character.to_lowercase());
        }
        was_small = character.is_lowercase() || character.is_numeric();
    }
    words.retain(|word| !word.is_empty() && !EMPTY_WORDS.contains(&word.as_str()));
    words.iter().map(|word| stem(word)).collect()
}

/// `issues` is found by `issue`.
fn stem(word: &str) -> String {
    let is_plural = word.len() > 3 && word.ends_with('s') && !word.ends_with("ss");
    if is_plural { word.trim_end_matches('s').to_owned() } else { word.to_owned() }
}
