//! The statements of a kernel's streaming loop.

use super::expression::Expression;
use super::fold;
use super::helpers::Helper;
use super::names::Namer;
use super::rounding;
use super::tables;
use super::uses::{self, BlockId, Uses};
use crate::overlay::program::{
    BarrierKind, Execution, Index, LaneRows, Node, Program, TensorBlock, Value, Var, WarpMask,
};
use cranelift_entity::{EntitySet, SecondaryMap};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;

/// Prints the body of the streaming loop and gathers what the rest of the file must provide for it.
pub struct Body<'a> {
    pub(super) program: &'a Program,
    pub(super) needs: Needs,
    uses: Uses,
    folded: EntitySet<Var>,
    summed: EntitySet<Var>,
    tables: tables::Names,
    namer: Namer,
    arrays: Vec<String>,
    /// Names of the variables that have been declared.
    names: SecondaryMap<Var, Option<String>>,
    /// Expressions of the folded variables that have been seen.
    expressions: SecondaryMap<Var, Option<Expression>>,
    /// Variables to declare, without a value, before a node of a block.
    declarations: BTreeMap<(BlockId, usize), Vec<Var>>,
    blocks: usize,
    /// By open block, the names of the indices that its statements have fetched.
    fetched: Vec<BTreeMap<String, String>>,
    /// Of the statement that is being printed.
    depth: usize,
    out: String,
}

/// What the text of a body refers to.
#[derive(Debug, Default)]
pub struct Needs {
    pub helpers: BTreeSet<Helper>,
    /// Striped registers.
    pub reals: BTreeSet<u32>,
    pub indices: BTreeSet<u32>,
    /// Those of them that are loaded in the streaming loop.
    pub reloaded_reals: BTreeSet<u32>,
    pub reloaded_indices: BTreeSet<u32>,
    pub real_bank: bool,
    pub index_bank: bool,
    pub warp_id: bool,
    pub lane: bool,
    /// Which of the lane's points are loaded, and whether they exist.
    pub points: BTreeSet<u32>,
    pub active: BTreeSet<u32>,
}

impl Needs {
    pub fn are_places_set_again(&self) -> bool {
        self.helpers.contains(&Helper::Thread)
    }

    /// The type of the integers that tell a thread its place: they are set again where registers are short.
    pub fn int(&self) -> &'static str {
        if self.are_places_set_again() { "int" } else { "const int" }
    }
}

/// The text of a body.
pub struct Printed {
    pub text: String,
    pub needs: Needs,
    /// The names of the arrays, in the order of [`Program::arrays`].
    pub arrays: Vec<String>,
}

/// Prints the body of the streaming loop, indented for its place in the kernel.
pub fn print(program: &Program, tables: tables::Names) -> Printed {
    let mut namer = Namer::reserving(
        RESERVED.into_iter().chain(Helper::names()).chain(tables::SHARED_BANKS).chain([program.symbol.as_str()]),
    );
    let arrays = program.arrays.iter().map(|array| namer.name(&array.name)).collect();
    for table in [&tables.reals, &tables.indices, &tables.real_bank, &tables.index_bank, &tables.powers] {
        namer.name(table);
    }
    for register in 0..program.constants.real_registers {
        namer.name(&format!("c{register}"));
    }
    for register in 0..program.constants.index_registers {
        namer.name(&format!("k{register}"));
    }
    for counter in 0..program.counters {
        namer.name(&format!("i{counter}"));
    }
    for point in 0..program.points_per_lane {
        namer.name(&point_name(program, "point", point));
        namer.name(&point_name(program, "active", point));
    }
    let uses = uses::compute(program);
    let folded = fold::plan(program, &uses);
    let mut declarations: BTreeMap<_, Vec<Var>> = BTreeMap::new();
    for var in program.vars.keys().filter(|v| !folded.contains(*v)) {
        if let Some(home) = uses.home[var] {
            declarations.entry(home).or_default().push(var);
        }
    }
    let mut body = Body {
        program,
        needs: Needs::default(),
        folded,
        summed: rounding::summed(program),
        uses,
        tables,
        namer,
        arrays,
        names: SecondaryMap::new(),
        expressions: SecondaryMap::new(),
        declarations,
        blocks: 0,
        fetched: Vec::new(),
        depth: 0,
        out: String::new(),
    };
    body.block(&program.body, 2);
    Printed { text: body.out, needs: body.needs, arrays: body.arrays }
}

/// The name of what belongs to one of the lane's points.
pub fn point_name(program: &Program, what: &str, point: u32) -> String {
    if program.points_per_lane == 1 { what.to_owned() } else { format!("{what}_{point}") }
}

/// The number of one of the lane's points.
pub fn place(program: &Program, point: u32) -> String {
    let first = if point == 0 { String::new() } else { format!(" + {}", 32 * point) };
    format!("group * {}{first} + lane", program.points_per_group())
}

/// The name of the stride that the kernel was given, where the other is set again and again.
pub const GIVEN_STRIDE: &str = "given_stride";

