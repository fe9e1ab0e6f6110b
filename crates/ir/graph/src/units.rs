//! The units in which host codes hand over arrays. Graphs compute in SI with kmol; other units are converted where fields
//! are loaded and stored.

use super::body::{Binary, Body, Id, Inst};
use super::dataflow::{Graph, StepRef};

/// A system of units for the kernels' arrays.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, clap::ValueEnum, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Units {
    /// K, Pa, Pa s, W/m/K, m^2/s, kmol/m^3/s, kg/m^3/s
    #[default]
    #[serde(alias = "SI")]
    Si,
    /// K, dyn/cm^2, g/cm/s, erg/cm/s/K, cm^2/s, mol/cm^3/s, g/cm^3/s
    #[serde(alias = "CGS")]
    Cgs,
}

impl Units {
    pub fn name(self) -> &'static str {
        match self {
            Self::Si => "si",
            Self::Cgs => "cgs",
        }
    }

    /// Returns the factor that turns a number in these units into SI, by the name of the array.
    pub fn to_si(self, array: &str) -> f64 {
        match (self, array) {
            (Self::Si, _) => 1.0,
            (Self::Cgs, "pressure" | "viscosity") => 0.1,
            (Self::Cgs, "conductivity") => 1e-5,
            (Self::Cgs, "diffusion") => 1e-4,
            (Self::Cgs, "production_rates" | "transport_source" | "density" | "concentrations") => 1e3,
            (Self::Cgs, "energy" | "enthalpy") => 1e-4,
            (Self::Cgs, "mole_fraction_gradients" | "temperature_gradient") => 100.0,
            (Self::Cgs, _) => 1.0,
        }
    }

    /// Returns the factor that turns a number in SI into these units, by the name of the array or of the quantity in its rows:
    /// the reciprocal, rounded once.
    pub fn from_si(self, name: &str) -> f64 {
        match (self, name) {
            (Self::Si, _) => 1.0,
            (Self::Cgs, "pressure" | "viscosity") => 10.0,
            (Self::Cgs, "conductivity") => 1e5,
            (Self::Cgs, "diffusion") => 1e4,
            (Self::Cgs, "production_rates" | "production-rates" | "mass-production-rates" | "transport_source") => 1e-3,
            (Self::Cgs, "forward-rates" | "reverse-rates" | "net-rates" | "creation-rates" | "destruction-rates") => {
                1e-3
            }
            (Self::Cgs, "density" | "concentrations" | "by-temperature") => 1e-3,
            (Self::Cgs, "heat-release-rate") => 10.0,
            (Self::Cgs, "mass-fluxes") => 0.1,
            (Self::Cgs, "enthalpy-flux") => 1e3,
            (Self::Cgs, "mole_fraction_gradients" | "temperature_gradient") => 0.01,
            (Self::Cgs, "energy" | "enthalpy") => 1e4,
            // Per kmol or per kg, with or without a kelvin.
            (Self::Cgs, name)
                if ["cp", "cv", "h", "u", "s", "g"].contains(&name.rsplit('-').next().unwrap_or(name)) =>
            {
                1e4
            }
            (Self::Cgs, _) => 1.0,
        }
    }
}

/// Makes a graph in SI take and give these units.
pub fn convert(graph: &mut Graph, units: Units) {
    graph.units = units;
    let to_si: Vec<f64> = graph.arrays.iter().map(|a| units.to_si(a.name)).collect();
    if to_si.iter().any(|&factor| factor != 1.0) {
        graph.rewrite(|body| loading(body, &to_si));
    }
    for op in graph.ops.keys() {
        for part in graph.ops[op].parts().collect::<Vec<_>>() {
            let step = graph.step(StepRef { op, part });
            let from_si: Vec<f64> = step.stores.iter().map(|&(_, row)| units.from_si(graph.quantity(row))).collect();
            if from_si.iter().any(|&factor| factor != 1.0) {
                let body = storing(&graph.shapes[step.shape], &from_si);
                graph.ops[op].step_mut(part).shape = graph.shape(body);
            }
        }
    }
}

/// The body with loads in other units.
fn loading(old: &Body, to_si: &[f64]) -> Body {
    let mut new = Body { tensor: old.tensor, ..Body::default() };
    let mut place: Vec<Id> = Vec::with_capacity(old.insts.len());
    for &inst in &old.insts {
        let at = |id: Id| place[id as usize];
        let moved = match inst {
            Inst::Unary(op, a) => Inst::Unary(op, at(a)),
            Inst::Binary(op, a, b) => Inst::Binary(op, at(a), at(b)),
            Inst::Fma(a, b, c) => Inst::Fma(at(a), at(b), at(c)),
            Inst::SelectLe { a, b, then, otherwise } => {
                Inst::SelectLe { a: at(a), b: at(b), then: at(then), otherwise: at(otherwise) }
            }
            Inst::Literal(_)
            | Inst::Constant(_)
            | Inst::Scalar(_)
            | Inst::Input(_)
            | Inst::Field { .. }
            | Inst::State(_) => inst,
        };
        let mut id = new.push(moved);
        if let Inst::Field { array, .. } = inst {
            id = scaled(&mut new, id, to_si[array as usize]);
        }
        place.push(id);
    }
    let moved = |ids: &[Id]| ids.iter().map(|&id| place[id as usize]).collect::<Vec<_>>();
    new.states = moved(&old.states);
    new.values = moved(&old.values);
    new.stores = moved(&old.stores);
    new
}

/// The body with stores in other units.
fn storing(old: &Body, from_si: &[f64]) -> Body {
    let mut new = old.clone();
    new.stores = old.stores.iter().zip(from_si).map(|(&id, &factor)| scaled(&mut new, id, factor)).collect();
    new
}

fn scaled(body: &mut Body, id: Id, factor: f64) -> Id {
    if factor == 1.0 {
        return id;
    }
    let factor = body.literal(factor);
    body.binary(Binary::Mul, id, factor)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn factors_are_reciprocal() {
        for array in [
            "temperature", "pressure", "mole_fractions", "transport_source", "time_step", "viscosity", "conductivity",
            "diffusion", "production_rates", "density", "energy", "temperature_gradient",
        ] {
            for units in [Units::Si, Units::Cgs] {
                assert!((units.to_si(array) * units.from_si(array) - 1.0).abs() < 1e-15, "{array}");
            }
        }
    }

    #[test]
    fn loads_and_stores_are_scaled_and_nothing_else() {
        let mut body = Body::default();
        let temperature = body.field(0, 0);
        let pressure = body.field(1, 1);
        let sum = body.add(temperature, pressure);
        body.states = vec![sum];
        body.stores = vec![sum];
        let body = storing(&loading(&body, &[1.0, 0.1, 10.0]), &[1e5]);
        let text = body.to_string();
        let expected = "  %0 = field 0[row 0]\n  %1 = field 1[row 1]\n  %2 = 1e-1\n  %3 = Mul %1 %2\n  %4 = Add %0 %3\n  \
                        %5 = 1e5\n  %6 = Mul %4 %5\n  states [4] values [] stores [6]\n";
        assert_eq!(text, expected);
    }
}
