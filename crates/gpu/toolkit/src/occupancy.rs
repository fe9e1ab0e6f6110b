//! `singe ptx occupancy`: how many CTAs of a kernel an SM holds, and which resource allows no more.

use serde_json::{Value, json};

use super::arguments::OccupancyArguments;
use super::levels;
use crate::picture;
use command::Failure;
use command::files;
use command::print;
use machine::target::{self, Kernel, Limits, Occupancy, Parameter, Target};

pub fn run(arguments: &OccupancyArguments) -> Result<(), Failure> {
    let Some(threads) = arguments.threads else { return levels::run(arguments) };
    let target = arguments.target.unwrap_or_else(|| Target::by_name("ampere").expect("it is described"));
    let kernel = Kernel {
        threads,
        registers_per_thread: arguments.registers,
        shared_bytes: arguments.shared,
        named_barriers: arguments.barriers,
    };
    let answer = target::occupancy(target, kernel);
    let sweep = arguments.sweep.map(|name| {
        let parameter = Parameter::from(name);
        (parameter, target::sweep(target, kernel, parameter))
    });
    if arguments.json {
        let mut value = as_json(&answer);
        value["target"] = json!(target.name);
        value["barrier_pool_per_sm"] = json!(target.named_barriers_per_sm);
        value["asked"] = json!({
            "threads": kernel.threads,
            "registers": kernel.registers_per_thread,
            "shared_bytes": kernel.shared_bytes,
            "named_barriers": kernel.named_barriers,
        });
        if let Some((parameter, rows)) = &sweep {
            let row = |(at, occupancy): &(u32, Occupancy)| {
                let mut row = as_json(occupancy);
                row["value"] = json!(at);
                row
            };
            value["sweep"] = json!({ "parameter": parameter.name(), "rows": rows.iter().map(row).collect::<Vec<_>>() });
        }
        print(format_args!("{value:#}\n"))?;
    } else {
        print(format_args!("{}", text(target, kernel, &answer)))?;
        if let Some((parameter, rows)) = &sweep {
            print(format_args!("\n{}", table(*parameter, rows)))?;
        }
    }
    match (&arguments.picture, &sweep) {
        (Some(path), Some((parameter, rows))) => {
            let title = format!("{} ({})", target.name, target.machine_code());
            let svg = picture::occupancy_picture(&title, parameter.name(), target.warps_per_sm, rows);
            files::write_file(path, &svg, "--picture", arguments.force).map_err(Failure::input)
        }
        _ => Ok(()),
    }
}

fn text(target: &Target, kernel: Kernel, answer: &Occupancy) -> String {
    let Limits { warps, registers, shared, blocks, barriers } = answer.limits;
    let limit = |n: Option<u32>| n.map_or("no limit".into(), |n| n.to_string());
    let mut out = format!(
        "{} ({}): {} CTAs per SM, {} of {} warps, occupancy {:.1} %\nlimited by {}\n\n",
        target.name,
        target.machine_code(),
        answer.blocks,
        answer.warps,
        target.warps_per_sm,
        100.0 * answer.fraction,
        answer.limiting().join(", ")
    );
    let rows = [
        ("warps", format!("{} threads", kernel.threads), warps.to_string()),
        ("registers", format!("{} ({} per CTA)", kernel.registers_per_thread, answer.allocated_registers), {
            registers.to_string()
        }),
        ("shared memory", format!("{} ({} taken)", kernel.shared_bytes, answer.allocated_shared_bytes), limit(shared)),
        ("blocks", String::new(), blocks.to_string()),
        ("named barriers", kernel.named_barriers.to_string(), limit(barriers)),
    ];
    out += &format!("{:16}{:>24}{:>14}\n", "resource", "asked for by a CTA", "CTAs per SM");
    for (name, asked, allowed) in rows {
        out += &format!("{name:16}{asked:>24}{allowed:>14}\n");
    }
    if barriers.is_none() && kernel.named_barriers > 0 {
        out += &format!(
            "\nNVIDIA publishes no number of named barriers per SM for this architecture. If its CTAs share {}, as the \
             paper says of Fermi and Kepler, they allow {} CTAs per SM.\n",
            target.barrier_pool(),
            target.barrier_pool() / kernel.named_barriers
        );
    }
    out
}

/// One line for each value.
fn table(parameter: Parameter, rows: &[(u32, Occupancy)]) -> String {
    let mut out =
        format!("{:>32}{:>14}{:>8}{:>12}  limited by\n", parameter.name(), "CTAs per SM", "warps", "occupancy");
    for (value, o) in rows {
        let limiting = o.limiting().join(", ");
        out += &format!("{value:>32}{:>14}{:>8}{:>10.1} %  {limiting}\n", o.blocks, o.warps, 100.0 * o.fraction);
    }
    out
}

fn as_json(o: &Occupancy) -> Value {
    let Limits { warps, registers, shared, blocks, barriers } = o.limits;
    json!({
        "ctas_per_sm": o.blocks,
        "warps_per_sm": o.warps,
        "occupancy": o.fraction,
        "limited_by": o.limiting(),
        "limits": {
            "warps": warps, "registers": registers, "shared_memory": shared, "blocks": blocks, "named_barriers": barriers,
        },
        "allocated_registers": o.allocated_registers,
        "allocated_shared_bytes": o.allocated_shared_bytes,
    })
}
