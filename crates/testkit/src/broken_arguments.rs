//! Arguments of a tool, broken at one place each: dropped, retyped, renamed, out of their list or their range.
//!
//! Made from the schema and the examples alone. Nothing here may ask the product what it thinks of arguments.

use std::fmt::Debug;

use proptest::prelude::{Strategy, any};
use proptest::strategy::ValueTree as _;
use proptest::test_runner::TestRunner;
use serde_json::{Value, json};

/// The longest list that is made too long.
const LONGEST: u64 = 200;
/// Beyond this a bound is not a matter of the schema but of what a number can be.
const FARTHEST: i64 = 1 << 50;

/// Arguments that a schema must refuse, and where the refusal must point.
#[derive(Debug, Clone, PartialEq)]
pub struct BrokenArguments {
    /// The arguments.
    pub arguments: Value,
    /// The JSON pointer to what is wrong.
    pub pointer: String,
}

/// Breaks each example of a tool at each of its places, in every way that its schema speaks about.
#[must_use]
pub fn broken_arguments(schema: &Value, examples: &[Value], runner: &mut TestRunner) -> Vec<BrokenArguments> {
    let mut broken = Vec::new();
    for example in examples {
        let mut breaker = Breaker { example, runner, broken: &mut broken };
        breaker.members(schema, example, "");
    }
    broken
}

struct Breaker<'b> {
    example: &'b Value,
    runner: &'b mut TestRunner,
    broken: &'b mut Vec<BrokenArguments>,
}

impl Breaker<'_> {
    fn drawn<T: Debug + Default>(&mut self, strategy: &impl Strategy<Value = T>) -> T {
        strategy.new_tree(self.runner).map(|tree| tree.current()).unwrap_or_default()
    }

    /// The example with something else at one place.
    fn with(&mut self, at: &str, changed: Value, pointer: &str) {
        let mut arguments = self.example.clone();
        if let Some(place) = arguments.pointer_mut(at) {
            *place = changed;
            self.broken.push(BrokenArguments { arguments, pointer: pointer.to_owned() });
        }
    }

    /// Every member of an object, and what is in it.
    fn members(&mut self, schema: &Value, object: &Value, at: &str) {
        let known = schema.get("properties").unwrap_or(&Value::Null);
        let required =
            schema.get("required").and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default();
        let Some(members) = object.as_object() else { return };
        for (name, value) in members {
            let pointer = format!("{at}/{name}");
            let mut others = members.clone();
            others.remove(name);
            // Without an argument that may be left out, the call is another one that is right.
            if required.iter().any(|one| one == name) {
                self.with(at, Value::Object(others.clone()), &pointer);
            }
            let renamed = self.renamed(name, known);
            others.insert(renamed.clone(), value.clone());
            let to = format!("{at}/{}", renamed.replace('~', "~0").replace('/', "~1"));
            self.with(at, Value::Object(others), &to);
            self.value(known.get(name).unwrap_or(&Value::Null), value, &pointer);
        }
    }

    /// One value, and what is in it.
    fn value(&mut self, schema: &Value, value: &Value, at: &str) {
        for changed in self.retyped(schema) {
            self.with(at, changed, at);
        }
        if let (Some(options), Some(text)) = (schema.get("enum").and_then(Value::as_array), value.as_str()) {
            let broken = json!(format!("{text}{}", self.drawn(&"[a-z]{1,4}")));
            if !options.contains(&broken) {
                self.with(at, broken, at);
            }
        }
        let bound = |name: &str| schema.get(name).and_then(Value::as_i64).filter(|it| it.abs() < FARTHEST);
        if let Some(least) = bound("minimum") {
            self.with(at, json!(least - 1), at);
        }
        if let Some(most) = bound("maximum") {
            self.with(at, json!(most + 1), at);
        }
        if bound("minLength").is_some_and(|least| least > 0) {
            self.with(at, json!(""), at);
        }
        match value {
            Value::Object(_) => self.members(schema, value, at),
            Value::Array(items) => self.items(schema, items, at),
            Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
        }
    }

    fn items(&mut self, schema: &Value, items: &[Value], at: &str) {
        let most = schema.get("maxItems").and_then(Value::as_u64).filter(|most| *most <= LONGEST);
        if let (Some(most), Some(first)) = (most, items.first()) {
            let many = (0..=most).map(|_| first.clone()).collect();
            self.with(at, Value::Array(many), at);
        }
        for (index, item) in items.iter().enumerate() {
            self.value(schema.get("items").unwrap_or(&Value::Null), item, &format!("{at}/{index}"));
        }
    }

    /// A value of every type that is not the schema's, with a random content. A list of options is one of texts.
    fn retyped(&mut self, schema: &Value) -> Vec<Value> {
        let text = self.drawn(&"[a-z./ ]{1,12}".prop_map(|text| json!(text)));
        let whole = self.drawn(&any::<i32>().prop_map(|number| json!(number)));
        let broken = self.drawn(&any::<i16>().prop_map(|number| json!(f64::from(number) + 0.5)));
        let flag = self.drawn(&any::<bool>().prop_map(|flag| json!(flag)));
        let (list, object) = (json!([text, whole]), json!({ "value": text }));
        let all = [text, whole, broken, flag, list, object, Value::Null];
        let is_wanted = |value: &Value| match schema.get("type").and_then(Value::as_str) {
            Some("array") => value.is_array(),
            Some("boolean") => value.is_boolean(),
            Some("integer") => value.is_i64() || value.is_u64(),
            Some("object") => value.is_object(),
            Some(_) | None => value.is_string(),
        };
        all.into_iter().filter(|value| !is_wanted(value)).collect()
    }

    /// A name that is near the right one and not one of the tool's.
    fn renamed(&mut self, name: &str, known: &Value) -> String {
        let letters = self.drawn(&"[a-zA-Z_ ~/\u{e4}]{1,3}");
        let at = self.drawn(&(0..=name.len()));
        let (begin, end) = name.split_at_checked(at).unwrap_or((name, ""));
        let renamed = format!("{begin}{letters}{end}");
        if known.get(&renamed).is_some() { format!("{renamed}?") } else { renamed }
    }
}
