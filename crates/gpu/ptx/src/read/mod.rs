//! The reader: from PTX text to the IR.
//!
//! It takes what NVRTC, nvcc and clang emit, and everything that the IR prints. Instructions that the IR does not know are
//! kept verbatim ([`Op::Opaque`](super::inst::Op::Opaque)). Parameters of functions that the text keeps in registers move to
//! the parameter space, and registers of the module to each function that names them. Comments are left out.

mod arithmetic;
mod body;
mod declare;
mod function;
mod instruction;
mod memory;
mod opcodes;
mod operand;
mod scope;
mod warp;

use super::ir::{Module, Variable};
use diagnostics::{Diagnostic, Source, Span};
use pest::Parser;
use pest::iterators::Pair;
use scope::Scope;
use std::collections::{HashMap, HashSet};
use std::sync::Arc;

/// Reads one PTX module from a text under this name.
///
/// # Errors
/// Those of [`read`].
pub fn text(name: &str, text: &str) -> Result<Module, Vec<Diagnostic>> {
    read(&Arc::new(Source { name: name.to_owned(), text: text.to_owned() }))
}

/// Reads one PTX module.
///
/// # Errors
/// Every place that is no PTX or that the IR cannot express, at most [`MOST_ERRORS`], each with its line and column.
pub fn read(source: &Arc<Source>) -> Result<Module, Vec<Diagnostic>> {
    let mut reader = Reader {
        source,
        module: Module { address_size: None, ..Module::new(0) },
        variables: HashMap::new(),
        inner: HashMap::new(),
        symbols: HashSet::new(),
        declared: HashSet::new(),
        tables: HashMap::new(),
        labels: HashSet::new(),
        common: Vec::new(),
        users: HashMap::new(),
        braces: 0,
        place: (0, 1),
        func: None,
        depth: 0,
        errors: Vec::new(),
    };
    let mut pairs = Grammar::parse(Rule::file, &source.text).expect("what fits nowhere is junk, so any text parses");
    let items: Vec<Pair<Rule>> = pairs.next().into_iter().flat_map(Pair::into_inner).collect();
    reader.items(items);
    if reader.errors.is_empty() { Ok(reader.module.canonical()) } else { Err(reader.errors) }
}

/// Errors after which the reader stops.
pub const MOST_ERRORS: usize = 20;

#[derive(pest_derive::Parser)]
#[grammar = "read/ptx.pest"]
struct Grammar;

