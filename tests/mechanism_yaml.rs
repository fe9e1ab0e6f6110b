//! Cantera YAML: the same mechanism in YAML and in CHEMKIN is equal, bit for bit, and mistakes are located.

use singe::diagnostic::Diagnostic;
use singe::mechanism::{Blending, Collider, Mechanism, Options, Outcome, Rate, Sources, decode, parse};

const SPECIES: &str = include_str!("yaml/species.yaml");

fn read(name: &str, mechanism: &str, companions: Option<[&str; 2]>) -> Outcome {
    let source = |name, text: &str| decode(name, text.as_bytes());
    let sources = Sources {
        name: "case".to_owned(),
        mechanism: source(name, mechanism),
        thermo: companions.map(|[thermo, _]| source("therm.dat", thermo)),
        transport: companions.map(|[_, transport]| source("tran.dat", transport)),
        reduction: None,
    };
    parse(&sources, Options::default())
}

fn yaml(units: &str, reactions: &str) -> Outcome {
    read("case.yaml", &format!("{units}\n{SPECIES}\nreactions:\n{reactions}"), None)
}

fn valid(outcome: Outcome) -> Mechanism {
    match outcome {
        Ok((mechanism, _)) => without_spans(mechanism),
        Err(diagnostics) => panic!("{:#?}", diagnostics.iter().map(|d| (&d.message, &d.span)).collect::<Vec<_>>()),
    }
}

/// Where reactions stand, and what their equations are called, is no part of what they say.
fn without_spans(mut mechanism: Mechanism) -> Mechanism {
    let nowhere = decode("", b"");
    for reaction in &mut mechanism.reactions {
        reaction.span.source = nowhere.clone();
        (reaction.span.offset, reaction.span.len) = (0, 0);
    }
    mechanism
}

const CHEMKIN: &str = "ELEMENTS
O H N AR
END
SPECIES
H2 H O O2 OH H2O HO2 N2 AR NO
END
REACTIONS
O+H2<=>H+OH            3.87E+04 2.7 6260.
2O+M<=>O2+M            1.2E+17 -1.0 0.
 H2/2.4/ H2O/15.4/
H+O2(+M)<=>HO2(+M)     4.65E+12 0.44 0.
 LOW/ 6.37E+20 -1.72 524.8 / TROE/ 0.5 1.E-30 1.E+30 /
 H2/2.0/ AR/0.67/ H2O/14.0/
H+OH(+N2)<=>H2O(+N2)   4.65E+12 0.44 0.
 LOW/ 6.37E+20 -1.72 524.8 / SRI/ 0.45 797.0 979.0 1.1 0.2 /
H+O2(+M)<=>O+OH(+M)    1.3E+13 0. 5000.
 HIGH/ 1.0E-10 5.0 6000. / TROE/ 0.5 100. 1000. 5000. /
H+HO2<=>2OH            1 0 0
 PLOG/ 0.01 1.2E+12 0.1 200. / PLOG/ 1.0 7.1E+12 0.0 410. / PLOG/ 1.0 3.0E+10 0.5 -10. /
HO2(+M)<=>O+OH(+M)     1 0 0
 TCHEB/ 300. 2500. / PCHEB/ 0.01 100. / CHEB/ 2 3 4.10 -0.25 0.11 1.30 0.30 -0.04 /
H2+O2=>2OH             3.0E+10 0.5 1000.
 FORD/ H2 0.7 / FORD/ O2 1.2 /
OH+HO2<=>O2+H2O        1.45E+13 0. -500.
 DUPLICATE
OH+HO2<=>O2+H2O        5.0E+15 0. 17330.
 DUPLICATE
END
";

const REACTIONS: &str = "
- equation: O + H2 <=> H + OH  # a comment
  rate-constant: {A: 3.87e+04, b: 2.7, Ea: 6260.}
- equation: 2 O + M <=> O2 + M
  type: three-body
  rate-constant: [1.2e+17, -1.0, 0]
  efficiencies: {H2: 2.4, H2O: 15.4}
- equation: H + O2 (+M) <=>
    HO2 (+M)
  type: falloff
  low-P-rate-constant: {A: 6.37e+20, b: -1.72, Ea: 524.8}
  high-P-rate-constant: {A: 4.65e+12, b: 0.44, Ea: 0.0}
  Troe: {A: 0.5, T3: 1.0e-30, T1: 1.0e+30 K}
  efficiencies: {H2: 2.0, AR: 0.67, H2O: 14.0}
- equation: 'H + OH (+N2) <=> H2O (+N2)'
  type: falloff
  low-P-rate-constant: {A: 6.37e+20, b: -1.72, Ea: 524.8}
  high-P-rate-constant: {A: 4.65e+12, b: 0.44, Ea: 0.0}
  SRI: {A: 0.45, B: 797.0, C: 979.0, D: 1.1, E: 0.2}
