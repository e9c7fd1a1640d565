//! A list that is written piece by piece is the list written at once, whoever shares it and wherever it begins.

use std::convert::Infallible;

use proptest::prelude::*;

use super::{Encoded, Piece, Prefix};

type Numbers = Prefix<u32>;

/// `,n`, and behind even numbers a place for a mark before the last digit. Multiples of seven are not written.
#[expect(clippy::unnecessary_wraps, reason = "it is what an encoder looks like")]
fn written(number: &u32, piece: &mut Piece) -> Result<(), Infallible> {
    if !number.is_multiple_of(7) {
        piece.put(format!(",{number}").as_bytes());
    }
    if number.is_multiple_of(2) && !number.is_multiple_of(7) {
        piece.may_mark_before_last();
    }
    Ok(())
}

fn encoded(numbers: &Numbers) -> Encoded<'_> {
    let Ok(encoded) = numbers.encoded("a", written);
    encoded
}

/// The bytes with every mark in its place.
fn marked(numbers: &Numbers) -> String {
    let encoded = encoded(numbers);
    let pieces: Vec<&[u8]> = encoded.between_marks().collect();
    assert_eq!(pieces.len(), encoded.mark_count() + 1);
    assert_eq!(pieces.concat(), encoded.bytes());
    String::from_utf8(pieces.join(&b'!')).unwrap()
}

fn fresh(numbers: &Numbers) -> Numbers {
    numbers.iter().copied().collect()
}

#[test]
fn every_item_of_a_growing_list_is_written_once() {
    let mut numbers = Numbers::default();
    let mut count = 0_u32;
    for turn in 0..500 {
        numbers.push(2 * turn);
        numbers.push(2 * turn + 1);
        let request = numbers.clone();
        let window = request.starting_at(request.len() / 2);
        let encode = |number: &u32, piece: &mut Piece| {
            count += 1;
            written(number, piece)
        };
        let Ok(all) = request.encoded("a", encode);
        drop(all);
        let again = |_: &u32, _: &mut Piece| -> Result<(), Infallible> { panic!("written again") };
        let Ok(half) = window.encoded("a", again);
        drop(half);
    }
    assert_eq!(count, 1000);
    assert_eq!(marked(&numbers), marked(&fresh(&numbers)));
}

#[test]
fn a_clone_that_grew_and_is_gone_costs_nothing() {
    let mut numbers: Numbers = (1..100).collect();
    let mut count = 0_u32;
    for turn in 0..50 {
        let mut request = numbers.clone();
        request.push(1000 + turn);
        let Ok(shown) = request.encoded("a", |number, piece| {
            count += 1;
            written(number, piece)
        });
        drop(shown);
        drop(request);
        numbers.push(2000 + turn);
    }
    assert_eq!(count, 99 + 50 + 49, "each number, and each of those that only the clones had");
    assert_eq!(marked(&numbers), marked(&fresh(&numbers)));
}

#[test]
fn forms_do_not_know_each_other() {
    let numbers: Numbers = [1, 2].into_iter().collect();
    assert_eq!(marked(&numbers), ",1,!2");
    let Ok(other) = numbers.encoded("b", |number, piece| -> Result<(), Infallible> {
        piece.put(&[u8::try_from(*number).unwrap()]);
        Ok(())
    });
    assert_eq!(other.bytes(), [1, 2]);
}

#[test]
fn an_item_that_cannot_be_written_leaves_the_others_as_they_are() {
    let numbers: Numbers = [1, 2, 3].into_iter().collect();
    let refuse = |number: &u32, piece: &mut Piece| {
        piece.put(b"half");
        if *number == 2 { Err("two") } else { written(number, piece).map_err(|never| match never {}) }
    };
    assert_eq!(numbers.encoded("a", refuse).unwrap_err(), "two");
    let Ok(encoded) = numbers.encoded("a", written);
    assert_eq!(encoded.bytes(), b"half,1,2,3", "the first was written before");
}

#[test]
fn lists_are_equal_by_their_items() {
    let numbers: Numbers = [1, 2, 3].into_iter().collect();
    assert_eq!(numbers, vec![1, 2, 3].into());
    assert_eq!(numbers.starting_at(1), vec![2, 3].into());
    assert_ne!(numbers, numbers.starting_at(1));
    assert_ne!(numbers, vec![1, 2, 4].into());
    assert!(numbers.starting_at(3).is_empty() && numbers.starting_at(9).is_empty());
    assert_eq!(format!("{:?}", numbers.starting_at(1)), "[2, 3]");
}

/// What may happen to lists that share a beginning.
#[derive(Debug, Clone)]
enum Deed {
    Push(usize, u32),
    Clone(usize),
    Window(usize, usize),
    Drop(usize),
    Write(usize),
}

fn deed() -> impl Strategy<Value = Deed> {
    let which = 0_usize..6;
    prop_oneof![
        4 => (which.clone(), 0_u32..1000).prop_map(|(which, number)| Deed::Push(which, number)),
        2 => which.clone().prop_map(Deed::Clone),
        1 => (which.clone(), 0_usize..8).prop_map(|(which, index)| Deed::Window(which, index)),
        1 => which.clone().prop_map(Deed::Drop),
        3 => which.prop_map(Deed::Write),
    ]
}

proptest! {
    #[test]
    fn lists_that_share_a_beginning_do_not_disturb_each_other(deeds in prop::collection::vec(deed(), 0..60)) {
        let mut lists: Vec<(Numbers, Vec<u32>)> = vec![(Numbers::default(), Vec::new())];
        for deed in deeds {
            let count = lists.len();
            match deed {
                Deed::Push(which, number) => {
                    let (list, model) = &mut lists[which % count];
                    list.push(number);
                    model.push(number);
                }
                Deed::Clone(which) => lists.push(lists[which % count].clone()),
                Deed::Window(which, index) => {
                    let (list, model) = &lists[which % count];
                    let window = (list.starting_at(index), model.iter().skip(index).copied().collect());
                    lists.push(window);
                }
                Deed::Drop(which) if count > 1 => drop(lists.swap_remove(which % count)),
                Deed::Drop(_) => {}
                Deed::Write(which) => drop(encoded(&lists[which % count].0)),
            }
        }
        for (list, model) in lists {
            prop_assert_eq!(list.iter().copied().collect::<Vec<u32>>(), model.clone());
            prop_assert_eq!(list.len(), model.len());
            prop_assert_eq!(marked(&list), marked(&model.into()));
        }
    }
}
