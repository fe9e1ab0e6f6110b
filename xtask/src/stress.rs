//! Inputs that are no mechanisms, or absurdly large ones: each must end in a diagnostic, quickly and in bounded memory.

use std::io::Write as _;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Instant;

use xtask::program;

/// Longest time for one input.
const MOST_SECONDS: f64 = 60.0;
/// Most address space for one input: the program aborts beyond, and that is no diagnostic.
const MOST_KILOBYTES: u64 = 6 << 20;

/// Runs `singe check` on every input; the error names those that did not end well.
pub fn run(root: &Path) -> Result<(), String> {
    program::cargo_runs(root, &["build", "--release", "--workspace", "--bin", "singe"])?;
    let folder = root.join("target/stress");
    std::fs::create_dir_all(&folder).map_err(|reason| reason.to_string())?;
    let mut bad = Vec::new();
    println!("{:32} {:>8} {:>9} {:>12} {:>6}", "input", "MB", "time (s)", "output (MB)", "code");
    for input in inputs() {
        let path = folder.join(if input.name.contains("YAML") { "input.yaml" } else { "input.inp" });
        write(&path, &input).map_err(|reason| reason.to_string())?;
        let start = Instant::now();
        let limited = format!("ulimit -v {MOST_KILOBYTES}; exec \"$0\" check \"$1\"");
        let run = Command::new("bash")
            .arg("-c")
            .arg(limited)
            .arg(root.join("target/release/singe"))
            .arg(&path)
            .stdin(Stdio::null())
            .output()
            .map_err(|reason| reason.to_string())?;
        let seconds = start.elapsed().as_secs_f64();
        let output = run.stderr.len() + run.stdout.len();
        let code = run.status.code();
        let megabytes = |bytes: usize| bytes as f64 / 1e6;
        let length = input.prefix.len() + input.piece.len() * input.times;
        println!(
            "{:32} {:8.1} {seconds:9.2} {:12.2} {:>6}",
            input.name,
            megabytes(length),
            megabytes(output),
            code.map_or("killed".to_owned(), |code| code.to_string())
        );
        let told = String::from_utf8_lossy(&run.stderr).contains("::");
        if code != Some(1) || !told || seconds > MOST_SECONDS {
            bad.push(input.name);
        }
    }
    // The inputs are large.
    std::fs::remove_dir_all(&folder).map_err(|reason| reason.to_string())?;
    if bad.is_empty() { Ok(()) } else { Err(format!("no quick diagnostic for: {}", bad.join(", "))) }
}

/// A text: the prefix, then the piece so many times.
struct Input {
    name: &'static str,
    prefix: &'static str,
    piece: Vec<u8>,
    times: usize,
}

/// Each of about 100 MB, of 30 MB (just below what is read at all), or one line of 1 MB.
fn inputs() -> Vec<Input> {
    let noise: Vec<u8> = (0u64..65_536).map(|i| (i.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 56) as u8).collect();
    let with_species = "ELEMENTS H END\nSPECIES H H2 END\nREACTIONS\n";
    let sized = |name, prefix, piece: &[u8], bytes: usize| Input {
        name,
        prefix,
        piece: piece.to_vec(),
        times: bytes / piece.len(),
    };
    let (huge, large, long) = (100_000_000, 30_000_000, 1_000_000);
    vec![
        sized("100 MB of binary", "", &noise, huge),
        sized("100 MB of reactions", with_species, b"H2+M=2H+M 1 0 0\nDUP\n", huge),
        sized("30 MB of binary", "", &noise, large),
        sized("30 MB of binary in REACTIONS", with_species, &noise, large),
        sized("30 MB of equal reactions", with_species, b"H2+M=2H+M 1 0 0\nDUP\n", large),
        sized("30 MB of wrong reactions", with_species, b"H2+M=3H+M 1 0 0\n", large),
        sized("30 MB of short words", "SPECIES ", b"A ", large),
        sized("30 MB of one word", "SPECIES ", b"A", large),
        sized(
            "30 MB of efficiencies",
            "ELEMENTS H END\nSPECIES H H2 END\nREACTIONS\nH2+M=2H+M 1 0 0\n",
            b"H/2/ ",
            large,
        ),
        sized("30 MB in one equation", "ELEMENTS H END\nSPECIES H H2 END\nREACTIONS\nH2=", b"H+", large),
        sized("30 MB of parentheses", "ELEMENTS H END\nSPECIES H H2 END\nREACTIONS\nH2=", b"(+", large),
        sized("30 MB of slashes", with_species, b"/", large),
        sized("30 MB of empty lines", with_species, b"\n", large),
        sized("30 MB of thermo lines", "SPECIES H END\nTHERMO\n", b"H 1 2 3 4\n", large),
        sized("30 MB of NASA-9 lines", "SPECIES H END\nTHERMO NASA9\n", b" 3 l 1/90 H 1\n", large),
        sized("1 MB line of unknown names", with_species, b"X+", long),
        sized("1 MB line of keywords", "ELEMENTS H END\nSPECIES H H2 END\nREACTIONS\nH2=2H 1 0 0\n", b"LOX/1/", long),
        sized("1 MB line of numbers", with_species, b"1.0 ", long),
        sized("YAML of 1 MB of brackets", "phases: ", b"[", long),
        sized("YAML of 1 MB of indentation", "phases:\n", b" a:\n", long),
    ]
}

fn write(path: &Path, input: &Input) -> std::io::Result<()> {
    let mut file = std::io::BufWriter::new(std::fs::File::create(path)?);
    file.write_all(input.prefix.as_bytes())?;
    for _ in 0..input.times {
        file.write_all(&input.piece)?;
    }
    file.flush()
}
