//! Instructions of asynchronous copies, of barriers in memory and of clusters, as their operands say.
//!
//! The IR keeps them verbatim ([`Op::Opaque`](super::inst::Op::Opaque)), so that no pass takes anything for granted of them. Who has to know what they
//! do asks here. Names and meanings are those of the PTX ISA, sections "Data Movement and Conversion Instructions:
//! Asynchronous copy" and "Parallel Synchronization and Communication Instructions: mbarrier".

use super::inst::{Address, AtomOp, Operand, Piece, Type};
use super::ir::{Module, Reg};
use super::names::Named;
use super::verbatim::{Item, Part, operands, operands_with_lists};

/// One of these instructions.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Async {
    /// `mbarrier.init`: the phase ends with `count` arrivals.
    Init {
        at: Address,
        count: Operand,
    },
    /// `mbarrier.inval`
    Invalidate {
        at: Address,
    },
    /// `mbarrier.arrive`, with what `expect_tx` adds to the bytes that the phase waits for.
    Arrive {
        at: Address,
        count: Option<Operand>,
        bytes: Option<Operand>,
        drops: bool,
        state: Option<Reg>,
        reach: Reach,
    },
    /// `mbarrier.expect_tx`
    Expect {
        at: Address,
        bytes: Operand,
        reach: Reach,
    },
    /// `mbarrier.test_wait` and `try_wait`, by the state that an arrival gave or by the parity of the phase.
    Wait {
        at: Address,
        phase: Operand,
        parity: bool,
        pred: Option<Reg>,
        /// It acquires what other CTAs of the cluster release.
        wide: bool,
    },
    /// `cp.async`: `size` bytes are read and the rest of `bytes` is zero.
    Copy {
        to: Address,
        from: Address,
        bytes: u32,
        size: Option<Operand>,
    },
    /// `cp.async.commit_group`, or with `bulk` that of bulk copies.
    Commit {
        bulk: bool,
    },
    /// `cp.async.wait_group`: until at most `groups` are under way; with `bulk` that of bulk copies. Without a number
    /// `cp.async.wait_all`, also for copies that are in no group yet.
    Drain {
        groups: Option<u32>,
        bulk: bool,
    },
    /// `cp.async.mbarrier.arrive`: when the copies before are done; `counted`: as one of the arrivals that are expected.
    CopyArrive {
        at: Address,
        counted: bool,
    },
    /// `cp.async.bulk` from global to shared memory; with `ranks` to the same place in each CTA of that mask.
    BulkLoad {
        to: Address,
        from: Address,
        bytes: Operand,
        barrier: Address,
        ranks: Option<Operand>,
    },
    /// `cp.async.bulk` from shared to global memory, or with `reduces` `cp.reduce.async.bulk`.
    BulkStore {
        to: Address,
        from: Address,
        bytes: Operand,
        reduces: bool,
    },
    /// `cp.async.bulk` from the memory of this CTA to that of another one of the cluster, or `cp.reduce.async.bulk` with the bytes of an element.
    BulkMove {
        to: Address,
        from: Address,
        bytes: Operand,
        barrier: Address,
        reduces: Option<u32>,
    },
    /// `st.async` of so many bytes to shared memory in the cluster, or `red.async` with the bytes of the element.
    AsyncStore {
        to: Address,
        bytes: u32,
        barrier: Address,
        reduces: Option<u32>,
    },
    /// `cp.async.bulk.tensor` into shared memory; the tensor map says how many bytes.
    TensorLoad {
        to: Address,
        barrier: Address,
        ranks: Option<Operand>,
    },
    /// `cp.async.bulk.tensor` out of shared memory, also with a reduction.
    TensorStore {
        from: Address,
    },
    /// `tensormap.replace` in shared memory.
    MapChange {
        at: Address,
    },
    /// `tensormap.cp_fenceproxy` from shared to global memory.
    MapCopy {
        to: Address,
        from: Address,
    },
    /// `barrier.cluster.arrive` and `wait`
    ClusterArrive {
        relaxed: bool,
    },
    ClusterWait,
    /// `mapa`: the address of the same place in the CTA of that rank; with `generic` among the generic ones.
    Map {
        dst: Reg,
        a: Operand,
        rank: Operand,
        generic: bool,
    },
    /// `getctarank`: the rank of the CTA in whose memory the address lies.
    Rank {
        dst: Reg,
        a: Operand,
        generic: bool,
    },
    /// `ld.shared::cluster` of one element, and as below from and to any CTA of the cluster.
    Load {
        ty: Type,
        dst: Reg,
        at: Address,
    },
    /// `st.shared::cluster`
    Store {
        ty: Type,
        src: Operand,
        at: Address,
    },
    /// `atom.shared::cluster` and `red.shared::cluster`
    Atomic {
        op: AtomOp,
        ty: Type,
        dst: Option<Reg>,
        at: Address,
        a: Operand,
        b: Option<Operand>,
    },
    /// `setmaxnreg.inc` and `dec`
    Registers {
        count: u32,
        more: bool,
    },
    /// `elect.sync`
    Elect {
        lane: Option<Reg>,
        pred: Option<Reg>,
        mask: Operand,
    },
    /// An instruction whose effect only other grids, caches or descriptors notice.
    Hint,
}

