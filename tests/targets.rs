//! Every target: verified, and compiled by the real compilers for it where they are installed.

use singe::driver::{self, Request};
use singe::observer::Observer;
use singe::target::Target;
use singe::toolchain;

#[path = "common/request.rs"]
mod request;

#[test]
fn h2o2_on_every_target() {
    for target in Target::all() {
        let absent = toolchain::find_for(target.compute_capability).err();
        if let Some(reason) = &absent {
            println!("skipped the compilers of {}: {reason}", target.name);
        }
        let request = Request { target, real_compilers: true, ..request::of(request::shipped("h2o2")) };
        let report = driver::compile(&request, &mut Observer::silent())
            .unwrap_or_else(|f| panic!("{}: {:?}", target.name, f.diagnostics));
        for k in &report.kernels {
            let v = k.verification.as_ref().unwrap();
            assert!(v.largest_error <= v.tolerance, "{} {}", target.name, k.kernel);
            assert!(k.machine.ctas_per_sm * k.named_barriers <= target.barrier_pool(), "{} {}", target.name, k.kernel);
            assert_eq!(k.compiled.is_some(), absent.is_none());
            if let Some(c) = &k.compiled {
                println!(
                    "{} {}: {} registers, {} + {} B spilled, {} barriers ({})",
                    target.name,
                    k.kernel,
                    c.registers,
                    c.spill_store_bytes,
                    c.spill_load_bytes,
                    c.barriers,
                    c.compilers
                );
                assert!(c.registers > 0 && c.registers <= target.max_registers_per_thread);
                assert_eq!(c.barriers, k.named_barriers);
            }
        }
    }
}
