//! Kernel values as fields of wire types: any JSON in, and out again in member order.
//!
//! What is written here is JSON of the same value, not its canonical bytes: those come from `premath_kernel::encode`.

use std::borrow::Cow;
use std::fmt;

use premath_kernel::{Number, Object, Value};
use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::de::{Error, MapAccess, SeqAccess, Unexpected, Visitor};
use serde::ser::{SerializeMap, SerializeSeq};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// Any JSON value, its own.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Json(pub Value<'static>);

/// A kernel value to be written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Canonical<'a>(pub Value<'a>);

impl<'de> Deserialize<'de> for Json {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(AnyValue)
    }
}

impl JsonSchema for Json {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> Cow<'static, str> {
        Cow::Borrowed("Json")
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        Schema::from(true)
    }
}

struct AnyValue;

impl<'de> Visitor<'de> for AnyValue {
    type Value = Json;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("any JSON value with safe integers")
    }

    fn visit_unit<E: Error>(self) -> Result<Json, E> {
        Ok(Json(Value::Null))
    }

    fn visit_none<E: Error>(self) -> Result<Json, E> {
        Ok(Json(Value::Null))
    }

    fn visit_some<D: Deserializer<'de>>(self, deserializer: D) -> Result<Json, D::Error> {
        Json::deserialize(deserializer)
    }

    fn visit_bool<E: Error>(self, flag: bool) -> Result<Json, E> {
        Ok(Json(Value::Bool(flag)))
    }

    fn visit_i64<E: Error>(self, number: i64) -> Result<Json, E> {
        let safe =
            Number::integer(number).ok_or_else(|| E::invalid_value(Unexpected::Signed(number), &self))?;
        Ok(Json(Value::Number(safe)))
    }

    fn visit_u64<E: Error>(self, number: u64) -> Result<Json, E> {
        let safe =
            Number::unsigned(number).ok_or_else(|| E::invalid_value(Unexpected::Unsigned(number), &self))?;
        Ok(Json(Value::Number(safe)))
    }

    fn visit_f64<E: Error>(self, number: f64) -> Result<Json, E> {
        let finite =
            Number::float(number).ok_or_else(|| E::invalid_value(Unexpected::Float(number), &self))?;
        Ok(Json(Value::Number(finite)))
    }

    fn visit_str<E: Error>(self, text: &str) -> Result<Json, E> {
        self.visit_string(text.to_owned())
    }

    fn visit_string<E: Error>(self, text: String) -> Result<Json, E> {
        Ok(Json(Value::Text(Cow::Owned(text))))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut access: A) -> Result<Json, A::Error> {
        // No capacity from the hint, which may come from a foreign length prefix; one, because most are that small.
        let mut items = Vec::with_capacity(1);
        while let Some(Json(item)) = access.next_element()? {
            items.push(item);
        }
        Ok(Json(Value::Array(items)))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut access: A) -> Result<Json, A::Error> {
        let mut members = Vec::with_capacity(1);
        while let Some((name, Json(value))) = access.next_entry::<String, Json>()? {
            members.push((Cow::Owned(name), value));
        }
        Object::from_members(members).map(|object| Json(Value::Object(object))).map_err(A::Error::custom)
    }
}

impl Serialize for Json {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        Borrowed(&self.0).serialize(serializer)
    }
}

impl Serialize for Canonical<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        Borrowed(&self.0).serialize(serializer)
    }
}

struct Borrowed<'b, 'a>(&'b Value<'a>);

impl Serialize for Borrowed<'_, '_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self.0 {
            Value::Null => serializer.serialize_unit(),
            Value::Bool(flag) => serializer.serialize_bool(*flag),
            Value::Number(number) => match number.as_i64() {
                Some(integer) => serializer.serialize_i64(integer),
                None => serializer.serialize_f64(number.as_f64()),
            },
            Value::Text(text) => serializer.serialize_str(text),
            Value::Array(items) => {
                let mut sequence = serializer.serialize_seq(Some(items.len()))?;
                for item in items {
                    sequence.serialize_element(&Borrowed(item))?;
                }
                sequence.end()
            }
            Value::Object(object) => {
                let mut map = serializer.serialize_map(Some(object.len()))?;
                for (name, member) in object.iter() {
                    map.serialize_entry(name, &Borrowed(member))?;
                }
                map.end()
            }
        }
    }
}
