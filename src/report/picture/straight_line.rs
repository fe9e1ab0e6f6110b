//! Straight-line code as a picture: how many values live at each place of it, what kind of operation stands there, and what the
//! double-precision slots of each kind go to.

use std::collections::{BTreeMap, BTreeSet};

use super::kind::{color, kind_of};
use super::legend;
use graph::body::{Inst, Tally, Unary};
use overlay::program::{Binary, Node, Program, Value, Var};
use toolkit::picture::axis;
use toolkit::picture::svg::{FAINT, INK, Svg};

const LEFT: f64 = 110.0;
const WIDTH: f64 = 1050.0;
/// Width of the texts beside the bars.
const RIGHT: f64 = 110.0;
/// Height of the curve.
const HEIGHT: f64 = 150.0;
/// Heights of the ribbon of kinds, and of a bar.
const RIBBON: f64 = 18.0;
const BAR: f64 = 20.0;
/// Width and height of an entry of the legend.
const ENTRY: f64 = 155.0;
const ROW: f64 = 22.0;
/// The most steps of the curve.
const COLUMNS: usize = 150;
const CURVE: &str = "#7aa6d6";
/// Names and colours of exponentials, logarithms, divisions and other operations.
const TALLY: [(&str, &str); 4] = [
    ("exponentials", "#e45756"),
    ("logarithms", "#f2a33a"),
    ("divisions, roots", "#8e6bbf"),
    ("other operations", CURVE),
];

/// An SVG. `registers`: those of a thread, each half a value; none where the target does not tell.
pub fn straight_line_picture(program: &Program, registers: Option<u32>, title: &str) -> String {
    let code = code(&program.body);
    let kinds: BTreeSet<&str> = code.iter().map(|place| place.kind).collect();
    let kinds: Vec<(&str, Vec<&'static str>)> = kinds.into_iter().map(|kind| (kind, vec![""])).collect();
    let columns = (WIDTH / ENTRY) as usize;
    let top = 60.0 + ROW * kinds.len().div_ceil(columns) as f64;
    let slots = code.last().map_or(0, |place| place.end);
    let sums = sums(&code);
    let bars = top + HEIGHT + RIBBON + 110.0;
    let mut svg = Svg::new(LEFT + WIDTH + RIGHT, bars + BAR * sums.len() as f64 + 12.0);
    svg.text((LEFT, 24.0), 17, "start", title);
    legend(&mut svg, &kinds, columns, LEFT);
    curve(&mut svg, &code, top, slots, registers);
    for run in code.chunk_by(|a, b| a.kind == b.kind) {
        let (start, end) = (run[0].start, run[run.len() - 1].end);
        let most = run.iter().map(|place| place.live).max().unwrap_or(0);
        let tip = format!("{}: {} slots, {start} to {end}; up to {most} values live", run[0].kind, end - start);
        let (left, right) = (x(start, slots), x(end, slots));
        svg.rectangle((left, top + HEIGHT + 4.0), (right - left, RIBBON), &color(run[0].kind, ""), Some(&tip));
    }
    axis(
        &mut svg,
        (LEFT, top + HEIGHT + RIBBON + 6.0),
        WIDTH,
        (slots, "double-precision slots, each operation by itself, in the order of the code"),
    );
    let mut left = LEFT;
    for (name, fill) in TALLY {
        svg.rectangle((left, bars - 28.0), (13.0, 13.0), fill, None);
        svg.text((left + 19.0, bars - 17.0), 12, "start", name);
        left += ENTRY;
    }
    let most = sums.first().map_or(1, |(_, tally)| total(tally)).max(1);
    for (row, (kind, tally)) in sums.iter().enumerate() {
        bar(&mut svg, bars + BAR * row as f64, kind, tally, most, slots);
    }
    svg.finish()
}

/// A statement: its kind, its slots, and how many values live where it is done.
struct Place<'a> {
    kind: &'a str,
    start: u64,
    end: u64,
    live: usize,
    tally: Tally,
}

fn code(nodes: &[Node]) -> Vec<Place<'_>> {
    let live = live(nodes);
    let (mut kind, mut now) = ("scalars", 0);
    let mut places = Vec::new();
    for (node, live) in nodes.iter().zip(live) {
        match node {
            Node::Comment(name) => kind = kind_of(name),
            node => {
                let tally = tally(node);
                let start = now;
                now += total(&tally);
                places.push(Place { kind, start, end: now, live, tally });
            }
        }
    }
    places
}

