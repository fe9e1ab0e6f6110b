//! The kernels that the backend is measured on: the corpus and those of the shipped mechanisms.

use std::path::PathBuf;
use std::sync::Arc;

use diagnostics::Source;
use kinetics::Model;
use machine::target::ComputeCapability;
use machine::toolchain::{self, Job};
use overlay::Codegen;
use ptx::{Module, read};
use singe::driver::Request;
use singe::output::Unit;
use testkit::request;

/// Every PTX text under tests/corpus, in the order of the names.
pub fn corpus() -> Vec<(String, Module)> {
    let mut files = Vec::new();
    let mut folders = vec![testkit::root().join("tests/corpus")];
    while let Some(folder) = folders.pop() {
        for path in std::fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path()) {
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|e| e == "ptx") {
                files.push(path);
            }
        }
    }
    files.sort();
    files.into_iter().filter_map(|path| Some(("corpus".to_owned(), module(path)?))).collect()
}

fn module(path: PathBuf) -> Option<Module> {
    let text = std::fs::read_to_string(&path).ok()?;
    read::read(&Arc::new(Source { name: path.display().to_string(), text })).ok()
}

/// The kernels of the shipped mechanisms in a layout, with their model and the layout's label.
pub fn shipped() -> Vec<(&'static str, Model, Vec<Unit>)> {
    let layouts = [("h2o2", Codegen::Overlay), ("gri30", Codegen::Overlay), ("gri30", Codegen::DataParallel)];
    let compile = |(name, codegen)| {
        let request = Request { codegen, verify: None, ..request::new(testkit::shipped(name)) };
        let (model, units) = request::units(&request);
        (if codegen == Codegen::DataParallel { "data-parallel" } else { "overlay" }, model, units)
    };
    layouts.into_iter().map(compile).collect()
}

/// Shipped kernels as lowered, and as NVRTC compiles them where it is there.
pub fn modules(shipped: &[(&'static str, Model, Vec<Unit>)]) -> Vec<(String, Module)> {
    let mut modules = Vec::new();
    for (label, _, units) in shipped {
        for unit in units {
            modules.push((format!("{label}, lowered:"), unit.ptx.clone()));
            modules.extend(compiled(unit).map(|module| (format!("{label}, NVRTC:"), module)));
        }
    }
    modules
}

/// The PTX that NVRTC makes of a kernel, for the architecture that they are lowered for.
pub fn compiled(unit: &Unit) -> Option<Module> {
    let (name, source) = ("k.cu".into(), unit.source.clone());
    let job = Job { name, source, arch: ComputeCapability(3, 5), options: vec![] };
    let text = toolchain::find().ok()?.compile_to_ptx(&job).ok()?.text;
    read::text("k.ptx", &text).ok()
}
