//! The kernels that the backend is measured on: the corpus and those of the shipped mechanisms.

use std::path::PathBuf;
use std::sync::Arc;

use diagnostics::Source;
use machine::target::ComputeCapability;
use machine::toolchain::{self, Job};
use overlay::Codegen;
use ptx::{Module, read};
use singe::driver::{self, Request};
use singe::observer::Observer;
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

/// The kernels of the shipped mechanisms: as lowered, and as NVRTC compiles them where it is there.
pub fn mechanisms() -> Vec<(String, Module)> {
    let mut modules = Vec::new();
    let toolchain = toolchain::find().ok();
    for (name, codegen) in [("h2o2", Codegen::Overlay), ("gri30", Codegen::Overlay), ("gri30", Codegen::DataParallel)] {
        let request = Request { codegen, verify: None, ..request::new(testkit::shipped(name)) };
        let (mechanism, _) = mechanism::read(&request.files).expect("a shipped mechanism");
        let model = kinetics::model(mechanism).expect("a shipped mechanism");
        let compile = |kernel: &_| {
            driver::compile_kernel(*kernel, &model, &request, &mut Observer::silent()).expect("a shipped mechanism")
        };
        let units: Vec<_> = request.kernels.iter().map(compile).collect();
        let label = if codegen == Codegen::DataParallel { "data-parallel" } else { "overlay" };
        for unit in &units {
            modules.push((format!("{label}, lowered:"), unit.ptx.clone()));
            let job = Job {
                name: "k.cu".into(),
                source: unit.source.clone(),
                arch: ComputeCapability(3, 5),
                options: vec![],
            };
            let compiled = toolchain.as_ref().and_then(|t| t.compile_to_ptx(&job).ok());
            if let Some(text) = compiled.map(|compiled| compiled.text)
                && let Ok(module) = read::read(&Arc::new(Source { name: "k.ptx".into(), text }))
            {
                modules.push((format!("{label}, NVRTC:"), module));
            }
        }
    }
    modules
}
