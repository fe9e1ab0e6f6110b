//! Packs of any kernels with their launches: machine code, the buffers before, what the simulator leaves in them, and the model's
//! predicted time for the board.

use crate::pack::Pack;
use crate::plan;
use machine::target::Target;
use ptx::inst::Type;
use sass::Cubin;
use std::fmt::Write;
use warpsim::machine_code::{self, Failure};
use warpsim::setup::Setup;
use warpsim::{Argument, Buffer, Hazard, Options};

/// A kernel and how it is launched.
pub struct Launched<'a> {
    /// Name of the launch: letters, digits, `-`, `_` and `.`.
    pub name: String,
    pub cubin: &'a Cubin,
    pub bytes: &'a [u8],
    pub kernel: String,
    pub setup: Setup,
    pub permits_races: bool,
}

/// Makes a pack of launches on a target, and lists the races of those that may have some.
///
/// # Errors
/// The kernel whose launch the simulator stopped, and why.
pub fn pack(launches: &[Launched<'_>], target: &Target) -> Result<(Pack, Vec<Raced>), (String, Failure)> {
    let (mut pack, mut raced) = (Pack::default(), Vec::new());
    let mut plan = plan::head(target);
    for launched in launches {
        let found = lines(&mut pack, &mut plan, launched, target);
        let races = found.map_err(|failure| (launched.kernel.clone(), failure))?;
        raced.extend(races.into_iter().map(|race| Raced { kernel: launched.kernel.clone(), race }));
    }
    pack.keep(plan::FILE, plan);
    Ok((pack, raced))
}

/// A race, which makes the results of its kernel meaningless.
pub struct Raced {
    pub kernel: String,
    pub race: Hazard,
}

fn lines(pack: &mut Pack, plan: &mut String, launched: &Launched<'_>, target: &Target) -> Result<Vec<Hazard>, Failure> {
    let Launched { name, cubin, kernel, setup, permits_races, .. } = launched;
    let Setup { launch, outputs, schedule, .. } = setup;
    let mut buffers = setup.buffers.clone();
    let options = Options { schedule: *schedule, permits_races: *permits_races, ..Options::default() };
    let (report, timing) = machine_code::time_on_board(cubin, kernel, launch, &mut buffers, &options, target)?;

    let module = pack.keep(format!("{name}.cubin"), launched.bytes);
    for (number, argument) in launch.arguments.iter().enumerate() {
        let value = match argument {
            Argument::Buffer(buffer) => {
                let output = outputs.iter().find(|(of, ..)| *of == number);
                of_buffer(pack, &format!("{name}-{number}"), &setup.buffers[*buffer], &buffers[*buffer], output)
            }
            Argument::U32(value) => hexadecimal(&value.to_le_bytes()),
            Argument::U64(value) => hexadecimal(&value.to_le_bytes()),
            Argument::Bytes(bytes) => hexadecimal(bytes),
            Argument::Any => hexadecimal(&[]),
        };
        let _ = writeln!(plan, "argument {value}");
    }
    let ([x, y, z], [tx, ty, tz]) = (launch.ctas, launch.threads);
    let board = &target.board;
    let launching = f64::from(board.launch_nanoseconds.unwrap_or_default()) / 1e3;
    let predicted = launching + timing.cycles as f64 / f64::from(board.megahertz);
    let _ = writeln!(
        plan,
        "launch name={name} module={module} entry={kernel} x={x} y={y} z={z} tx={tx} ty={ty} tz={tz} shared={} predicted={predicted:.4}",
        launch.shared,
    );
    Ok(report.races)
}

fn hexadecimal(bytes: &[u8]) -> String {
    bytes.iter().fold("number=".to_owned(), |text, byte| format!("{text}{byte:02x}"))
}

/// Keeps the contents before the launch and, for an output, after it; bytes that were never written have all bits set.
fn of_buffer(
    pack: &mut Pack,
    name: &str,
    before: &Buffer,
    after: &Buffer,
    output: Option<&(usize, usize, Type)>,
) -> String {
    let contents = |buffer: &Buffer| -> Vec<u8> {
        let byte = |at| buffer.element(Type::U8, at).map_or(0xff, |byte| byte as u8);
        (0..buffer.len_of(Type::U8)).map(byte).collect()
    };
    let (bytes, file) = (before.len_of(Type::U8), pack.keep(format!("{name}.before"), contents(before)));
    let Some((.., ty)) = output else { return format!("bytes={bytes} before={file}") };
    let (kind, width) = match ty {
        Type::F64 => ("real", 8),
        Type::F32 => ("real", 4),
        other => ("whole", other.bytes()),
    };
    let after = pack.keep(format!("{name}.after"), contents(after));
    format!("bytes={bytes} before={file} after={after} kind={kind} width={width}")
}
