//! Finding passages, ranking them, and holding citations against what is there.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use premath_bd::desk::{Applied, Desk, Operation, TextChange};
use premath_bd::{OperatorBasis, OperatorGrant, Permit};
use premath_kernel::Moment;
use premath_testkit::{CountingIds, TestClock};

use super::chunks::chunks;
use super::rank::fused;
use super::{Embedder, Passage, PipelineEvent, Retrieval, Support, verify_citations};

fn desk() -> Desk {
    let clock = TestClock::at(Moment::new(1_800_000_000, 0).unwrap());
    Desk::in_memory(Arc::new(clock), Arc::new(CountingIds::default())).unwrap()
}

fn change(desk: &Desk, operation: &Operation) -> String {
    let permit = Permit::Operator(OperatorGrant::new(None, OperatorBasis::Configured));
    match desk.apply(permit, operation, "jo").unwrap() {
        Applied::Written(written) => written.item.id().to_owned(),
        other @ (Applied::Repeated(_) | Applied::Refused(_)) => panic!("{other:?}"),
    }
}

fn text(desk: &Desk, name: &str, content: &str) -> String {
    let content = content.to_owned();
    change(desk, &Operation::CreateMarkdown { name: name.to_owned(), folder: None, content })
}

fn search(retrieval: &Retrieval, desk: &Desk, query: &str) -> (Vec<Passage>, Vec<String>) {
    let mut told = Vec::new();
    let mut tell =
        |event: PipelineEvent| told.push(format!("{} {}", event.stage.token(), event.state.token()));
    let found = retrieval.search(desk, query, 5, &mut tell).unwrap();
    (found, told)
}

const LEASE: &str = "# Terms\nThe rent is due on the first day of each month.\n\n# Notice\nEither side may give notice of \
                     three months.\n";

#[test]
fn passages_are_all_of_a_text_but_blank_lines() {
    let desk = desk();
    let long = "word ".repeat(900);
    let content = format!("intro\n\n# One\n{}\n\n{long}\n\n# Two\nlast ü", "line\n".repeat(300));
    let id = text(&desk, "a.md", &content);
    let file = desk.read_file(&id, None).unwrap().unwrap().file;
    let chunks = chunks(&file, &content);
    let mut place = 0;
    for chunk in &chunks {
        assert!(chunk.text.len() <= 2001, "{}", chunk.text.len());
        assert_eq!(content.get(chunk.citation.start..chunk.citation.end).unwrap(), chunk.text);
        assert!(content.get(place..chunk.citation.start).unwrap().trim().is_empty(), "something is left out");
        place = chunk.citation.end;
    }
    assert_eq!(place, content.len());
    assert_eq!(chunks.last().unwrap().citation.heading, "Two");
    assert_eq!(chunks.first().unwrap().citation.heading, "");
}

/// Seed: 003 §1/7
#[test]
fn the_passage_that_fits_best_comes_first_and_says_where_it_is() {
    let desk = desk();
    text(&desk, "shopping.md", "milk, bread, rent a car\n");
    let lease = text(&desk, "lease.md", LEASE);
    let (found, told) = search(&Retrieval::default(), &desk, "when is the rent due?");
    assert_eq!(found[0].citation.file_id, lease);
    assert_eq!(found[0].citation.heading, "Terms");
    assert!(found[0].text.contains("first day"));
    assert_eq!(
        told,
        [
            "search active",
            "search done",
            "embed skipped",
            "rank active",
            "rank done",
            "context active",
            "context done"
        ]
    );
    assert!(search(&Retrieval::default(), &desk, "zebra").0.is_empty());
}

/// Points at texts about notice, whatever their words are.
#[derive(Debug, Default)]
struct Meaning {
    texts: AtomicUsize,
}

impl Embedder for Meaning {
    fn embed(&self, texts: &[&str]) -> Result<Vec<Vec<f32>>, String> {
        self.texts.fetch_add(texts.len(), Ordering::Relaxed);
        let about = |text: &&str| text.contains("notice") || text.contains("cancel");
        Ok(texts.iter().map(|text| if about(text) { vec![1.0, 0.0] } else { vec![0.0, 1.0] }).collect())
    }
}