/// Counts the values that live behind each node. Constants take no register of their own until an instruction reads them.
fn live(nodes: &[Node]) -> Vec<usize> {
    let is_constant = |value: &Value| matches!(value, Value::Literal(_) | Value::Constant(_));
    let made: BTreeSet<Var> = nodes
        .iter()
        .filter_map(|node| match node {
            Node::Let { var, value } if !is_constant(value) => Some(*var),
            _ => None,
        })
        .collect();
    let mut now: BTreeSet<Var> = BTreeSet::new();
    let mut counts: Vec<usize> = nodes
        .iter()
        .rev()
        .map(|node| {
            let count = now.len();
            if let Node::Let { var, .. } = node {
                now.remove(var);
            }
            now.extend(node.operands().into_iter().filter(|operand| made.contains(operand)));
            count
        })
        .collect();
    counts.reverse();
    counts
}

/// Returns the slots of a node, by what they compute.
fn tally(node: &Node) -> Tally {
    let Node::Let { value, .. } = node else { return Tally::default() };
    let mut tally = Tally::default();
    let (inst, place) = match *value {
        Value::Unary(op, _) if op.is_power() => (Inst::Unary(op, 0), &mut tally.exponentials),
        Value::Unary(op @ (Unary::Log | Unary::Log2), _) => (Inst::Unary(op, 0), &mut tally.logarithms),
        Value::Unary(op @ (Unary::Sqrt | Unary::SqrtNear), _) => (Inst::Unary(op, 0), &mut tally.divisions),
        Value::Unary(op, _) => (Inst::Unary(op, 0), &mut tally.others),
        Value::Binary(op @ (Binary::Div | Binary::DivNear), ..) => (Inst::Binary(op, 0, 0), &mut tally.divisions),
        Value::Binary(op, ..) => (Inst::Binary(op, 0, 0), &mut tally.others),
        Value::Fma(..) => (Inst::Fma(0, 0, 0), &mut tally.others),
        Value::SelectLe { .. } | Value::ConstantLe { .. } => {
            (Inst::SelectLe { a: 0, b: 0, then: 0, otherwise: 0 }, &mut tally.others)
        }
        _ => return tally,
    };
    *place = inst.slots();
    tally
}

fn parts(tally: &Tally) -> [u64; 4] {
    [tally.exponentials, tally.logarithms, tally.divisions, tally.others]
}

fn total(tally: &Tally) -> u64 {
    parts(tally).iter().sum()
}

/// Sums the slots of each kind, the one that takes most first; kinds without slots are left out.
fn sums<'a>(code: &[Place<'a>]) -> Vec<(&'a str, Tally)> {
    let mut of_kind: BTreeMap<&str, Tally> = BTreeMap::new();
    for place in code {
        let sum = of_kind.entry(place.kind).or_default();
        let Tally { exponentials, logarithms, divisions, others } = place.tally;
        sum.exponentials += exponentials;
        sum.logarithms += logarithms;
        sum.divisions += divisions;
        sum.others += others;
    }
    let mut sums: Vec<(&str, Tally)> = of_kind.into_iter().filter(|(_, tally)| total(tally) > 0).collect();
    sums.sort_by_key(|(kind, tally)| (std::cmp::Reverse(total(tally)), *kind));
    sums
}

fn x(slot: u64, slots: u64) -> f64 {
    LEFT + WIDTH * slot as f64 / slots.max(1) as f64
}