- equation: H + O2 (+M) <=> O + OH (+M)
  type: chemically-activated
  low-P-rate-constant: {A: 1.3e+13, b: 0, Ea: 5000.}
  high-P-rate-constant: {A: 1.0e-10, b: 5.0, Ea: 6000.}
  Troe: {A: 0.5, T3: 100., T1: 1000., T2: 5000.}
- equation: H + HO2 <=> 2 OH
  type: pressure-dependent-Arrhenius
  rate-constants:
  - {P: 1.0 atm, A: 7.1e+12, b: 0.0, Ea: 410.}
  - {P: 0.01 atm, A: 1.2e+12, b: 0.1, Ea: 200.}
  - {P: 1.0 atm, A: 3.0e+10, b: 0.5, Ea: -10.}
- equation: HO2 (+M) <=> O + OH (+M)
  type: Chebyshev
  temperature-range: [300., 2500.]
  pressure-range: [0.01 atm, 100 atm]
  data:
  - [4.10, -0.25, 0.11]
  - [1.30, 0.30, -0.04]
- equation: H2 + O2 => 2 OH
  rate-constant: {A: 3.0e+10, b: 0.5, Ea: 1000.}
  orders: {H2: 0.7, O2: 1.2}
- equation: OH + HO2 <=> O2 + H2O
  rate-constant: {A: 1.45e+13, b: 0, Ea: -500.}
  duplicate: true
- equation: OH + HO2 <=> O2 + H2O
  rate-constant: {A: 5.0e+15, b: 0, Ea: 17330.}
  duplicate: true
";

const CGS: &str = "units: {length: cm, time: s, quantity: mol, activation-energy: cal/mol}";

#[test]
fn both_formats_give_the_same_mechanism() {
    let companions = [include_str!("../mechanisms/gri30/therm.dat"), include_str!("../mechanisms/gri30/tran.dat")];
    let chemkin = valid(read("chem.inp", CHEMKIN, Some(companions)));
    let yaml = valid(yaml(CGS, REACTIONS));
    for (a, b) in chemkin.reactions.iter().zip(&yaml.reactions) {
        assert_eq!(format!("{a:#?}"), format!("{b:#?}"));
    }
    assert_eq!(format!("{chemkin:#?}"), format!("{yaml:#?}"));
}

#[test]
fn units_of_files_entries_and_values() {
    let reference = valid(yaml(CGS, "- equation: O + H2 <=> H + OH\n  rate-constant: [3.87e+04, 2.7, 6260]"));
    for (units, reaction) in [
        ("", "rate-constant: [3.87e+04 cm^3/mol/s, 2.7, 6260 cal/mol]"),
        ("", "units: {length: cm, quantity: mol, activation-energy: cal/mol}\n  rate-constant: [3.87e+04, 2.7, 6260]"),
        ("units: {length: cm, quantity: mol, energy: cal}", "rate-constant: [38700, 2.7, 6260]"),
        ("units: {activation-energy: kcal/mol}", "rate-constant: [38.7, 2.7, 6.26]"),
        ("", "rate-constant: {A: 38.7, b: 2.7, Ea: 26191840}"),
    ] {
        let other = valid(yaml(units, &format!("- equation: O + H2 <=> H + OH\n  {reaction}")));
        let [Rate::Arrhenius(a), Rate::Arrhenius(b)] = [&reference, &other].map(|m| &m.reactions[0].rate) else {
            panic!("an elementary reaction");
        };
        assert_eq!((a.a, a.b), (b.a, b.b), "{units} {reaction}");
        approx::assert_relative_eq!(a.e_over_r, b.e_over_r, max_relative = 1e-14);
    }
}

#[test]
fn a_default_efficiency_counts_for_all_others() {
    let reaction = "- equation: 2 O + M <=> O2 + M\n  type: three-body\n  rate-constant: [1.2e+17, -1.0, 0]\n  \
                    efficiencies: {AR: 0.7}\n  default-efficiency: 0";
    let mechanism = valid(yaml(CGS, reaction));
    let Some(Collider::Mixture(efficiencies)) = &mechanism.reactions[0].third_body else { panic!("a third body") };
    assert_eq!(efficiencies.len(), 10);
    assert!(efficiencies.iter().all(|&(k, alpha)| alpha == if k == 8 { 0.7 } else { 0.0 }));
}

#[test]
fn a_falloff_without_shape_is_lindemanns() {
    let reaction = "- equation: H + O2 (+M) <=> HO2 (+M)\n  type: falloff\n  low-P-rate-constant: [1e20, -1, 0]\n  \
                    high-P-rate-constant: [1e12, 0, 0]";
    let mechanism = valid(yaml(CGS, reaction));
    assert!(matches!(mechanism.reactions[0].rate, Rate::Falloff { blending: Blending::Lindemann, .. }));
}

