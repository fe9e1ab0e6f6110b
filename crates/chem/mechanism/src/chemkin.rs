//! The CHEMKIN mechanism file: from text to [`File`].

use super::equation;
use super::names::Names;
use super::report::{Report, brief};
use super::syntax::{File, Item, ReactionLines, ReactionSection, ThermoSection, Word};
use super::{unread, unsupported};
use diagnostics::Source;
use pest::Parser;
use pest::iterators::Pair;
use std::sync::Arc;

/// Splits a mechanism file into sections, declarations and reactions. Problems of form go to `report`.
pub fn parse<'a>(source: &'a Arc<Source>, report: &mut Report) -> File<'a> {
    let mut reader = Reader { source, report, file: File::default(), stray: Vec::new(), unread: Vec::new() };
    let pairs = Grammar::parse(Rule::file, &source.text).expect("the grammar accepts every text");
    pairs.flat_map(Pair::into_inner).for_each(|pair| reader.top_level(pair));
    reader.finish()
}

#[derive(pest_derive::Parser)]
#[grammar = "chemkin.pest"]
struct Grammar;

struct Reader<'a, 'r> {
    source: &'a Arc<Source>,
    report: &'r mut Report,
    file: File<'a>,
    /// Lines outside sections, before the reactions, since the last section.
    stray: Vec<Word<'a>>,
    /// Lines behind the END of the reactions.
    unread: Vec<Word<'a>>,
}

