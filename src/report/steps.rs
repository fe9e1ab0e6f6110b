//! Method of reactors and of single steps, in words.

use kinetics::integrator::Method;

/// Says which method makes steps, its order, and the meaning of its errors.
pub fn steps(method: &Method) -> String {
    let embedded = method.order - 1;
    let explicit = method.explicit.map_or(String::new(), |explicit| {
        format!(", but {}, order {}, where a point is not stiff", explicit.name, explicit.order)
    });
    format!(
        "steps by {}, order {}{explicit}; the error of an unknown is its difference from a solution of order {embedded}",
        method.name, method.order
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use kinetics::integrator::{AUTO, METHODS};

    #[test]
    fn each_method_tells_its_name_and_its_order() {
        for method in METHODS.iter().chain([&AUTO]) {
            let words = steps(method);
            assert!(words.contains(&format!("by {}, order {}", method.name, method.order)), "{words}");
            assert!(words.ends_with(&format!("a solution of order {}", method.order - 1)), "{words}");
            assert_eq!(words.contains("not stiff"), method.explicit.is_some(), "{words}");
        }
    }
}
