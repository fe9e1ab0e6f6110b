//! Assumptions of a proof.

use crate::hazard::Site;
use crate::{Argument, Launch};
use std::fmt::{self, Display, Formatter};

/// A condition that a proof rests on and did not show.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Assumption {
    /// CTAs, and threads per CTA.
    Shape { ctas: [u32; 3], threads: [u32; 3] },
    /// CTAs of a cluster.
    Cluster([u32; 3]),
    /// Bytes of shared memory that the launch adds.
    DynamicShared(u64),
    /// A parameter without whose value there is no proof.
    Parameter { name: String, value: Argument },
    /// The lanes of a warp execute together, up to sm_62.
    Lockstep,
    /// Several lanes of a warp write the same value to one address, and it stays.
    SameValue(Site),
    /// Several lanes of a warp write values that depend on data to one address, and they are equal.
    EqualValues(Site),
    /// An address that depends on data lies in these variables.
    Inside { site: Site, variables: Vec<String> },
    /// `elect.sync` chooses the lowest lane that it names.
    Leader(Site),
    /// A copy of a tensor brings as many bytes as the phase expects.
    TensorBytes { site: Site, bytes: u64 },
    /// No copy of a tensor out of shared memory reads more bytes.
    TensorOut { site: Site, bytes: u64 },
    /// Barriers order accesses of tensor memory without the fences of `tcgen05`.
    TensorOrder(Site),
    /// Warps that reach the same lanes of tensor memory load and store in different columns.
    TensorColumns(Site),
    /// Barriers in memory order what threads of several CTAs do, although an arrival or a wait has the scope of its CTA.
    NarrowScope(Site),
    /// A cluster has one CTA.
    OneCta,
    /// Registers of a thread at the launch.
    Registers(u32),
    /// All threads load one value from one place in global memory.
    OneValue(Site),
    /// A loop whose number of iterations depends on data.
    LoopEnds(Site),
    /// No warp goes round a loop more often than it was executed.
    Rounds { site: Site, most: u32 },
}

/// Returns the assumptions that follow from the launch alone.
pub(super) fn of_launch(launch: &Launch, dynamic: bool) -> Vec<Assumption> {
    let mut list = vec![Assumption::Shape { ctas: launch.ctas, threads: launch.threads }];
    list.extend(launch.cluster.map(Assumption::Cluster));
    if dynamic {
        list.push(Assumption::DynamicShared(launch.shared));
    }
    list
}

impl Assumption {
    /// Whether both assume the same of tensors or of scopes, which is told once for a kernel.
    pub(super) fn is_like(&self, other: &Self) -> bool {
        matches!(
            (self, other),
            (Self::TensorOrder(_), Self::TensorOrder(_))
                | (Self::TensorColumns(_), Self::TensorColumns(_))
                | (Self::NarrowScope(_), Self::NarrowScope(_))
                | (Self::TensorOut { .. }, Self::TensorOut { .. })
        )
    }

    /// Whether it depends on data or tensors that nobody has looked at, or on orders that PTX does not give.
    pub fn is_condition(&self) -> bool {
        let of_loops = matches!(self, Self::OneValue(_) | Self::LoopEnds(_) | Self::Rounds { .. });
        let of_tensors = matches!(self, Self::TensorOrder(_) | Self::TensorColumns(_) | Self::TensorOut { .. });
        of_loops || of_tensors || matches!(self, Self::NarrowScope(_))
    }
}

impl Display for Assumption {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Self::Shape { ctas, threads } => {
                write!(f, "{} CTAs of {} threads", Extents(ctas), Extents(threads))
            }
            Self::Cluster(ctas) => write!(f, "clusters of {} CTAs", Extents(ctas)),
            Self::DynamicShared(bytes) => write!(f, "{bytes} bytes of shared memory that the launch adds"),
            Self::Parameter { name, value } => write!(f, "{name} {}", Value(value)),
            Self::Lockstep => write!(f, "the lanes of a warp execute together, as they do before sm_70"),
            Self::SameValue(site) => write!(f, "{site}: lanes write the same value to one address, and it stays"),
            Self::EqualValues(site) => {
                write!(f, "{site}: lanes write equal values, which depend on data, to one address, and they stay")
            }
            Self::Inside { site, variables } => {
                write!(f, "{site}: its address, which depends on data, lies in {}", variables.join(" or "))
            }
            Self::Leader(site) => write!(f, "{site}: the leader is the lowest lane that is named"),
            Self::TensorBytes { site, bytes } => write!(f, "{site}: the tensor has {bytes} bytes there"),
            Self::TensorOut { site, bytes } => {
                write!(f, "{site}: copies of tensors out of shared memory read at most {bytes} bytes each")
            }
            Self::TensorOrder(site) => {
                write!(f, "{site}: barriers order accesses of tensor memory without a tcgen05.fence on both sides")
            }
            Self::TensorColumns(site) => {
                write!(f, "{site}: warps that reach the same lanes of tensor memory use different columns")
            }
            Self::NarrowScope(site) => {
                write!(
                    f,
                    "{site}: the barrier orders what threads of several CTAs do, although its scope here is its own CTA"
                )
            }
            Self::OneCta => write!(f, "a cluster has one CTA"),
            Self::Registers(count) => write!(f, "{count} registers for each thread at the launch"),
            Self::OneValue(site) => write!(f, "{site}: all threads load the same value"),
            Self::LoopEnds(site) => write!(f, "{site}: a loop behind it ends"),
            Self::Rounds { site, most } => {
                write!(f, "{site}: each warp comes to it at most {} times; more were not executed", most + 1)
            }
        }
    }
}

/// Sizes in up to three dimensions.
struct Extents<'a>(&'a [u32; 3]);

impl Display for Extents<'_> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self.0 {
            [x, 1, 1] => write!(f, "{x}"),
            [x, y, 1] => write!(f, "{x} x {y}"),
            [x, y, z] => write!(f, "{x} x {y} x {z}"),
        }
    }
}

/// Description of a parameter's value.
struct Value<'a>(&'a Argument);

impl Display for Value<'_> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self.0 {
            Argument::Buffer(_) => write!(f, "points to an array of its own in global memory"),
            Argument::U32(value) => write!(f, "= {value}"),
            Argument::U64(value) => write!(f, "= {value}"),
            Argument::Bytes(bytes) => {
                write!(f, "= hex:")?;
                bytes.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
            }
            Argument::Any => write!(f, "= ANY"),
        }
    }
}
