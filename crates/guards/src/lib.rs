//! Guardrails.