/// The values that live, and how many the registers hold.
fn curve(svg: &mut Svg, code: &[Place], top: f64, slots: u64, registers: Option<u32>) {
    let most = code.iter().map(|place| place.live).max().unwrap_or(0);
    let room = registers.map(|registers| registers as usize / 2);
    let height = most.max(room.unwrap_or(0)).max(1);
    let y = |values: usize| top + HEIGHT * (1.0 - values as f64 / height as f64);
    svg.rectangle((LEFT, top), (WIDTH, HEIGHT), FAINT, None);
    let per_column = slots.div_ceil(COLUMNS as u64).max(1);
    let columns: Vec<&[Place]> = code.chunk_by(|a, b| a.start / per_column == b.start / per_column).collect();
    for (at, column) in columns.iter().enumerate() {
        // A statement may be longer than a column.
        let (start, end) = (column[0].start, columns.get(at + 1).map_or(slots, |next| next[0].start));
        let live = column.iter().map(|place| place.live).max().unwrap_or(0);
        let tip = format!("slots {start} to {end}: up to {live} values live");
        let size = (x(end, slots) - x(start, slots), top + HEIGHT - y(live));
        svg.rectangle((x(start, slots), y(live)), size, CURVE, Some(&tip));
    }
    svg.text((LEFT - 8.0, y(0)), 12, "end", "0");
    svg.text((LEFT - 8.0, y(most) + 4.0), 12, "end", &most.to_string());
    svg.text((LEFT - 40.0, top + HEIGHT / 2.0), 12, "end", "values live");
    if let Some((room, registers)) = room.zip(registers) {
        let tip = format!("{registers} registers of a thread hold {room} values and nothing else");
        svg.line((LEFT, y(room)), (LEFT + WIDTH, y(room)), INK, Some(&tip));
        svg.text((LEFT + WIDTH + 8.0, y(room) + 4.0), 12, "start", &format!("{registers} registers"));
    }
}

/// Draws a kind: its name, its slots by what they compute, and their share of all.
fn bar(svg: &mut Svg, top: f64, kind: &str, tally: &Tally, most: u64, slots: u64) {
    svg.rectangle((LEFT - 18.0, top + 2.0), (11.0, 11.0), &color(kind, ""), None);
    svg.text((LEFT - 24.0, top + 13.0), 12, "end", kind);
    let mut left = LEFT;
    for ((name, fill), part) in TALLY.into_iter().zip(parts(tally)).filter(|(_, part)| *part > 0) {
        let width = WIDTH * part as f64 / most as f64;
        svg.rectangle((left, top), (width, BAR - 5.0), fill, Some(&format!("{kind}: {part} slots for {name}")));
        left += width;
    }
    let share = 100.0 * total(tally) as f64 / slots.max(1) as f64;
    svg.text((LEFT + WIDTH + 8.0, top + 13.0), 12, "start", &format!("{} ({share:.0} %)", total(tally)));
}

#[cfg(test)]
mod tests {
    use super::*;
    use cranelift_entity::EntityRef;
    use overlay::program::Share;

    fn set(var: usize, value: Value) -> Node {
        Node::Let { var: Var::new(var), value }
    }

    /// a = field; b = field; rate: c = exp(a) [d literal]; c = c d + b; store c
    fn nodes() -> Vec<Node> {
        let v = Var::new;
        let field =
            |row| Value::Field { array: 0, row: overlay::program::Index::Literal(row), point: 0, share: Share::Whole };
        vec![
            set(0, field(0)),
            set(1, field(1)),
            Node::Comment("rate of 1".into()),
            set(2, Value::Unary(Unary::Exp, v(0))),
            set(3, Value::Literal(2.0)),
            set(4, Value::Fma(v(2), v(3), v(1))),
            Node::StoreField { array: 1, row: overlay::program::Index::Literal(0), point: 0, value: v(4), rest: None },
        ]
    }

    #[test]
    fn a_value_lives_from_where_it_is_made_to_where_it_is_read_last() {
        assert_eq!(live(&nodes()), [1, 2, 2, 2, 2, 1, 0]);
    }

    #[test]
    fn kinds_have_the_slots_of_their_statements() {
        let nodes = nodes();
        let sums = sums(&code(&nodes));
        assert_eq!(sums, [("rate", Tally { exponentials: 15, others: 1, ..Tally::default() })]);
    }

    #[test]
    fn values_that_registers_have_no_room_for_rise_above_their_line() {
        let mut program = Program {
            kernel: String::new(),
            symbol: String::new(),
            arithmetic: overlay::program::Arithmetic::Double,
            execution: overlay::program::Execution::DataParallel { warps: 1 },
            points_per_lane: 1,
            slots: 0,
            first_global: None,
            contents: Vec::new(),
            arrays: Vec::new(),
            vars: cranelift_entity::PrimaryMap::new(),
            counters: 0,
            constants: overlay::program::Constants::default(),
            registers: None,
            staging_bytes: None,
            body: nodes(),
        };
        let svg = straight_line_picture(&program, Some(2), "t");
        assert!(svg.contains("up to 2 values live") && svg.contains("2 registers of a thread hold 1 values"), "{svg}");
        assert!(!straight_line_picture(&program, None, "t").contains("registers"));
        program.body.clear();
        assert!(!straight_line_picture(&program, None, "nothing").contains("NaN"));
    }
}
