//! Retrieval over the texts of the desk: passages that fit a question best, each with a citation that can be checked later.
//!
//! Words decide (BM25); where vectors are to be had they decide too, and the two orders are fused. A stage that fails is
//! shown, and the search goes on without it. It must not generate anything, and must not name a provider.

mod chunks;
mod pipeline;
mod rank;
mod verify;

use std::collections::BTreeMap;
use std::fmt::Debug;
use std::sync::{Arc, Mutex, PoisonError};

use premath_bd::StoreError;
use premath_bd::desk::{Desk, FileType};

pub use self::chunks::Citation;
pub use self::pipeline::{PipelineEvent, PipelineStage, StageState};
pub use self::verify::{Support, VerifiedSentence, verify_citations};

use self::chunks::{Chunk, chunks};
use self::rank::{by_vectors, by_words, fused};

/// So many files are looked into; where there are more, those that a search for the words finds.
const MOST_FILES: usize = 200;
/// So many passages get a vector for one question.
const MOST_VECTORS: usize = 256;

/// What makes vectors of texts.
pub trait Embedder: Debug + Send + Sync {
    /// A vector for each text, all of one length. Blocks.
    ///
    /// # Errors
    /// Why there are none, on one line.
    fn embed(&self, texts: &[&str]) -> Result<Vec<Vec<f32>>, String>;
}

/// The vector of a question, and those of passages by their place in the corpus.
type Embedded = (Vec<f32>, Vec<(usize, Vec<f32>)>);

/// A search over the texts of a desk.
#[derive(Debug, Default)]
pub struct Retrieval {
    embedder: Option<Arc<dyn Embedder>>,
    /// Vectors by the digest of their texts: a passage that stays gets one once.
    vectors: Mutex<BTreeMap<String, Vec<f32>>>,
}

/// A passage that was found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Passage {
    /// What to cite it by.
    pub citation: Citation,
    /// The passage.
    pub text: String,
}

impl Retrieval {
    /// A search by words, and by vectors where there is something that makes them.
    #[must_use]
    pub fn new(embedder: Option<Arc<dyn Embedder>>) -> Self {
        Self { embedder, vectors: Mutex::new(BTreeMap::new()) }
    }

    /// The passages that fit best, so many of them. Tells what it does as it does it.
    ///
    /// # Errors
    /// The desk gave no answer.
    pub fn search(
        &self,
        desk: &Desk,
        query: &str,
        limit: usize,
        tell: &mut dyn FnMut(PipelineEvent),
    ) -> Result<Vec<Passage>, StoreError> {
        use {PipelineStage as Stage, StageState as State};
        tell(PipelineEvent::new(Stage::Search, State::Active, ""));
        let corpus = match corpus(desk, query) {
            Ok(corpus) => corpus,
            Err(error) => {
                tell(PipelineEvent::new(Stage::Search, State::Error, "the desk gave no answer"));
                return Err(error);
            }
        };
        let words = by_words(query, &corpus);
        tell(PipelineEvent::new(Stage::Search, State::Done, &format!("{} passages", words.len())));
        let vectors = self.vector_order(query, &corpus, &words, tell);
        tell(PipelineEvent::new(Stage::Rank, State::Active, ""));
        let orders: Vec<&[usize]> = std::iter::once(words.as_slice()).chain(vectors.as_deref()).collect();
        let order = fused(&orders);
        tell(PipelineEvent::new(Stage::Rank, State::Done, ""));
        tell(PipelineEvent::new(Stage::Context, State::Active, ""));
        let found: Vec<Passage> = order
            .into_iter()
            .take(limit)
            .filter_map(|at| corpus.get(at))
            .map(|chunk| Passage { citation: chunk.citation.clone(), text: chunk.text.clone() })
            .collect();
        tell(PipelineEvent::new(Stage::Context, State::Done, &format!("{} passages", found.len())));
        Ok(found)
    }

    /// The order that vectors give; none without them.
    fn vector_order(
        &self,
        query: &str,
        corpus: &[Chunk],
        words: &[usize],
        tell: &mut dyn FnMut(PipelineEvent),
    ) -> Option<Vec<usize>> {
        use {PipelineStage as Stage, StageState as State};
        let Some(embedder) = &self.embedder else {
            tell(PipelineEvent::new(Stage::Embed, State::Skipped, "no endpoint is configured"));
            return None;
        };
        tell(PipelineEvent::new(Stage::Embed, State::Active, ""));
        // Those that words found first; the rest in their order.
        let mut wanted: Vec<usize> = words.to_vec();
        wanted.extend((0..corpus.len()).filter(|at| !words.contains(at)));
        wanted.truncate(MOST_VECTORS);
        match self.embedded(embedder.as_ref(), query, corpus, &wanted) {
            Ok((query, vectors)) => {
                tell(PipelineEvent::new(Stage::Embed, State::Done, &format!("{} vectors", vectors.len())));
                Some(by_vectors(&query, &vectors))
            }
            Err(why) => {
                tell(PipelineEvent::new(Stage::Embed, State::Error, &why));
                None
            }
        }
    }

    /// The vector of the question, and those of passages by their place in the corpus.
    fn embedded(
        &self,
        embedder: &dyn Embedder,
        query: &str,
        corpus: &[Chunk],
        wanted: &[usize],
    ) -> Result<Embedded, String> {
        let mut known = self.vectors.lock().unwrap_or_else(PoisonError::into_inner);
        let chunks = || wanted.iter().filter_map(|at| corpus.get(*at).map(|chunk| (*at, chunk)));
        let new: Vec<&Chunk> = chunks()
            .map(|(_, chunk)| chunk)
            .filter(|chunk| !known.contains_key(&chunk.citation.digest))
            .collect();
        let texts: Vec<&str> =
            std::iter::once(query).chain(new.iter().map(|chunk| chunk.text.as_str())).collect();
        let mut vectors = embedder.embed(&texts)?.into_iter();
        if vectors.len() != texts.len() {
            return Err(format!("{} vectors for {} texts", vectors.len(), texts.len()));
        }
        let query = vectors.next().unwrap_or_default();
        known.extend(new.iter().map(|chunk| chunk.citation.digest.clone()).zip(vectors));
        let vectors: Vec<(usize, Vec<f32>)> = chunks()
            .filter_map(|(at, chunk)| Some((at, known.get(&chunk.citation.digest)?.clone())))
            .collect();
        if query.is_empty() || vectors.iter().any(|(_, vector)| vector.len() != query.len()) {
            known.clear();
            return Err("vectors of different lengths".to_owned());
        }
        Ok((query, vectors))
    }
}

/// The passages of the texts that are looked into.
fn corpus(desk: &Desk, query: &str) -> Result<Vec<Chunk>, StoreError> {
    let mut files = match desk.list(Some(FileType::Markdown), None, MOST_FILES + 1)? {
        Ok(page) => page.files,
        Err(_) => Vec::new(),
    };
    if files.len() > MOST_FILES {
        files = desk.search(query, MOST_FILES)?.into_iter().map(|found| found.file).collect();
        files.retain(|file| file.file_type == FileType::Markdown);
    }
    let mut corpus = Vec::new();
    for file in files {
        // Whoever deleted it meanwhile took it out of the corpus.
        if let Ok(read) = desk.read_file(&file.id, None)? {
            corpus.extend(chunks(&read.file, &read.content));
        }
    }
    Ok(corpus)
}

#[cfg(test)]
mod tests;
