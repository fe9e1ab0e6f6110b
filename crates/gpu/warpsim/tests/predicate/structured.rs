//! Random structured kernels, as text. Each lane keeps a hash of the code that it executed, in a register and in memory.

use std::fmt::Write;
use testkit::numbers::Numbers;

/// Words per thread that a kernel leaves.
pub const WORDS: usize = 4;

/// Makes a kernel `k(out, n)`.
pub fn kernel(numbers: &mut Numbers) -> String {
    let sm = [35, 70][numbers.below(2)];
    let mut text = format!(
        ".version {}\n.target sm_{sm}\n.address_size 64\n.shared .align 4 .b8 box[4096];\n.entry k(.param .u64 k_out, .param .u32 k_n)\n{{\n\
         .reg .pred %p<400>;\n.reg .b32 %r<40>;\n.reg .b64 %a<9>;\n\
         ld.param.u64 %a0, [k_out];\nld.param.u32 %r3, [k_n];\n\
         mov.u32 %r0, %tid.x;\nmov.u32 %r5, %tid.y;\nmov.u32 %r6, %ntid.x;\nmov.u32 %r7, %tid.z;\nmov.u32 %r8, %ntid.y;\n\
         mad.lo.u32 %r5, %r7, %r8, %r5;\nmad.lo.u32 %r0, %r5, %r6, %r0;\n\
         mov.u32 %r9, %ctaid.x;\nmov.u32 %r10, %ntid.z;\nmul.lo.u32 %r11, %r6, %r8;\nmul.lo.u32 %r11, %r11, %r10;\n\
         mad.lo.u32 %r12, %r9, %r11, %r0;\nmul.lo.u32 %r13, %r12, 16;\ncvt.u64.u32 %a1, %r13;\nadd.s64 %a0, %a0, %a1;\n\
         mov.u32 %r1, 17;\nmov.u32 %r2, 1;\nmov.u32 %r14, 0;\nmov.u32 %r15, box;\n",
        if sm < 70 { "6.0" } else { "7.0" }
    );
    let mut writer = Writer { text: &mut text, numbers, next: 0, fuel: 60, apart: false };
    writer.list(0, &mut Vec::new(), true);
    writer.step(true);
    text.push_str("END:\nst.global.u32 [%a0+8], %r1;\nst.global.u32 [%a0+12], %r2;\nret;\n}\n");
    text
}

struct Writer<'a> {
    text: &'a mut String,
    numbers: &'a mut Numbers,
    next: usize,
    /// Statements that may still be made.
    fuel: usize,
    /// Whether some lanes may have gone to the end.
    apart: bool,
}

/// The labels of a loop: of its next round, and behind it.
type Loop = (String, String);

