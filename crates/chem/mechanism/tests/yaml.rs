//! Cantera YAML: the same mechanism in YAML and in CHEMKIN is equal, bit for bit, and mistakes are located.

use diagnostics::Diagnostic;
use mechanism::{
    Blending, Collider, Files, Mechanism, Options, Outcome, Polynomials, Rate, Reverse, Sources, decode, parse,
};

const SPECIES: &str = include_str!("yaml/species.yaml");

fn read(name: &str, mechanism: &str, companions: Option<[&str; 2]>) -> Outcome {
    let source = |name, text: &str| decode(name, text.as_bytes());
    let sources = Sources {
        thermo: companions.map(|[thermo, _]| source("therm.dat", thermo)),
        transport: companions.map(|[_, transport]| source("tran.dat", transport)),
        ..Sources::new("case", source(name, mechanism))
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

/// Removes the places and the equations' texts of reactions, which are no part of what they say.
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
    let companions =
        [include_str!("../../../../mechanisms/gri30/therm.dat"), include_str!("../../../../mechanisms/gri30/tran.dat")];
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
fn equations_without_an_arrow_are_mistakes() {
    let found = errors(yaml(CGS, "- {equation: O + H2 -> H + OH, rate-constant: {A: 1, b: 0, Ea: 0}}"));
    assert_eq!(found, [("mechanism::equation", "O + H2 -> H + OH".to_owned())]);
    let found = errors(yaml(CGS, "- {equation: '', rate-constant: {A: 1, b: 0, Ea: 0}}"));
    assert_eq!(found.iter().map(|(id, _)| *id).collect::<Vec<_>>(), ["yaml::missing-key"]);
}

#[test]
fn misspelt_keys_are_recognised_and_shared_entries_told_once() {
    let outcome = yaml(CGS, "- {equation: 2 O + M <=> O2 + M, rate-konstant: {A: 1, b: 0, Ea: 0}}");
    let diagnostics = outcome.expect_err("a misspelt key");
    let help = diagnostics.iter().find(|d| d.id == "yaml::unsupported").and_then(|d| d.help.as_deref());
    assert_eq!(help, Some("did you mean 'rate-constant'? (a warning with --permissive)"));
    let shared = "phases: [{name: gas, thermo: ideal-gas, elements: [H], species: [H, H2]}]\nspecies:\n\
                  - {name: H, composition: {H: 1}, thermo: &t {model: NASA7, temperature-ranges: [300], data: [[1]]}}\n\
                  - {name: H2, composition: {H: 2}, thermo: *t}\n";
    let found = errors(read("case.yaml", shared, None));
    assert_eq!(found.iter().map(|(id, _)| *id).collect::<Vec<_>>(), ["thermo::malformed-entry"]);
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

const PHASE: &str = "phases:\n- name: gas\n  thermo: ideal-gas\n";
const GAS: &str = "
  thermo: {model: NASA7, temperature-ranges: [200, 3000], data: [[2.5, 0, 0, 0, 0, 25000, -0.5]]}
";

/// A file of one gas with the reactions of another file, which gives its own units.
#[test]
fn sections_come_from_other_files_with_their_own_units() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let path = |name: &str| folder.path().join(name);
    let main = format!(
        "{PHASE}  elements: [H]\n  species: [{{parts.yaml/molecules: [H2]}}, {{__file__/atoms: all}}]\n  kinetics: gas\n  \
         reactions:\n  - parts.yaml/rates: declared-species\n- {{name: solid, thermo: fixed-stoichiometry}}\n\
         atoms:\n- name: H\n  composition: {{H: 1}}{GAS}"
    );
    let parts = format!(
        "units: {{length: cm, quantity: mol}}\nmolecules:\n- name: H2\n  composition: {{H: 2}}{GAS}- name: O2\n  \
         composition: {{O: 2}}{GAS}rates:\n- units: {{activation-energy: kcal/mol}}\n\
         - equation: 2 H + M <=> H2 + M\n  rate-constant: {{A: 1e18, b: -1, Ea: 2.5}}\n\
         - equation: H2 + O2 <=> H2 + O2\n  rate-constant: {{A: 1, b: 0, Ea: 0}}\n"
    );
    std::fs::write(path("main.yaml"), main).expect("writable");
    let files = |phase: Option<&str>| Files {
        mechanism: path("main.yaml"),
        phase: phase.map(str::to_owned),
        ..Files::default()
    };
    let absent = errors(mechanism::read(&files(None)));
    assert_eq!(absent, [("yaml::missing-file", "parts.yaml/molecules".to_owned())]);
    let unknown = format!(
        "{}reactions:\n- equation: H2 + M <=> 2 H + M\n  rate-constant: {{A: 1, b: 0, Ea: 0}}\n",
        std::fs::read_to_string(path("main.yaml")).expect("readable")
    );
    std::fs::write(
        path("reacting.yaml"),
        unknown.replace("  reactions:\n  - parts.yaml/rates: declared-species\n", "  reactions: all\n"),
    )
    .expect("writable");
    let reacting = Files { mechanism: path("reacting.yaml"), ..Files::default() };
    assert_eq!(errors(mechanism::read(&reacting)), absent, "what the absent file declares is not called unknown");
    std::fs::write(path("parts.yaml"), parts).expect("writable");
    let (mechanism, _) = mechanism::read(&files(Some("gas"))).expect("a valid mechanism");
    assert_eq!(mechanism.species.iter().map(|s| s.name.as_str()).collect::<Vec<_>>(), ["H2", "H"]);
    let inputs = ["main.yaml", "parts.yaml"].map(|name| path(name).display().to_string());
    assert_eq!(mechanism.inputs.iter().map(|input| input.name.as_str()).collect::<Vec<_>>(), inputs);
    let [reaction] = mechanism.reactions.as_slice() else { panic!("the reaction of declared species") };
    let Rate::Arrhenius(rate) = &reaction.rate else { panic!("an elementary rate") };
    assert_eq!(rate.a, 1e12);
    approx::assert_relative_eq!(rate.e_over_r, 2500.0 * 4.184 / 8.31446261815324, max_relative = 1e-15);
    let solid = errors(mechanism::read(&files(Some("solid"))));
    assert_eq!(solid, [("yaml::unsupported", "fixed-stoichiometry".to_owned())]);
    let unknown = mechanism::read(&files(Some("gass"))).expect_err("no such phase");
    assert_eq!((unknown[0].id, unknown[0].help.as_deref()), ("yaml::phase", Some("did you mean 'gas'?")));
}

/// A gas of H alone with this thermo data.
fn atom(thermo: &str) -> Outcome {
    let text = format!("{PHASE}  elements: [H]\nspecies:\n- name: H\n  composition: {{H: 1}}\n  thermo: {thermo}\n");
    read("case.yaml", &text, None)
}

#[test]
fn other_thermo_models_become_polynomials_at_one_atmosphere() {
    const R: f64 = 8.31446261815324;
    let nasa7 = |outcome| match valid(outcome).species.remove(0).thermo {
        Polynomials::Nasa7(nasa) => nasa,
        Polynomials::Nasa9(_) => panic!("NASA-7"),
    };
    let at_one_bar = "{model: NASA7, reference-pressure: 1 bar, temperature-ranges: [200, 3000], \
                      data: [[2.5, 0, 0, 0, 0, 25000, -0.5]]}";
    approx::assert_relative_eq!(nasa7(atom(at_one_bar)).low[6], -0.5 + (1e5f64 / 101325.0).ln(), max_relative = 1e-15);
    let constant = "{model: constant-cp, T0: 1000 K, h0: 9.22 kcal/mol, s0: -3.02 cal/mol/K, cp0: 20.8 J/mol/K}";
    let nasa = nasa7(atom(constant));
    let (cp, h, s) = (20.8 / R, 9220.0 * 4.184 / R, -3.02 * 4.184 / R);
    for (value, expected) in [(nasa.low[0], cp), (nasa.low[5], h - cp * 1000.0), (nasa.low[6], s - cp * 1000f64.ln())] {
        approx::assert_relative_eq!(value, expected, max_relative = 1e-14);
    }
    let shomate = "{model: Shomate, temperature-ranges: [298, 1200], \
                   data: [[25.56759, 6.096130, 4.054656, -2.671301, 0.131021, -118.0089, 227.3665]]}";
    let Polynomials::Nasa9(nasa) = valid(atom(shomate)).species.remove(0).thermo else { panic!("NASA-9") };
    let a = nasa.ranges[0];
    let t: f64 = 700.0;
    let x = t / 1000.0;
    let s = 25.56759 * x.ln() + 6.09613 * x + 4.054656 * x * x / 2.0
        - 2.671301 * x.powi(3) / 3.0
        - 0.131021 / (2.0 * x * x)
        + 227.3665;
    let nine = -0.5 * a[0] / (t * t) - a[1] / t
        + a[2] * t.ln()
        + a[3] * t
        + a[4] * t * t / 2.0
        + a[5] * t.powi(3) / 3.0
        + a[8];
    approx::assert_relative_eq!(nine * R, s, max_relative = 1e-13);
    let h = 25.56759 * x + 6.09613 * x * x / 2.0 + 4.054656 * x.powi(3) / 3.0
        - 2.671301 * x.powi(4) / 4.0
        - 0.131021 / x
        - 118.0089;
    let nine = -a[0] / t
        + a[1] * t.ln()
        + a[2] * t
        + a[3] * t * t / 2.0
        + a[4] * t.powi(3) / 3.0
        + a[5] * t.powi(4) / 4.0
        + a[7];
    approx::assert_relative_eq!(nine * R, h * 1e3, max_relative = 1e-13);
    assert_eq!(errors(atom("{model: piecewise-Gibbs}"))[0].0, "yaml::unsupported");
}

#[test]
fn a_named_collider_may_have_an_efficiency() {
    let plain = valid(yaml(CGS, "- equation: H + O2 + AR <=> HO2 + AR\n  rate-constant: [1e18, -1, 0]"));
    assert_eq!((plain.reactions[0].reactants.len(), &plain.reactions[0].third_body), (3, &None));
    let scaled = "- equation: H + O2 + AR <=> HO2 + AR\n  rate-constant: [1e18, -1, 0]\n  efficiencies: {AR: 0.7}";
    let scaled = valid(yaml(CGS, scaled));
    let Some(Collider::Mixture(efficiencies)) = &scaled.reactions[0].third_body else { panic!("a third body") };
    assert!(efficiencies.iter().all(|&(k, alpha)| alpha == if k == 8 { 0.7 } else { 0.0 }));
    assert_eq!((efficiencies.len(), scaled.reactions[0].reactants.len()), (10, 2));
    let other = "- equation: H + O2 + AR <=> HO2 + AR\n  rate-constant: [1e18, -1, 0]\n  efficiencies: {N2: 0.7}";
    assert_eq!(errors(yaml(CGS, other))[0].0, "mechanism::third-body");
    for wrong in [
        "- equation: H + O2 + M <=> HO2 + M\n  type: elementary\n  rate-constant: [1e18, -1, 0]",
        "- equation: O + H2 <=> H + OH\n  type: three-body\n  rate-constant: [1e18, -1, 0]",
    ] {
        assert_eq!(errors(yaml(CGS, wrong))[0].0, "mechanism::third-body");
    }
}

#[test]
fn colliders_beside_m_follow_the_rule_of_the_phase() {
    let reactions = "- equation: H + O2 + M <=> HO2 + M\n  rate-constant: [1e18, -1, 0]\n  efficiencies: {H2O: 6}\n\
                     - equation: H + O2 + AR <=> HO2 + AR\n  rate-constant: [1e17, -1, 0]\n";
    let with_rule = |rule: &str| {
        let species = SPECIES.replace("  kinetics: gas", &format!("  kinetics: gas\n  {rule}"));
        assert!(rule.is_empty() || species.contains(rule));
        read("case.yaml", &format!("{CGS}\n{species}\nreactions:\n{reactions}"), None)
    };
    let (_, warnings) = with_rule("").expect("a warning only");
    assert_eq!(warnings.iter().map(|d| d.id).collect::<Vec<_>>(), ["mechanism::explicit-collider"]);
    assert_eq!(errors(with_rule("explicit-third-body-duplicates: error"))[0].0, "mechanism::explicit-collider");
    let modified = valid(with_rule("explicit-third-body-duplicates: modify-efficiency"));
    assert_eq!(modified.reactions[0].third_body, Some(Collider::Mixture(vec![(5, 6.0), (8, 0.0)])));
}

#[test]
fn units_must_be_those_of_the_order() {
    for (rate, id) in [
        ("[1e13 cm^6/mol^2/s, 0, 0]", "mechanism::rate-unit"),
        ("[1e13 cm^3/mol, 0, 0]", "yaml::unknown-unit"),
        ("[1e13, 0, 5 J]", "yaml::unknown-unit"),
        ("[-1e13, 0, 0]", "yaml::unmarked"),
    ] {
        let found = errors(yaml(CGS, &format!("- equation: O + H2 <=> H + OH\n  rate-constant: {rate}")));
        assert_eq!(found.iter().map(|(id, _)| *id).collect::<Vec<_>>(), [id], "{rate}");
    }
    let reference = valid(yaml(CGS, "- equation: O + H2 <=> H + OH\n  rate-constant: [3.87e+04, 2.7, 6260]"));
    for (units, rate) in [
        ("{length: m, quantity: kmol, activation-energy: K}", "[3.87e+04 cm^3/mol/s, 2.7, 6.26 kcal/mol]"),
        ("{length: mm, quantity: mol, activation-energy: cal/mol}", "[3.87e+07, 2.7, 6260]"),
        ("{length: cm, quantity: molec, activation-energy: cal/mol}", "[6.426286189962787e-20, 2.7, 6260]"),
        ("{length: cm, quantity: mol, energy: erg}", "[38.7 L/mol/s, 2.7, 261918400000]"),
        ("{length: cm, quantity: molec, energy: cal}", "[38700 cm^3*mol^-1*s^-1, 2.7, 1.039497456050828e-20]"),
    ] {
        let block = format!("- units: {units}\n- equation: O + H2 <=> H + OH\n  rate-constant: {rate}");
        let other = valid(yaml("", &block));
        let [Rate::Arrhenius(a), Rate::Arrhenius(b)] = [&reference, &other].map(|m| &m.reactions[0].rate) else {
            panic!("an elementary reaction");
        };
        approx::assert_relative_eq!(a.a, b.a, max_relative = 1e-10);
        approx::assert_relative_eq!(a.e_over_r, b.e_over_r, max_relative = 1e-9);
    }
}

/// Aliases of aliases, and brackets in brackets, end at once.
#[test]
fn hostile_documents_end_soon() {
    let start = std::time::Instant::now();
    let mut laughs = "a0: &a0 [H, H, H, H, H, H, H, H, H, H]\n".to_owned();
    for i in 1..12 {
        let list = vec![format!("*a{}", i - 1); 10].join(", ");
        laughs.push_str(&format!("a{i}: &a{i} [{list}]\n"));
    }
    for text in
        [laughs.as_str(), &"{a: ".repeat(200_000), &"- ".repeat(200_000), &"? ".repeat(200_000), &"!".repeat(1_000_000)]
    {
        assert!(!errors(read("case.yaml", text, None)).is_empty());
    }
    assert!(start.elapsed() < std::time::Duration::from_secs(20), "{:?}", start.elapsed());
}

/// Whatever a reader of YAML might pass over in silence.
#[test]
fn documents_that_say_something_twice_are_refused() {
    let cases = [
        ("a: 1\nb: 2\na: 3\n", "this is not YAML: the key `a` stands here twice"),
        ("a: &x {b: 1}\nc:\n  <<: *x\n", "this is not YAML: maps are not merged (`<<`): write the entries out"),
        ("a: 1\n---\na: 2\n", "this is not YAML: a second document begins"),
        ("[a, b]: c\n", "this is not YAML: a key is a list or a map"),
    ];
    for (text, message) in cases {
        let found: Vec<String> = read("case.yaml", text, None).unwrap_err().iter().map(|d| d.message.clone()).collect();
        assert_eq!(found, [message]);
    }
}

#[test]
fn explicit_reverse_rates_are_read_back_from_two_reactions() {
    let pair = "- equation: O + H2 => H + OH\n  rate-constant: [3.87e+04, 2.7, 6260]\n\
                - equation: H + OH => O + H2\n  reverse-of-previous: true\n  rate-constant: [1.7e+04, 2.6, 4000]\n";
    let mechanism = valid(yaml(CGS, pair));
    let [reaction] = mechanism.reactions.as_slice() else { panic!("one reaction") };
    assert_eq!(reaction.equation, "O+H2<=>H+OH");
    assert!(matches!(reaction.reverse, Reverse::Explicit(rate, None) if rate.b == 2.6));
    let found = errors(yaml(CGS, &pair.replace("H + OH => O + H2", "H + O2 => O + OH")));
    assert_eq!(found, [("yaml::reverse", "H + O2 => O + OH".to_owned())]);
}

#[test]
fn escaped_names_are_refused() {
    let text = format!("{PHASE}  elements: [H]\nspecies:\n- name: 'H''x'\n  composition: {{H: 2}}{GAS}");
    assert_eq!(errors(read("case.yaml", &text, None)), [("mechanism::species-name", "H''x".to_owned())]);
}
