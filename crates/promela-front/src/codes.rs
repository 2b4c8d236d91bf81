//! The codes of all diagnostics. A code never changes its meaning and is never reused. Out of use:
//! P0008, a construct that was not supported yet.

/// A character that no token begins with.
pub const STRAY_CHARACTER: &str = "P0001";
/// A string or a character constant without its end.
pub const OPEN_STRING: &str = "P0002";
/// A comment without its end.
pub const OPEN_COMMENT: &str = "P0003";
/// A number beyond 32 bits (warning).
pub const BIG_NUMBER: &str = "P0004";
/// A preprocessor directive that cannot be understood.
pub const BAD_DIRECTIVE: &str = "P0005";
/// A macro that gets a second body (warning).
pub const MACRO_REDEFINED: &str = "P0006";
/// Macros that expand to too much.
pub const EXPANSION_LIMIT: &str = "P0007";
/// A number of arguments that does not fit the macro.
pub const MACRO_ARGUMENTS: &str = "P0009";
/// The use of a macro without its closing parenthesis.
pub const OPEN_MACRO_CALL: &str = "P0010";
/// A file that cannot be included.
pub const INCLUDE: &str = "P0011";
/// An `#if` without `#endif`, or the other way round.
pub const UNBALANCED_CONDITION: &str = "P0012";
/// A text that rejects itself with `#error`.
pub const USER_ERROR: &str = "P0013";
/// The expression of an `#if` that has no value.
pub const BAD_CONDITION: &str = "P0014";
/// Words that `##` joins to what is no word.
pub const BAD_PASTE: &str = "P0015";

/// A token that does not fit.
pub const UNEXPECTED: &str = "P0101";
/// Nesting beyond the limit.
pub const NESTING_LIMIT: &str = "P0102";
/// A sequence without a statement.
pub const EMPTY_SEQUENCE: &str = "P0103";
/// A declaration in a place where it cannot stand.
pub const MISPLACED_DECLARATION: &str = "P0104";
/// A `full`, `empty`, `nfull` or `nempty` under another operator than `&&` and `||`.
pub const MISPLACED_PROBE: &str = "P0105";
/// A statement or an expression in a place where it cannot stand.
pub const MISPLACED_STATEMENT: &str = "P0106";

/// The next operator of temporal logic.
pub const NEXT_OPERATOR: &str = "P0107";

/// A name that is not declared.
pub const UNKNOWN_NAME: &str = "P0201";
/// A name that is declared already.
pub const REDECLARED: &str = "P0202";
/// A label that does not exist.
pub const UNKNOWN_LABEL: &str = "P0203";
/// A label that exists already.
pub const DUPLICATE_LABEL: &str = "P0204";
/// A `break` outside every loop.
pub const MISPLACED_BREAK: &str = "P0205";
/// A process type that does not exist.
pub const UNKNOWN_PROCESS: &str = "P0206";
/// A label where no jump can lead (error), or where it is better avoided (warning).
pub const MISPLACED_LABEL: &str = "P0207";
/// A jump into or out of a `d_step`.
pub const D_STEP_JUMP: &str = "P0208";
/// A second `else` of one selection.
pub const DUPLICATE_ELSE: &str = "P0209";
/// Jumps that lead to nothing but jumps.
pub const GOTO_LOOP: &str = "P0210";
/// A field that a record does not have.
pub const UNKNOWN_FIELD: &str = "P0211";
/// A type that is not declared, or not yet.
pub const UNKNOWN_TYPE: &str = "P0212";
/// An `else` beside sends, receives and questions about channels (error with `xr` or `xs`, else
/// warning).
pub const DUBIOUS_ELSE: &str = "P0213";

/// A message with more fields than the channel has (error if no channel has as many, else warning).
pub const MESSAGE_TOO_LONG: &str = "P0301";
/// A message with fewer fields than the channel has (warning).
pub const MESSAGE_TOO_SHORT: &str = "P0302";
/// A number of arguments that does not fit the process type.
pub const RUN_ARITY: &str = "P0303";
/// A `run` inside a larger expression.
pub const MISPLACED_RUN: &str = "P0304";
/// A channel used as a number (error in an assignment, else warning).
pub const CHANNEL_AS_NUMBER: &str = "P0305";
/// A number used as a channel.
pub const NOT_A_CHANNEL: &str = "P0306";
/// An array without an index, or an index on what is no array.
pub const INDEX_MISMATCH: &str = "P0307";
/// An expression that should be constant.
pub const NOT_CONSTANT: &str = "P0308";
/// A size, width, capacity or number of processes out of range.
pub const BAD_SIZE: &str = "P0309";
/// An initialiser that does not fit its variable.
pub const BAD_INITIALIZER: &str = "P0310";
/// Symbols of one `mtype` set where another is wanted.
pub const SYMBOL_MISMATCH: &str = "P0311";
/// Something that cannot be assigned to (warning where Spin does not mind).
pub const NOT_ASSIGNABLE: &str = "P0312";
/// A name that is no value.
pub const NOT_A_VALUE: &str = "P0313";
/// One variable that receives two fields of a message.
pub const RECEIVED_TWICE: &str = "P0314";
/// A program in which no process ever starts.
pub const NO_PROCESS: &str = "P0315";
/// A number of arguments that does not fit the inline.
pub const INLINE_ARITY: &str = "P0316";
/// An inline that calls itself.
pub const INLINE_CYCLE: &str = "P0317";
/// A range whose first value is greater than the last one.
pub const BAD_RANGE: &str = "P0318";
/// A collection that `for` cannot run over.
pub const BAD_COLLECTION: &str = "P0319";

/// A message with another number of fields than a channel carries that comes there (warning).
pub const OTHER_SHAPE: &str = "P0401";
/// A channel where a number is carried, or a number where a channel is carried (warning).
pub const CHANNEL_MISMATCH: &str = "P0402";
/// Symbols of one `mtype` set where another is carried (warning).
pub const OTHER_SYMBOLS: &str = "P0403";
/// A symbol used as a number, or a number used as a symbol (warning).
pub const SYMBOL_AS_NUMBER: &str = "P0404";
/// A number that does not fit where it goes, or may not fit (warning).
pub const NARROWING: &str = "P0405";
/// Something that is declared and never used (warning).
pub const NEVER_USED: &str = "P0406";