impl Writer<'_> {
    fn line(&mut self, line: &str) {
        self.text.push_str(line);
        self.text.push('\n');
    }

    fn fresh(&mut self) -> usize {
        self.next += 1;
        self.next
    }

    fn pred(&mut self) -> String {
        let number = self.fresh() % 400;
        format!("%p{number}")
    }

    /// Continues the hash; sometimes it is also kept in memory.
    fn step(&mut self, together: bool) {
        let id = self.fresh();
        self.line(&format!("mad.lo.u32 %r1, %r1, 31, {id};"));
        match self.numbers.below(6) {
            0 => self.line("xor.b32 %r2, %r2, %r1;"),
            1 => {
                self.line("ld.global.u32 %r4, [%a0];");
                self.line("mad.lo.u32 %r4, %r4, 7, %r1;");
                self.line("st.global.u32 [%a0], %r4;");
            }
            2 => {
                let (pred, other) = (self.pred(), self.pred());
                self.line(&format!("and.b32 %r4, %r1, 4;\nsetp.ne.u32 {pred}, %r4, 0;"));
                self.line(&format!("@{pred} add.u32 %r2, %r2, 5;\n@!{pred} setp.lt.u32 {other}, %r1, %r2;"));
            }
            3 => self
                .line("mul.lo.u32 %r2, %r2, 3;\nadd.u32 %r2, %r2, %r0;\nshl.b32 %r4, %r2, 1;\nsub.u32 %r2, %r4, %r1;"),
            4 if together && !self.apart => {
                self.line("shl.b32 %r4, %r0, 2;\nadd.u32 %r4, %r15, %r4;\nst.shared.u32 [%r4], %r1;\nbar.sync 0;");
                self.line("ld.shared.u32 %r16, [%r15];\nadd.u32 %r2, %r2, %r16;\nbar.sync 0;");
            }
            _ => {}
        }
    }

    /// Makes a condition that lanes disagree on, or one that they all agree on.
    fn condition(&mut self, uniform: bool) -> String {
        let pred = self.pred();
        if uniform {
            let bit = 1 << self.numbers.below(3);
            let source = ["%r3", "%r9"][self.numbers.below(2)];
            let _ = write!(self.text, "and.b32 %r4, {source}, {bit};\nsetp.ne.u32 {pred}, %r4, 0;\n");
        } else {
            let shift = self.numbers.below(9);
            let source = ["%r0", "%r1", "%r2"][self.numbers.below(3)];
            let cmp = ["lt", "ge", "eq", "ne"][self.numbers.below(4)];
            let value = self.numbers.below(8);
            let _ = write!(
                self.text,
                "shr.u32 %r4, {source}, {shift};\nand.b32 %r4, %r4, 7;\nsetp.{cmp}.u32 {pred}, %r4, {value};\n"
            );
        }
        if self.numbers.below(2) == 0 { pred } else { format!("!{pred}") }
    }

    fn list(&mut self, depth: usize, loops: &mut Vec<Loop>, together: bool) {
        for _ in 0..1 + self.numbers.below(3) {
            if self.fuel == 0 {
                return;
            }
            self.fuel -= 1;
            self.statement(depth, loops, together);
        }
    }

    fn statement(&mut self, depth: usize, loops: &mut Vec<Loop>, together: bool) {
        let kind = if depth > 4 { 0 } else { self.numbers.below(12) };
        let uniform = self.numbers.below(3) == 0;
        let inside = together && uniform;
        let id = self.fresh();
        match kind {
            0 | 1 => self.step(together),
            2 | 3 => {
                let condition = self.condition(uniform);
                self.line(&format!("@{condition} bra I{id};"));
                self.list(depth + 1, loops, inside);
                self.line(&format!("I{id}:"));
            }
            4 | 5 => {
                let condition = self.condition(uniform);
                self.line(&format!("@{condition} bra T{id};"));
                self.list(depth + 1, loops, inside);
                self.line(&format!("bra J{id};\nT{id}:"));
                self.list(depth + 1, loops, inside);
                self.line(&format!("J{id}:"));
            }
            6 => {
                // a && b: the block behind is shared
                let (a, b) = (self.condition(uniform), self.condition(false));
                self.line(&format!("@{a} bra S{id};\nadd.u32 %r2, %r2, 3;\n@{b} bra M{id};\nS{id}:"));
                self.list(depth + 1, loops, false);
                self.line(&format!("M{id}:"));
            }
            7 | 8 => {
                // at most four rounds
                let counter = 20 + depth;
                self.line(&format!("mov.u32 %r{counter}, 0;\nL{id}:"));
                let early = self.pred();
                let rounds = if uniform { "3".to_owned() } else { format!("%r{}", 30 + depth) };
                if !uniform {
                    self.line(&format!("and.b32 %r{}, %r1, 3;", 30 + depth));
                }
                let at_the_top = self.numbers.below(2) == 0;
                if at_the_top {
                    self.line(&format!("setp.ge.u32 {early}, %r{counter}, {rounds};\n@{early} bra B{id};"));
                }
                let own = (format!("C{id}"), format!("B{id}"));
                match inside {
                    // all lanes go round together
                    true => self.list(depth + 1, &mut Vec::new(), true),
                    false => {
                        loops.push(own);
                        self.list(depth + 1, loops, false);
                        loops.pop();
                    }
                }
                self.line(&format!("C{id}:\nadd.u32 %r{counter}, %r{counter}, 1;"));
                if at_the_top {
                    let end = self.pred();
                    self.line(&format!("setp.lt.u32 {end}, %r{counter}, 4;\n@{end} bra L{id};"));
                } else {
                    self.line(&format!("setp.lt.u32 {early}, %r{counter}, {rounds};\n@{early} bra L{id};"));
                }
                self.line(&format!("B{id}:"));
            }
            9 if !loops.is_empty() => {
                let (next, behind) = loops[self.numbers.below(loops.len())].clone();
                let inner = loops.last().expect("not empty").0.clone();
                let condition = self.condition(false);
                match self.numbers.below(3) {
                    0 => self.line(&format!("@{condition} bra {inner};")),
                    1 => self.line(&format!("@{condition} bra {behind};")),
                    _ => self.line(&format!("@{condition} bra {next};")),
                }
            }
            10 if self.numbers.below(4) == 0 => {
                self.apart = true;
                let condition = self.condition(false);
                self.line(&format!("@{condition} bra END;"));
            }
            11 => {
                let count = 2 + self.numbers.below(3);
                let labels: Vec<String> = (0..4).map(|i| format!("W{id}_{}", i % count)).collect();
                self.line(&format!(
                    "and.b32 %r17, %r1, 3;\nTS{id}: .branchtargets {};\nbrx.idx %r17, TS{id};",
                    labels.join(", ")
                ));
                for i in 0..count {
                    self.line(&format!("W{id}_{i}:"));
                    self.list(depth + 2, loops, false);
                    if self.numbers.below(4) > 0 {
                        self.line(&format!("bra V{id};"));
                    }
                }
                self.line(&format!("V{id}:"));
            }
            _ => self.step(together),
        }
    }
}
