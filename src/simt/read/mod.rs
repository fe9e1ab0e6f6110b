//! The reader: from PTX text to the IR.
//!
//! It takes what NVRTC and nvcc emit for one or several kernels, and everything that the IR prints. Instructions that the
//! IR does not know are kept verbatim ([`Op::Opaque`](super::inst::Op::Opaque)). An access of a vector becomes one access
//! per element. Comments, `.pragma`, `.loc` and `.file` are left out. Functions (`.func`) are not supported.

mod body;
mod declare;
mod instruction;
mod operand;
mod scope;

use super::ir::{Func, Module, Param, ParamData, Variable};
use crate::diagnostic::{Diagnostic, Source, Span};
use pest::Parser;
use pest::iterators::Pair;
use scope::Scope;
use std::collections::HashMap;
use std::sync::Arc;

/// Reads one PTX module.
///
/// # Errors
/// Every place that is no PTX or that the IR cannot express, at most [`MOST_ERRORS`], each with its line and column.
pub fn read(source: &Arc<Source>) -> Result<Module, Vec<Diagnostic>> {
    let mut reader = Reader {
        source,
        module: Module::new(0),
        variables: HashMap::new(),
        tables: HashMap::new(),
        func: None,
        depth: 0,
        errors: Vec::new(),
    };
    match Grammar::parse(Rule::file, &source.text) {
        Ok(mut pairs) => {
            let items: Vec<Pair<Rule>> = pairs.next().into_iter().flat_map(Pair::into_inner).collect();
            reader.items(items);
        }
        Err(error) => {
            let offset = match error.location {
                pest::error::InputLocation::Pos(at) | pest::error::InputLocation::Span((at, _)) => at,
            };
            reader.error_at(offset, 0, "ptx::unreadable", "the text cannot be read beyond this place");
        }
    }
    if reader.errors.is_empty() { Ok(reader.module.canonical()) } else { Err(reader.errors) }
}

/// Errors after which the reader stops.
pub const MOST_ERRORS: usize = 20;

#[derive(pest_derive::Parser)]
#[grammar = "simt/read/ptx.pest"]
struct Grammar;

struct Reader<'a> {
    source: &'a Arc<Source>,
    module: Module,
    variables: HashMap<&'a str, Variable>,
    /// `.branchtargets` by their label.
    tables: HashMap<&'a str, Vec<&'a str>>,
    /// The kernel that is being read.
    func: Option<body::Body<'a>>,
    depth: usize,
    errors: Vec<Diagnostic>,
}

impl<'a> Reader<'a> {
    fn items(&mut self, items: Vec<Pair<'a, Rule>>) {
        self.collect_tables(&items);
        for item in items {
            if self.errors.len() >= MOST_ERRORS {
                return;
            }
            self.item(item);
        }
        let end = self.source.text.len();
        if self.func.is_some() {
            self.error_at(end, 0, "ptx::syntax", "the text ends inside a kernel");
        } else if self.module.sm == 0 && self.errors.is_empty() {
            self.error_at(end, 0, "ptx::no-target", "the text has no .target");
        }
    }

    fn item(&mut self, item: Pair<'a, Rule>) {
        match item.as_rule() {
            Rule::version => {
                let mut numbers = item.into_inner().map(|n| n.as_str().parse().unwrap_or(0));
                self.module.version = Some((numbers.next().unwrap_or(0), numbers.next().unwrap_or(0)));
            }
            Rule::target => self.target(&item),
            Rule::address_size if item.clone().into_inner().as_str().trim() != "64" => {
                self.error(&item, "ptx::address-size", "addresses have 64 bits");
            }
            Rule::entry => self.entry(item),
            Rule::limit => self.limit(&item),
            Rule::variable => self.variable(item),
            Rule::open => self.open(&item),
            Rule::close => self.close(&item),
            Rule::registers | Rule::label | Rule::branch | Rule::instruction | Rule::opaque => self.statement(item),
            Rule::junk => {
                let text = format!("\"{}\" is no PTX here", item.as_str().escape_debug());
                self.error(&item, "ptx::syntax", text);
            }
            _ => {}
        }
    }

    fn target(&mut self, item: &Pair<'a, Rule>) {
        let name = item.clone().into_inner().next().map_or("", |word| word.as_str());
        let digits = name.strip_prefix("sm_").map(|n| n.trim_end_matches(|c: char| c.is_ascii_alphabetic()));
        match digits.and_then(|n| n.parse().ok()) {
            Some(sm) => self.module.sm = sm,
            None => self.error(item, "ptx::target", "the target is no sm_ architecture"),
        }
    }

