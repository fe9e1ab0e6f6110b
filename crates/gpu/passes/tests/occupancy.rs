//! Kernels at levels of occupancy: what the calculator says of them, and how many versions are made.

use diagnostics::Source;
use machine::target::{Target, occupancy};
use passes::allocate::report::report;
use passes::allocate::spill_location::{Rewriting, Row};
use passes::allocate::{Algorithm, Budget, Options as Allocation, allocate, check};
use passes::occupancy::select::MOST_VERSIONS;
use passes::occupancy::{Demand, Direction, Settings, levels, realise, select};
use ptx::{Module, read};
use std::fmt::Write;

fn parse(text: &str) -> Module {
    read::text("test.ptx", text).unwrap()
}

/// A kernel whose `values` floats are all alive in a loop, with as many doubles as `doubles`.
fn pressure(values: usize, doubles: usize, threads: u32) -> String {
    let mut body = String::new();
    for i in 0..values {
        writeln!(body, "ld.global.f32 %f{i}, [%in+{}];", 4096 * i).unwrap();
    }
    for i in 0..doubles {
        writeln!(body, "ld.global.f64 %d{i}, [%in+{}];", 8192 * i + 8).unwrap();
    }
    body += "mov.u32 %round, 0;\nmov.f32 %sum, 0f00000000;\nmov.f64 %total, 0d0000000000000000;\nAGAIN:\n";
    for i in 0..values {
        writeln!(body, "fma.rn.f32 %sum, %f{i}, %sum, %f{};", (i + 1) % values.max(1)).unwrap();
    }
    for i in 0..doubles {
        writeln!(body, "fma.rn.f64 %total, %d{i}, %total, %d{i};").unwrap();
    }
    format!(
        ".version 6.0\n.target sm_35\n.address_size 64
.visible .entry pressure(.param .u64 input, .param .u64 output, .param .u32 count)
.reqntid {threads}, 1, 1
{{
.reg .b32 %tid, %count, %round;
.reg .b64 %in, %out, %wide;
.reg .f32 %f<{}>, %sum;
.reg .f64 %d<{}>, %total, %more;
.reg .pred %again;
ld.param.u64 %in, [input];
ld.param.u64 %out, [output];
ld.param.u32 %count, [count];
mov.u32 %tid, %tid.x;
mul.wide.u32 %wide, %tid, 8;
add.s64 %in, %in, %wide;
add.s64 %out, %out, %wide;
{body}add.s32 %round, %round, 1;
setp.lt.s32 %again, %round, %count;
@%again bra AGAIN;
cvt.f64.f32 %more, %sum;
add.f64 %total, %total, %more;
st.global.f64 [%out], %total;
ret;
}}
",
        values + 1,
        doubles + 1
    )
}

