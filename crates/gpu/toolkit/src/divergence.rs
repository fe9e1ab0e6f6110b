//! The divergence analysis of a kernel as people read it: a summary, a listing with reasons, JSON, and a picture.

use std::cell::OnceCell;
use std::fmt::Write;

use serde_json::{Value as Json, json};

use cranelift_entity::EntityRef;
use ptx::Module;
use ptx::analysis::calls;
use ptx::analysis::divergence::{Chain, Chains, Class, Coefficient, Divergence, Options, Reason, compute_boolean};
use ptx::analysis::gated::{Gate, Gated};
use ptx::analysis::ssa::Value;
use ptx::inst::Special;
use ptx::ir::{Block, Func, Inst};
use ptx::print::Quotes;

/// A kernel with its analysis.
pub struct Analysed<'a> {
    func: &'a Func,
    quotes: Quotes<'a>,
    options: Options,
    pub gated: Gated,
    pub result: Divergence,
    chains: OnceCell<Chains>,
}

/// Row of the table of kernels.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Summary {
    pub instructions: usize,
    /// Versions of registers in gated SSA form, without those never written.
    pub variables: usize,
    pub constant: usize,
    pub uniform: usize,
    /// Known strides, and strides that are uniform values times a constant.
    pub affine: usize,
    pub divergent: usize,
    /// Variables that the analysis without affine states calls divergent.
    pub boolean_divergent: usize,
    pub branches: usize,
    pub uniform_branches: usize,
}

impl<'a> Analysed<'a> {
    pub fn new(module: &'a Module, func: &'a Func, options: Options) -> Self {
        let gated = calls::gated(module, func, options);
        let result = Divergence::compute(func, &gated, options);
        Self { func, quotes: Quotes::new(module, func), options, gated, result, chains: OnceCell::new() }
    }

    pub fn summary(&self) -> Summary {
        let mut summary = Summary { instructions: self.func.insts.len(), ..Summary::default() };
        let boolean = compute_boolean(self.func, &self.gated, self.options);
        for (value, _) in self.gated.ssa.values.iter().filter(|(value, _)| self.gated.block(*value).is_some()) {
            summary.variables += 1;
            summary.boolean_divergent += usize::from(boolean[data_index(value)]);
            *match self.result.state(value).class() {
                Class::Constant => &mut summary.constant,
                Class::Uniform => &mut summary.uniform,
                Class::Affine | Class::AffineUnknownBase | Class::Symbolic => &mut summary.affine,
                Class::Divergent => &mut summary.divergent,
            } += 1;
        }
        for block in &self.gated.facts.cfg.order {
            if let Some(uniform) = self.result.uniform_branch(&self.gated, *block) {
                summary.branches += 1;
                summary.uniform_branches += usize::from(uniform);
            }
        }
        summary
    }

    /// Every value with its state and, where it is not uniform, why; every branch.
    pub fn text(&self) -> String {
        let summary = self.summary();
        let Summary { variables, constant, uniform, affine, divergent, .. } = summary;
        let mut out = format!(
            "{}: T is {}; {variables} values: {constant} constant, {uniform} uniform, {affine} affine, {divergent} divergent; \
             {} of {} branches uniform\n",
            self.func.name,
            self.unit(),
            summary.uniform_branches,
            summary.branches
        );
        for block in &self.gated.facts.cfg.order {
            let _ = writeln!(out, "{block}:");
            for row in self.rows(*block) {
                let _ = writeln!(out, "    {:<56} {}", row.text, row.notes.join("; "));
            }
        }
        out
    }

    pub fn json(&self) -> Json {
        let summary = self.summary();
        let value = |value: Value| {
            let chain = self.chain(value);
            let told = |(at, reason): &(Value, Reason)| format!("{}: {}", self.name(*at), self.why(reason));
            let mut links: Vec<String> = chain.links.iter().map(told).collect();
            if let Some(source) = &chain.source {
                links.extend(["…".to_owned(), told(source)]);
            }
            json!({ "register": self.name(value), "state": self.state(value),
                "class": format!("{:?}", self.result.state(value).class()), "reasons": links })
        };
        let blocks: Vec<Json> =
            self.gated
                .facts
                .cfg
                .order
                .iter()
                .map(|block| {
                    let starts: Vec<Json> = self.gated.ssa.starts(*block).iter().map(|v| value(*v)).collect();
                    let insts: Vec<Json> = self.func.blocks[*block].insts.iter().map(|inst| {
                let writes = self.gated.ssa.writes(*inst).iter().map(|v| value(*v));
                json!({ "text": self.quotes.line(*block, Some(*inst)), "values": writes.collect::<Vec<_>>() })
            }).collect();
                    let branch = self
                        .result
                        .uniform_branch(&self.gated, *block)
                        .map(|u| if u { "uniform" } else { "divergent" });
                    json!({ "block": block.to_string(), "starts": starts, "instructions": insts, "branch": branch })
                })
                .collect();
        json!({
            "kernel": self.func.name,
            "unit": self.unit(),
            "instructions": summary.instructions,
            "variables": summary.variables,
            "constant": summary.constant,
            "uniform": summary.uniform,
            "affine": summary.affine,
            "divergent": summary.divergent,
            "divergent_without_affine_states": summary.boolean_divergent,
            "branches": summary.branches,
            "uniform_branches": summary.uniform_branches,
            "blocks": blocks,
        })
    }

