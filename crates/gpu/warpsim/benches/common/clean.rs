//! Kernels as a compiler would hand them over.

use super::corpus::Kernel;
use passes::{Options, Pass};

/// Returns the kernel without dead code and with a simple graph: that is no merit of later passes.
pub fn clean(mut kernel: Kernel) -> Kernel {
    let options = Options { block: Some(kernel.setup.launch.threads), ..Options::default() };
    for name in ["simplify-cfg", "dce", "simplify-cfg"] {
        let pass = Pass::by_name(name).expect("it is in the table");
        let made = pass.run(&kernel.module, &kernel.entry, &options);
        kernel.module = made.unwrap_or_else(|failure| panic!("{}: {failure:?}", kernel.name)).module;
    }
    kernel
}
