//! The arguments of the commands that take no mechanism.

use clap::Args;

#[derive(Debug, Args)]
pub struct DoctorArguments {
    /// Print the result as JSON on stdout
    #[arg(long)]
    pub json: bool,
}
