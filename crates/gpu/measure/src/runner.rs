//! The program that runs packs on a machine with a GPU.

/// Its source in C, which needs the driver alone: `cc -O2 -o runner runner.c -ldl -lm`.
pub const SOURCE: &str = include_str!("runner.c");

/// The script beside it: builds the program if there is a compiler, and runs all packs of the folder.
pub const SCRIPT: &str = "#!/bin/sh\n\
    # Measures the GPU at hand: ./run.sh [RESULTS.json]\n\
    set -e\n\
    cd \"$(dirname \"$0\")\"\n\
    if command -v cc > /dev/null; then cc -O2 -o runner runner.c -ldl -lm; fi\n\
    ./runner \"${1:-results.json}\" packs/*\n";
