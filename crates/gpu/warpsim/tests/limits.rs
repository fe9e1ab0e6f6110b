//! Kernels that ask for more memory than any machine has are refused, and take none.

use ptx::read;
use warpsim::{self, Launch, Options, prove};

fn refused(module_scope: &str, body: &str, what: &str) {
    let text = format!(
        ".version 7.0\n.target sm_70\n.address_size 64\n{module_scope}\n.visible .entry k()\n{{\n{body}\nret;\n}}\n"
    );
    let module = read::text("k.ptx", &text).unwrap_or_else(|d| panic!("{d:?}"));
    let launch = Launch::linear(1, 1024, vec![]);
    let hazards = warpsim::run(&module, "k", &launch, &mut [], &Options::default()).unwrap_err().to_string();
    assert!(hazards.contains(what), "{hazards}");
    let reason = prove::prove(&module, "k", &launch).unwrap_err();
    assert!(reason.contains(what), "{reason}");
}

#[test]
fn memory_that_no_machine_has_is_refused() {
    refused("", ".shared .align 8 .b8 s[4000000000];", "4000000000 bytes of shared memory");
    refused("", ".local .align 8 .b8 s[4000000000]; .reg .b64 %rd<2>; mov.u64 %rd1, s;", "bytes of local memory");
    refused(".global .align 8 .b8 s[4000000000];", "", "bytes of global and constant memory");
    refused("", ".reg .f64 %fd<4000000>;", "registers in 1024 threads");
}

/// A thread of a CPU has more local memory than one of a GPU: code for it may use more in one warp.
#[test]
fn one_warp_may_use_the_local_memory_of_others() {
    let text = ".version 7.0\n.target sm_70\n.address_size 64\n.visible .entry k()\n{\n.local .align 8 .b8 s[1250104];\n.reg .b64 %rd<3>;\n\
                mov.u64 %rd1, 7;\nst.local.u64 [s+1250096], %rd1;\nld.local.u64 %rd2, [s+1250096];\nret;\n}\n";
    let module = read::text("k.ptx", text).unwrap_or_else(|d| panic!("{d:?}"));
    warpsim::run(&module, "k", &Launch::linear(1, 32, vec![]), &mut [], &Options::default()).expect("it runs");
    let refused = warpsim::run(&module, "k", &Launch::linear(1, 1024, vec![]), &mut [], &Options::default());
    assert!(refused.unwrap_err().to_string().contains("bytes of local memory"));
}