/// Names that the frame of the kernel uses.
const RESERVED: [&str; 39] = [
    "blockIdx",
    "blockDim",
    "gridDim",
    "threadIdx",
    "warpSize",
    "size_t",
    "fma",
    "fmax",
    "fmin",
    "sqrt",
    "exp",
    "log",
    "pow",
    "power",
    "slots",
    "points",
    "stride",
    GIVEN_STRIDE,
    "stream",
    "context",
    "group",
    "groups",
    "min",
    "threads",
    "device",
    "multiprocessors",
    "resident",
    "error",
    "needed",
    "most",
    "dynamic_shared_bytes",
    "groups_per_cta",
    "arguments",
    "grid",
    "block",
    "warp_id",
    "lane",
    "read_column",
    "write_column",
];

impl Body<'_> {
    fn block(&mut self, nodes: &[Node], depth: usize) {
        let block = self.blocks;
        self.blocks += 1;
        self.fetched.push(BTreeMap::new());
        for (index, node) in nodes.iter().enumerate() {
            self.declare(block, index, node, depth);
            self.depth = depth;
            self.node(node, depth);
        }
        self.fetched.pop();
    }

    /// Declares the variables that this node is the first to mention and that are needed beyond it.
    fn declare(&mut self, block: BlockId, index: usize, node: &Node, depth: usize) {
        for var in self.declarations.remove(&(block, index)).unwrap_or_default() {
            if !matches!(node, Node::Let { var: assigned, .. } if *assigned == var) {
                let name = self.new_name(var);
                self.line(depth, &format!("double {name};"));
            }
        }
    }

    fn node(&mut self, node: &Node, depth: usize) {
        match node {
            Node::Comment(text) => self.out.push_str(&comment(&"  ".repeat(depth), text)),
            Node::Let { var, value } => self.assignment(*var, value, depth),
            Node::StoreSlot { row, value } => {
                let slot = self.slot(row);
                let value = self.operand(*value).text;
                self.line(depth, &format!("{slot} = {value};"));
            }
            Node::StoreField { array, row, point, value } => {
                self.helper(Helper::Store);
                self.needs.active.insert(*point);
                self.needs.points.insert(*point);
                let row = self.index(row).text;
                let value = self.operand(*value).text;
                let array = self.array_name(*array);
                let [point, active] = ["point", "active"].map(|what| point_name(self.program, what, *point));
                self.line(depth, &format!("store({array}, {row}, stride, {point}, {active}, {value});"));
            }
            Node::Barrier { id, threads, kind } => {
                let helper = match kind {
                    BarrierKind::Arrive => Helper::BarrierArrive,
                    BarrierKind::Sync => Helper::BarrierSync,
                };
                self.helper(helper);
                self.line(depth, &format!("{}<{id}, {threads}>();", helper.name()));
            }
            Node::Meet => self.line(depth, "__syncwarp();"),
            Node::Multiply { rows, blocks } => self.multiply(*rows, blocks, depth),
            Node::StoreBlock { rows, sums } => self.store_block(*rows, sums, depth),
            Node::Stripes { reals, indices } => self.stripes(reals, indices, depth),
            Node::If { warps, body } => {
                self.needs.warp_id = true;
                self.line(depth, &format!("if (({warps:#x}u >> warp_id) & 1u) {{"));
                self.block(body, depth + 1);
                self.line(depth, "}");
            }
            Node::Switch { arms } => self.switch(arms, depth),
            Node::Loop { counter, trips, unroll, body } => {
                let trips = self.trips(trips, depth);
                self.line(depth, &format!("#pragma unroll {unroll}"));
                self.line(depth, &format!("for (int {counter} = 0; {counter} < {trips}; ++{counter}) {{"));
                self.block(body, depth + 1);
                self.line(depth, "}");
            }
        }
    }

    fn stripes(&mut self, reals: &[u32], indices: &[u32], depth: usize) {
        self.fetched.iter_mut().for_each(BTreeMap::clear);
        let threads = 32 * self.program.execution.warps();
        let lists = [
            (reals, 'c', &self.tables.reals, Helper::Reload),
            (indices, 'k', &self.tables.indices, Helper::ReloadIndex),
        ];
        self.needs.helpers.extend([Helper::Thread, Helper::Again]);
        self.needs.warp_id = true;
        self.needs.lane = true;
        self.needs.points.extend(0..self.program.points_per_lane);
        let mut places = format!("warp_id = thread() >> 5; lane = thread() & 31; stride = again({GIVEN_STRIDE});");
        for point in 0..self.program.points_per_lane {
            let (name, place) = (point_name(self.program, "point", point), place(self.program, point));
            write!(places, " {name} = min({place}, points - 1);").expect("writing to a string succeeds");
        }
        let mut lines = vec![places];
        for (registers, variable, table, helper) in lists {
            for register in registers {
                self.needs.helpers.insert(helper);
                lines.push(format!("{variable}{register} = {}({table} + {});", helper.name(), register * threads));
            }
        }
        self.needs.reloaded_reals.extend(reals);
        self.needs.reals.extend(reals);
        self.needs.reloaded_indices.extend(indices);
        self.needs.indices.extend(indices);
        lines.iter().for_each(|text| self.line(depth, text));
    }

    fn multiply(&mut self, rows: LaneRows, blocks: &[TensorBlock], depth: usize) {
        self.helper(Helper::Multiply);
        let row = self.lane_rows(rows);
        for TensorBlock { register, sums } in blocks {
            self.needs.reals.insert(*register);
            let sums = self.operands(sums);
            self.line(depth, &format!("multiply(c{register}, &slots[{row}][read_column], {sums});"));
        }
    }

    fn store_block(&mut self, rows: LaneRows, sums: &[Var], depth: usize) {
        self.helper(Helper::StoreBlock);
        let (row, sums) = (self.lane_rows(rows), self.operands(sums));
        self.line(depth, &format!("store_block(slots[{row}], write_column, {sums});"));
    }

    fn operands(&mut self, vars: &[Var]) -> String {
        vars.iter().map(|&var| self.operand(var).text).collect::<Vec<_>>().join(", ")
    }

    /// The lane's own slot.
    fn lane_rows(&mut self, LaneRows { register, factor, offset }: LaneRows) -> String {
        self.needs.lane = true;
        self.needs.indices.insert(register);
        let factor = if factor == 1 { String::new() } else { format!(" * {factor}") };
        match offset {
            0 => format!("k{register}{factor}"),
            1.. => format!("k{register}{factor} + {offset}"),
            _ => format!("k{register}{factor} - {}", -i64::from(offset)),
        }
    }

    fn assignment(&mut self, var: Var, value: &Value, depth: usize) {
        let assignments = self.uses.assigned[var];
        if assignments == 0 {
            return;
        }
        let value = self.value(var, value);
        if self.folded.contains(var) {
            self.expressions[var] = Some(value);
            return;
        }
        let line = match &self.names[var] {
            Some(name) => format!("{name} = {};", value.text),
            None => {
                let kind = if assignments == 1 { "const double" } else { "double" };
                format!("{kind} {} = {};", self.new_name(var), value.text)
            }
        };
        self.line(depth, &line);
    }

    fn switch(&mut self, arms: &[(WarpMask, Vec<Node>)], depth: usize) {
        self.needs.warp_id = true;
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

    /// The number of trips, evaluated once.
    fn trips(&mut self, trips: &Index, depth: usize) -> String {
        if let Index::Literal(n) = trips {
            return n.to_string();
        }
        let value = self.index(trips).text;
        if self.fetched.iter().flat_map(BTreeMap::values).any(|name| *name == value) {
            return value;
        }
        let name = self.namer.name("trips");
        self.line(depth, &format!("const int {name} = {value};"));
        name
    }

    /// A variable where it is read: its name, or what is folded in its place.
    pub(super) fn operand(&mut self, var: Var) -> Expression {
        if self.folded.contains(var) {
            let expression =
                if self.uses.used[var] == 1 { self.expressions[var].take() } else { self.expressions[var].clone() };
            return expression.expect("a folded variable is assigned before its use");
        }
        if self.names[var].is_none() {
            self.new_name(var);
        }
        Expression::atom(self.names[var].as_deref().expect("every variable has got its name by now"))
    }

    fn new_name(&mut self, var: Var) -> String {
        let name = self.namer.name(&self.program.vars[var]);
        self.names[var] = Some(name.clone());
        name
    }

    pub(super) fn helper(&mut self, helper: Helper) {
        self.needs.helpers.insert(helper);
    }

    /// An index that is looked up. Where a lane has several points, it gets a name, so that they share the look-up.
    pub(super) fn fetched(&mut self, text: String) -> Expression {
        if self.program.points_per_lane == 1 {
            return Expression::atom(text);
        }
        if let Some(name) = self.fetched.iter().rev().find_map(|names| names.get(&text)) {
            return Expression::atom(name.clone());
        }
        let name = self.namer.name("index");
        self.line(self.depth, &format!("const int {name} = {text};"));
        let innermost = self.fetched.last_mut().expect("statements stand in a block");
        innermost.insert(text, name.clone());
        Expression::atom(name)
    }

    pub(super) fn is_summed(&self, var: Var) -> bool {
        self.summed.contains(var)
    }

    pub(super) fn is_data_parallel(&self) -> bool {
        matches!(self.program.execution, Execution::DataParallel { .. })
    }

    pub(super) fn has_shared_banks(&self) -> bool {
        self.program.constants.shared
    }

    pub(super) fn tables(&self) -> &tables::Names {
        &self.tables
    }

    pub(super) fn array_name(&self, array: usize) -> String {
        self.arrays[array].clone()
    }

    fn line(&mut self, depth: usize, text: &str) {
        writeln!(self.out, "{:1$}{text}", "", 2 * depth).expect("writing to a string succeeds");
    }
}

/// Comment lines of any text: no line of it can end the comment or continue it onto the next line.
pub fn comment(indent: &str, text: &str) -> String {
    let mut out = String::new();
    for line in text.lines() {
        let line: String = line.chars().map(|c| if c.is_control() { ' ' } else { c }).collect();
        let line = line.trim_end_matches([' ', '\\']);
        out.push_str(format!("{indent}// {line}").trim_end());
        out.push('\n');
    }
    out
}
