//! Keywords of CHEMKIN that mean something else than homogeneous kinetics of a gas in thermal equilibrium.

/// Returns the meaning of an auxiliary keyword that Singe does not compute.
pub fn keyword(key: &str) -> Option<&'static str> {
    KEYWORDS.iter().find(|(known, _)| known.eq_ignore_ascii_case(key)).map(|(_, meaning)| *meaning)
}

/// Whether a section describes a surface.
pub fn section(key: &str) -> bool {
    ["SITE", "BULK", "MATERIAL", "SURFACE"].iter().any(|known| known.eq_ignore_ascii_case(key))
}

const KEYWORDS: [(&str, &str); 17] = [
    ("STICK", "the sticking coefficient of a surface reaction"),
    ("COV", "the coverage dependence of a surface reaction"),
    ("BOHM", "the Bohm correction of a surface reaction"),
    ("MWON", "the Motz-Wise correction of a surface reaction"),
    ("MWOFF", "the Motz-Wise correction of a surface reaction"),
    ("NUCL", "particle nucleation"),
    ("YIELD", "an ion-enhanced yield"),
    ("ENRGDEP", "the ion-energy dependence of a surface reaction"),
    ("MOME", "an electron momentum-transfer reaction of a plasma"),
    ("XSMI", "an ion momentum-transfer reaction of a plasma"),
    ("EXCI", "an electron-impact excitation of a plasma"),
    ("TDEP", "a temperature other than that of the gas, as in a plasma"),
    ("JAN", "a fit of Janev and others for plasmas"),
    ("FIT1", "a power series in the exponent"),
    ("HV", "the wavelength of a photon"),
    ("USRPROG", "a rate from a user's subroutine"),
    ("RKFIT", "a rate from a user's subroutine"),
];
