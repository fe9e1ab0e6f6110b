//! Packs of the kernels of a project that `singe` wrote: machine code, the reference states, and the report's predictions.

use crate::pack::Pack;
use crate::plan;
use machine::target::Target;
use machine::toolchain::{self, Job, Toolchain};
use serde_json::Value;
use std::path::Path;

/// Points along an edge of the cube that is timed.
const EDGE: u32 = 64;

/// A pack of all kernels of a project for a GPU, and the target that it was made for.
///
/// # Errors
/// The folder is no such project, or a compiler is absent or refuses a text.
pub fn pack(project: &Path) -> Result<(Pack, &'static Target), String> {
    let report: Value =
        serde_json::from_str(&text(&project.join("report.json"))?).map_err(|e| format!("report.json: {e}"))?;
    let name = string(&report, "mechanism")?;
    let target = string(&report, "target")?;
    let target = Target::by_name(target.split(' ').next().unwrap_or_default()).map_err(|e| e.name)?;
    let tools = toolchain::find_for(target.compute_capability).map_err(|absent| absent.to_string())?;
    let reference = Reference { name: name.to_owned(), text: text(&project.join(format!("{name}_reference.h")))? };
    let (mut pack, mut plan) = (Pack::default(), plan::head(target));
    for kernel in report["kernels"].as_array().ok_or("report.json has no kernels")? {
        plan += &line(&mut pack, project, kernel, &reference, &tools, target)?;
    }
    pack.keep(plan::FILE, plan);
    Ok((pack, target))
}

/// Keeps the files of a kernel, and returns the plan's line for its run.
fn line(
    pack: &mut Pack,
    project: &Path,
    kernel: &Value,
    reference: &Reference,
    tools: &Toolchain,
    target: &Target,
) -> Result<String, String> {
    let symbol = string(kernel, "symbol")?;
    if !kernel["workspace_bytes_per_cta"].is_null() {
        return Err(format!("{symbol} takes a workspace in global memory, which is not provided here"));
    }
    let source = text(&project.join(format!("{symbol}.cu")))?;
    let constant = |name: &str| after(&source, &format!("const int {name} = "));
    let (threads, per_cta, shared) =
        (constant("threads")?, constant("groups_per_cta")?, constant("dynamic_shared_bytes")?);
    let group = after(&source, "const int groups = points / ")?;
    let job = Job { name: format!("{symbol}.cu"), source, arch: target.compute_capability, options: vec![] };
    let ptx = tools.compile_to_ptx(&job).map_err(|failure| failure.to_string())?;
    let made = tools.assemble(&ptx.text, target.compute_capability).map_err(|failure| failure.to_string())?;
    pack.keep(format!("{symbol}.cubin"), made.cubin);

    let what = string(kernel, "kernel")?;
    let code = string(kernel, "codegen")?.to_owned() + if kernel["alternative"] == true { "-alternative" } else { "" };
    let arrays = kernel["arrays"].as_array().ok_or("a kernel has no arrays")?;
    let rows = |array: &Value| array["rows"].as_u64().ok_or("an array has no rows");
    let mut inputs = Vec::new();
    for array in arrays.iter().filter(|array| array["output"] == false) {
        let name = string(array, "name")?;
        inputs.push(format!("{}:{}", reference.keep(pack, &[name])?, rows(array)?));
    }
    let output = arrays.iter().find(|array| array["output"] == true).ok_or("a kernel has no output")?;
    let (plain, own) = (string(output, "name")?.to_owned(), format!("{what}_{}", string(output, "name")?));
    let expected = reference.keep(pack, &[&own, &plain])?;
    let scale = reference.keep(pack, &[&format!("{own}_scale"), &format!("{plain}_scale")])?;
    let cubes = kernel["prediction"]["cubes"].as_array();
    let predicted = cubes.and_then(|cubes| cubes.iter().find(|cube| cube["edge"] == EDGE));
    let predicted = predicted.map_or(Value::Null, |cube| cube["microseconds"].clone());
    let tolerance = &kernel["verification"]["tolerance"];
    Ok(format!(
        "kernel mechanism={} kernel={what} code={code} module={symbol}.cubin entry={symbol} threads={threads} shared={shared} group={group} \
         per_cta={per_cta} points={} states={} rows={} inputs={} expected={expected} scale={scale} tolerance={tolerance} predicted={predicted}\n",
        reference.name,
        EDGE.pow(3),
        reference.states()?,
        rows(output)?,
        inputs.join(","),
    ))
}

/// The header with the reference states.
struct Reference {
    name: String,
    text: String,
}

impl Reference {
    fn states(&self) -> Result<u32, String> {
        after(&self.text, &format!("{}_reference_states = ", self.name))
    }

    /// Keeps the first existing one of the tables, as doubles; returns its file.
    fn keep(&self, pack: &mut Pack, tables: &[&str]) -> Result<String, String> {
        let begins = |table: &&&str| self.text.find(&format!("{}_reference_{table}[", self.name));
        let table =
            tables.iter().find(|table| begins(table).is_some()).ok_or(format!("no reference values of {tables:?}"))?;
        let rest = &self.text[begins(&table).unwrap_or_default()..];
        let list = rest.split_once('{').and_then(|(_, rest)| rest.split_once('}')).map_or("", |(list, _)| list);
        let mut bytes = Vec::new();
        for word in list.split(',').map(str::trim).filter(|word| !word.is_empty()) {
            let value: f64 = word.parse().map_err(|_| format!("{table}: {word} is no number"))?;
            bytes.extend(value.to_le_bytes());
        }
        Ok(pack.keep(format!("{table}.f64"), bytes))
    }
}

fn text(path: &Path) -> Result<String, String> {
    std::fs::read_to_string(path).map_err(|e| format!("{} cannot be read: {e}", path.display()))
}

fn string<'a>(value: &'a Value, key: &str) -> Result<&'a str, String> {
    value[key].as_str().ok_or_else(|| format!("report.json lacks {key}"))
}

/// Returns the whole number behind a text.
fn after(text: &str, before: &str) -> Result<u32, String> {
    let rest = text.split_once(before).map_or("", |(_, rest)| rest);
    let digits: String = rest.chars().take_while(char::is_ascii_digit).collect();
    digits.parse().map_err(|_| format!("nothing says {before}"))
}
