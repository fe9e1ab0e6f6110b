//! The statements of a kernel.

use super::helpers::Helper;
use super::legend;
use super::workspace::{self, OWN_ROWS, WORKSPACE};
use crate::base::comment;
use crate::base::dialect::Dialect;
use crate::base::expression::{Expression, Operator};
use crate::base::names::Namer;
use crate::base::numbers::Numbers;
use crate::base::tables;
use cranelift_entity::SecondaryMap;
use graph::function_tables::POWERS;
use lower::code::{Code, Integer, Less, Local, SlotSpace, Statement, Stripe, TableKind};
use overlay::program::{Bank, BarrierKind, Var, WarpMask};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;

/// Prints the statements of a kernel and gathers what the rest of the file must provide for them.
pub struct Body<'a> {
    pub(super) dialect: Dialect,
    pub(super) code: &'a Code,
    pub(super) numbers: Numbers,
    pub(super) helpers: BTreeSet<Helper>,
    pub(super) tables: tables::Names,
    namer: Namer,
    arrays: Vec<String>,
    /// Names of the variables that have been printed.
    names: SecondaryMap<Var, Option<String>>,
    locals: BTreeMap<Local, String>,
    out: String,
}

/// The text of a kernel's statements.
pub struct Printed {
    pub prologue: String,
    pub points: String,
    pub body: String,
    pub helpers: BTreeSet<Helper>,
    /// The head of the streaming loop.
    pub first_group: String,
    pub more_groups: String,
    pub group_step: String,
    /// The names of the arrays, in the order of [`Code::arrays`].
    pub arrays: Vec<String>,
}

/// Prints the statements, indented for their places in the kernel.
pub fn print(code: &Code, tables: tables::Names, dialect: Dialect) -> Printed {
    let mut namer = Namer::reserving(
        RESERVED.into_iter().chain(Helper::names()).chain(tables::SHARED_BANKS).chain([code.symbol.as_str()]),
    );
    let arrays = code.arrays.iter().map(|array| namer.name(&array.name)).collect();
    tables.all().for_each(|table| drop(namer.name(table)));
    for register in 0..code.registers.reals {
        namer.name(&format!("c{register}"));
    }
    for register in 0..code.registers.indices {
        namer.name(&format!("k{register}"));
    }
    for counter in 0..code.counters {
        namer.name(&format!("i{counter}"));
    }
    for point in 0..code.points_per_lane {
        namer.name(&point_name(code, "point", point));
        namer.name(&point_name(code, "active", point));
        namer.name(&point_name(code, "next_point", point));
    }
    let mut body = Body {
        dialect,
        code,
        numbers: Numbers::from_code(code),
        helpers: BTreeSet::new(),
        tables,
        namer,
        arrays,
        names: SecondaryMap::new(),
        locals: BTreeMap::new(),
        out: String::new(),
    };
    Printed {
        prologue: body.part(&code.prologue, 1),
        points: body.part(&code.stream.points, 2),
        first_group: body.integer(&code.stream.first).text,
        more_groups: body.less(&code.stream.more),
        group_step: body.integer(&code.stream.step).text,
        body: body.part(&code.stream.body, 2),
        helpers: body.helpers,
        arrays: body.arrays,
    }
}

/// The name of a variable of one of the lane's points.
fn point_name(code: &Code, what: &str, point: u32) -> String {
    if code.points_per_lane == 1 { what.to_owned() } else { format!("{what}_{point}") }
}

/// The name of the stride that the kernel was given, where the other is set again and again.
const GIVEN_STRIDE: &str = "given_stride";

/// The name of a group of warps' own part of the slots.
const OWN_SLOTS: &str = "own_slots";

/// The names of the numbers that wait in local memory, and of their address.
pub(super) const SPILL_PLACES: &str = "spill_places";
pub(super) const SPILLS: &str = "spills";

/// Names that the frame of the kernel uses.
const RESERVED: [&str; 51] = [
    SPILL_PLACES, SPILLS, "blockIdx", "blockDim", "gridDim", "threadIdx", "warpSize", "size_t", "fma", "fmax", "fmin",
    "sqrt", "exp", "log", "pow", "power", "slots", "private_slots", "points", "stride", GIVEN_STRIDE, "stream",
    "context", "group", "groups", "min", "threads", "device", "multiprocessors", "resident", "error", "needed", "most",
    "dynamic_shared_bytes", "groups_per_cta", "arguments", "grid", "block", "warp_id", "cta_warp", "warp_group",
    OWN_SLOTS, WORKSPACE, OWN_ROWS, "lane", "own_reals", "own_indices", "read_column", "write_column", "other_column",
    "inputs",
];