/// Reach of an arrival: the barriers to which it may come, and the threads that may learn from it what happened before.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Reach {
    /// The barrier may be that of another CTA of the cluster.
    pub remote: bool,
    /// It releases to other CTAs of the cluster.
    pub wide: bool,
}

/// Returns the effect of an instruction that is kept verbatim; `None` when it is none of these, or in a form that is not known.
pub fn view(module: &Module, opcode: &str, pieces: &[Piece]) -> Option<Async> {
    let parts: Vec<&str> = opcode.split('.').collect();
    if let ["st" | "red", "async", ..] = parts[..] {
        return async_store(&parts, &operands_with_lists(module, pieces)?);
    }
    let items = operands(module, pieces)?;
    match parts[0] {
        "mbarrier" => mbarrier(&parts, &items),
        "cp" if parts.get(1) == Some(&"async") => copy(&parts, &items),
        "cp" if parts[1..].starts_with(&["reduce", "async", "bulk"]) => bulk(&parts[1..], &items),
        "barrier" if parts.get(1) == Some(&"cluster") => match parts[2] {
            "arrive" => Some(Async::ClusterArrive { relaxed: parts.contains(&"relaxed") }),
            "wait" => Some(Async::ClusterWait),
            _ => None,
        },
        "mapa" => match items[..] {
            [Item::Value(Operand::Reg(dst)), Item::Value(a), Item::Value(rank)] => {
                Some(Async::Map { dst, a, rank, generic: parts[1] != "shared::cluster" })
            }
            _ => None,
        },
        "getctarank" => match items[..] {
            [Item::Value(Operand::Reg(dst)), Item::Value(a)] => {
                Some(Async::Rank { dst, a, generic: parts[1] != "shared::cluster" })
            }
            _ => None,
        },
        "ld" | "st" | "atom" | "red" if parts.contains(&"shared::cluster") => access(&parts, &items),
        "setmaxnreg" => match items[..] {
            [Item::Value(Operand::Imm(count))] => {
                Some(Async::Registers { count: u32::try_from(count).ok()?, more: parts[1] == "inc" })
            }
            _ => None,
        },
        "elect" => match items[..] {
            [Item::Pair(lane, pred), Item::Value(mask)] => Some(Async::Elect { lane, pred, mask }),
            _ => None,
        },
        "tensormap" if parts.contains(&"shared::cta") => match (parts[1], &items[..]) {
            ("replace", [Item::At(at), ..]) => Some(Async::MapChange { at: *at }),
            ("cp_fenceproxy", [Item::At(to), Item::At(from), Item::Value(Operand::Imm(128))]) => {
                Some(Async::MapCopy { to: *to, from: *from })
            }
            _ => None,
        },
        // it orders accesses of maps in global memory
        "fence" if parts[1..].starts_with(&["proxy", "tensormap::generic"]) => Some(Async::Hint),
        "griddepcontrol" | "prefetch" | "prefetchu" | "applypriority" | "nanosleep" | "pmevent" => Some(Async::Hint),
        _ => None,
    }
}

