//! Names that become file names. It must not let a name lead anywhere but to its own file.

use premath_wire::{InputClass, InputError, JsonPath};

const LONGEST: usize = 128;

/// Refuses what is not a plain name: `field` says whose name it is.
///
/// # Errors
/// `input.field_invalid` for an empty or too long name, one that begins with a dot, and one with a separator, a control
/// character or space around it; `input.too_large` for one of more than 128 bytes.
pub(crate) fn check_name(name: &str, field: &'static str) -> Result<(), InputError> {
    let refuse = |class, what: &str| Err(InputError::new(class, what, JsonPath::root().key(field)));
    if name.len() > LONGEST {
        return refuse(InputClass::TooLarge, "a name has at most 128 bytes");
    }
    if name.is_empty() || name.trim() != name {
        return refuse(InputClass::FieldInvalid, "a name is not blank and has no space around it");
    }
    if name.starts_with('.') {
        return refuse(InputClass::FieldInvalid, "a name does not begin with a dot");
    }
    if name.chars().any(|character| character.is_control() || matches!(character, '/' | '\\')) {
        return refuse(InputClass::FieldInvalid, "a name has no slash and no control character");
    }
    Ok(())
}