    fn entry(&mut self, item: Pair<'a, Rule>) {
        if self.func.is_some() {
            return self.error(&item, "ptx::syntax", "a kernel inside a kernel");
        }
        let mut inner = item.into_inner();
        let Some(name) = inner.next() else { return };
        if self.module.func(name.as_str()).is_some() {
            self.error(&name, "ptx::declared-twice", format!("{} is declared twice", name.as_str()));
        }
        let mut body = body::Body::new(Func::new(name.as_str()));
        for param in inner {
            self.param(&param, &mut body);
        }
        self.func = Some(body);
    }

    fn param(&mut self, item: &Pair<'a, Rule>, body: &mut body::Body<'a>) {
        let mut ty = None;
        let mut array = false;
        for part in item.clone().into_inner() {
            match part.as_rule() {
                Rule::attribute => ty = ty.or_else(|| operand::ty(part.as_str().trim())),
                Rule::word => {
                    let Some(ty) = ty else {
                        return self.error(&part, "ptx::parameter", "the parameter's type is not supported");
                    };
                    let param: Param = body.func.params.push(ParamData { name: part.as_str().to_owned(), ty });
                    if body.params.insert(part.as_str(), param).is_some() {
                        self.error(&part, "ptx::declared-twice", format!("{} is declared twice", part.as_str()));
                    }
                }
                _ => array = true,
            }
        }
        if array {
            self.error(item, "ptx::parameter", "parameters that are arrays are not supported");
        }
    }

    fn limit(&mut self, item: &Pair<'a, Rule>) {
        let Some(body) = &mut self.func else {
            return self.error(item, "ptx::syntax", "this directive belongs to a kernel");
        };
        let mut parts = item.clone().into_inner().map(|part| part.as_str());
        let name = parts.next().unwrap_or_default();
        let numbers: Vec<&str> = parts.collect();
        let threads: Option<u32> =
            numbers.iter().map(|n| n.parse().ok()).try_fold(1u32, |all, n: Option<u32>| all.checked_mul(n?));
        if name == ".reqntid" && numbers.iter().skip(1).all(|n| *n == "1") && threads.is_some() {
            body.func.threads = threads;
        } else {
            body.func.directives.push(format!("{name} {}", numbers.join(", ")));
        }
    }

    fn open(&mut self, item: &Pair<'a, Rule>) {
        match &mut self.func {
            Some(body) => {
                self.depth += 1;
                body.scopes.push(Scope::default());
            }
            None => self.error(item, "ptx::syntax", "a brace outside a kernel"),
        }
    }

    fn close(&mut self, item: &Pair<'a, Rule>) {
        if self.depth == 0 {
            return self.error(item, "ptx::syntax", "a closing brace without its opening one");
        }
        self.depth -= 1;
        let Some(body) = &mut self.func else { return };
        body.scopes.pop();
        if self.depth == 0
            && let Some(body) = self.func.take()
        {
            self.finish(body);
        }
    }

    fn statement(&mut self, item: Pair<'a, Rule>) {
        let Some(mut body) = self.func.take() else {
            let text = format!("\"{}\" is no declaration", first_line(item.as_str()));
            return self.error(&item, "ptx::syntax", text);
        };
        if self.depth == 0 {
            self.error(&item, "ptx::syntax", "the kernel's body begins with a brace");
        } else {
            match item.as_rule() {
                Rule::registers => self.registers(&item, &mut body),
                Rule::label => self.label(&item, &mut body),
                Rule::branch => self.branch(item, &mut body),
                Rule::instruction => self.instruction(item, &mut body),
                _ => self.opaque(item, &mut body),
            }
        }
        self.func = Some(body);
    }

    fn error(&mut self, pair: &Pair<'a, Rule>, id: &'static str, message: impl Into<String>) {
        let span = pair.as_span();
        self.error_at(span.start(), first_line(span.as_str()).len(), id, message);
    }

    fn error_at(&mut self, offset: usize, len: usize, id: &'static str, message: impl Into<String>) {
        self.errors.push(Diagnostic::error(id, message).at(Span { source: Arc::clone(self.source), offset, len }));
    }
}

fn first_line(text: &str) -> &str {
    text.lines().next().unwrap_or_default().trim_end()
}
