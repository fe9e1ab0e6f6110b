//! Statements of docs/proofs.md about instructions that are not simulated: the simulator refuses each of its samples, and kernels
//! with it are proven or not as its table says.

use warpsim::{Argument, Launch, Options};

const PAGE: &str = include_str!("../../../../docs/proofs.md");

fn kernel(sample: &str) -> String {
    let values: String =
        (1..9).map(|i| format!("mov.u32 %r{i}, {i}; mov.f32 %f{i}, 0f3F800000; mov.b16 %h{i}, {i};\n")).collect();
    format!(
        ".version 8.7\n.target sm_100a\n.address_size 64\n.visible .entry k(.param .u64 out) {{
.reg .b32 %r<9>; .reg .b64 %d<9>; .reg .f32 %f<9>; .reg .b16 %h<9>; .reg .b8 %b<4>; .reg .pred %p<4>;
{values}ld.param.u64 %d1, [out]; setp.eq.u32 %p2, %r1, 1;
{sample}
ret; }}"
    )
}

/// Returns the rows of the table: samples, and whether proofs go on behind them.
fn samples() -> Vec<(&'static str, bool)> {
    let section = PAGE.split("## Instructions that are not simulated").nth(1).expect("the section");
    let rows = section.split("\n## ").next().expect("it ends").lines().filter(|line| line.starts_with("| `"));
    rows.map(|row| {
        let cells: Vec<&str> = row.trim_matches('|').split(" | ").map(str::trim).collect();
        (cells[1].trim_matches('`'), cells[2] == "yes")
    })
    .collect()
}

#[test]
fn the_page_tells_what_is_not_simulated() {
    let samples = samples();
    for (sample, follows) in &samples {
        let text = kernel(&sample.replace("\\|", "|"));
        let module = ptx::read::text("k.ptx", &text).unwrap_or_else(|faults| panic!("{sample}: {faults:?}"));
        let launch = Launch::linear(1, 128, vec![Argument::Buffer(0)]);
        let mut buffers = [warpsim::Buffer::output(64)];
        let run = warpsim::run(&module, "k", &launch, &mut buffers, &Options::default());
        let told = run.expect_err(sample).to_string();
        assert!(told.contains("not supported"), "{sample}: {told}");
        let verdict =
            warpsim::prove::prove(&module, "k", &launch).unwrap_or_else(|reason| panic!("{sample}: {reason}"));
        assert_eq!(verdict.proven(), *follows, "{sample}: {:?}", verdict.not_analysed);
    }
    assert!(samples.len() > 30, "{}", samples.len());
}
