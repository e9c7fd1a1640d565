//! Names and pauses of slots.

use std::path::PathBuf;

use premath_kernel::Moment;

use super::slots;

fn names(folders: &[&str]) -> Vec<String> {
    let folders: Vec<PathBuf> = folders.iter().map(PathBuf::from).collect();
    slots(&folders).into_iter().map(|slot| slot.row.worker_id).collect()
}

#[test]
fn no_two_slots_have_one_name() {
    assert_eq!(names(&["/x/n", "/y/n", "/z/n-2"]), ["n", "n-3", "n-2"]);
    assert_eq!(names(&["/a/n", "/b/n", "/c/n"]), ["n", "n-2", "n-3"]);
    assert_eq!(names(&["/a/n", "/a/n"]), ["n"]);
}

#[test]
fn each_death_makes_the_pause_of_its_own_slot_longer() {
    let now = Moment::new(1_000, 0).unwrap();
    let mut both = slots(&[PathBuf::from("/a"), PathBuf::from("/b")]);
    let [dying, other] = both.as_mut_slice() else { panic!("two slots") };
    dying.died(now);
    assert!(!dying.may_start(now) && other.may_start(now));
    assert!(dying.may_start(now.plus_seconds(1)));
    dying.died(now);
    assert!(!dying.may_start(now.plus_seconds(1)) && dying.may_start(now.plus_seconds(2)));
    // Whoever is waited for before the pause began set the clock back.
    assert!(dying.may_start(now.plus_seconds(-1)));
}