fn settings(target: &'static Target) -> Settings<'static> {
    let (algorithm, rewriting) = (Algorithm::ChaitinBriggs, Rewriting::AffRA);
    Settings { target, block: None, predicates: 7, algorithm, rewriting, model: None, source: None }
}

#[test]
fn the_hardware_gives_exactly_the_level() {
    let module = parse(&pressure(40, 10, 128));
    let mut seen = 0;
    for name in ["kepler", "volta", "turing", "ampere", "hopper", "blackwell"] {
        let target = Target::by_name(name).unwrap();
        let demand = Demand::for_kernel(&module, 0, None, 0).unwrap();
        for level in levels(target, &demand) {
            let Ok(version) = realise(&module, 0, &demand, level, &settings(target)) else { continue };
            let made = Demand::for_kernel(&version.module, 0, None, version.launch_shared).unwrap();
            assert_eq!(made.static_shared, version.static_shared);
            // whatever the assembler takes
            for registers in [version.registers, 16, 1] {
                let blocks = occupancy(target, made.kernel(registers, made.shared())).blocks;
                assert_eq!(blocks, level.blocks, "{name} {level:?} {registers}");
            }
            assert!(version.module.to_string().contains(&format!(".maxnreg {}", level.registers)));
            seen += 1;
        }
    }
    assert!(seen > 60, "{seen}");
}

/// Values that differ between lanes go to shared memory first, to local memory where that is full.
#[test]
fn spills_go_to_shared_memory_first() {
    let module = parse(&pressure(40, 10, 128));
    let mut locals = Vec::new();
    for bytes in [0, 4 * 1024, 16 * 1024, 48 * 1024] {
        let shared = Budget { bytes, warps: 4 };
        let options = Allocation { registers: 24, shared, own_slots: true, ..Allocation::default() };
        let allocation = allocate(&module, "pressure", &options).unwrap();
        check::check(&allocation).unwrap_or_else(|v| panic!("{bytes}: {v:?}\n{}", allocation.module));
        let report = report(&allocation);
        let taken = |area: Option<ptx::ir::Variable>| area.map_or(0, |area| allocation.module.variables[area].bytes);
        assert!(taken(allocation.own) + taken(allocation.shared) <= u64::from(bytes), "{bytes}: {report:?}");
        let values = |row: Row| report.rows.get(&row).map_or(0, |counts| counts.values);
        assert_eq!(values(Row::Own) > 0, bytes > 0);
        locals.push(values(Row::Local));
    }
    assert!(locals.is_sorted_by(|a, b| a > b) && locals[3] == 0, "{locals:?}");
}

/// The checker knows whose slot is whose: another thread's, another row's, and a stride that is too short are found.
#[test]
fn the_checker_finds_a_slot_of_another_thread() {
    use ptx::inst::{Base, Op, Operand, Space, TernaryOp};
    let module = parse(&pressure(40, 10, 128));
    let options = Allocation {
        registers: 24,
        rewriting: Rewriting::None,
        shared: Budget { bytes: 48 * 1024, warps: 4 },
        own_slots: true,
        ..Allocation::default()
    };
    let good = allocate(&module, "pressure", &options).unwrap();
    check::check(&good).unwrap();
    let own = Base::Reg(good.own_base.unwrap());
    // 128 threads of 8 bytes: a row takes 1024
    for off in [8, 4, 1024, 1 << 20] {
        let mut broken = good.clone();
        let load = broken.module.funcs[0].insts.values_mut().rev().find_map(|data| match &mut data.op {
            Op::Ld { space: Space::Shared, addr, .. } if addr.base == own => Some(addr),
            _ => None,
        });
        load.unwrap().offset += off;
        assert!(check::check(&broken).is_err(), "{off}");
    }
    // the part begins nowhere in the area
    let mut broken = good.clone();
    let moves = broken.module.funcs[0].insts.values_mut().filter_map(|data| match &mut data.op {
        Op::Unary { a: a @ Operand::Variable(_), .. } => Some(a),
        _ => None,
    });
    moves.for_each(|a| *a = Operand::Imm(0));
    assert!(check::check(&broken).is_err());
    for stride in [4, 0, 12] {
        let mut broken = good.clone();
        let scale = broken.module.funcs[0].insts.values_mut().rev().find_map(|data| match &mut data.op {
            Op::Ternary { op: TernaryOp::Mad, b: b @ Operand::Imm(8), .. } => Some(b),
            _ => None,
        });
        *scale.unwrap() = Operand::Imm(stride);
        assert!(check::check(&broken).is_err(), "{stride}");
    }
}

/// A guarded instruction whose result nobody reads goes when something is spilled; the checker takes it as what it is.
#[test]
fn a_dead_guarded_definition_beside_spilling_is_no_fault() {
    let text = pressure(30, 4, 64).replace("cvt.f64.f32", "@%again add.s32 %round, %round, %tid;\ncvt.f64.f32");
    let module = parse(&text);
    let dead = |line: &str| line.trim_start().starts_with('@') && line.contains("add.s32");
    let left = |module: &Module| module.to_string().lines().any(dead);
    assert!(left(&module));
    for registers in 12..=24 {
        let allocation = allocate(&module, "pressure", &Allocation { registers, ..Allocation::default() }).unwrap();
        assert!(!allocation.locations.is_empty() && !left(&allocation.module), "{registers}");
        check::check(&allocation).unwrap_or_else(|v| panic!("{registers}: {v:?}"));
    }
}

/// Messages have the registers and lines of the text that the user wrote.
#[test]
fn faults_are_told_in_the_words_of_the_text() {
    use ptx::inst::{Op, Operand, TernaryOp};
    let text = pressure(30, 4, 64);
    let source = std::sync::Arc::new(Source { name: "user.ptx".to_owned(), text: text.clone() });
    let module = read::read(&source).unwrap();
    let mut broken = allocate(&module, "pressure", &Allocation { registers: 64, ..Allocation::default() }).unwrap();
    let sums = broken.module.funcs[0].insts.values_mut().filter_map(|data| match &mut data.op {
        Op::Ternary { op: TernaryOp::Fma, a: Operand::Reg(a), .. } => Some(a),
        _ => None,
    });
    let mut sums: Vec<_> = sums.collect();
    *sums[2] = *sums[3];
    let told = check::prove(&broken, "pressure", Some(&source)).unwrap_err();
    let line = 1 + text.lines().position(|line| line.starts_with("fma.rn.f32 %sum, %f2,")).unwrap();
    assert_eq!(told[0].span.as_ref().unwrap().line_column().0, line);
    let said = format!("pressure: the allocation is wrong: line {line}, ");
    assert!(told[0].message.starts_with(&said), "{}", told[0].message);
    assert!(told[0].message.ends_with("the value of %f2 is not where it is read"), "{}", told[0].message);
}

#[test]
fn at_most_five_versions_are_made() {
    let target = Target::by_name("hopper").unwrap();
    let mut directions = Vec::new();
    for (values, doubles, threads) in [(4, 0, 128), (40, 10, 128), (100, 20, 32), (60, 40, 256), (0, 90, 64)] {
        let module = parse(&pressure(values, doubles, threads));
        let demand = Demand::for_kernel(&module, 0, None, 0).unwrap();
        let selection = select(&module, 0, &demand, &settings(target)).unwrap().unwrap();
        assert!(selection.versions() <= MOST_VERSIONS, "{}", selection.versions());
        let best = selection.tried.iter().map(|timed| timed.clocks).fold(f64::INFINITY, f64::min);
        assert!(selection.tried[selection.chosen].clocks <= 1.01 * best);
        directions.push(selection.direction);
    }
    assert_eq!(directions[0], Direction::Decreasing);
    assert!(directions[1..].iter().all(|direction| *direction == Direction::Increasing));
}

/// The printed text of an allocation is found to be one again, for many budgets of registers and for several of shared memory.
#[test]
fn an_allocation_is_found_again_in_its_text() {
    use passes::allocate::given::{Text, compare};
    let source = |name: &str, text: String| std::sync::Arc::new(Source { name: name.to_owned(), text });
    let mut spilled = 0;
    for text in [pressure(30, 4, 64), include_str!("../../../../tests/files/allocation/pressure.ptx").to_owned()] {
        let before = source("before.ptx", text);
        let module = read::read(&before).unwrap();
        let old = Text { source: &before, module: &module };
        for registers in [12, 16, 20, 24, 32, 64] {
            for (bytes, own_slots) in [(0, false), (4096, false), (32768, true)] {
                let shared = Budget { bytes, warps: 2 };
                let options = Allocation { registers, shared, own_slots, ..Allocation::default() };
                let made = allocate(&module, "pressure", &options).unwrap();
                spilled += usize::from(!made.locations.is_empty());
                let after = source("after.ptx", made.module.to_string());
                let new = read::read(&after).unwrap();
                let block = Some([64, 1, 1]);
                let found = compare(old, Text { source: &after, module: &new }, "pressure", block);
                let found = found.unwrap_or_else(|d| panic!("{registers} {bytes}: {d:?}\n{}", after.text));
                assert!(found.kept <= found.instructions && found.max_live[1] <= registers, "{found:?}");
            }
        }
    }
    assert!(spilled > 20, "{spilled}");
}

/// Each edit of an allocation that computes something else is found, and told with the line of both texts.
#[test]
fn a_wrong_edit_of_an_allocation_is_found() {
    use passes::allocate::given::{Text, compare};
    let source = |name: &str, text: String| std::sync::Arc::new(Source { name: name.to_owned(), text });
    let before = source("before.ptx", pressure(30, 4, 64));
    let module = read::read(&before).unwrap();
    let options = Allocation { registers: 24, ..Allocation::default() };
    let text = allocate(&module, "pressure", &options).unwrap().module.to_string();
    let lines: Vec<&str> = text.lines().collect();
    let (mut edits, mut named) = (0, 0);
    for (at, line) in lines.iter().enumerate() {
        // spill code at another offset or left out, and a source that is another register
        let spill = line.contains(".local.") && line.trim_start().starts_with(['l', 's']);
        let changed = match line.split_once("fma.rn.f32 %f") {
            Some((head, rest)) => Some(format!("{head}fma.rn.f32 %f{}", rest.replace(", %f", ", %f9"))),
            None if spill => Some(line.replace("singe_spill_local", "singe_spill_local+1000")),
            None => None,
        };
        let Some(changed) = changed else { continue };
        let mut lines = lines.clone();
        lines[at] = &changed;
        let after = source("after.ptx", lines.join("\n").replace(".reg .f32 %f<", ".reg .f32 %f<9"));
        let Ok(new) = read::read(&after) else { continue };
        let told =
            compare(Text { source: &before, module: &module }, Text { source: &after, module: &new }, "pressure", None);
        let told = told.expect_err("it computes something else");
        edits += 1;
        named += usize::from(told.iter().any(|d| d.message.ends_with(&format!("see line {} of after.ptx", at + 1))));
    }
    assert!(edits > 20 && named > 15, "{edits} {named}");
}
