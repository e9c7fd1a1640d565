//! The shipped list prices: `prices.json` beside this file, with the date each list was looked up. It must not guess that a
//! snapshot costs what another one does, so only the names in the file have a price.

use serde::Deserialize;

use super::{Price, micro_dollars};

/// The shipped file.
const TEXT: &str = include_str!("prices.json");

/// Why the shipped prices cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum PriceFileError {
    /// The file is not what it must be.
    #[error("the shipped price file cannot be read")]
    Malformed(#[from] serde_json::Error),
    /// An amount is no amount of dollars.
    #[error("the shipped price file has `{amount}` for `{model}`, which is no amount of dollars")]
    Amount {
        /// The model.
        model: String,
        /// The amount.
        amount: String,
    },
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct PriceFile {
    #[expect(dead_code, reason = "it is for people who read the file")]
    unit: String,
    lists: Vec<PriceList>,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct PriceList {
    #[expect(dead_code, reason = "it is for people who read the file")]
    provider: String,
    as_of: String,
    models: Vec<ModelPrice>,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct ModelPrice {
    model: String,
    #[serde(default)]
    snapshots: Vec<String>,
    input: String,
    cache_read: String,
    cache_write: String,
    output: String,
}

/// One model of the file.
#[derive(Debug)]
pub(super) struct ShippedPrice {
    /// The model, as its provider names it.
    pub(super) model: String,
    /// Dated names of the same model that are known to have the same price.
    pub(super) snapshots: Vec<String>,
    /// Its price.
    pub(super) price: Price,
    /// The day on which the list was looked up.
    pub(super) as_of: String,
}

/// Every model of the shipped file.
pub(super) fn read_shipped() -> Result<Vec<ShippedPrice>, PriceFileError> {
    let file: PriceFile = serde_json::from_str(TEXT)?;
    let mut prices = Vec::new();
    for list in file.lists {
        for row in list.models {
            let amount = |text: &str| {
                let (model, amount) = (row.model.clone(), text.to_owned());
                micro_dollars(text).ok_or(PriceFileError::Amount { model, amount })
            };
            let price = Price {
                input: amount(&row.input)?,
                cache_read: amount(&row.cache_read)?,
                cache_write: amount(&row.cache_write)?,
                output: amount(&row.output)?,
            };
            let as_of = list.as_of.clone();
            prices.push(ShippedPrice { model: row.model, snapshots: row.snapshots, price, as_of });
        }
    }
    Ok(prices)
}
