//! Requests whose answer panics.

use axum::http::StatusCode;
use axum::response::IntoResponse as _;

use super::contain_panic;

#[test]
fn an_answer_that_panics_is_a_fault_of_the_server_and_the_next_is_given() {
    let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
    runtime.block_on(async {
        let broken = contain_panic(async { panic!("the answer panics") }).await;
        assert_eq!(broken.status(), StatusCode::INTERNAL_SERVER_ERROR);
        let next = contain_panic(async { Ok("fine".into_response()) }).await;
        assert_eq!(next.status(), StatusCode::OK);
    });
}
