# Singe with all that its tests need, without a GPU:
#
#   docker build -t singe .
#   docker run --rm singe mechanisms/gri30/chem.inp --warps 8 --target kepler
#   docker run --rm --workdir /singe --entrypoint cargo singe xtask test
FROM rust:1.95-bookworm@sha256:6258907abe69656e41cd992e0b705cdcfabcbbe3db374f92ed2d47121282d4a1

RUN apt-get update \
 && apt-get install -y --no-install-recommends \
    clang cmake fish g++ gfortran libgomp1 libsundials-dev man-db munge python3 python3-pip python3-venv \
    slurm-client slurmctld slurmd zsh \
 && rm -rf /var/lib/apt/lists/*
RUN rustup component add clippy rustfmt

# Builds and runs without the rights of root.
RUN useradd --create-home singe && mkdir /singe /data && chown singe /singe /data
COPY --chown=singe . /singe
WORKDIR /singe
# Fetches NVRTC, ptxas, nvcc, nvdisasm and Cantera's mechanisms; what is absent is told and skipped.
USER singe
RUN cargo build --release --workspace \
 && (cargo xtask toolchain || true) \
 && (cargo xtask cantera || true)
ENV PATH="/singe/target/release:$PATH"

# A folder of the host that is mounted here takes the place of the mechanisms.
RUN ln -s /singe/mechanisms /data/mechanisms
WORKDIR /data
ENTRYPOINT ["singe"]
CMD ["--help"]
