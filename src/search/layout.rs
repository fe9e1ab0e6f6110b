//! Which layout of a kernel is the fastest.

use serde::Serialize;

/// What is known of the time of one layout, in nanoseconds per point.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct LayoutTime {
    pub codegen: String,
    pub warps: u32,
    /// That an SM holds.
    pub ctas_per_sm: u32,
    /// The algebra, with the way to multiply matrices.
    pub form: String,
    /// Where the constants live.
    pub constants: String,
    /// Inputs are copied ahead.
    pub prefetch: bool,
    pub estimated_ns: Option<f64>,
    /// By the full model, where machine code was there to run.
    pub predicted_ns: Option<f64>,
}

/// The place of the layout that takes least time; the first of equal ones. The full model decides where it knows all of them, else
/// the estimate.
pub fn fastest(layouts: &[LayoutTime]) -> usize {
    let all_predicted = layouts.iter().all(|layout| layout.predicted_ns.is_some());
    let time = |layout: &LayoutTime| {
        let time = if all_predicted { layout.predicted_ns } else { layout.estimated_ns };
        time.unwrap_or(f64::INFINITY)
    };
    let places = 0..layouts.len();
    places.min_by(|&a, &b| time(&layouts[a]).total_cmp(&time(&layouts[b]))).expect("a kernel has a layout")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn layout(estimated_ns: Option<f64>, predicted_ns: Option<f64>) -> LayoutTime {
        LayoutTime {
            codegen: String::new(),
            warps: 8,
            ctas_per_sm: 1,
            form: String::new(),
            constants: String::new(),
            prefetch: false,
            estimated_ns,
            predicted_ns,
        }
    }

    #[test]
    fn the_full_model_decides_where_it_knows_all() {
        let both = [layout(Some(1.0), Some(3.0)), layout(Some(2.0), Some(2.0))];
        assert_eq!(fastest(&both), 1);
        assert_eq!(fastest(&[both[0].clone(), layout(Some(2.0), None)]), 0);
        assert_eq!(fastest(&[layout(None, None), layout(Some(2.0), None), layout(Some(2.0), None)]), 1);
    }
}
