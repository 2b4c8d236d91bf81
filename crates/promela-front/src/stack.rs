//! Recursion as deep as the nesting of the text, on any stack.

/// Number of bytes of free stack below which a new segment is allocated.
const RED_ZONE: usize = 64 << 10;
/// Size of a new stack segment, in bytes.
const STACK_PIECE: usize = 1 << 20;

/// Runs a function that may recurse.
pub(crate) fn deep<T>(run: impl FnOnce() -> T) -> T {
    stacker::maybe_grow(RED_ZONE, STACK_PIECE, run)
}
