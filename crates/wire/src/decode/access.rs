//! Stepping into arrays, objects and enum variants; each step names itself on a failure that passes through it.
//!
//! It must not look at values: that is the reader's part.

use premath_kernel::Value;
use serde::de::{
    DeserializeSeed, Deserializer, EnumAccess, Error as _, MapAccess, SeqAccess, Unexpected, VariantAccess,
    Visitor,
};

use super::UnknownFields;
use super::failure::Failure;
use super::reader::Reader;
use crate::input_error::Segment;

/// The items of an array, in turn.
pub(super) struct Items<'de, 'v> {
    rest: std::iter::Enumerate<std::slice::Iter<'de, Value<'v>>>,
    unknown: UnknownFields,
}

impl<'de, 'v> Items<'de, 'v> {
    pub(super) fn new(items: &'de [Value<'v>], unknown: UnknownFields) -> Self {
        Items { rest: items.iter().enumerate(), unknown }
    }

    pub(super) fn is_done(&self) -> bool {
        self.rest.len() == 0
    }
}

impl<'de> SeqAccess<'de> for Items<'de, '_> {
    type Error = Failure;

    fn next_element_seed<S: DeserializeSeed<'de>>(&mut self, seed: S) -> Result<Option<S::Value>, Failure> {
        let Some((index, item)) = self.rest.next() else {
            return Ok(None);
        };
        let value = seed.deserialize(Reader::new(item, self.unknown));
        value.map(Some).map_err(|failure| failure.inside(Segment::Index(index)))
    }

    fn size_hint(&self) -> Option<usize> {
        Some(self.rest.len())
    }
}

/// The members of an object, in turn.
pub(super) struct Members<'de, 'v: 'de, I> {
    rest: I,
    current: Option<(&'de str, &'de Value<'v>)>,
    unknown: UnknownFields,
}

impl<'de, 'v, I: Iterator<Item = (&'de str, &'de Value<'v>)>> Members<'de, 'v, I> {
    pub(super) fn new(rest: I, unknown: UnknownFields) -> Self {
        Members { rest, current: None, unknown }
    }
}

impl<'de, 'v, I: Iterator<Item = (&'de str, &'de Value<'v>)>> MapAccess<'de> for Members<'de, 'v, I> {
    type Error = Failure;

    fn next_key_seed<S: DeserializeSeed<'de>>(&mut self, seed: S) -> Result<Option<S::Value>, Failure> {
        self.current = self.rest.next();
        let Some((name, _)) = self.current else {
            return Ok(None);
        };
        let key = seed.deserialize(Name(name));
        key.map(Some).map_err(|failure| failure.inside(Segment::Key(name.to_owned())))
    }

    fn next_value_seed<S: DeserializeSeed<'de>>(&mut self, seed: S) -> Result<S::Value, Failure> {
        let Some((name, value)) = self.current.take() else {
            return Err(Failure::invalid("a value was asked for before its name"));
        };
        let value = seed.deserialize(Reader::new(value, self.unknown));
        value.map_err(|failure| failure.inside(Segment::Key(name.to_owned())))
    }

    fn size_hint(&self) -> Option<usize> {
        self.rest.size_hint().1
    }
}

/// A member's name as a value: a string, a newtype around one, or a unit variant.
struct Name<'de>(&'de str);

impl<'de> Deserializer<'de> for Name<'de> {
    type Error = Failure;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Failure> {
        visitor.visit_borrowed_str(self.0)
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        visitor: V,
    ) -> Result<V::Value, Failure> {
        visitor.visit_newtype_struct(self)
    }

    fn deserialize_enum<V: Visitor<'de>>(
        self,
        _: &'static str,
        _: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Failure> {
        visitor.visit_enum(TextVariant::new(self.0))
    }

    serde::forward_to_deserialize_any! {
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str string bytes byte_buf option unit unit_struct seq
        tuple tuple_struct map struct identifier ignored_any
    }
}

/// A string that names a unit variant.
pub(super) struct TextVariant<'de>(&'de str);

impl<'de> TextVariant<'de> {
    pub(super) fn new(name: &'de str) -> Self {
        TextVariant(name)
    }
}

impl<'de> EnumAccess<'de> for TextVariant<'de> {
    type Error = Failure;
    type Variant = NoContent;

    fn variant_seed<S: DeserializeSeed<'de>>(self, seed: S) -> Result<(S::Value, NoContent), Failure> {
        Ok((seed.deserialize(Name(self.0))?, NoContent))
    }
}

/// Behind a variant that was named by a string alone.
pub(super) struct NoContent;

impl<'de> VariantAccess<'de> for NoContent {
    type Error = Failure;

    fn unit_variant(self) -> Result<(), Failure> {
        Ok(())
    }

    fn newtype_variant_seed<S: DeserializeSeed<'de>>(self, _: S) -> Result<S::Value, Failure> {
        Err(Failure::invalid_type(Unexpected::Str(""), &"an object of one member"))
    }

    fn tuple_variant<V: Visitor<'de>>(self, _: usize, _: V) -> Result<V::Value, Failure> {
        Err(Failure::invalid_type(Unexpected::Str(""), &"an object of one member"))
    }

    fn struct_variant<V: Visitor<'de>>(self, _: &'static [&'static str], _: V) -> Result<V::Value, Failure> {
        Err(Failure::invalid_type(Unexpected::Str(""), &"an object of one member"))
    }
}

/// The only member of an object: a variant's name and its content.
pub(super) struct VariantMember<'de, 'v> {
    name: &'de str,
    content: Reader<'de, 'v>,
}

impl<'de, 'v> VariantMember<'de, 'v> {
    pub(super) fn new(name: &'de str, content: &'de Value<'v>, unknown: UnknownFields) -> Self {
        VariantMember { name, content: Reader::new(content, unknown) }
    }

    fn read<T>(self, read: impl FnOnce(Reader<'de, 'v>) -> Result<T, Failure>) -> Result<T, Failure> {
        read(self.content).map_err(|failure| failure.inside(Segment::Key(self.name.to_owned())))
    }
}

impl<'de> EnumAccess<'de> for VariantMember<'de, '_> {
    type Error = Failure;
    type Variant = Self;

    fn variant_seed<S: DeserializeSeed<'de>>(self, seed: S) -> Result<(S::Value, Self), Failure> {
        Ok((seed.deserialize(Name(self.name))?, self))
    }
}

impl<'de> VariantAccess<'de> for VariantMember<'de, '_> {
    type Error = Failure;

    fn unit_variant(self) -> Result<(), Failure> {
        self.read(serde::Deserialize::deserialize)
    }

    fn newtype_variant_seed<S: DeserializeSeed<'de>>(self, seed: S) -> Result<S::Value, Failure> {
        self.read(|content| seed.deserialize(content))
    }

    fn tuple_variant<V: Visitor<'de>>(self, _: usize, visitor: V) -> Result<V::Value, Failure> {
        self.read(|content| content.deserialize_seq(visitor))
    }

    fn struct_variant<V: Visitor<'de>>(
        self,
        _: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Failure> {
        self.read(|content| content.deserialize_map(visitor))
    }
}
