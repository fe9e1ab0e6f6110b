//! No estimated time is below what published peak rates of the board allow. The rates here are those of the boards' data
//! sheets, not those of the machine descriptions.

use machine::target::Target;
use overlay::Codegen;
use singe::driver::{self, Request};
use singe::observer::Observer;
use testkit::request;

/// (target, doubles: 10^9 fused multiply-adds per second, memory: 10^9 bytes per second, multiprocessors, 10^9 clocks per second)
const BOARDS: [(&str, f64, f64, f64, f64); 3] = [
    // Tesla K20c: 1.17 TFLOPS, 208 GB/s
    ("kepler", 1170.0 / 2.0, 208.0, 13.0, 0.706),
    // A100 SXM4 40 GB: 9.7 TFLOPS, 1555 GB/s
    ("ampere", 9700.0 / 2.0, 1555.0, 108.0, 1.41),
    // Tesla V100 SXM2: 7.8 TFLOPS, 900 GB/s
    ("volta", 7800.0 / 2.0, 900.0, 80.0, 1.53),
];

#[test]
fn no_time_is_below_what_the_board_can_do() {
    for (name, doubles, memory, multiprocessors, clock) in BOARDS {
        for codegen in [Codegen::Overlay, Codegen::DataParallel] {
            let target = Target::by_name(name).unwrap();
            let shipped = request::new(testkit::shipped("h2o2"));
            let report = driver::compile(
                &Request { codegen, ..shipped }.with(|r| {
                    r.common.target = target;
                    r.tuning.form = None;
                }),
                &mut Observer::silent(),
            );
            for kernel in report.unwrap().kernels {
                let counts = kernel.verification.unwrap();
                let bytes = kernel.machine.bytes_per_point as f64;
                let shuffles = counts.shuffles_per_point / (32.0 * multiprocessors * clock);
                let bounds = [counts.slots_per_point / doubles, bytes / memory, shuffles];
                let bound = bounds.into_iter().fold(0.0, f64::max);
                let predicted = kernel.machine.estimated_ns.unwrap();
                // The sheets round to two digits.
                assert!(predicted > 0.98 * bound, "{name} {}: {predicted} ns, at least {bound} ns", kernel.kernel);
                let floors = [kernel.machine.bandwidth_floor_ns, kernel.machine.slots_floor_ns.unwrap()];
                let floor = floors.into_iter().fold(0.0, f64::max);
                assert!((kernel.machine.over_floor.unwrap() * floor / predicted - 1.0).abs() < 1e-12);
            }
        }
    }
}
