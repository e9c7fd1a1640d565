//! What each fuzz target checks, here so that plain tests replay the same checks over the committed corpus.
//!
//! A body panics on a broken promise and on nothing else; it must not read or write anything.

use premath_kernel::encode;
use premath_wire::strict::{Limits, parse};

/// Whatever the strict decoder accepts, serde_json accepts too, and its canonical bytes are a fixed point.
///
/// # Panics
/// When one of these promises is broken.
pub fn strict_decode(bytes: &[u8]) {
    // serde_json stops one level before our default does.
    let limits = Limits {
        max_depth: 127,
        ..Limits::default()
    };
    match parse(bytes, limits) {
        Ok(value) => {
            assert!(
                serde_json::from_slice::<serde_json::Value>(bytes).is_ok(),
                "serde_json refuses it"
            );
            let canonical = encode(&value);
            let again = parse(&canonical, limits).map(|value| encode(&value));
            assert_eq!(
                again.as_deref(),
                Ok(canonical.as_slice()),
                "canonical bytes are no fixed point"
            );
        }
        Err(error) => {
            let message = error.to_string();
            assert!(
                !message.contains(char::is_control),
                "a message must stay on one line: {message:?}"
            );
        }
    }
}
