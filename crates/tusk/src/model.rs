//! What a language model is to us: a request goes in, events come out, and it ends in a response or in a typed error.
//!
//! Everything a model says is a proposal (I6). It must not know a protocol, and nothing here decides what to do next.

mod chain;
mod circuit;
mod error;
mod event;
mod file_circuits;
mod history;
mod part;
mod request;
mod response;
mod usage;

use std::fmt::Debug;
use std::future::Future;
use std::pin::Pin;

use futures_core::Stream;

pub use chain::{Attempt, AttemptOutcome, Candidate, Chain, ChainAnswer, ChainError, ChainFailure};
pub use circuit::{
    Circuit, CircuitError, CircuitStore, LONGEST_COOLING, MemoryCircuits, OUTAGE_COOLING, OUTAGE_FAILURES,
    RATE_LIMIT_COOLING,
};
pub use error::{FailureStage, ModelError, ModelErrorKind};
pub use event::ModelEvent;
pub use file_circuits::circuit_row;
pub use history::{Encoded, History, Offers, Piece, Prefix, SystemText};
pub use part::{
    AssistantPart, MalformedArguments, Message, Reasoning, ToolCall, ToolOutcome, ToolResult, UserPart,
    Verbatim,
};
pub use request::{
    CacheMarker, Delivery, ModelRequest, ParallelCalls, ReasoningEffort, SystemBlock, ToolChoice, ToolOffer,
};
pub use response::{Collector, ModelResponse};
pub use usage::{StopReason, Usage};

/// Events in the order in which they came. It ends after the first error or after `Finished`; a stream that ends
/// without either was cut, and says so as an error. Dropping it closes the connection.
pub type ResponseStream = Pin<Box<dyn Stream<Item = Result<ModelEvent, ModelError>> + Send>>;

/// A future that a trait object can return.
pub type PortFuture<'a, T> = Pin<Box<dyn Future<Output = T> + Send + 'a>>;

/// One model of one provider.
pub trait Model: Debug + Send + Sync {
    /// `provider:model`, as it is configured and as evidence names it.
    fn reference(&self) -> &str;

    /// Sends a request. The future ends when the provider has begun to answer; dropping it, or the stream, cancels.
    fn start<'a>(&'a self, request: &'a ModelRequest) -> PortFuture<'a, Result<ResponseStream, ModelError>>;
}
