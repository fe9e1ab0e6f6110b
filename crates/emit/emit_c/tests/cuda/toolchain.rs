//! The real compilers, where they are installed.

use crate::{compilers, target};
use machine::toolchain::Job;

fn job(source: &str) -> Job {
    let arch = target("kepler").compute_capability;
    Job { name: "k.cu".to_owned(), source: source.to_owned(), arch, options: Vec::new() }
}

#[test]
fn compiles_and_assembles() {
    let Some(toolchain) = compilers() else { return };
    let source = r#"
extern "C" __global__ void two(double *x) {
  __shared__ double s[64];
  s[threadIdx.x] = x[threadIdx.x];
  asm volatile("bar.sync %0, %1;" : : "n"(3), "n"(64) : "memory");
  asm volatile("bar.arrive %0, %1;" : : "n"(5), "n"(64) : "memory");
  x[threadIdx.x] = s[63 - threadIdx.x];
}"#;
    let kepler = job(source);
    let ptx = toolchain.compile_to_ptx(&kepler).unwrap();
    assert_eq!(ptx.log, "");
    assert!(ptx.text.contains(".target sm_35"));
    let usage = toolchain.assemble(&ptx.text, kepler.arch).unwrap().usages;
    assert_eq!(usage.len(), 1);
    assert_eq!((usage[0].kernel.as_str(), usage[0].shared_bytes, usage[0].barriers), ("two", 512, 2));
    assert!(usage[0].registers > 0 && usage[0].spill_store_bytes == 0);
}

#[test]
fn failures_quote_the_tool() {
    let Some(toolchain) = compilers() else { return };
    let failure = toolchain.compile_to_ptx(&job("extern \"C\" __global__ void k() { wrong(); }")).unwrap_err();
    assert!(failure.to_string().starts_with("NVRTC: k.cu(1): error: identifier \"wrong\" is undefined"), "{failure}");
    let failure = toolchain.assemble("no PTX", job("").arch).unwrap_err();
    assert!(failure.to_string().contains("Missing .version directive"), "{failure}");
    let failure = toolchain.compile_to_ptx(&job("\0")).unwrap_err();
    assert_eq!(failure.to_string(), "NVRTC: the text has a zero byte at offset 0");
}

#[test]
fn parallel_answers_keep_the_order_of_the_jobs() {
    let Some(toolchain) = compilers() else { return };
    let jobs: Vec<Job> =
        (0..6).map(|i| job(&format!("extern \"C\" __global__ void kernel{i}(int *x) {{ *x = {i}; }}"))).collect();
    let answers = toolchain.compile_all(&jobs);
    assert_eq!(answers.len(), jobs.len());
    for (i, answer) in answers.iter().enumerate() {
        assert!(answer.as_ref().unwrap().text.contains(&format!(".entry kernel{i}(")));
    }
}
