//! Loops over integers of bounded types, in the shapes of the termination competition's sets.

use cfsm_core::program::{Program, Type};

/// A loop, or several that are nested.
#[derive(Clone, Copy, Debug)]
pub struct IntegerLoop<'a> {
    /// Its name.
    pub name: &'a str,
    /// The type of the parameters `x`, `y`, `z` and `n`.
    pub ty: Type,
    /// The body in Promela.
    pub body: &'a str,
}

/// All loops.
///
/// # Panics
/// If a line of the list is not one.
pub fn integer_loops() -> Vec<IntegerLoop<'static>> {
    let lines = include_str!("../integer_loops.txt").lines().filter(|line| !line.starts_with('#'));
    let loops = lines.map(|line| {
        let mut parts = line.splitn(4, " | ");
        let mut next = || parts.next().unwrap_or_else(|| panic!("four parts: {line}"));
        let (_, name) = (next(), next());
        let ty = match next() {
            "byte" => Type::Byte,
            "short" => Type::Short,
            _ => Type::Int,
        };
        IntegerLoop { name, ty, body: next() }
    });
    loops.collect()
}

impl IntegerLoop<'_> {
    /// A program that runs the loop once, with these arguments for `x`, `y`, `z` and `n`; what is
    /// said of the loop does not depend on them.
    ///
    /// # Panics
    /// If the body cannot be read.
    pub fn program(&self, [x, y, z, n]: [i64; 4]) -> Program {
        let ty = match self.ty {
            Type::Byte => "byte",
            Type::Short => "short",
            _ => "int",
        };
        // `skip` is the way into the loop of which runs see the end.
        let text = format!(
            "proctype P({ty} x; {ty} y; {ty} z; {ty} n) {{ skip; {} }}\ninit {{ run P({x}, {y}, {z}, {n}) }}",
            self.body
        );
        let read = promela_front::parse(self.name, &text, &promela_front::Options::default());
        read.program.unwrap_or_else(|| panic!("{}: {:?}", self.name, read.diagnostics))
    }
}