impl<'a> Reader<'a, '_> {
    fn top_level(&mut self, pair: Pair<'a, Rule>) {
        match pair.as_rule() {
            Rule::stray => self.stray.push(self.word(&pair)),
            Rule::unread => self.unread.push(self.word(&pair).trimmed()),
            Rule::elements | Rule::species | Rule::thermo | Rule::transport | Rule::reactions => {
                self.report_stray();
                self.section(pair);
            }
            _ => {}
        }
    }

    fn section(&mut self, pair: Pair<'a, Rule>) {
        let rule = pair.as_rule();
        let parts: Vec<_> = pair.into_inner().collect();
        let Some(header) = parts.first() else { return };
        let key = self.key(header);
        match rule {
            Rule::elements => self.elements(&parts),
            Rule::species => self.file.species.extend(words(self.source, &parts)),
            Rule::thermo => {
                let mut options = header.clone().into_inner();
                let nasa9 = options.any(|option| option.as_str().eq_ignore_ascii_case("NASA9"));
                let sections = bodies(self.source, &parts).map(|body| ThermoSection { body, nasa9 });
                self.file.thermo.extend(sections);
            }
            Rule::transport => self.file.transport.extend(bodies(self.source, &parts)),
            _ => self.reactions(key, &parts),
        }
        if !parts.iter().any(|part| matches!(part.as_rule(), Rule::end | Rule::end_with_words)) {
            let message = format!("the {} section has no END", key.text().to_uppercase());
            let help = "it ends where the next section or the file ends; write END there";
            self.report.warning("mechanism::missing-end", message, &key, help);
        }
    }

    /// The letters at the beginning of a header.
    fn key(&self, header: &Pair<'a, Rule>) -> Word<'a> {
        let line = header.as_str();
        let len = line.find(|c: char| !c.is_ascii_alphabetic()).unwrap_or(line.len());
        Word { len, ..self.word(header) }
    }

    fn elements(&mut self, parts: &[Pair<'a, Rule>]) {
        for element in parts.iter().filter(|part| part.as_rule() == Rule::element) {
            let mut parts = element.clone().into_inner().map(|part| self.word(&part));
            let Some(symbol) = parts.next() else { continue };
            let weight = parts.next();
            self.file.elements.push((symbol, weight));
        }
    }

    fn reactions(&mut self, key: Word<'a>, parts: &[Pair<'a, Rule>]) {
        let mut reactions: Vec<ReactionLines> = Vec::new();
        let last_equation = parts.iter().rposition(|part| part.as_rule() == Rule::equation_line);
        for (place, part) in parts.iter().enumerate() {
            let line = self.word(part).trimmed();
            if part.as_rule() == Rule::end_with_words && last_equation.is_none_or(|last| last < place) {
                self.end_with_words(&line, "taken as END");
                let source = self.source;
                self.unread.extend(parts[place + 1..].iter().map(|part| word(source, part).trimmed()));
                break;
            }
            match part.as_rule() {
                Rule::equation_line => {
                    let words = part.clone().into_inner().map(|word| self.word(&word)).collect();
                    reactions.push(ReactionLines { words, auxiliary: Vec::new() });
                }
                Rule::auxiliary_line => {
                    let items: Vec<_> = part.clone().into_inner().filter_map(|item| self.item(item)).collect();
                    self.auxiliary(&line, items, reactions.last_mut());
                }
                Rule::bad_line => self.unparsable(&line),
                Rule::end_with_words => self.end_with_words(&line, "taken as a remark, because reactions follow"),
                _ => {}
            }
        }
        self.file.reactions.push(ReactionSection { key, units: words(self.source, parts).collect(), reactions });
    }

    fn end_with_words(&mut self, line: &Word, meaning: &str) {
        let message = format!("END with more words on its line: {meaning}");
        let help = "write END alone on its line, and remarks behind !";
        self.report.forgivable("mechanism::end-with-words", message, line, help);
    }

    fn auxiliary(&mut self, line: &Word<'a>, mut items: Vec<Item<'a>>, reaction: Option<&mut ReactionLines<'a>>) {
        let is_keyword = |item: &Item| {
            let key = item.key.text();
            item.arguments.is_some() || is_duplicate_mark(key) || unsupported::keyword(key).is_some()
        };
        // Text behind the last slash: whether it is a remark or a lost keyword, the line belongs to the reaction.
        let known = items.iter().rposition(is_keyword).map_or(0, |last| last + 1);
        if let Some(text) = items.get(known).filter(|_| items[..known].iter().all(is_keyword) && known > 0) {
            let text = Word { len: line.offset + line.len - text.whole.offset, ..text.whole }.trimmed();
            let message = format!("'{}' behind the last slash is no keyword with values", brief(text.text()));
            let help = "write remarks behind !, and values between slashes";
            self.report.forgivable("mechanism::trailing-text", message, &text, help);
            items.truncate(known);
        }
        match reaction {
            _ if !items.iter().all(is_keyword) => self.unparsable(line),
            Some(reaction) => reaction.auxiliary.extend(items),
            None => self.report.error(
                "mechanism::auxiliary-without-reaction",
                format!("'{}' comes before the first reaction", brief(line.text())),
                line,
                "auxiliary lines follow the reaction that they belong to",
            ),
        }
    }

    fn item(&self, pair: Pair<'a, Rule>) -> Option<Item<'a>> {
        let whole = self.word(&pair).trimmed();
        let mut parts = pair.into_inner();
        let key = self.word(&parts.next()?).trimmed();
        let arguments = parts.next().map(|p| p.into_inner().map(|a| self.word(&a)).collect());
        Some(Item { key, arguments, whole })
    }

    fn unparsable(&mut self, line: &Word) {
        let message = format!("unparsable line '{}'", brief(line.text()));
        let form = "a reaction has an arrow (=, <=>, =>) and three numbers; an auxiliary line has KEYWORD / numbers /";
        let help = equation::foreign_arrow(line.text()).unwrap_or_else(|| form.to_owned());
        self.report.error("mechanism::unparsable-line", message, line, help);
    }

    fn report_stray(&mut self) {
        let lines = std::mem::take(&mut self.stray);
        let keyword = |line: &Word<'a>| {
            let line = line.trimmed();
            let text = line.text();
            Word { len: text.find(|c: char| c.is_whitespace() || c == '/').unwrap_or(text.len()), ..line }
        };
        let surface: Vec<Word> = lines.iter().map(keyword).filter(|word| unsupported::section(word.text())).collect();
        for word in &surface {
            let message = format!("surface kinetics (section {}) is not supported", word.text().to_uppercase());
            let help = "give the gas-phase mechanism alone";
            self.report.error("mechanism::unsupported-section", message, word, help);
        }
        let Some(keyword) = lines.first().map(keyword).filter(|_| surface.is_empty()) else { return };
        let message = format!("unrecognized keyword '{}'", keyword.text());
        let known = "the sections are ELEMENTS, SPECIES, THERMO, TRANSPORT and REACTIONS; comments begin with !";
        let help = Names::new(["ELEMENTS", "SPECIES", "THERMO", "TRANSPORT", "REACTIONS"]);
        let help = help.suggestion(keyword.text(), known);
        self.report.error("mechanism::unrecognized-section", message, &keyword, help);
    }

    /// Without reactions, the text after the last section may be theirs.
    fn finish(mut self) -> File<'a> {
        if self.file.reactions.is_empty() {
            self.report_stray();
        }
        unread::tell(&self.unread, self.report);
        self.file
    }

    fn word(&self, pair: &Pair<'a, Rule>) -> Word<'a> {
        word(self.source, pair)
    }
}

fn word<'a>(source: &'a Arc<Source>, pair: &Pair<'a, Rule>) -> Word<'a> {
    let span = pair.as_span();
    Word { source, offset: span.start(), len: span.end() - span.start() }
}

fn words<'a>(source: &'a Arc<Source>, parts: &[Pair<'a, Rule>]) -> impl Iterator<Item = Word<'a>> {
    parts.iter().filter(|part| part.as_rule() == Rule::word).map(|part| word(source, part))
}

fn bodies<'a>(source: &'a Arc<Source>, parts: &[Pair<'a, Rule>]) -> impl Iterator<Item = Word<'a>> {
    parts.iter().filter(|part| part.as_rule() == Rule::body).map(|part| word(source, part))
}

/// `DUP`, `DUPLICATE` and what lies between.
pub fn is_duplicate_mark(key: &str) -> bool {
    let key = key.to_ascii_uppercase();
    key.starts_with("DUP") && "DUPLICATES".starts_with(key.as_str())
}
