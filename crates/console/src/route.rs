//! One row of the API: the method and the address, the action behind it, and where its arguments come from.
//!
//! The router and the OpenAPI document are both made of these rows, so that neither can say what the other does not. It must
//! not do anything.

use std::future::Future;
use std::pin::Pin;

use axum::response::Response;

use crate::asked::Asked;
use crate::failure::Failure;
use crate::rates::Rate;
use crate::state::AppState;

/// A method.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Verb {
    Get,
    Post,
    Put,
    Patch,
    Delete,
}

/// What is on its way to an answer.
pub(crate) type Answering = Pin<Box<dyn Future<Output = Result<Response, Failure>> + Send>>;

/// Who answers.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Answerer {
    /// The payload of the action; a refusal is an error.
    Payload,
    /// The payload of the action; what it finds wrong is what was asked for, and no error.
    Findings,
    /// Somebody who makes more than one call.
    Own(fn(AppState, Asked) -> Answering),
}

/// What the body of a request is made of.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Body {
    /// There is none.
    Nothing,
    /// Members that are arguments of the action. A name ends with `!` where it must be there.
    Members(&'static [&'static str]),
    /// Every argument of the action that the address does not name.
    Arguments,
    /// An object that somebody else reads, with its schema.
    Object(fn() -> serde_json::Value),
}

/// What an answer is.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Gives {
    /// `{"data": …}` with what the action answers.
    Action,
    /// `{"data": …}` with something else, by its schema.
    Data(fn() -> serde_json::Value),
    /// Something that is no envelope: its media types.
    Plain(&'static [&'static str]),
}

/// One row of the API.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Route {
    pub(crate) verb: Verb,
    pub(crate) path: &'static str,
    pub(crate) summary: &'static str,
    /// The action whose arguments it takes.
    pub(crate) action: Option<&'static str>,
    /// Parameters of the address and the arguments they are: `id:runId`, or one name for both.
    pub(crate) address: &'static [&'static str],
    /// The same for those of the query.
    pub(crate) query: &'static [&'static str],
    pub(crate) body: Body,
    pub(crate) gives: Gives,
    pub(crate) status: u16,
    pub(crate) rate: Rate,
    pub(crate) answerer: Answerer,
    /// Whether it is answered without the token.
    pub(crate) is_public: bool,
    /// Whether the body may be as large as a message to the assistant.
    pub(crate) is_chat: bool,
}

impl Route {
    const fn new(verb: Verb, path: &'static str, summary: &'static str) -> Self {
        Self {
            verb,
            path,
            summary,
            action: None,
            address: &[],
            query: &[],
            body: Body::Nothing,
            gives: Gives::Action,
            status: 200,
            rate: if matches!(verb, Verb::Get) { Rate::Read } else { Rate::Change },
            answerer: Answerer::Payload,
            is_public: false,
            is_chat: false,
        }
    }

    /// Reads the payload of one action.
    pub(crate) const fn get(path: &'static str, action: &'static str, summary: &'static str) -> Self {
        Self::new(Verb::Get, path, summary).over(action)
    }

    /// Calls one action.
    pub(crate) const fn post(path: &'static str, action: &'static str, summary: &'static str) -> Self {
        Self::new(Verb::Post, path, summary).over(action)
    }

    /// A row of which nothing is said yet.
    pub(crate) const fn bare(verb: Verb, path: &'static str, summary: &'static str) -> Self {
        Self::new(verb, path, summary)
    }

    pub(crate) const fn over(self, action: &'static str) -> Self {
        Self { action: Some(action), ..self }
    }

    pub(crate) const fn named(self, address: &'static [&'static str]) -> Self {
        Self { address, ..self }
    }

    pub(crate) const fn query(self, query: &'static [&'static str]) -> Self {
        Self { query, ..self }
    }

    pub(crate) const fn body(self, body: Body) -> Self {
        Self { body, ..self }
    }

    pub(crate) const fn gives(self, gives: Gives) -> Self {
        Self { gives, ..self }
    }

    pub(crate) const fn status(self, status: u16) -> Self {
        Self { status, ..self }
    }

    pub(crate) const fn rate(self, rate: Rate) -> Self {
        Self { rate, ..self }
    }

    pub(crate) const fn findings(self) -> Self {
        Self { answerer: Answerer::Findings, ..self }
    }

    pub(crate) const fn by(self, answer: fn(AppState, Asked) -> Answering) -> Self {
        Self { answerer: Answerer::Own(answer), ..self }
    }

    pub(crate) const fn public(self) -> Self {
        Self { is_public: true, ..self }
    }

    /// The arguments that the address names, by the names of the action.
    pub(crate) fn address_pairs(&self) -> impl Iterator<Item = (&'static str, &'static str)> {
        self.address.iter().map(|name| pair(name))
    }

    /// The same for the query.
    pub(crate) fn query_pairs(&self) -> impl Iterator<Item = (&'static str, &'static str)> {
        self.query.iter().map(|name| pair(name))
    }
}

fn pair(name: &'static str) -> (&'static str, &'static str) {
    name.split_once(':').unwrap_or((name, name))
}