#[derive(Debug)]
struct Broken(Result<Vec<Vec<f32>>, String>);

impl Embedder for Broken {
    fn embed(&self, _: &[&str]) -> Result<Vec<Vec<f32>>, String> {
        self.0.clone()
    }
}

#[test]
fn vectors_find_what_words_do_not_and_are_made_once() {
    let desk = desk();
    text(&desk, "lease.md", LEASE);
    let meaning = Arc::new(Meaning::default());
    let retrieval = Retrieval::new(Some(Arc::clone(&meaning) as Arc<dyn Embedder>));
    let (found, told) = search(&retrieval, &desk, "how do I cancel?");
    assert!(told.contains(&"embed done".to_owned()));
    assert_eq!(found[0].citation.heading, "Notice");
    assert_eq!(meaning.texts.load(Ordering::Relaxed), 3);
    search(&retrieval, &desk, "cancel it");
    assert_eq!(meaning.texts.load(Ordering::Relaxed), 4, "only the question is new");
}

#[test]
fn an_endpoint_that_fails_is_shown_and_words_go_on() {
    let desk = desk();
    text(&desk, "lease.md", LEASE);
    for broken in
        [Err("connection refused".to_owned()), Ok(vec![]), Ok(vec![vec![1.0], vec![1.0, 2.0], vec![1.0]])]
    {
        let retrieval = Retrieval::new(Some(Arc::new(Broken(broken))));
        let (found, told) = search(&retrieval, &desk, "rent due");
        assert!(told.contains(&"embed error".to_owned()), "{told:?}");
        assert_eq!(found[0].citation.heading, "Terms");
    }
}

#[test]
fn orders_are_fused_by_reciprocal_rank() {
    assert_eq!(fused(&[&[3, 1, 2]]), [3, 1, 2]);
    assert_eq!(fused(&[&[1, 2, 3], &[3, 1]]), [1, 3, 2]);
    assert_eq!(fused(&[&[1], &[2]]), [1, 2], "equal ones stay in their order");
    assert!(fused(&[&[], &[]]).is_empty());
}

#[test]
fn every_sentence_is_held_against_what_it_cites() {
    let desk = desk();
    let id = text(&desk, "lease.md", LEASE);
    let given: Vec<_> = search(&Retrieval::default(), &desk, "rent notice")
        .0
        .into_iter()
        .map(|found| found.citation)
        .collect();
    let terms = given.iter().find(|citation| citation.heading == "Terms").unwrap().mark();
    let notice = given.iter().find(|citation| citation.heading == "Notice").unwrap().mark();
    let answer = format!(
        "The lease says \"due on the first day of each month\" {terms}. You pay your rent monthly, on day one. {terms} \
         It says \"due on the last day\" {terms}. Parking is free for everybody here {terms}.\n\
         Cats are welcome in this house. The landlord lives upstairs as well [c:00000000].\n\
         Either side may give notice of three months {notice}."
    );
    let supports = |answer: &str| -> Vec<Support> {
        verify_citations(&desk, answer, &given)
            .unwrap()
            .into_iter()
            .map(|sentence| sentence.support)
            .collect()
    };
    use Support::{Drifted, Paraphrase, Quote, Uncited};
    assert_eq!(supports(&answer), [Quote, Paraphrase, Uncited, Uncited, Uncited, Uncited, Quote]);

    // The notice changes; the terms only move.
    let changed = LEASE.replace("three months", "six months").replace("# Terms", "A preface.\n\n# Terms");
    let update =
        Operation::UpdateMarkdown { file: id.clone(), version: 1, change: TextChange::Content(changed) };
    change(&desk, &update);
    assert_eq!(supports(&answer), [Quote, Paraphrase, Uncited, Uncited, Uncited, Uncited, Drifted]);
    change(&desk, &Operation::DeleteFile { file: id, version: None });
    assert_eq!(supports(&answer), [Drifted, Drifted, Drifted, Drifted, Uncited, Uncited, Drifted]);
    assert!(supports("Yes.").is_empty());
}
