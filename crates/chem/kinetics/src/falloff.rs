//! Pressure-dependent rate constants between a low- and a high-pressure limit.

use super::number::Number;
use mechanism::Blending;

/// Keeps logarithms and quotients of vanishing numbers finite, as Cantera does.
pub const SMALL: f64 = 1e-300;

/// k = k_inf Pr/(1+Pr) F with Pr = k_0 \[M\]/k_inf. `m` is \[M\] in kmol/m3. Lindemann, Trans. Faraday Soc. 17 (1922) 598.
pub fn falloff<N: Number>(low: N, high: N, m: N, blending: &Blending, t: N) -> N {
    if high.value() == 0.0 {
        return N::from(0.0);
    }
    let reduced = reduced_pressure(low, high, m);
    high * (reduced / (reduced + 1.0)) * broadening(blending, reduced, t)
}

/// k = k_0 F/(1+Pr), the form of a chemically activated reaction. CHEMKIN-II, SAND89-8009, section II.8.
pub fn chemically_activated<N: Number>(low: N, high: N, m: N, blending: &Blending, t: N) -> N {
    if high.value() == 0.0 {
        return N::from(0.0);
    }
    let reduced = reduced_pressure(low, high, m);
    low * broadening(blending, reduced, t) / (reduced + 1.0)
}

fn reduced_pressure<N: Number>(low: N, high: N, m: N) -> N {
    low * m / (high + SMALL)
}

/// The broadening factor F.
fn broadening<N: Number>(blending: &Blending, reduced: N, t: N) -> N {
    match *blending {
        Blending::Lindemann => N::from(1.0),
        Blending::Troe { a, t3, t1, t2 } => troe(troe_center(a, t3, t1, t2, t), reduced),
        Blending::Sri { a, b, c, d, e } => {
            let lg = reduced.max(SMALL).log10();
            let base = (N::from(-b) / t).exp() * a + decay(t, c);
            t.power(N::from(e)) * d * base.power(N::from(1.0) / (lg * lg + 1.0))
        }
    }
}

/// Gilbert, Luther, Troe, Ber. Bunsenges. Phys. Chem. 87 (1983) 169.
fn troe<N: Number>(center: N, reduced: N) -> N {
    let lg_center = center.max(SMALL).log10();
    let x = reduced.max(SMALL).log10() - 0.4 - lg_center * 0.67;
    let n = N::from(0.75) - lg_center * 1.27;
    let ratio = x / (n - x * 0.14);
    (lg_center / (ratio * ratio + 1.0)).exp10()
}

fn troe_center<N: Number>(a: f64, t3: f64, t1: f64, t2: Option<f64>, t: N) -> N {
    let third = t2.map_or(N::from(0.0), |t2| (N::from(-t2) / t).exp());
    decay(t, t3) * (1.0 - a) + decay(t, t1) * a + third
}

/// exp(-t/scale); 0 where the scale is 0.
fn decay<N: Number>(t: N, scale: f64) -> N {
    if scale.abs() < SMALL { N::from(0.0) } else { (-t / scale).exp() }
}

#[cfg(test)]
mod tests {
    use super::*;
    use approx::assert_relative_eq;

    const TROE: Blending = Blending::Troe { a: 0.783, t3: 74.0, t1: 2941.0, t2: Some(6964.0) };

    #[test]
    fn limits_of_the_pressure() {
        for blending in [Blending::Lindemann, TROE] {
            assert_relative_eq!(falloff(2.0, 3.0, 1e40, &blending, 1000.0), 3.0, max_relative = 1e-1);
            assert_relative_eq!(falloff(2.0, 3.0, 1e-40, &blending, 1000.0), 2e-40, max_relative = 1e-1);
            assert_relative_eq!(chemically_activated(2.0, 3.0, 1e-40, &blending, 1000.0), 2.0, max_relative = 1e-1);
        }
        assert_relative_eq!(falloff(2.0, 3.0, 1.5, &Blending::Lindemann, 1000.0), 1.5, max_relative = 1e-15);
    }

    #[test]
    fn the_center_of_troe_is_the_value_at_its_own_reduced_pressure() {
        let center = troe_center(0.783, 74.0, 2941.0, Some(6964.0), 1200.0);
        let reduced = 10f64.powf(0.4 + 0.67 * center.log10());
        assert_relative_eq!(troe(center, reduced), center, max_relative = 1e-14);
    }

    #[test]
    fn degenerate_parameters_stay_finite() {
        assert_eq!(troe_center(0.4, 0.0, 0.0, None, 900.0), 0.0);
        assert!(broadening(&Blending::Troe { a: -73.91, t3: 0.0, t1: 1e30, t2: None }, 0.0, 900.0).is_finite());
        assert_eq!(falloff(0.0, 0.0, 0.0, &TROE, 900.0), 0.0);
        assert_eq!(falloff(1e10, 0.0, 1.0, &TROE, 900.0), 0.0);
        assert_eq!(chemically_activated(1e10, 0.0, 1.0, &TROE, 900.0), 0.0);
        let sri = Blending::Sri { a: 1.1, b: 700.0, c: 0.0, d: 2.0, e: 0.0 };
        assert_relative_eq!(broadening(&sri, 1.0, 700.0), 2.2 * (-1f64).exp(), max_relative = 1e-14);
    }
}
