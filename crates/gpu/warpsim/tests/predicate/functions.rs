//! Functions that some lanes call.

use super::{Launch, MODES, parse, predicated, same};
use warpsim::{Argument, Buffer};

/// A function with a loop that calls one with two sides, called by some lanes in one place and by all in another.
const TEXT: &str = "
.version 7.0
.target sm_70
.address_size 64
.func (.param .b32 result) folded(.param .b32 x)
{
	.reg .pred %p<3>;
	.reg .b32 %r<4>;
	ld.param.u32 %r1, [x];
	and.b32 %r2, %r1, 1;
	setp.eq.u32 %p1, %r2, 0;
	@%p1 bra EVEN;
	mad.lo.u32 %r1, %r1, 3, 1;
	st.param.b32 [result], %r1;
	ret;
EVEN:
	shr.u32 %r1, %r1, 1;
	st.param.b32 [result], %r1;
	ret;
}
.visible .func (.param .b32 result) steps(.param .b32 x, .param .b32 most)
{
	.reg .pred %p<3>;
	.reg .b32 %r<6>;
	ld.param.u32 %r1, [x];
	ld.param.u32 %r2, [most];
	mov.u32 %r3, 0;
LOOP:
	setp.ge.u32 %p1, %r3, %r2;
	@%p1 bra DONE;
	setp.le.u32 %p2, %r1, 1;
	@%p2 bra DONE;
	{
	.param .b32 a;
	.param .b32 b;
	st.param.b32 [a], %r1;
	call.uni (b), folded, (a);
	ld.param.b32 %r1, [b];
	}
	add.u32 %r3, %r3, 1;
	bra LOOP;
DONE:
	st.param.b32 [result], %r3;
	ret;
}
.visible .entry k(.param .u64 k_out, .param .u32 k_n)
{
	.reg .pred %p<3>;
	.reg .b32 %r<9>;
	.reg .b64 %a<3>;
	mov.u32 %r0, %tid.x;
	ld.param.u64 %a0, [k_out];
	mul.wide.u32 %a1, %r0, 4;
	add.s64 %a0, %a0, %a1;
	mov.u32 %r1, 77;
	setp.lt.u32 %p1, %r0, 19;
	@%p1 bra SKIP;
	{
	.param .b32 a;
	.param .b32 b;
	.param .b32 c;
	st.param.b32 [a], %r0;
	st.param.b32 [b], 9;
	call.uni (c), steps, (a, b);
	ld.param.b32 %r1, [c];
	}
SKIP:
	{
	.param .b32 a;
	.param .b32 b;
	st.param.b32 [a], %r1;
	call.uni (b), folded, (a);
	ld.param.b32 %r2, [b];
	}
	mad.lo.u32 %r2, %r2, 100, %r1;
	st.global.u32 [%a0], %r2;
	ret;
}";

#[test]
fn twins_take_an_entrance_mask() {
    let module = parse(TEXT);
    for threads in [32, 50, 7] {
        let launch = Launch::linear(1, threads, vec![Argument::Buffer(0), Argument::U32(5)]);
        let buffers = [Buffer::words(ptx::inst::Type::U32, vec![0; 64])];
        for mode in MODES {
            let (after, report) = predicated(&module, mode, Some([threads, 1, 1]));
            if let Err(difference) = same(&module, &after, "k", &launch, &buffers) {
                panic!("{threads} {mode:?}: {difference}\n{after}");
            }
            // seven threads all call, and the branch stays one
            let (sbu, _) = mode;
            if threads == 7 && sbu {
                assert_eq!(report.functions, 0, "{after}");
                continue;
            }
            // both have a twin, and all branches of the twins are votes
            assert_eq!(report.functions, 2, "{after}");
            for name in ["folded_masked", "steps_masked"] {
                let twin = after.func(name).expect("a twin");
                let parts = |block: &ptx::ir::Block| {
                    matches!(twin.blocks[*block].terminator, ptx::inst::Terminator::CondBra { uni: false, .. })
                };
                assert!(!twin.layout.iter().any(parts), "{after}");
            }
        }
    }
}

/// A function that calls itself keeps the stack, and so does one with a barrier.
#[test]
fn recursion_keeps_the_stack() {
    let text = TEXT.replace(
        "call.uni (b), folded, (a);\n\tld.param.b32 %r1, [b];",
        "call.uni (b), recursive, (a);\n\tld.param.b32 %r1, [b];",
    );
    let recursive = "
.func (.param .b32 result) recursive(.param .b32 x)
{
	.reg .pred %p<3>;
	.reg .b32 %r<4>;
	ld.param.u32 %r1, [x];
	setp.eq.u32 %p1, %r1, 0;
	@%p1 bra END;
	sub.u32 %r1, %r1, 1;
	{
	.param .b32 a;
	.param .b32 b;
	st.param.b32 [a], %r1;
	call.uni (b), recursive, (a);
	ld.param.b32 %r1, [b];
	}
END:
	st.param.b32 [result], %r1;
	ret;
}
.visible .func (.param .b32 result) steps(";
    let module = parse(&text.replacen("\n.visible .func (.param .b32 result) steps(", recursive, 1));
    let launch = Launch::linear(1, 32, vec![Argument::Buffer(0), Argument::U32(5)]);
    let buffers = [Buffer::words(ptx::inst::Type::U32, vec![0; 32])];
    let (after, _) = predicated(&module, MODES[0], None);
    same(&module, &after, "k", &launch, &buffers).unwrap_or_else(|difference| panic!("{difference}\n{after}"));
    assert!(!after.to_string().contains("recursive_masked"));
}
