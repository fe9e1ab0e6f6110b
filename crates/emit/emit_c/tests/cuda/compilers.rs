//! The CUDA text of small programs, through the real compilers where they are installed.

use crate::print;
use crate::{compilers, programs, provenance, target};
use machine::toolchain::Job;

#[test]
fn real_compilers_accept_every_program_without_a_remark() {
    let Some(toolchain) = compilers() else { return };
    // Text for machines that this toolchain no longer knows is compiled for the oldest one that it does.
    for (machine, arch) in [
        ("fermi", "kepler"),
        ("kepler", "kepler"),
        ("maxwell", "maxwell"),
        ("pascal", "pascal"),
        ("volta", "volta"),
        ("ampere", "ampere"),
        ("hopper", "hopper"),
    ] {
        let programs: Vec<_> =
            programs::all().into_iter().filter(|p| p.slots * 256 <= target(machine).shared_bytes_per_cta).collect();
        let jobs: Vec<Job> = programs
            .iter()
            .map(|program| Job {
                name: format!("{}.cu", program.symbol),
                source: print(program, &provenance(), target(machine)),
                arch: target(arch).compute_capability,
                options: Vec::new(),
            })
            .collect();
        for (program, (job, answer)) in programs.iter().zip(jobs.iter().zip(toolchain.compile_all(&jobs))) {
            let ptx = answer.unwrap_or_else(|failure| panic!("{machine}: {failure}\n{}", job.source));
            assert_eq!(ptx.log.trim(), "", "{machine}: {}", job.source);
            let usage = toolchain.assemble(&ptx.text, job.arch).unwrap().usages;
            assert_eq!(usage.len(), 1);
            assert_eq!(usage[0].kernel, program.symbol);
            assert_eq!(usage[0].spill_store_bytes, 0);
        }
    }
}

#[test]
fn ptx_holds_what_the_program_asks_for() {
    let Some(toolchain) = compilers() else { return };
    let compile = |program, machine: &str| {
        let job = Job {
            name: "k.cu".to_owned(),
            source: print(program, &provenance(), target(machine)),
            arch: target(machine).compute_capability,
            options: Vec::new(),
        };
        toolchain.compile_to_ptx(&job).unwrap().text
    };
    let hand_over = programs::hand_over();
    let kepler = compile(&hand_over, "kepler");
    for instruction in
        ["bar.sync 1, 64;", "bar.arrive 0, 64;", "bar.arrive 1, 64;", "bar.sync 0, 64;", "ld.global.nc.f64"]
    {
        assert!(kepler.contains(instruction), "{instruction}");
    }
    let usage = toolchain.assemble(&kepler, target("kepler").compute_capability).unwrap().usages;
    assert_eq!((usage[0].shared_bytes, usage[0].barriers), (256, 2));
    // Broadcasts: two halves of a real each, and whole indices.
    let striped = programs::striped_loop();
    assert!(compile(&striped, "kepler").contains("shfl.idx.b32"));
    assert!(compile(&striped, "volta").contains("shfl.sync.idx.b32"));
}

#[test]
fn compilers_find_no_product_to_fuse() {
    let Some(toolchain) = compilers() else { return };
    let job = Job {
        name: "products.cu".to_owned(),
        source: print(&programs::products(), &provenance(), target("kepler")),
        arch: target("kepler").compute_capability,
        options: vec!["--fmad=true".to_owned()],
    };
    let ptx = toolchain.compile_to_ptx(&job).unwrap().text;
    // NVRTC fuses some and leaves the rest to ptxas, which fuses nothing that says how it rounds.
    let count = |instruction: &str| ptx.lines().filter(|line| line.trim_start().starts_with(instruction)).count();
    assert_eq!([count("mul.rn.f64"), count("mul.f64"), count("fma.rn.f64")], [7, 1, 1], "{ptx}");
}