/// (id, quoted text) of every error.
fn errors(outcome: Outcome) -> Vec<(&'static str, String)> {
    let text = |d: &Diagnostic| (d.id, d.span.as_ref().map_or(String::new(), |span| span.text().to_owned()));
    outcome.expect_err("a mistake").iter().filter(|d| d.is_error()).map(text).collect()
}

#[test]
fn mistakes_are_located_and_come_together() {
    let reactions = "
- equation: O + H2 <=> H + OHH
  rate-constant: {A: 1, b: 0, Ea: 0}
- equation: O + H2 <=> H + OH
  rate-constant: {A: 1.x, b: 0}
- equation: 2 O + M <=> O2 + M
  rate-constant: {A: 1 in^3/mol/s, b: 0, Ea: 0}
- equation: H + OH <=> H2O
  type: Blowers-Masel
- type: elementary
- equation: O + OH <=> HO2
  rate-constant: {A: 1, b: zero, Ea: 0}
- equation: H + OH <=> HO2
  rate-constant: {A: 1, b: 0, Ea: 0}
";
    let found = errors(yaml("units: {length: furlong}", reactions));
    for expected in [
        ("yaml::unknown-unit", "furlong"),
        ("mechanism::unknown-species", "OHH"),
        ("yaml::missing-key", "A: 1.x"),
        ("yaml::unknown-unit", "in^3/mol/s"),
        ("yaml::unsupported", "Blowers-Masel"),
        ("yaml::missing-key", "type: elementary"),
        ("mechanism::malformed-number", "zero"),
        ("mechanism::unbalanced", "H + OH <=> HO2"),
    ] {
        assert!(found.iter().any(|(id, text)| (*id, text.as_str()) == expected), "{expected:?} in {found:#?}");
    }
    assert_eq!(found.len(), 8, "{found:#?}");
}

#[test]
fn what_is_no_mechanism_ends_in_a_diagnostic() {
    for (text, id) in [
        ("", "yaml::phase"),
        ("phases: [", "yaml::syntax"),
        ("a: 1\n b: 2", "yaml::syntax"),
        ("- 1\n- 2", "yaml::phase"),
        ("phases: [{thermo: ideal-surface}]", "yaml::phase"),
        ("phases: [{thermo: ideal-gas}]", "yaml::missing-section"),
        ("phases: [{thermo: ideal-gas, elements: [H], species: [{nasa_gas.yaml/species: all}]}]", "yaml::missing-file"),
        (
            "phases: [{thermo: ideal-gas, elements: [H], species: [H2]}]\nspecies: [{name: H}]",
            "thermo::missing-species",
        ),
    ] {
        let found = errors(read("case.yaml", text, None));
        assert_eq!(found.first().map(|(id, _)| *id), Some(id), "{text}: {found:?}");
    }
    let deep = "[".repeat(100_000);
    assert_eq!(errors(read("case.yaml", &deep, None))[0].0, "yaml::syntax");
}

#[test]
fn companions_of_a_yaml_file_are_refused() {
    let text = format!("{CGS}\n{SPECIES}\nreactions: []");
    let found = errors(read("case.yaml", &text, Some(["", ""])));
    assert_eq!(found.iter().map(|(id, _)| *id).collect::<Vec<_>>(), ["yaml::companion"; 2]);
}

/// Whatever is done to a file, reading it ends.
#[test]
fn mutilated_files_do_not_panic() {
    let text = format!("{CGS}\n{SPECIES}\nreactions:\n{REACTIONS}");
    let bytes = text.as_bytes();
    let mut random = 1u64;
    let mut below = |n: usize| {
        random = random.wrapping_mul(0x5851_f42d_4c95_7f2d).wrapping_add(0x1405_7b7e_f767_814f);
        (random >> 33) as usize % n
    };
    for _ in 0..400 {
        let mut mutant = bytes.to_vec();
        for _ in 0..1 + below(4) {
            let at = below(mutant.len().max(1)).min(mutant.len().saturating_sub(1));
            match below(4) {
                0 => drop(mutant.drain(at..(at + below(60)).min(mutant.len()))),
                1 => mutant[at] = b"{}[]:,-'\"&*!|>#\n\t \xff0"[below(20)],
                2 => mutant.insert(at, b"{}[]:,-'\"&*!|>#\n\t \xff0"[below(20)]),
                _ => mutant.truncate(at + 1),
            }
        }
        let text = String::from_utf8_lossy(&mutant).into_owned();
        if let Err(diagnostics) = read("case.yaml", &text, None) {
            assert!(diagnostics.iter().any(Diagnostic::is_error));
        }
    }
}
