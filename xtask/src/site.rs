//! The documents as a site (mdBook), in target/site. With the feature `site`; without it, the task
//! starts itself again with that.

use anyhow::Result;

/// Builds the site.
#[cfg(feature = "site")]
pub fn build() -> Result<()> {
    use anyhow::{anyhow, ensure};
    let book = mdbook_driver::MDBook::load(".").map_err(|error| anyhow!("{error:#}"))?;
    book.build().map_err(|error| anyhow!("{error:#}"))?;
    ensure!(
        std::path::Path::new("target/site/tutorial.html").exists(),
        "target/site has no tutorial"
    );
    Ok(())
}

/// Builds the task with what makes the site, and the site.
#[cfg(not(feature = "site"))]
pub fn build() -> Result<()> {
    use crate::process::{self, cargo};
    let words = [
        "run",
        "--quiet",
        "--package",
        "xtask",
        "--features",
        "site",
        "--",
        "site",
    ];
    process::run(cargo().args(words))
}
