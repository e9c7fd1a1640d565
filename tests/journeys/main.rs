//! The journeys of people from start to finish, with the program they use.

#![expect(clippy::disallowed_methods, reason = "a journey prepares and looks at files as a person does")]
#![expect(clippy::unwrap_used, clippy::indexing_slicing, reason = "what cannot be done fails the test")]

mod governance_owner;
mod person;
mod team;
