//! A kernel value as a serde deserializer.
//!
//! It must not convert between kinds: a number is no string, an array is no struct. A field that is `null` is absent.

use premath_kernel::{Number, Value};
use serde::de::{Deserializer, Error as _, Unexpected, Visitor};

use super::UnknownFields;
use super::access::{Items, Members, TextVariant, VariantMember};
use super::failure::Failure;

/// One value, about to be read.
#[derive(Debug, Clone, Copy)]
pub(super) struct Reader<'de, 'v> {
    value: &'de Value<'v>,
    unknown: UnknownFields,
}

impl<'de, 'v> Reader<'de, 'v> {
    pub(super) fn new(value: &'de Value<'v>, unknown: UnknownFields) -> Self {
        Reader { value, unknown }
    }

    fn unexpected(self) -> Unexpected<'de> {
        match self.value {
            Value::Null => Unexpected::Unit,
            Value::Bool(flag) => Unexpected::Bool(*flag),
            Value::Number(number) => unexpected_number(*number),
            Value::Text(text) => Unexpected::Str(text),
            Value::Array(_) => Unexpected::Seq,
            Value::Object(_) => Unexpected::Map,
        }
    }

    fn items<V: Visitor<'de>>(self, items: &'de [Value<'v>], visitor: V) -> Result<V::Value, Failure> {
        let mut access = Items::new(items, self.unknown);
        let value = visitor.visit_seq(&mut access)?;
        if access.is_done() { Ok(value) } else { Err(Failure::invalid_length(items.len(), &"fewer items")) }
    }
}

fn unexpected_number(number: Number) -> Unexpected<'static> {
    match (number.as_u64(), number.as_i64()) {
        (Some(unsigned), _) => Unexpected::Unsigned(unsigned),
        (None, Some(signed)) => Unexpected::Signed(signed),
        (None, None) => Unexpected::Float(number.as_f64()),
    }
}

impl<'de> Deserializer<'de> for Reader<'de, '_> {
    type Error = Failure;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Failure> {
        match self.value {
            Value::Null => visitor.visit_unit(),
            Value::Bool(flag) => visitor.visit_bool(*flag),
            Value::Number(number) => match (number.as_u64(), number.as_i64()) {
                (Some(unsigned), _) => visitor.visit_u64(unsigned),
                (None, Some(signed)) => visitor.visit_i64(signed),
                (None, None) => visitor.visit_f64(number.as_f64()),
            },
            Value::Text(text) => visitor.visit_borrowed_str(text),
            Value::Array(items) => self.items(items, visitor),
            Value::Object(object) => visitor.visit_map(Members::new(object.iter(), self.unknown)),
        }
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Failure> {
        if matches!(self.value, Value::Null) { visitor.visit_none() } else { visitor.visit_some(self) }
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        visitor: V,
    ) -> Result<V::Value, Failure> {
        visitor.visit_newtype_struct(self)
    }

    fn deserialize_map<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Failure> {
        match self.value.as_object() {
            Some(object) => visitor.visit_map(Members::new(object.iter(), self.unknown)),
            None => Err(Failure::invalid_type(self.unexpected(), &"an object")),
        }
    }

    fn deserialize_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        fields: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Failure> {
        // A derived struct would also take its fields from an array, by position.
        let Some(object) = self.value.as_object() else {
            return Err(Failure::invalid_type(self.unexpected(), &"an object"));
        };
        // A field that is null is absent. An unknown one stays, so that `--strict` can refuse it.
        let is_given =
            |(name, value): &(&str, &Value<'_>)| !matches!(value, Value::Null) || !fields.contains(name);
        visitor.visit_map(Members::new(object.iter().filter(is_given), self.unknown))
    }

    fn deserialize_seq<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Failure> {
        match self.value.as_array() {
            Some(items) => self.items(items, visitor),
            None => Err(Failure::invalid_type(self.unexpected(), &"an array")),
        }
    }

    fn deserialize_enum<V: Visitor<'de>>(
        self,
        _: &'static str,
        _: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Failure> {
        if let Value::Text(text) = self.value {
            return visitor.visit_enum(TextVariant::new(text));
        }
        let object = self.value.as_object().filter(|object| object.len() == 1);
        match object.and_then(|object| object.iter().next()) {
            Some((name, content)) => visitor.visit_enum(VariantMember::new(name, content, self.unknown)),
            None => Err(Failure::invalid_type(self.unexpected(), &"a string or an object of one member")),
        }
    }

    fn deserialize_ignored_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Failure> {
        match self.unknown {
            UnknownFields::Ignore => visitor.visit_unit(),
            UnknownFields::Refuse => Err(Failure::invalid("unknown field")),
        }
    }

    serde::forward_to_deserialize_any! {
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str string bytes byte_buf unit unit_struct tuple
        tuple_struct identifier
    }
}
