//! `singe ptx analyze K.ptx`: which values and branches of a kernel are uniform, affine or divergent, and why.

use super::arguments::AnalyzeArguments;
use super::kernel::module;
use crate::divergence::Analysed;
use command::Failure;
use command::files;
use command::print;
use diagnostics::Diagnostic;
use ptx::analysis::divergence::{BlockShape, Options};

pub fn run(arguments: &AnalyzeArguments) -> Result<(), Failure> {
    let (module, _) = module(&arguments.ptx)?;
    let block = match arguments.block {
        Some(shape) => BlockShape::Known(shape),
        None if arguments.whole_warps => BlockShape::WholeWarps,
        None => BlockShape::Unknown,
    };
    let options = Options { block, assume_index_no_wrap: arguments.assume_index_no_wrap };
    let wanted = |name: &str| arguments.kernel.as_ref().is_none_or(|kernel| kernel == name);
    let bodies = module.funcs.iter().filter(|func| !func.is_declaration() && wanted(&func.name));
    let analysed: Vec<Analysed> = bodies.map(|func| Analysed::new(&module, func, options)).collect();
    if analysed.is_empty() {
        let what = arguments.kernel.as_ref().map_or("no kernel".to_owned(), |name| format!("no kernel {name}"));
        let message = format!("{} has {what}", arguments.ptx.display());
        return Err(Failure::input([Diagnostic::error("verify::no-kernel", message)]));
    }
    if let Some(path) = &arguments.picture {
        let text: String = analysed.iter().map(Analysed::dot).collect();
        files::write_file(path, &text, "--picture", arguments.force).map_err(Failure::input)?;
    }
    if arguments.json {
        print(format_args!("{:#}\n", serde_json::json!(analysed.iter().map(Analysed::json).collect::<Vec<_>>())))?;
    } else {
        let texts: Vec<String> = analysed.iter().map(Analysed::text).collect();
        print(format_args!("{}", texts.join("\n")))?;
    }
    Ok(())
}
