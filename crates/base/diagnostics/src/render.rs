//! Diagnostics as text for people, through miette.

use super::{Diagnostic, Severity, Source, visible};
use miette::{
    GraphicalReportHandler, GraphicalTheme, LabeledSpan, MietteError, MietteSpanContents, SourceCode, SourceSpan,
    SpanContents,
};
use std::fmt;
use std::io::IsTerminal;
use std::sync::Arc;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Style {
    /// Colours and box drawing.
    Graphical,
    /// The same where stderr is no terminal.
    Coloured,
    /// ASCII without colours, 100 columns wide: the same on every machine.
    Plain,
}

impl Style {
    /// Graphical when stderr is a terminal.
    pub fn of_stderr() -> Self {
        if std::io::stderr().is_terminal() { Self::Graphical } else { Self::Plain }
    }
}

/// All diagnostics, one after the other, each with the lines of the source that it is about.
pub fn render(diagnostics: &[Diagnostic], style: Style) -> String {
    let handler = match style {
        Style::Graphical => GraphicalReportHandler::new(),
        Style::Coloured => GraphicalReportHandler::new_themed(GraphicalTheme::unicode()),
        Style::Plain => GraphicalReportHandler::new_themed(GraphicalTheme::none()).with_width(100).with_links(false),
    };
    let mut text = String::new();
    let mut sources: Vec<Text> = Vec::new();
    for diagnostic in diagnostics {
        let source = diagnostic.span.as_ref().map(|span| match sources.iter().find(|known| known.is(&span.source)) {
            Some(known) => known.clone(),
            None => {
                sources.push(Text::new(&span.source));
                sources[sources.len() - 1].clone()
            }
        });
        let report = Report { diagnostic, source };
        if handler.render_report(&mut text, &report).is_err() {
            // A span outside the text cannot be quoted; the message still can.
            text.push_str(&diagnostic.message);
        }
        text.push('\n');
    }
    visible(&text)
}

#[derive(Debug)]
struct Report<'a> {
    diagnostic: &'a Diagnostic,
    source: Option<Text>,
}

impl fmt::Display for Report<'_> {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str(&self.diagnostic.message)
    }
}

impl std::error::Error for Report<'_> {}

impl miette::Diagnostic for Report<'_> {
    fn code(&self) -> Option<Box<dyn fmt::Display + '_>> {
        Some(Box::new(self.diagnostic.id))
    }

    fn severity(&self) -> Option<miette::Severity> {
        Some(match self.diagnostic.severity {
            Severity::Warning => miette::Severity::Warning,
            Severity::Error => miette::Severity::Error,
        })
    }

    fn help(&self) -> Option<Box<dyn fmt::Display + '_>> {
        self.diagnostic.help.as_ref().map(|help| Box::new(help) as Box<dyn fmt::Display>)
    }

    fn source_code(&self) -> Option<&dyn SourceCode> {
        self.source.as_ref().map(|source| source as &dyn SourceCode)
    }

    fn labels(&self) -> Option<Box<dyn Iterator<Item = LabeledSpan> + '_>> {
        let span = self.diagnostic.span.as_ref()?;
        let quoted = span.text();
        let len = if quoted.is_empty() { span.len } else { quoted.floor_char_boundary(LONGEST_QUOTE) };
        let label = LabeledSpan::new(None, span.offset, len);
        Some(Box::new(std::iter::once(label)))
    }
}

/// A source that miette can quote.
#[derive(Debug, Clone)]
struct Text {
    source: Arc<Source>,
    /// Offsets of all line feeds, counted once for all diagnostics of a source.
    newlines: Arc<[usize]>,
}

impl Text {
    fn new(source: &Arc<Source>) -> Self {
        let newlines = source.text.bytes().enumerate().filter(|(_, byte)| *byte == b'\n').map(|(at, _)| at).collect();
        Self { source: Arc::clone(source), newlines }
    }

    fn is(&self, source: &Arc<Source>) -> bool {
        Arc::ptr_eq(&self.source, source)
    }
}

impl SourceCode for Text {
    fn read_span<'a>(
        &'a self,
        span: &SourceSpan,
        before: usize,
        after: usize,
    ) -> Result<Box<dyn SpanContents<'a> + 'a>, MietteError> {
        let text = self.source.text.as_str();
        let (start, end) = (span.offset(), span.offset() + span.len());
        if !text.is_char_boundary(start) || !text.is_char_boundary(end) {
            return Err(MietteError::OutOfBounds);
        }
        // without context the excerpt begins at the span: its column stands in the header
        let first = if before == 0 { start } else { window_start(text, start, before) };
        let last = window_end(text, end, after);
        // miette takes a last carriage return without its newline for the end of the file and does not count the line.
        let last = if text[end..last].ends_with('\r') { last - 1 } else { last };
        let line_start = text[..first].rfind('\n').map_or(0, |newline| newline + 1);
        let excerpt = &text[first..last];
        Ok(Box::new(MietteSpanContents::new_named(
            self.source.name.clone(),
            excerpt.as_bytes(),
            (first, excerpt.len()).into(),
            self.newlines.partition_point(|&at| at < first),
            text[line_start..first].chars().count(),
            excerpt.lines().count(),
        )))
    }
}

/// Bytes of a line that are shown before, in and behind the text in question: a line may be a whole file.
pub const LONGEST_QUOTE: usize = 200;

/// Returns the start of an excerpt with the line of `at` and `lines` lines above it.
fn window_start(text: &str, at: usize, lines: usize) -> usize {
    let reach = text.floor_char_boundary(at.saturating_sub(LONGEST_QUOTE));
    let Some(newline) = text[reach..at].rfind('\n') else { return reach };
    let start = reach + newline + 1;
    if lines == 0 {
        return start;
    }
    let above = window_start(text, start - 1, lines - 1);
    // A line above that is too long is not shown.
    if above == 0 || text[..above].ends_with('\n') { above } else { start }
}

/// Returns its end.
fn window_end(text: &str, at: usize, lines: usize) -> usize {
    let reach = text.ceil_char_boundary(at + LONGEST_QUOTE);
    match text[at..reach].find('\n') {
        None => reach,
        Some(newline) if lines == 0 => at + newline,
        Some(newline) => window_end(text, at + newline + 1, lines - 1),
    }
}
