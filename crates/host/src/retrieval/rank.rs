//! Orders of passages: by words, by vectors, and both together. The same question over the same texts gives the same order.

use std::collections::{BTreeMap, BTreeSet};

use super::chunks::Chunk;

/// How soon more of a word says no more.
const SATURATION: f64 = 1.2;
/// How much a long passage has to make up for.
const LENGTH_WEIGHT: f64 = 0.75;
/// What keeps a first place from deciding everything when orders are fused.
const FUSION: f64 = 60.0;

/// Words in lower case.
pub(super) fn words(text: &str) -> Vec<String> {
    text.split(|letter: char| !letter.is_alphanumeric())
        .filter(|word| !word.is_empty())
        .map(str::to_lowercase)
        .collect()
}

/// The places of the passages that have a word of the question, best first.
pub(super) fn by_words(query: &str, corpus: &[Chunk]) -> Vec<usize> {
    let wanted: BTreeSet<String> = words(query).into_iter().collect();
    let passages: Vec<(BTreeMap<String, u32>, f64)> = corpus
        .iter()
        .map(|chunk| {
            let all = words(&format!("{} {} {}", chunk.citation.name, chunk.citation.heading, chunk.text));
            let mut counts: BTreeMap<String, u32> = BTreeMap::new();
            for word in all.iter().filter(|word| wanted.contains(*word)) {
                *counts.entry(word.clone()).or_default() += 1;
            }
            (counts, float(all.len()))
        })
        .collect();
    let count = float(passages.len()).max(1.0);
    let average = (passages.iter().map(|(_, length)| length).sum::<f64>() / count).max(1.0);
    let rarity: BTreeMap<&str, f64> = wanted
        .iter()
        .map(|word| {
            let holding = float(passages.iter().filter(|(counts, _)| counts.contains_key(word)).count());
            (word.as_str(), (1.0 + (count - holding + 0.5) / (holding + 0.5)).ln())
        })
        .collect();
    let score = |(counts, length): &(BTreeMap<String, u32>, f64)| -> f64 {
        let weight = |(word, count): (&String, &u32)| {
            let count = f64::from(*count);
            let room = SATURATION * (1.0 - LENGTH_WEIGHT + LENGTH_WEIGHT * length / average);
            rarity.get(word.as_str()).copied().unwrap_or_default() * count * (SATURATION + 1.0)
                / (count + room)
        };
        counts.iter().map(weight).sum()
    };
    sorted(
        passages
            .iter()
            .enumerate()
            .map(|(at, passage)| (at, score(passage)))
            .filter(|(_, score)| *score > 0.0),
    )
}

/// The places of passages by how much their vectors point where that of the question does.
pub(super) fn by_vectors(query: &[f32], passages: &[(usize, Vec<f32>)]) -> Vec<usize> {
    let product = |left: &[f32], right: &[f32]| -> f64 {
        left.iter().zip(right).map(|(left, right)| f64::from(*left) * f64::from(*right)).sum()
    };
    let length = |vector: &[f32]| product(vector, vector).sqrt();
    let likeness = |vector: &[f32]| {
        let lengths = length(query) * length(vector);
        if lengths > 0.0 { product(query, vector) / lengths } else { 0.0 }
    };
    sorted(passages.iter().map(|(at, vector)| (*at, likeness(vector))).filter(|(_, score)| *score > 0.0))
}

/// One order out of several, by reciprocal rank.
pub(super) fn fused(orders: &[&[usize]]) -> Vec<usize> {
    let mut scores: BTreeMap<usize, f64> = BTreeMap::new();
    for order in orders {
        for (rank, at) in order.iter().enumerate() {
            *scores.entry(*at).or_default() += 1.0 / (FUSION + float(rank) + 1.0);
        }
    }
    sorted(scores.into_iter())
}

/// Places by their scores, best first, equal ones in their own order.
fn sorted(scored: impl Iterator<Item = (usize, f64)>) -> Vec<usize> {
    // Rounded, so that the last bits of a sum decide nothing.
    let mut scored: Vec<(usize, f64)> = scored.map(|(at, score)| (at, (score * 1e9).round())).collect();
    scored.sort_by(|left, right| right.1.total_cmp(&left.1).then(left.0.cmp(&right.0)));
    scored.into_iter().map(|(at, _)| at).collect()
}

fn float(count: usize) -> f64 {
    f64::from(u32::try_from(count).unwrap_or(u32::MAX))
}
