//! The documents as a site (mdBook), in target/site.

use anyhow::{Result, anyhow};
use mdbook_driver::MDBook;
use std::path::Path;

/// Builds the site.
pub fn build() -> Result<()> {
    let book = MDBook::load(".").map_err(|error| anyhow!("{error:#}"))?;
    book.build().map_err(|error| anyhow!("{error:#}"))?;
    anyhow::ensure!(
        Path::new("target/site/tutorial.html").exists(),
        "target/site has no tutorial"
    );
    Ok(())
}
