//! What a server says that nobody asked for: progress, changes, words on standard error, and what ended the conversation.
//!
//! Nothing that a server wants of us is done: it gets no model, no person and no folders.

use std::collections::VecDeque;
use std::sync::atomic::{AtomicBool, AtomicU16, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use premath_tusk::tools::foreign::{ForeignError, escaped};
use rmcp::ClientHandler;
use rmcp::model::{
    ClientCapabilities, ClientConfig, Implementation, ProgressNotificationParam, ProtocolVersion,
};
use rmcp::service::{NotificationContext, RoleClient};

/// How much of what a server says on standard error is kept.
const KEPT: usize = 4096;

/// What is wrong with a conversation, and what was said beside it.
#[derive(Debug, Default)]
pub(super) struct Trouble {
    said: Mutex<VecDeque<u8>>,
    error: Mutex<Option<ForeignError>>,
    progress: Mutex<Option<String>>,
    is_over: AtomicBool,
    status: AtomicU16,
}

fn locked<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    // Nothing can go wrong under these locks.
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Trouble {
    /// Takes a piece of standard error.
    pub(super) fn hear(&self, piece: &[u8]) {
        let mut said = locked(&self.said);
        said.extend(piece);
        let over = said.len().saturating_sub(KEPT);
        said.drain(..over);
    }

    /// The end of what was said on standard error.
    pub(super) fn said(&self) -> String {
        let said: Vec<u8> = locked(&self.said).iter().copied().collect();
        escaped(String::from_utf8_lossy(&said).trim())
    }

    /// The conversation is over because of this.
    pub(super) fn end(&self, error: ForeignError) {
        self.is_over.store(true, Ordering::SeqCst);
        locked(&self.error).get_or_insert(error);
    }

    pub(super) fn is_over(&self) -> bool {
        self.is_over.load(Ordering::SeqCst)
    }

    pub(super) fn error(&self) -> Option<ForeignError> {
        locked(&self.error).clone()
    }

    /// The server answered with a status that is no success.
    pub(super) fn note_status(&self, status: u16) {
        self.status.store(status, Ordering::SeqCst);
    }

    /// The last such status.
    pub(super) fn status(&self) -> Option<u16> {
        Some(self.status.load(Ordering::SeqCst)).filter(|status| *status != 0)
    }

    pub(super) fn forget_progress(&self) {
        *locked(&self.progress) = None;
    }

    pub(super) fn progress(&self) -> Option<String> {
        locked(&self.progress).clone()
    }

    fn note_progress(&self, told: &ProgressNotificationParam) {
        let total = told.total.map(|total| format!(" of {total}")).unwrap_or_default();
        let words = told.message.as_deref().map(|words| format!(": {words}")).unwrap_or_default();
        let line: String = format!("{}{total}{words}", told.progress).chars().take(200).collect();
        *locked(&self.progress) = Some(escaped(&line));
    }
}

/// Whoever listens. That definitions have changed need not be noted: they are read before every call.
#[derive(Debug)]
pub(super) struct Listener {
    trouble: Arc<Trouble>,
    config: ClientConfig,
}

impl Listener {
    /// One that says that it speaks a version, where a conversation begins with saying so.
    pub(super) fn new(trouble: Arc<Trouble>, version: ProtocolVersion) -> Self {
        let us = Implementation::new("premath", env!("CARGO_PKG_VERSION"));
        let config = ClientConfig::new(ClientCapabilities::default(), us).with_protocol_version(version);
        Self { trouble, config }
    }
}

impl ClientHandler for Listener {
    fn get_info(&self) -> ClientConfig {
        self.config.clone()
    }

    async fn on_progress(&self, told: ProgressNotificationParam, _: NotificationContext<RoleClient>) {
        self.trouble.note_progress(&told);
    }
}
