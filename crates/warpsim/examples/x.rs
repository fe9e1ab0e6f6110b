use std::sync::Arc;
use warpsim::{Argument, Buffer, Launch, Options};
use warpsim::machine_code::{self, Cause};
fn main() {
    let a: Vec<String> = std::env::args().collect();
    let base = &a[1];
    let warps: u32 = a[2].parse().unwrap();
    let ctas: u32 = a[3].parse().unwrap();
    let points: u32 = a[4].parse().unwrap();
    let target = machine::target::Target::by_name(&a[5]).unwrap();
    let listing = std::fs::read_to_string(format!("{base}.sass")).unwrap();
    let listing = Arc::new(diagnostics::Source { name: "k.sass".into(), text: listing });
    let bytes = std::fs::read(format!("{base}.cubin")).unwrap();
    let cubin = sass::read("k.cubin", &bytes, &listing).unwrap();
    let kernel = &cubin.kernels[0];
    let name = kernel.name.clone();
    let arrays = kernel.parameters.iter().filter(|p| p.len() == 8).count();
    let stride = points;
    let make = || -> Vec<Buffer> {
        (0..arrays).map(|i| {
            let n = 64 * stride as usize;
            if i + 1 == arrays { return Buffer::output(n); }
            let v: Vec<f64> = (0..n).map(|k| match i {
                0 => 800.0 + 37.3 * (k % 43) as f64,
                1 => 101325.0 * (1.0 + (k % 7) as f64),
                _ => (1.0 + ((k * 7919) % 97) as f64) / 3000.0,
            }).collect();
            Buffer::input(&v)
        }).collect()
    };
    let mut args: Vec<Argument> = (0..arrays).map(Argument::Buffer).collect();
    args.extend([Argument::U32(points), Argument::U32(stride)]);
    let shared: u64 = a.get(6).map_or(0, |s| s.parse().unwrap());
    let launch = Launch { shared, ..Launch::linear(ctas, 32 * warps, args) };
    let mut one = make();
    let t = std::time::Instant::now();
    let r = machine_code::run(&cubin, &name, &launch, &mut one, &Options::default());
    let n = match r { Ok(r) => r.total().instructions, Err(e) => { println!("{:?}", e); return } };
    let e = t.elapsed();
    let t = std::time::Instant::now();
    let mut one = make();
    let (_, timing) = machine_code::time(&cubin, &name, &launch, &mut one, &Options::default(), target).unwrap();
    let f = t.elapsed();
    println!("{base} {} regs {} stack {} shared {}: {} cycles {} instr, {} resident; run {:?} {:.2} M/s, timed {:?} {:.2} M/s", target.name, kernel.registers, kernel.stack_bytes, kernel.shared_bytes, timing.cycles, n, timing.resident_ctas, e, n as f64/e.as_secs_f64()/1e6, f, n as f64/f.as_secs_f64()/1e6);
    let total: u64 = timing.warps.iter().map(|w| w.cycles).sum();
    for c in Cause::ALL { let s: u64 = timing.warps.iter().map(|w| w.of(c)).sum(); print!("{} {:.1}%  ", c.name(), 100.0*s as f64/total as f64); }
    println!();
}
