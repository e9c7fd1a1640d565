//! Prices as `model.list` lists them: what each model costs, on which day that was true, and who says so.

use std::collections::BTreeSet;

use premath_host::{ActionError, ListedPrices};
use premath_models::price::{Price, PriceEntry, PriceTable};
use premath_wire::v1::PriceRow;

use super::{Models, layer};

/// The prices of the default models and of the configuration, or every known one.
pub(super) fn rows(models: &Models, listed: ListedPrices) -> Result<Vec<PriceRow>, ActionError> {
    let (table, trusted) = (models.prices()?, models.trusted_prices()?);
    let mut rows = Vec::new();
    let mut names: BTreeSet<String> =
        models.default_chain().iter().filter_map(|model| name_of(model)).collect();
    names.extend(models.settings.prices.keys().cloned());
    if listed == ListedPrices::All {
        names.extend(table.entries().map(|(name, _)| name));
    }
    for name in names {
        let exact = table.entries().find(|(known, _)| *known == name).map(|(_, entry)| entry);
        let entry = exact.or_else(|| table.find(&name));
        rows.push(row(models, &name, entry, &trusted));
    }
    Ok(rows)
}

/// The model of a reference to a server; none of a script or a recording, which cost nothing.
fn name_of(reference: &str) -> Option<String> {
    match reference.trim().split_once(':')? {
        ("scripted" | "replay", _) => None,
        (_, name) => Some(name.to_owned()),
    }
}

fn row(models: &Models, name: &str, entry: Option<&PriceEntry>, trusted: &PriceTable) -> PriceRow {
    let setting = models.settings.prices.get(name);
    let price = entry.map(|entry| entry.price);
    let amount = |part: fn(&Price) -> u64| price.as_ref().map(part);
    PriceRow {
        model: name.to_owned(),
        input_micro_usd: amount(|price| price.input),
        cache_read_micro_usd: amount(|price| price.cache_read),
        cache_write_micro_usd: amount(|price| price.cache_write),
        output_micro_usd: amount(|price| price.output),
        as_of: entry.map(|entry| entry.as_of.clone()),
        layer: setting.map_or_else(|| "default".to_owned(), |setting| layer(&setting.layer)),
        limits_rely_on_it: trusted.find(name.trim_end_matches('*')).is_some(),
    }
}
