//! Recursion as deep as the user nests, on any stack.

/// Below this many bytes of stack a new piece of it is taken.
const RED_ZONE: usize = 64 << 10;
/// How large such a piece is.
const STACK_PIECE: usize = 1 << 20;

/// Runs something that may recurse.
pub(crate) fn deep<T>(run: impl FnOnce() -> T) -> T {
    stacker::maybe_grow(RED_ZONE, STACK_PIECE, run)
}