/// An access of the memory of any CTA of the cluster.
fn access(parts: &[&str], items: &[Item]) -> Option<Async> {
    let ty = Type::by_name(parts.last()?).filter(|ty| ty.bytes() <= 8)?;
    let name = parts.len().checked_sub(2).map(|at| parts[at])?;
    if parts.iter().any(|part| matches!(*part, "async" | "v2" | "v4" | "cta")) {
        return None;
    }
    match (parts[0], items) {
        ("ld", [Item::Value(Operand::Reg(dst)), Item::At(at)]) => Some(Async::Load { ty, dst: *dst, at: *at }),
        ("st", [Item::At(at), Item::Value(src)]) => Some(Async::Store { ty, src: *src, at: *at }),
        ("red", [Item::At(at), Item::Value(a)]) => {
            Some(Async::Atomic { op: AtomOp::by_name(name)?, ty, dst: None, at: *at, a: *a, b: None })
        }
        ("atom", [Item::Value(Operand::Reg(dst)), Item::At(at), Item::Value(a), rest @ ..]) => {
            let b = match rest {
                [] => None,
                [Item::Value(b)] => Some(*b),
                _ => return None,
            };
            Some(Async::Atomic { op: AtomOp::by_name(name)?, ty, dst: Some(*dst), at: *at, a: *a, b })
        }
        _ => None,
    }
}

fn mbarrier(parts: &[&str], items: &[Item]) -> Option<Async> {
    let has = |what: &str| parts.contains(&what);
    let own = has("shared") || has("shared::cta");
    let reach = Reach { remote: !own, wide: has("cluster") };
    match (parts[1], items) {
        ("init", [Item::At(at), Item::Value(count)]) => Some(Async::Init { at: *at, count: *count }),
        ("inval", [Item::At(at)]) => Some(Async::Invalidate { at: *at }),
        ("expect_tx", [Item::At(at), Item::Value(bytes)]) => Some(Async::Expect { at: *at, bytes: *bytes, reach }),
        ("arrive" | "arrive_drop" | "test_wait" | "try_wait", _) if has("noComplete") || has("relaxed") => None,
        ("arrive" | "arrive_drop", items) => {
            let (state, rest) = match items {
                [Item::Value(Operand::Reg(state)), rest @ ..] => (Some(*state), rest),
                [Item::Sink, rest @ ..] => (None, rest),
                rest => (None, rest),
            };
            let (at, number) = match rest {
                [Item::At(at)] => (*at, None),
                [Item::At(at), Item::Value(number)] => (*at, Some(*number)),
                _ => return None,
            };
            let expects = has("expect_tx");
            let (count, bytes) = if expects { (None, Some(number?)) } else { (number, None) };
            Some(Async::Arrive { at, count, bytes, drops: parts[1] == "arrive_drop", state, reach })
        }
        ("test_wait" | "try_wait", [pred, Item::At(at), Item::Value(phase), ..]) => {
            let pred = match pred {
                Item::Value(Operand::Reg(pred)) => Some(*pred),
                Item::Sink => None,
                _ => return None,
            };
            Some(Async::Wait { at: *at, phase: *phase, parity: has("parity"), pred, wide: has("cluster") })
        }
        _ => None,
    }
}

fn copy(parts: &[&str], items: &[Item]) -> Option<Async> {
    let has = |what: &str| parts.contains(&what);
    let number = |item: &Item| match item {
        Item::Value(Operand::Imm(n)) => u32::try_from(*n).ok(),
        _ => None,
    };
    match (parts.get(2).copied()?, items) {
        ("commit_group", []) => Some(Async::Commit { bulk: false }),
        ("wait_group", [groups]) => Some(Async::Drain { groups: Some(number(groups)?), bulk: false }),
        ("wait_all", []) => Some(Async::Drain { groups: None, bulk: false }),
        ("mbarrier", [Item::At(at)]) => Some(Async::CopyArrive { at: *at, counted: has("noinc") }),
        ("ca" | "cg", [Item::At(to), Item::At(from), bytes, rest @ ..]) => {
            let size = match rest {
                [] => None,
                // a predicate that turns the copy off is no size, and a policy of the cache none either
                [Item::Value(size)] if !has("L2::cache_hint") => Some(*size),
                [Item::Value(_)] => None,
                [Item::Value(size), _] => Some(*size),
                _ => return None,
            };
            Some(Async::Copy { to: *to, from: *from, bytes: number(bytes)?, size })
        }
        ("bulk", items) => bulk(parts, items),
        _ => None,
    }
}

