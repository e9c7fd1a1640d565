//! What a worker came to, by what it said and how it ended.

use premath_exec::ChildEnd;
use premath_host::WorkerChild;

use super::{Said, came_of};

#[test]
fn a_worker_that_does_not_understand_its_arguments_is_a_refusal_and_no_death() {
    let came = |code: i32| came_of(Said::default(), Ok::<_, String>(ChildEnd::Exited(code)));
    assert!(
        matches!(came(2), WorkerChild::Refused(refused) if refused.class == "worker_arguments_invalid"),
        "2 is what is typed wrong"
    );
    assert!(matches!(came(101), WorkerChild::Died { .. }), "101 is what a panic ends with");
}
