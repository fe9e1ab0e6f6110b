//! `singe ptx opt --check BEFORE.ptx AFTER.ptx`: whether the functions of the one text are allocations of those of the other.

use std::path::Path;

use serde_json::json;

use super::kernel::module;
use super::opt::kernels;
use super::opt_arguments::OptArguments;
use command::Failure;
use command::print;
use passes::allocate::given::{Compared, Text, compare};

pub fn run(before: &Path, arguments: &OptArguments) -> Result<(), Failure> {
    let (old, source) = module(before)?;
    let (new, other) = module(&arguments.ptx)?;
    let (old, new) = (Text { source: &source, module: &old }, Text { source: &other, module: &new });
    let (mut rows, mut wrong) = (Vec::new(), Vec::new());
    for kernel in kernels(old.module, arguments.kernel.as_ref(), before)? {
        match compare(old, new, &kernel, arguments.block) {
            Ok(compared) => rows.push((kernel, compared)),
            Err(diagnostics) => wrong.extend(diagnostics),
        }
    }
    if !wrong.is_empty() {
        return Err(Failure::verification(wrong));
    }
    if arguments.json {
        let row = |(kernel, compared): &(String, Compared)| {
            let Compared { instructions, kept, spill_code, max_live: [before, after] } = compared;
            json!({
                "kernel": kernel, "instructions": instructions, "kept": kept, "spill_code": spill_code,
                "max_live_before": before, "max_live": after,
            })
        };
        return print(format_args!("{:#}\n", json!(rows.iter().map(row).collect::<Vec<_>>())));
    }
    for (kernel, Compared { instructions, kept, spill_code, max_live: [before, after] }) in &rows {
        print(format_args!(
            "{kernel}: every use finds its value; {kept} of {instructions} instructions, {spill_code} of spill code; \
             {after} registers are alive at once instead of {before}\n"
        ))?;
    }
    Ok(())
}
