//! Values that compilers must keep in registers from one group of points to the next.

use kernels::{Kernel, Options, build};
use machine::target::Target;
use overlay::{Codegen, Frame, Residence};
use ptx::analysis::access::Accesses;
use ptx::analysis::cfg::Cfg;
use ptx::analysis::dominators::Dominators;
use ptx::analysis::liveness::Liveness;
use ptx::analysis::loops::Loops;
use ptx::inst::Type;
use ptx::ir::{Func, Reg};
use schedule::{Limits, Placement, proof};
use testkit::made_up;

fn kepler() -> Limits {
    let target = Target::by_name("kepler").unwrap();
    Limits { slots: Some(96), in_shared: None, barriers: 8, states: 44, points_per_lane: 1, straight: false, target }
}

/// Doubles that are alive at the head of the streaming loop and written inside it.
fn carried(func: &Func) -> Vec<Reg> {
    let (cfg, accesses) = (Cfg::compute(func), Accesses::compute(func));
    let loops = Loops::compute(&cfg, &Dominators::compute(func, &cfg));
    let liveness = Liveness::compute(func, &cfg, &accesses);
    let streaming = loops.loops.values().find(|l| l.depth == 1).expect("a kernel streams over groups of points");
    let written = |reg: Reg| {
        let insts = streaming.blocks.iter().flat_map(|&block| &func.blocks[block].insts);
        insts.into_iter().any(|&inst| accesses.writes(inst).contains(&reg))
    };
    let live = liveness.live_in(streaming.header).iter().copied();
    live.filter(|&reg| func.regs[reg] == Type::F64 && written(reg)).collect()
}

#[test]
fn no_double_is_carried_to_the_next_group() {
    for kernel in Kernel::ALL {
        for (warps, species, codegen) in
            [(3, 10, Codegen::Overlay), (8, 24, Codegen::Overlay), (13, 33, Codegen::Overlay), (4, 10, Codegen::Switch)]
        {
            for registers in [32, 255] {
                let model = made_up::model(species, species * 3, 1);
                let graph = build(kernel, &model, &Options { warps, ..Options::default() }).unwrap();
                let mapping = mapping::map(&graph, warps);
                let schedule = schedule::schedule(&graph, &mapping, Placement::Auto, &kepler()).unwrap();
                let proven = proof::prove(&graph, &mapping, schedule, kepler().barriers).unwrap();
                let frame = Frame {
                    warps,
                    groups: 1,
                    registers,
                    points_per_lane: 1,
                    literal_bits: 32,
                    cache_bytes: 128 * 1024,
                    shared_bytes: 48 * 1024,
                    staging_bytes: None,
                    barriers: 0,
                };
                let program = overlay::overlay(&graph, &proven, codegen, Residence::Striped, "kernel", frame);
                let target = Target::by_name("kepler").unwrap();
                let module = emit_ptx::print(&lower::lower(&program, target), target.compute_capability);
                for func in module.entries() {
                    let carried = carried(func);
                    assert!(carried.is_empty(), "{kernel}, {warps} warps: {} doubles", carried.len());
                }
            }
        }
    }
}
