//! Elements and their standard atomic weights.

use super::Element;
use super::names::Names;
use super::number;
use super::report::Report;
use super::syntax::Word;

/// Reads the ELEMENTS section. A weight given there replaces the standard one.
pub fn read(declared: &[(Word, Option<Word>)], report: &mut Report) -> Vec<Element> {
    let names = Names::new(declared.iter().map(|(symbol, _)| symbol.text()));
    let mut elements = Vec::new();
    for (i, (symbol, given)) in declared.iter().enumerate() {
        if names.find(symbol.text()) != Some(i) {
            let message = format!("the element '{}' is declared more than once", symbol.text());
            report.warning("mechanism::repeated-element", message, symbol, "remove one of the declarations");
            continue;
        }
        if let Some(weight) = weight(symbol, given.as_ref(), report) {
            elements.push(Element { symbol: symbol.text().to_owned(), weight });
        }
    }
    elements
}

/// Standard atomic weight in kg/kmol; the symbol in any letter case.
pub fn standard_weight(symbol: &str) -> Option<f64> {
    WEIGHTS.iter().find(|(known, _)| known.eq_ignore_ascii_case(symbol)).map(|(_, weight)| *weight)
}

fn weight(symbol: &Word, given: Option<&Word>, report: &mut Report) -> Option<f64> {
    let help = format!("write {}/ weight in g/mol /", symbol.text());
    let Some(word) = given else {
        let weight = standard_weight(symbol.text());
        if weight.is_none() {
            let message = format!("the element '{}' is unknown and has no atomic weight", symbol.text());
            report.error("mechanism::unknown-element", message, symbol, help);
        }
        return weight;
    };
    let weight = number::parse(word.text()).filter(|weight| *weight > 0.0);
    if weight.is_none() {
        let message = format!("'{}' is not an atomic weight", word.text());
        report.error("mechanism::atomic-weight", message, word, help);
    }
    weight
}

/// Abridged standard atomic weights (IUPAC 2021), D the isotope, E the electron (CODATA 2018).
const WEIGHTS: [(&str, f64); 86] = [
    ("H", 1.008),
    ("C", 12.011),
    ("N", 14.007),
    ("O", 15.999),
    ("AR", 39.95),
    ("HE", 4.002602),
    ("S", 32.06),
    ("SI", 28.085),
    ("CL", 35.45),
    ("F", 18.998403163),
    ("E", 5.48579908872828e-4),
    ("D", 2.0141017781),
    ("LI", 6.94),
    ("BE", 9.0121831),
    ("B", 10.81),
    ("NE", 20.1797),
    ("NA", 22.98976928),
    ("MG", 24.305),
    ("AL", 26.9815384),
    ("P", 30.973761998),
    ("K", 39.0983),
    ("CA", 40.078),
    ("SC", 44.955908),
    ("TI", 47.867),
    ("V", 50.9415),
    ("CR", 51.9961),
    ("MN", 54.938043),
    ("FE", 55.845),
    ("CO", 58.933194),
    ("NI", 58.6934),
    ("CU", 63.546),
    ("ZN", 65.38),
    ("GA", 69.723),
    ("GE", 72.63),
    ("AS", 74.921595),
    ("SE", 78.971),
    ("BR", 79.904),
    ("KR", 83.798),
    ("RB", 85.4678),
    ("SR", 87.62),
    ("Y", 88.90584),
    ("ZR", 91.224),
    ("NB", 92.90637),
    ("MO", 95.95),
    ("RH", 102.90549),
    ("PD", 106.42),
    ("AG", 107.8682),
    ("CD", 112.414),
    ("SN", 118.71),
    ("I", 126.90447),
    ("XE", 131.293),
    ("CS", 132.90545196),
    ("BA", 137.327),
    ("W", 183.84),
    ("PT", 195.084),
    ("AU", 196.96657),
    ("HG", 200.592),
    ("PB", 207.2),
    ("RU", 101.07),
    ("IN", 114.818),
    ("SB", 121.76),
    ("TE", 127.6),
    ("LA", 138.90547),
    ("CE", 140.116),
    ("PR", 140.90766),
    ("ND", 144.242),
    ("SM", 150.36),
    ("EU", 151.964),
    ("GD", 157.25),
    ("TB", 158.925354),
    ("DY", 162.5),
    ("HO", 164.930328),
    ("ER", 167.259),
    ("TM", 168.934218),
    ("YB", 173.045),
    ("LU", 174.9668),
    ("HF", 178.49),
    ("TA", 180.94788),
    ("RE", 186.207),
    ("OS", 190.23),
    ("IR", 192.217),
    ("TL", 204.38),
    ("BI", 208.9804),
    ("TH", 232.0377),
    ("PA", 231.03588),
    ("U", 238.02891),
];
