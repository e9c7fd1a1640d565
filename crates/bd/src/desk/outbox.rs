//! The outbox: rows for the audit, written in the transaction of what they tell of, handed out in order, and deleted only
//! once somebody has them. A reader may get a row twice, and knows it by its id. It must not write the audit itself.

use premath_kernel::{Object, Value, encode};
use premath_wire::time::format_time;
use rusqlite::params;

use super::answer::Stop;
use super::database::{Desk, Writing, from_stored, stored_json};
use crate::error::StoreError;

/// How many rows are read at a time.
const BATCH: i64 = 64;

/// What a row tells of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Told {
    Mutation,
    Approval,
    Proposal,
}

impl Told {
    const fn token(self) -> &'static str {
        match self {
            Self::Mutation => "mutation",
            Self::Approval => "approval",
            Self::Proposal => "proposal",
        }
    }
}

impl Writing<'_> {
    /// Notes what happened, in the same transaction. Members of `about` take their place beside those every row has.
    pub(super) fn tell(&self, told: Told, actor: &str, effect: &str, about: &Value<'_>) -> Result<(), Stop> {
        let id = self.fresh("aud_", "outbox")?;
        let mut members = vec![
            ("actor".into(), Value::from(actor)),
            ("at".into(), Value::from(format_time(from_stored(self.now)))),
            ("effect".into(), Value::from(effect)),
            ("id".into(), Value::from(id.as_str())),
            ("kind".into(), Value::from(told.token())),
        ];
        if let Some(about) = about.as_object() {
            members.extend(about.iter().map(|(name, value)| (name.into(), value.borrowed())));
        }
        let row = Object::from_members(members).map_err(|error| Stop::Damaged(error.to_string()))?;
        let text = String::from_utf8_lossy(&encode(&Value::Object(row))).into_owned();
        self.transaction.execute("INSERT INTO outbox(id, row) VALUES(?1, ?2)", params![id, text])?;
        Ok(())
    }
}

impl Desk {
    /// Hands out what happened, oldest first and some rows at a time, until there is nothing left or somebody fails to take
    /// them. Rows are gone only after `take` has succeeded; when this process dies between the two, they come again. Returns
    /// how many were taken.
    ///
    /// # Errors
    /// What `take` failed with; a database that failed.
    pub fn drain<E: From<StoreError>>(
        &self,
        take: &mut dyn FnMut(&[Value<'_>]) -> Result<(), E>,
    ) -> Result<u64, E> {
        let mut taken = 0;
        loop {
            let (numbers, rows): (Vec<i64>, Vec<Value<'static>>) = self.waiting()?.into_iter().unzip();
            if rows.is_empty() {
                return Ok(taken);
            }
            take(&rows)?;
            self.forget(&numbers)?;
            taken += u64::try_from(rows.len()).unwrap_or(u64::MAX);
        }
    }

    /// Deletes rows that somebody has.
    fn forget(&self, numbers: &[i64]) -> Result<(), StoreError> {
        let deleted = self.write(|writing| {
            let mut statement = writing.transaction.prepare("DELETE FROM outbox WHERE number = ?1")?;
            for number in numbers {
                statement.execute([number])?;
            }
            Ok(Ok(()))
        })?;
        // Nothing in there refuses.
        drop(deleted);
        Ok(())
    }

    fn waiting(&self) -> Result<Vec<(i64, Value<'static>)>, StoreError> {
        self.read(|connection| {
            let query = "SELECT number, row FROM outbox ORDER BY number LIMIT ?1";
            let mut statement = connection.prepare(query)?;
            let mut rows = statement.query([BATCH])?;
            let mut waiting = Vec::new();
            while let Some(row) = rows.next()? {
                waiting.push((row.get(0)?, stored_json(&row.get::<_, String>(1)?)?));
            }
            Ok(waiting)
        })
    }
}
