//! Measurements.
use anyhow::Result;
pub fn run(_arguments: &[String]) -> Result<()> {
    crate::callgrind::available().map(|_| ())
}
