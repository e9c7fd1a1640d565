//! The form of a cassette: one JSON document. Bodies of requests stand in it as JSON, bodies of answers in the pieces in
//! which they came, because where a stream was split is half of what a decoder has to live with.

use std::collections::BTreeMap;
use std::time::Duration;

use bytes::Bytes;
use premath_kernel::hex;
use premath_tusk::model::{FailureStage, ModelError, ModelErrorKind};
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

use super::scrub::Secrets;
use super::{CassetteError, VERSION};

#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Cassette {
    version: u64,
    pub(super) exchanges: Vec<Exchange>,
}

#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Exchange {
    pub(super) request: RecordedRequest,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) response: Option<RecordedResponse>,
    /// How it went wrong: before an answer where there is none, else behind the last piece of its body.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) failure: Option<RecordedFailure>,
}

#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct RecordedRequest {
    pub(super) method: String,
    pub(super) path: String,
    pub(super) headers: BTreeMap<String, String>,
    /// JSON as it was sent; a text where it was none; nothing where nothing was sent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) body: Option<Box<RawValue>>,
}

#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct RecordedResponse {
    pub(super) status: u16,
    pub(super) headers: BTreeMap<String, String>,
    pub(super) body: Vec<Piece>,
}

/// One piece of a body. A piece may end in the middle of a character, and is then no text.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub(super) enum Piece {
    Text(String),
    Hex(String),
}

#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct RecordedFailure {
    kind: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    code: Option<String>,
    message: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    retry_after_ms: Option<u64>,
}

impl Cassette {
    pub(super) fn new(exchanges: Vec<Exchange>) -> Self {
        Self { version: VERSION, exchanges }
    }

    /// Reads a cassette.
    pub(super) fn parse(text: &str) -> Result<Self, CassetteError> {
        #[derive(Deserialize)]
        struct Version {
            version: u64,
        }
        let format = |message: String| CassetteError::Format { message };
        let Version { version } = serde_json::from_str(text).map_err(|error| format(error.to_string()))?;
        if version != VERSION {
            return Err(format(format!("version {version}, and only {VERSION} is known")));
        }
        let cassette: Self = serde_json::from_str(text).map_err(|error| format(error.to_string()))?;
        for exchange in &cassette.exchanges {
            exchange.check().map_err(|message| format(message.to_owned()))?;
        }
        Ok(cassette)
    }

    /// Writes it, so that a person can read what changed.
    pub(super) fn text(&self) -> Result<String, CassetteError> {
        let text = serde_json::to_string_pretty(self);
        let text = text.map_err(|error| CassetteError::Save { source: Box::new(error) })?;
        Ok(text + "\n")
    }
}

impl Exchange {
    fn check(&self) -> Result<(), &'static str> {
        if self.response.is_none() && self.failure.is_none() {
            return Err("an exchange has a response or a failure");
        }
        let pieces = self.response.iter().flat_map(|response| &response.body);
        if pieces.into_iter().any(|piece| piece.bytes().is_none()) {
            return Err("a piece of a body is not hexadecimal");
        }
        match &self.failure {
            Some(failure) if failure.kind().is_none() => Err("a failure is of no kind that is known"),
            Some(_) | None => Ok(()),
        }
    }
}

impl Piece {
    pub(super) fn of(bytes: &[u8]) -> Self {
        std::str::from_utf8(bytes).map_or_else(|_| Self::Hex(hex(bytes)), |text| Self::Text(text.to_owned()))
    }

    pub(super) fn bytes(&self) -> Option<Bytes> {
        match self {
            Self::Text(text) => Some(Bytes::from(text.clone())),
            Self::Hex(text) => unhex(text).map(Bytes::from),
        }
    }
}

fn unhex(text: &str) -> Option<Vec<u8>> {
    let digits: Option<Vec<u32>> = text.chars().map(|character| character.to_digit(16)).collect();
    let digits = digits.filter(|digits| digits.len().is_multiple_of(2))?;
    digits
        .chunks_exact(2)
        .map(|pair| u8::try_from(pair.iter().fold(0, |byte, digit| byte * 16 + digit)).ok())
        .collect()
}

impl RecordedFailure {
    pub(super) fn of(error: &ModelError, secrets: &Secrets) -> Self {
        Self {
            kind: error.kind.as_str().to_owned(),
            code: error.code.as_ref().map(|code| secrets.text(code)),
            message: secrets.text(&error.message),
            retry_after_ms: error.retry_after.map(|wait| u64::try_from(wait.as_millis()).unwrap_or(u64::MAX)),
        }
    }

    fn kind(&self) -> Option<ModelErrorKind> {
        ModelErrorKind::ALL.into_iter().find(|kind| kind.as_str() == self.kind)
    }

    pub(super) fn error(&self) -> ModelError {
        ModelError {
            kind: self.kind().unwrap_or(ModelErrorKind::Unknown),
            stage: FailureStage::BeforeAnswer,
            status: None,
            code: self.code.clone(),
            message: self.message.clone(),
            retry_after: self.retry_after_ms.map(Duration::from_millis),
            request_id: None,
        }
    }
}
