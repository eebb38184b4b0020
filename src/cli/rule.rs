//! Runs `interfere rule`: prints the page of a finding or a warning.

use crate::cli::console::Console;
use crate::cli::exit::{Exit, Failure};
use crate::cli::target::Target;
use crate::report::finding_help;
use clap::Args as ClapArgs;
use clap::builder::PossibleValuesParser;
use std::fmt::Write as _;

const END: &str = "\
Exit codes:
  0  the page is printed
  2  an unknown code

Examples:
  interfere rule                  list the codes
  interfere rule interference     print the page of a status
  interfere rule unused-rule      print the page of a warning";

/// The flags of `rule`.
#[derive(Debug, ClapArgs)]
#[command(after_long_help = END)]
pub struct RuleArgs {
    /// Code of a status or a warning [default: list all].
    #[arg(value_name = "CODE", hide_possible_values = true, value_parser = PossibleValuesParser::new(finding_help::codes()))]
    pub code: Option<String>,
}

/// Prints the page of a code, or the list of all codes.
///
/// # Errors
/// Returns the error of a failed write.
pub fn run(args: &RuleArgs, console: &mut Console<'_>) -> Result<Exit, Failure> {
    let text = match &args.code {
        Some(code) => finding_help::page(code).unwrap_or_default(),
        None => list(),
    };
    Target::Stdout.write(console.stdout, |out| out.write_all(text.as_bytes()))?;
    Ok(Exit::Pass)
}

/// Each code with the first sentence of its page.
fn list() -> String {
    let codes = finding_help::codes();
    let width = codes.iter().map(|code| code.len()).max().unwrap_or(0);
    codes.iter().fold(String::new(), |mut text, code| {
        let short = finding_help::of(code).map(|help| help.short).unwrap_or_default();
        // Writing to a String cannot fail.
        let _ = writeln!(text, "{code:width$}  {short}");
        text
    })
}
