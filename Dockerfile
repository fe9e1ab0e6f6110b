# Singe with all that its tests need, without a GPU:
#
#   docker build -t singe .
#   docker run --rm singe mechanisms/gri30/chem.inp --warps 8 --target kepler
#   docker run --rm --workdir /singe --entrypoint cargo singe xtask test
FROM rust:1.95-bookworm

RUN apt-get update \
 && apt-get install -y --no-install-recommends \
    clang cmake fish g++ gfortran libgomp1 man-db python3 python3-pip python3-venv zsh \
 && rm -rf /var/lib/apt/lists/*
RUN rustup component add clippy rustfmt

COPY . /singe
WORKDIR /singe
# Fetches NVRTC, ptxas, nvcc, nvdisasm and Cantera's mechanisms; what is absent is told and skipped.
RUN cargo build --release --workspace \
 && (cargo xtask toolchain || true) \
 && (cargo xtask cantera || true) \
 && ln -s /singe/target/release/singe /singe/target/release/singe-tune /usr/local/bin/

# A folder of the host that is mounted here takes the place of the mechanisms.
RUN mkdir /data && ln -s /singe/mechanisms /data/mechanisms
WORKDIR /data
ENTRYPOINT ["singe"]
CMD ["--help"]