impl Body<'_> {
    fn part(&mut self, statements: &[Statement], depth: usize) -> String {
        self.block(statements, depth);
        let mut text = std::mem::take(&mut self.out);
        text.truncate(text.trim_end().len());
        text
    }

    fn block(&mut self, statements: &[Statement], depth: usize) {
        for statement in statements {
            self.statement(statement, depth);
        }
    }

    fn statement(&mut self, statement: &Statement, depth: usize) {
        let line = match statement {
            Statement::Comment(text) => return self.out.push_str(&comment(&"  ".repeat(depth), text)),
            Statement::Declare(var) => format!("{} {};", self.numbers.real(), self.new_name(*var)),
            Statement::Define { var, value, changes } => {
                let (value, kind) = (self.real(value).text, constant(self.numbers.real(), !changes));
                format!("{kind} {} = {value};", self.new_name(*var))
            }
            Statement::Assign { var, value } => {
                let value = self.real(value).text;
                format!("{} = {value};", self.name(*var))
            }
            Statement::DefineInteger { local, value, changes } => {
                let (value, kind) = (self.integer(value).text, constant("int", !changes));
                if *local == Local::WarpGroup && self.code.slots.count > 0 {
                    return self.warp_group(*local, &kind, &value, depth);
                }
                format!("{kind} {} = {value};", self.new_local(*local))
            }
            Statement::DefineActive { .. } if !self.dialect.has_active_lanes() => return,
            Statement::DefineActive { point, value } => {
                format!("const bool {} = {};", point_name(self.code, "active", *point), self.less(value))
            }
            Statement::Recompute(values) => self.recompute(values),
            Statement::DeclareStripe(stripe) => format!("{} {};", kind(*stripe), stripe_name(*stripe)),
            Statement::DefineStripe { stripe, first } => {
                let (kind, table) = (kind(*stripe), self.tables.name(stripe.table()));
                format!("const {kind} {} = {table}[{first} + threadIdx.x];", stripe_name(*stripe))
            }
            Statement::LoadStripe { stripe, first } => {
                let (load, table) = (self.helper(reload(*stripe)), self.tables.name(stripe.table()));
                format!("{} = {load}({table} + {first});", stripe_name(*stripe))
            }
            Statement::CopyBank { bank, row, entries } => return self.copy_bank(*bank, *row, *entries, depth),
            // No value passes at it where there are no slots: then it need not hold back memory.
            Statement::CtaSync if self.dialect.is_hip() && self.code.slots.rows == 0 => {
                format!("{}();", self.helper(Helper::InStep))
            }
            Statement::CtaSync => "__syncthreads();".to_owned(),
            Statement::CopyPowers => return self.copy_powers(depth),
            Statement::StoreSlot { row, value } => {
                format!("{} = {};", self.slot(row), self.real(value).text)
            }
            Statement::Spill { place, value } => self.spill(*place, *value),
            Statement::CopyInputs { more, points, copies } => return self.copy_inputs(more, points, copies, depth),
            Statement::AwaitCopies { pending } => format!("{}<{pending}>();", self.helper(Helper::AwaitCopies)),
            Statement::StoreField { array, row, point, value, rest } => {
                let store = self.helper(if rest.is_some() { Helper::StorePair } else { Helper::Store });
                let (row, value) = (self.integer(row).text, self.real(value).text);
                let rest = rest.as_ref().map_or(String::new(), |rest| format!(", {}", self.real(rest).text));
                let [point, active] = ["point", "active"].map(|what| point_name(self.code, what, *point));
                let active = if self.dialect.has_active_lanes() { format!("{active}, ") } else { String::new() };
                format!("{store}({}, {row}, stride, {point}, {active}{value}{rest});", self.arrays[*array])
            }
            Statement::Barrier { id, threads, kind } => {
                format!("{}<{id}, {threads}>();", self.helper(barrier(*kind)))
            }
            // The lanes of a wave are in lock step: no instruction is needed, and none is moved over it.
            Statement::WarpSync if self.dialect.is_hip() => "__builtin_amdgcn_wave_barrier();".to_owned(),
            Statement::WarpSync => "__syncwarp();".to_owned(),
            Statement::Multiply { row, blocks, in_pairs } => return self.multiply(row, blocks, *in_pairs, depth),
            Statement::StoreBlock { row, sums } => {
                let (store, row, sums) = (self.helper(Helper::StoreBlock), self.integer(row).text, self.list(sums));
                format!("{store}({}[{row}], write_column, other_column, {sums});", self.slots())
            }
            Statement::If { warps, body } => {
                let warps = format!("if (({warps:#x}u >> warp_id) & 1u) {{ // {}", legend::warps(*warps));
                return self.nested(&warps, body, depth);
            }
            // Compilers choose between an indirect branch and comparisons.
            Statement::Switch { arms, is_indirect: _ } => return self.switch(arms, depth),
            Statement::Loop { counter, trips, unroll, body } => {
                let trips = self.integer(trips).text;
                self.line(depth, &format!("#pragma unroll {unroll}"));
                let turns = format!("for (int {counter} = 0; {counter} < {trips}; ++{counter}) {{");
                return self.nested(&turns, body, depth);
            }
        };
        self.line(depth, &line);
    }

    /// Writes a block in braces behind the line that opens it.
    fn nested(&mut self, head: &str, body: &[Statement], depth: usize) {
        self.line(depth, head);
        self.block(body, depth + 1);
        self.line(depth, "}");
    }

    /// The table of powers goes to shared memory, where all threads read it.
    fn copy_powers(&mut self, depth: usize) {
        let (table, threads) = (self.tables.powers.clone(), 32 * self.code.execution.warps());
        self.line(depth, &format!("__shared__ double powers[{POWERS}];"));
        let copy = format!("for (int i = threadIdx.x; i < {POWERS}; i += {threads}) powers[i] = {table}[i];");
        self.line(depth, &copy);
        self.line(depth, "__syncthreads();");
    }

    /// A table goes from constant to shared memory.
    fn copy_bank(&mut self, bank: TableKind, row: u32, entries: u32, depth: usize) {
        let ((kind, name), table) = (tables::shared_bank(bank, self.numbers), self.tables.name(bank));
        let threads = 32 * self.code.execution.warps();
        let copy = format!("for (int i = threadIdx.x; i < {entries}; i += {threads}) {name}[i] = {table}[i];");
        self.line(depth, &format!("{kind} *const {name} = ({kind} *)slots[{row}];"));
        self.line(depth, &copy);
    }

    fn spill(&mut self, place: u32, value: Var) -> String {
        self.helper(Helper::SpillAddress);
        let (spill, value) = (self.helper(Helper::Spill), self.name(value));
        format!("{spill}<{place}>({SPILLS}, {value});")
    }

    fn recompute(&mut self, values: &[(Local, Integer)]) -> String {
        let assignment = |(local, value): &(Local, Integer)| {
            let value = self.integer(value).text;
            format!("{} = {value};", self.local(*local))
        };
        values.iter().map(assignment).collect::<Vec<_>>().join(" ")
    }

    /// Defines the number of the warp's group in the CTA, and the slots of that.
    fn warp_group(&mut self, local: Local, kind: &str, value: &str, depth: usize) {
        let ([rows, global], pitch) = (self.code.rows_apart(), self.code.slots.pitch);
        self.line(depth, &format!("{kind} {} = {value};", self.local(local)));
        if global > 0 {
            self.line(depth, &workspace::own_rows(self.code));
        }
        if rows == 0 {
            return;
        }
        self.line(depth, "// The slots of the warp's own group");
        self.line(depth, &format!("double (*const {OWN_SLOTS})[{pitch}] = slots + {rows} * {};", self.local(local)));
    }

    /// Begins the copies of inputs of the next group of points, where there is one.
    fn copy_inputs(&mut self, more: &Less, points: &[Integer], copies: &[(Integer, usize, u32, u32)], depth: usize) {
        let more = self.less(more);
        self.line(depth, &format!("if ({more}) {{"));
        let next: Vec<String> = (0..).zip(points).map(|(at, point)| self.next_point(at, point, depth + 1)).collect();
        let copy = self.helper(Helper::CopyAsync);
        for (row, array, field, point) in copies {
            let (slot, array) = (self.slot(row), &self.arrays[*array]);
            let point = &next[*point as usize];
            self.line(depth + 1, &format!("{copy}(&{slot}, {array}, {field}, stride, {point});"));
        }
        self.line(depth, "}");
        let commit = self.helper(Helper::CommitCopies);
        self.line(depth, &format!("{commit}();"));
    }

    /// Multiplies blocks of a matrix with a row of slots.
    fn multiply(&mut self, row: &Integer, blocks: &[(u32, [Var; 8])], in_pairs: bool, depth: usize) {
        let (row, slots) = (self.integer(row).text, self.slots());
        for blocks in blocks.chunks(if in_pairs { 2 } else { 1 }) {
            let multiply = self.helper(if blocks.len() == 2 { Helper::MultiplyPair } else { Helper::Multiply });
            let registers = blocks.iter().map(|(register, _)| format!("c{register}")).collect::<Vec<_>>();
            let sums = blocks.iter().map(|(_, sums)| self.list(sums)).collect::<Vec<_>>();
            let (registers, sums) = (registers.join(", "), sums.join(", "));
            self.line(depth, &format!("{multiply}({registers}, &{slots}[{row}][read_column], {sums});"));
        }
    }

    /// Defines the number of a point of the next group; its name.
    fn next_point(&mut self, at: u32, point: &Integer, depth: usize) -> String {
        let (name, point) = (self.local(Local::NextPoint(at)), self.integer(point).text);
        self.line(depth, &format!("const int {name} = {point};"));
        name
    }

    fn switch(&mut self, arms: &[(WarpMask, Vec<Statement>)], depth: usize) {
        self.line(depth, "switch (warp_id) {");
        for (warps, body) in arms {
            let cases: Vec<String> = (0..32).filter(|w| warps >> w & 1 == 1).map(|w| format!("case {w}:")).collect();
            self.line(depth, &format!("{} {{", cases.join(" ")));
            self.block(body, depth + 1);
            self.line(depth + 1, "break;");
            self.line(depth, "}");
        }
        self.line(depth, "}");
    }

    fn less(&mut self, Less { a, b, is_wide }: &Less) -> String {
        let (mut a, mut b) = (self.integer(a), self.integer(b));
        if *is_wide {
            // The last operand of a wide number is a literal.
            a.text.push('u');
            b = b.cast("unsigned");
        }
        a.infix(Operator::Less, b).text
    }

    /// The lane's element of a row of slots, as something that can be read or assigned.
    pub(super) fn slot(&mut self, row: &Integer) -> String {
        let (space, row) = self.code.slots.place(row);
        let row = self.integer(&row).text;
        match space {
            SlotSpace::Global => format!("{OWN_ROWS}[{row}][lane]"),
            SlotSpace::Local => format!("slots[{row}]"),
            SlotSpace::Shared => format!("{}[{row}][lane]", self.slots()),
        }
    }

    /// The name of the slots of the warp's own group.
    fn slots(&self) -> &'static str {
        if self.code.execution.warp_groups() > 1 { OWN_SLOTS } else { "slots" }
    }

    fn list(&mut self, vars: &[Var]) -> String {
        vars.iter().map(|&var| self.name(var)).collect::<Vec<_>>().join(", ")
    }

    pub(super) fn var(&mut self, var: Var) -> Expression {
        Expression::atom(self.name(var))
    }

    fn name(&mut self, var: Var) -> String {
        match &self.names[var] {
            Some(name) => name.clone(),
            None => self.new_name(var),
        }
    }

    fn new_name(&mut self, var: Var) -> String {
        let name = self.namer.name(&self.code.vars[var]);
        self.names[var] = Some(name.clone());
        name
    }

    fn new_local(&mut self, local: Local) -> String {
        let hint = match local {
            Local::Trips(_) => "trips",
            Local::Index(_) => "index",
            _ => return self.local(local),
        };
        let name = self.namer.name(hint);
        self.locals.insert(local, name.clone());
        name
    }

    pub(super) fn local(&self, local: Local) -> String {
        let name = match local {
            Local::Warp => "warp_id",
            Local::CtaWarp => "cta_warp",
            Local::WarpGroup => "warp_group",
            Local::Lane => "lane",
            Local::Own(Bank::Reals) => "own_reals",
            Local::Own(Bank::Indices) => "own_indices",
            Local::ReadColumn => "read_column",
            Local::WriteColumn => "write_column",
            Local::OtherColumn => "other_column",
            Local::Groups => "groups",
            Local::Group => "group",
            Local::Stride => "stride",
            Local::GivenStride => GIVEN_STRIDE,
            Local::Point(point) => return point_name(self.code, "point", point),
            Local::NextPoint(point) => return point_name(self.code, "next_point", point),
            Local::Inputs => "inputs",
            Local::Trips(_) | Local::Index(_) => &self.locals[&local],
        };
        name.to_owned()
    }

    pub(super) fn array(&self, array: usize) -> &str {
        &self.arrays[array]
    }

    /// The name of a function, which the file then defines.
    pub(super) fn helper(&mut self, helper: Helper) -> &'static str {
        self.helpers.insert(helper);
        helper.name()
    }

    fn line(&mut self, depth: usize, text: &str) {
        writeln!(self.out, "{:1$}{text}", "", 2 * depth).expect("writing to a string succeeds");
    }
}

fn constant(kind: &str, is_constant: bool) -> String {
    if is_constant { format!("const {kind}") } else { kind.to_owned() }
}

fn kind(stripe: Stripe) -> &'static str {
    match stripe {
        Stripe::Real(_) => "double",
        Stripe::Index(_) => "int",
    }
}

fn stripe_name(stripe: Stripe) -> String {
    match stripe {
        Stripe::Real(register) => format!("c{register}"),
        Stripe::Index(register) => format!("k{register}"),
    }
}

fn barrier(kind: BarrierKind) -> Helper {
    match kind {
        BarrierKind::Arrive => Helper::BarrierArrive,
        BarrierKind::Sync => Helper::BarrierSync,
    }
}

fn reload(stripe: Stripe) -> Helper {
    match stripe {
        Stripe::Real(_) => Helper::Reload,
        Stripe::Index(_) => Helper::ReloadIndex,
    }
}