struct Reader<'a> {
    source: &'a Arc<Source>,
    module: Module,
    variables: HashMap<&'a str, Variable>,
    /// Variables that the current function declares.
    inner: HashMap<&'a str, Variable>,
    /// Names of functions, textures and prototypes, wherever they are declared.
    symbols: HashSet<&'a str>,
    /// Names of variables, wherever they are declared.
    declared: HashSet<&'a str>,
    /// `.branchtargets` by their label, with the number of the braces that they stand in.
    tables: HashMap<(usize, &'a str), Vec<&'a str>>,
    /// Labels with the number of the braces that they stand in.
    labels: HashSet<(usize, &'a str)>,
    /// Registers that the module declares for all of its functions.
    common: Vec<Pair<'a, Rule>>,
    /// Those that functions name, by number, and whether the last one can be called.
    users: HashMap<usize, bool>,
    /// Opening braces of scopes so far.
    braces: usize,
    /// A place in the text, and its line.
    place: (usize, u32),
    /// The function that is being read.
    func: Option<body::Body<'a>>,
    depth: usize,
    errors: Vec<Diagnostic>,
}

impl<'a> Reader<'a> {
    fn items(&mut self, items: Vec<Pair<'a, Rule>>) {
        self.look_ahead(&items);
        for item in items {
            if self.errors.len() >= MOST_ERRORS {
                return;
            }
            self.item(item);
        }
        self.end_prototype();
        let end = self.source.text.len();
        if self.func.is_some() {
            self.error_at(end, 0, "ptx::syntax", "the text ends inside a kernel");
        } else if self.module.version.is_none() && self.errors.is_empty() {
            self.error_at(0, 0, "ptx::no-version", "the text has no .version");
        } else if self.module.sm == 0 && self.errors.is_empty() {
            self.error_at(end, 0, "ptx::no-target", "the text has no .target");
        }
    }

    /// Collects names that may be used before they are declared: functions, labels, and tables of branch targets. Also names of
    /// variables, which must not.
    fn look_ahead(&mut self, items: &[Pair<'a, Rule>]) {
        let (mut opened, mut open) = (0, Vec::new());
        for item in items {
            let mut words = item.clone().into_inner().filter(|part| part.as_rule() == Rule::word).map(|w| w.as_str());
            match item.as_rule() {
                Rule::open => {
                    opened += 1;
                    open.push(opened);
                }
                Rule::close => drop(open.pop()),
                Rule::label => self.labels.extend(open.last().copied().zip(words.next())),
                Rule::header | Rule::prototype => self.symbols.extend(words.next()),
                Rule::variable => self.declared.extend(words.next()),
                Rule::texture => {
                    let text = item.as_str().trim_end_matches(';').split_whitespace().last();
                    self.symbols.extend(text.map(|name| name.split('[').next().unwrap_or(name)));
                }
                Rule::table => {
                    let (Some(braces), Some(name)) = (open.last(), words.next()) else { continue };
                    if self.tables.insert((*braces, name), words.collect()).is_some() {
                        self.error(item, "ptx::declared-twice", format!("{name} is declared twice"));
                    }
                }
                _ => {}
            }
        }
    }

    fn item(&mut self, item: Pair<'a, Rule>) {
        if matches!(item.as_rule(), Rule::header | Rule::variable | Rule::registers | Rule::texture | Rule::section) {
            self.end_prototype();
        }
        match item.as_rule() {
            Rule::version => {
                let mut numbers = item.into_inner().map(|n| n.as_str().parse().unwrap_or(0));
                self.module.version = Some((numbers.next().unwrap_or(0), numbers.next().unwrap_or(0)));
            }
            Rule::target => self.target(&item),
            Rule::address_size => match item.clone().into_inner().as_str().trim() {
                "64" => self.module.address_size = Some(64),
                "32" => self.module.address_size = Some(32),
                _ => self.error(&item, "ptx::address-size", "addresses have 32 or 64 bits"),
            },
            Rule::header => self.header(item),
            Rule::limit => self.limit(&item),
            Rule::variable => self.variable(item, self.func.is_some()),
            Rule::section => self.module.sections.push(item.as_str().to_owned()),
            Rule::texture => self.module.directives.push(item.as_str().to_owned()),
            Rule::line | Rule::pragma => self.directive(&item),
            Rule::registers if self.func.is_none() => self.common.push(item),
            Rule::open => self.open(&item),
            Rule::close => self.close(&item),
            Rule::end => self.end(&item),
            Rule::registers
            | Rule::place
            | Rule::prototype
            | Rule::label
            | Rule::call
            | Rule::branch
            | Rule::instruction
            | Rule::opaque => self.statement(item),
            Rule::junk => {
                let text = format!("\"{}\" is no PTX here", item.as_str().escape_debug());
                self.error(&item, "ptx::syntax", text);
            }
            _ => {}
        }
    }

    fn target(&mut self, item: &Pair<'a, Rule>) {
        let mut parts = item.clone().into_inner();
        let name = parts.next().map_or("", |word| word.as_str());
        let more = parts.next().map_or("", |options| options.as_str());
        let rest = name.strip_prefix("sm_").or(name.strip_prefix("compute_")).unwrap_or_default();
        let digits = rest.trim_end_matches(|c: char| c.is_ascii_alphabetic());
        match digits.parse() {
            Ok(sm) => {
                self.module.sm = sm;
                self.module.target_options = format!("{}{more}", &rest[digits.len()..]);
            }
            Err(_) => self.error(item, "ptx::target", "the target is no sm_ architecture"),
        }
    }

    fn directive(&mut self, item: &Pair<'a, Rule>) {
        let text = item.as_str().trim_end().to_owned();
        match &mut self.func {
            // `.file` may stand anywhere; it belongs to the module
            Some(body) if self.depth > 0 && !text.starts_with(".file") => body.directive(text),
            Some(body) if self.depth == 0 && text.starts_with(".pragma") => body.func.directives.push(text),
            // the place of a header in the source
            Some(_) if self.depth == 0 && text.starts_with(".loc") => {}
            _ => self.module.directives.push(text),
        }
    }

    fn open(&mut self, item: &Pair<'a, Rule>) {
        self.braces += 1;
        match self.func.take() {
            Some(mut body) => {
                self.depth += 1;
                body.scopes.push(Scope::new(self.braces));
                if self.depth == 1 {
                    self.common_registers(&mut body);
                }
                self.func = Some(body);
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
            self.inner.clear();
        }
    }

    fn statement(&mut self, item: Pair<'a, Rule>) {
        let Some(mut body) = self.func.take() else {
            let text = format!("\"{}\" is no declaration", first_line(item.as_str()));
            return self.error(&item, "ptx::syntax", text);
        };
        body.line = self.line_at(item.as_span().start());
        if self.depth == 0 {
            self.error(&item, "ptx::syntax", "the kernel's body begins with a brace");
        } else {
            match item.as_rule() {
                Rule::registers => self.registers(&item, &mut body),
                Rule::place => self.place(&item, &mut body),
                Rule::prototype => self.prototype(item, &mut body),
                Rule::label => self.label(&item, &mut body),
                Rule::call => self.call(item, &mut body),
                Rule::branch => self.branch(item, &mut body),
                Rule::instruction => self.instruction(item, &mut body),
                _ => self.opaque(item, &mut body),
            }
        }
        self.func = Some(body);
    }

    /// The line of a place that is not in front of the one asked for before.
    fn line_at(&mut self, offset: usize) -> u32 {
        let (before, line) = self.place;
        let passed = &self.source.text.as_bytes()[before..offset];
        self.place = (offset, line + passed.iter().filter(|byte| **byte == b'\n').count() as u32);
        self.place.1
    }

    /// The variable of that name that the current function sees.
    fn variable_of(&self, name: &str) -> Option<Variable> {
        self.inner.get(name).or_else(|| self.variables.get(name)).copied()
    }

    /// Whether a function, a texture or a prototype has that name.
    fn is_symbol(&self, name: &str) -> bool {
        self.symbols.contains(name)
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