/// A store or reduction of a register or several, whose bytes a barrier counts.
fn async_store(parts: &[&str], operands: &[Part]) -> Option<Async> {
    let has = |what: &str| parts.contains(&what);
    let element = Type::by_name(parts.last()?)?.bytes();
    let [Part::Item(Item::At(to)), values, Part::Item(Item::At(barrier))] = operands else { return None };
    let count = match values {
        Part::List(registers) => registers.len() as u32,
        Part::Item(Item::Value(_)) => 1,
        Part::Item(_) => return None,
    };
    let weak = parts[0] == "st" && !has("release") && !has("mmio");
    let reduces = parts[0] == "red" && has("relaxed") && has("cluster");
    (has("mbarrier::complete_tx::bytes") && (weak || reduces)).then_some(Async::AsyncStore {
        to: *to,
        bytes: element * count,
        barrier: *barrier,
        reduces: reduces.then_some(element),
    })
}

fn bulk(parts: &[&str], items: &[Item]) -> Option<Async> {
    let has = |what: &str| parts.contains(&what);
    let reduces = parts[0] == "reduce";
    let element = if reduces { Some(Type::by_name(parts.last()?).map_or(2, Type::bytes)) } else { None };
    match (parts.get(3).copied()?, items) {
        ("commit_group", []) => Some(Async::Commit { bulk: true }),
        ("wait_group", [Item::Value(Operand::Imm(groups))]) => {
            Some(Async::Drain { groups: Some(u32::try_from(*groups).ok()?), bulk: true })
        }
        ("prefetch", _) => Some(Async::Hint),
        ("shared::cluster", [Item::At(to), Item::At(from), Item::Value(bytes), Item::At(barrier)])
            if parts.get(4) == Some(&"shared::cta") && has("mbarrier::complete_tx::bytes") =>
        {
            Some(Async::BulkMove { to: *to, from: *from, bytes: *bytes, barrier: *barrier, reduces: element })
        }
        ("tensor", [Item::At(to), Item::Tensor, Item::At(barrier), rest @ ..])
            if has("mbarrier::complete_tx::bytes") =>
        {
            Some(Async::TensorLoad { to: *to, barrier: *barrier, ranks: ranks(parts, rest)? })
        }
        ("tensor", [Item::Tensor, Item::At(from), ..]) if has("bulk_group") => Some(Async::TensorStore { from: *from }),
        (
            "shared::cluster" | "shared::cta",
            [Item::At(to), Item::At(from), Item::Value(bytes), Item::At(barrier), rest @ ..],
        ) if parts.get(4) == Some(&"global") && has("mbarrier::complete_tx::bytes") => {
            Some(Async::BulkLoad { to: *to, from: *from, bytes: *bytes, barrier: *barrier, ranks: ranks(parts, rest)? })
        }
        ("global", [Item::At(to), Item::At(from), Item::Value(bytes), ..])
            if parts.get(4) == Some(&"shared::cta") && has("bulk_group") =>
        {
            Some(Async::BulkStore { to: *to, from: *from, bytes: *bytes, reduces })
        }
        _ => None,
    }
}

/// The mask of CTAs that a copy goes to; `None` where it should be there and is not.
fn ranks(parts: &[&str], rest: &[Item]) -> Option<Option<Operand>> {
    match (parts.contains(&"multicast::cluster"), rest) {
        (false, _) => Some(None),
        (true, [Item::Value(mask), ..]) => Some(Some(*mask)),
        (true, _) => None,
    }
}