    /// The control-flow graph in DOT: blocks that end in a divergent branch are red, those that a divergent branch decides
    /// about are yellow, others green.
    pub fn dot(&self) -> String {
        let mut out =
            format!("digraph \"{}\" {{\n  node [shape=box, style=filled, fontname=monospace];\n", self.func.name);
        let post_dominators = ptx::analysis::dominators::post_dominators(self.func);
        let control = ptx::analysis::control::compute(self.func, &post_dominators);
        let divergent = |block: Block| self.result.uniform_branch(&self.gated, block) == Some(false);
        for block in &self.gated.facts.cfg.order {
            let decided = control[*block].iter().any(|(branch, _)| branch != block && divergent(*branch));
            let colour = match (divergent(*block), decided) {
                (true, _) => "#f4a6a6",
                (false, true) => "#f7e39c",
                _ => "#b9e3b4",
            };
            let count = self.func.blocks[*block].insts.len();
            let condition = self.gated.ssa.condition(*block).filter(|_| divergent(*block));
            let why = condition.map_or(String::new(), |value| format!("\\n{}", self.blame(value)));
            let _ = writeln!(out, "  {block} [fillcolor=\"{colour}\", label=\"{block}: {count} instructions{why}\"];");
            for next in self.gated.facts.cfg.successors(*block) {
                let _ = writeln!(out, "  {block} -> {next};");
            }
        }
        out.push_str("}\n");
        out
    }

    fn rows(&self, block: Block) -> Vec<Row> {
        let mut rows = Vec::new();
        for value in self.gated.ssa.starts(block) {
            let gate = match self.gated.gate(*value) {
                Some(Gate::Mu) => "μ",
                Some(Gate::Gamma) => "γ",
                Some(Gate::Eta) => "η",
                _ => "φ",
            };
            rows.push(Row { text: format!("{gate} {}", self.name(*value)), notes: vec![self.note(*value)] });
        }
        for inst in &self.func.blocks[block].insts {
            rows.push(Row { text: self.quotes.line(block, Some(*inst)), notes: self.notes(*inst) });
        }
        if let Some(uniform) = self.result.uniform_branch(&self.gated, block) {
            let text = self.quotes.line(block, None).lines().next().unwrap_or_default().to_owned();
            let note = match self.gated.ssa.condition(block) {
                Some(condition) if !uniform => format!("divergent branch: {}", self.blame(condition)),
                _ => "uniform branch".to_owned(),
            };
            rows.push(Row { text, notes: vec![note] });
        }
        rows
    }

    fn notes(&self, inst: Inst) -> Vec<String> {
        self.gated.ssa.writes(inst).iter().map(|value| self.note(*value)).collect()
    }

    fn note(&self, value: Value) -> String {
        let reason = self.result.reason(self.func, &self.gated, self.options, value);
        let state = format!("{} is {}", self.name(value), self.state(value));
        reason.map_or(state.clone(), |reason| format!("{state}: {}", self.why(&reason)))
    }

    /// The source of a chain of reasons.
    fn blame(&self, value: Value) -> String {
        let chain = self.chain(value);
        let mut names: Vec<String> = chain.links.iter().map(|(at, _)| self.name(*at)).collect();
        if let Some((at, _)) = chain.source {
            names.extend(["…".to_owned(), self.name(at)]);
        }
        let source = chain.last().map_or(String::new(), |(_, reason)| reason.rule.to_string());
        format!("{} ({source})", names.join(" from "))
    }

    fn chain(&self, value: Value) -> Chain {
        self.chains.get_or_init(|| Chains::new(&self.result, self.func, &self.gated, self.options)).chain(value)
    }

    fn why(&self, reason: &Reason) -> String {
        reason.cause.map_or(reason.rule.to_string(), |cause| format!("{}, {}", reason.rule, self.name(cause)))
    }

    fn name(&self, value: Value) -> String {
        self.quotes.register(self.gated.ssa.values[value].reg)
    }

    fn unit(&self) -> &'static str {
        if self.result.basis.unit == Special::TidX { "%tid.x" } else { "%laneid" }
    }

    /// Formats a state, such as `uniform`, `4 T + 16`, `8 %r5 T + u`, where u is the same in all lanes.
    fn state(&self, value: Value) -> String {
        let state = self.result.state(value);
        let signed = |k: u64| match self.func.regs[self.gated.ssa.values[value].reg].bytes() {
            4 => i64::from(k as u32 as i32),
            _ => k as i64,
        };
        let base = match state.base {
            Coefficient::Known(base) => signed(base).to_string(),
            Coefficient::Aligned => "32 u".to_owned(),
            _ => "u".to_owned(),
        };
        match (state.class(), state.stride) {
            (Class::Constant, _) => format!("constant {base}"),
            (Class::Uniform, _) => "uniform".to_owned(),
            (_, Coefficient::Known(stride)) => format!("{} T + {base}", signed(stride)),
            (_, Coefficient::Scaled(name, factor)) => format!("{} {} T + {base}", signed(factor), self.name(name)),
            _ => "divergent".to_owned(),
        }
    }
}

fn data_index(value: Value) -> usize {
    EntityRef::index(value)
}

struct Row {
    text: String,
    notes: Vec<String>,
}
