//! Numbers as Prometheus reads them.

use std::fmt;

use premath_wire::v1::{MetricFamily, MetricKind, MetricsAnswer};
use prometheus_client::collector::Collector;
use prometheus_client::encoding::text::encode;
use prometheus_client::encoding::{DescriptorEncoder, EncodeMetric as _};
use prometheus_client::metrics::counter::ConstCounter;
use prometheus_client::metrics::gauge::ConstGauge;
use prometheus_client::registry::Registry;

/// Families that were counted elsewhere.
#[derive(Debug)]
struct Counted(Vec<MetricFamily>);

impl Collector for Counted {
    fn encode(&self, mut encoder: DescriptorEncoder<'_>) -> Result<(), fmt::Error> {
        for family in &self.0 {
            let (counter, gauge) = (ConstCounter::new(0_u64), ConstGauge::new(0_i64));
            let kind = match family.kind {
                MetricKind::Counter => counter.metric_type(),
                MetricKind::Gauge => gauge.metric_type(),
            };
            let mut encoder = encoder.encode_descriptor(&family.name, &family.help, None, kind)?;
            for sample in &family.samples {
                let labels: Vec<(String, String)> =
                    sample.labels.iter().map(|(name, value)| (name.clone(), value.clone())).collect();
                let labelled = encoder.encode_family(&labels)?;
                match family.kind {
                    MetricKind::Counter => ConstCounter::new(sample.value).encode(labelled)?,
                    MetricKind::Gauge => {
                        ConstGauge::new(i64::try_from(sample.value).unwrap_or(i64::MAX)).encode(labelled)?;
                    }
                }
            }
        }
        Ok(())
    }
}

/// The text that a scraper reads.
///
/// # Errors
/// It cannot be written.
pub fn prometheus_text(metrics: &MetricsAnswer) -> Result<String, fmt::Error> {
    let mut registry = Registry::default();
    registry.register_collector(Box::new(Counted(metrics.families.clone())));
    let mut text = String::new();
    encode(&mut text, &registry)?;
    Ok(text)
}
