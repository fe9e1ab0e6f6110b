//! Diagnostics as text for people, through miette.

use super::{Diagnostic, Severity, Source};
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
        Style::Plain => GraphicalReportHandler::new_themed(GraphicalTheme::none()).with_width(100).with_links(false),
    };
    let mut text = String::new();
    for diagnostic in diagnostics {
        let report = Report::new(diagnostic);
        if handler.render_report(&mut text, &report).is_err() {
            // A span outside the text cannot be quoted; the message still can.
            text.push_str(&diagnostic.message);
        }
        text.push('\n');
    }
    text
}

#[derive(Debug)]
struct Report<'a> {
    diagnostic: &'a Diagnostic,
    source: Option<Text>,
}

impl<'a> Report<'a> {
    fn new(diagnostic: &'a Diagnostic) -> Self {
        Self { diagnostic, source: diagnostic.span.as_ref().map(|span| Text(Arc::clone(&span.source))) }
    }
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
        let label = LabeledSpan::new(None, span.offset, span.len);
        Some(Box::new(std::iter::once(label)))
    }
}

/// A source that miette can quote.
#[derive(Debug)]
struct Text(Arc<Source>);

impl SourceCode for Text {
    fn read_span<'a>(
        &'a self,
        span: &SourceSpan,
        before: usize,
        after: usize,
    ) -> Result<Box<dyn SpanContents<'a> + 'a>, MietteError> {
        let contents = self.0.text.read_span(span, before, after)?;
        Ok(Box::new(MietteSpanContents::new_named(
            self.0.name.clone(),
            contents.data(),
            *contents.span(),
            contents.line(),
            contents.column(),
            contents.line_count(),
        )))
    }
}
