//! What a row of the API takes, worked out once from the schemas of the action table.
//!
//! A query has texts only: what each argument is follows from the action's own schema. It must not take what the action does
//! not.

use std::collections::BTreeMap;

use axum::http::StatusCode;
use premath_host::{ACTIONS, Action};
use premath_wire::InputClass;
use serde_json::{Map, Number, Value};

use crate::failure::{Failure, Origin};
use crate::route::{Body, Route};

/// Arguments that name files of the person's: a client works on the repository that is served.
const HIDDEN: [&str; 3] = ["issues", "output", "path"];

/// A row with everything that follows from it.
#[derive(Debug)]
pub(crate) struct Plan {
    pub(crate) route: &'static Route,
    pub(crate) action: Option<&'static Action>,
    /// The schemas of the action's arguments.
    properties: Map<String, Value>,
    /// Those that must be there.
    needed: Vec<String>,
    /// Names of the arguments that the address has.
    pub(crate) address: Vec<&'static str>,
}

/// What an argument is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    Text,
    Number,
    Flag,
    Texts,
    Numbers,
}

impl Plan {
    pub(crate) fn new(route: &'static Route) -> Self {
        let action = route.action.and_then(|name| ACTIONS.iter().find(|action| action.name == name));
        let schema = action.map(|action| (action.input)().to_value());
        let needed = schema.as_ref().and_then(|schema| schema.get("required")).and_then(Value::as_array);
        let needed = needed.into_iter().flatten().filter_map(Value::as_str).map(str::to_owned).collect();
        let properties = match schema {
            Some(Value::Object(mut schema)) => match schema.remove("properties") {
                Some(Value::Object(properties)) => properties,
                Some(_) | None => Map::new(),
            },
            Some(_) | None => Map::new(),
        };
        let address = route.address_pairs().map(|(_, argument)| argument).collect();
        Self { route, action, properties, needed, address }
    }

    /// The schema of an argument; anything, where the action does not say.
    pub(crate) fn schema_of(&self, argument: &str) -> Value {
        self.properties.get(argument).cloned().unwrap_or_else(|| Value::Object(Map::new()))
    }

    /// Whether the action does nothing without it.
    pub(crate) fn needs(&self, argument: &str) -> bool {
        self.needed.iter().any(|needed| needed == argument)
    }

    /// Whether the action takes it.
    #[cfg(test)]
    pub(crate) fn takes(&self, argument: &str) -> bool {
        self.properties.contains_key(argument)
    }

    /// What a body may say, and whether it must.
    pub(crate) fn members(&self) -> Vec<(String, bool)> {
        match self.route.body {
            Body::Nothing | Body::Object(_) => Vec::new(),
            Body::Members(names) => {
                let member = |name: &&str| {
                    let (name, is_needed) =
                        name.strip_suffix('!').map_or((*name, false), |name| (name, true));
                    (name.to_owned(), is_needed)
                };
                names.iter().map(member).collect()
            }
            Body::Arguments => {
                let is_free = |name: &&String| {
                    !self.address.contains(&name.as_str()) && !HIDDEN.contains(&name.as_str())
                };
                self.properties.keys().filter(is_free).map(|name| (name.clone(), false)).collect()
            }
        }
    }

    /// Where arguments came from, for whoever says what is wrong with them.
    pub(crate) fn origin(&self) -> Origin {
        // Rows live as long as the program; so do the names in them.
        let is_body = !matches!(self.route.body, Body::Nothing);
        Origin { address: self.route.address, query: self.route.query, is_body }
    }

    /// The arguments that the query gives.
    pub(crate) fn of_query(&self, query: &[(String, String)]) -> Result<Map<String, Value>, Failure> {
        let known: BTreeMap<&str, &str> = self.route.query_pairs().collect();
        let mut arguments = Map::new();
        for (name, value) in query {
            let Some(argument) = known.get(name.as_str()) else {
                return Err(refused(name, "unknown parameter"));
            };
            let kind = kind(&self.schema_of(argument));
            let value = read(kind, value).ok_or_else(|| refused(name, expected(kind)))?;
            match (arguments.get_mut(*argument), value) {
                (Some(Value::Array(before)), Value::Array(more)) => before.extend(more),
                (Some(_), _) => return Err(refused(name, "said twice")),
                (None, value) => {
                    arguments.insert((*argument).to_owned(), value);
                }
            }
        }
        Ok(arguments)
    }
}

fn refused(name: &str, what: &str) -> Failure {
    let name: String = name.chars().take(64).flat_map(char::escape_debug).collect();
    Failure::field(StatusCode::BAD_REQUEST, InputClass::FieldInvalid, &format!("$.{name}"), what)
}

const fn expected(kind: Kind) -> &'static str {
    match kind {
        Kind::Text | Kind::Texts => "expected a text",
        Kind::Number | Kind::Numbers => "expected a number",
        Kind::Flag => "expected true or false",
    }
}

/// What a schema says an argument is.
pub(crate) fn kind(schema: &Value) -> Kind {
    let is = |wanted: &str| match schema.get("type") {
        Some(Value::String(name)) => name == wanted,
        Some(Value::Array(names)) => names.iter().any(|name| name == wanted),
        Some(_) | None => false,
    };
    if is("array") {
        let items = schema.get("items").map_or(Kind::Text, kind);
        return if items == Kind::Number { Kind::Numbers } else { Kind::Texts };
    }
    if is("integer") || is("number") {
        return Kind::Number;
    }
    if is("boolean") { Kind::Flag } else { Kind::Text }
}

fn read(kind: Kind, text: &str) -> Option<Value> {
    let number = |text: &str| {
        let whole = text.parse::<u64>().ok().map(Number::from);
        whole.or_else(|| text.parse::<f64>().ok().and_then(Number::from_f64)).map(Value::Number)
    };
    match kind {
        Kind::Text => Some(Value::String(text.to_owned())),
        Kind::Number => number(text),
        Kind::Flag => match text {
            "true" => Some(Value::Bool(true)),
            "false" => Some(Value::Bool(false)),
            _ => None,
        },
        Kind::Texts => Some(text.split(',').map(|part| Value::String(part.to_owned())).collect()),
        Kind::Numbers => text.split(',').map(number).collect::<Option<Vec<_>>>().map(Value::Array),
    }
}

#[cfg(test)]
mod tests;
