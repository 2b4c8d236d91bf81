//! The codes of all diagnostics about machines. A code never changes its meaning and is never
//! reused.

/// The text is too long.
pub const TOO_LARGE: &str = "M0001";
/// There are more diagnostics than the limit.
pub const TOO_MANY: &str = "M0002";
/// A comment without its end.
pub const OPEN_COMMENT: &str = "M0003";
/// A text without a machine.
pub const NO_MACHINE: &str = "M0004";
/// Two machines of one name.
pub const MACHINE_TWICE: &str = "M0005";
/// A peer that is no machine of the file (warning).
pub const UNKNOWN_PEER: &str = "M0006";
/// A message that is sent and never received, or received and never sent (warning).
pub const ONE_SIDED: &str = "M0007";
/// A transition whose source is unreachable from the initial state (warning).
pub const UNREACHED: &str = "M0008";

/// A line that is no transition and no directive.
pub const BAD_LINE: &str = "M0101";
/// A directive that no version of the format has (warning).
pub const UNKNOWN_DIRECTIVE: &str = "M0102";
/// A machine without `.marking`, with two, or with one that names no state.
pub const BAD_MARKING: &str = "M0103";
/// A machine without `.end` (warning).
pub const NO_END: &str = "M0104";
/// Text outside any machine.
pub const OUTSIDE: &str = "M0105";
/// A machine whose name is a number that is the position of another machine (warning).
pub const MISLEADING_NAME: &str = "M0106";
/// An initial state that no transition mentions (warning).
pub const UNKNOWN_START: &str = "M0107";
/// An unknown word behind `.state` (warning).
pub const UNKNOWN_GRAPH: &str = "M0108";

/// An unexpected token.
pub const UNEXPECTED: &str = "M0201";
/// A choice without its closing bracket.
pub const OPEN_CHOICE: &str = "M0202";
/// Choices nested too deeply.
pub const TOO_DEEP: &str = "M0203";
/// A variable that no `rec` binds.
pub const UNBOUND: &str = "M0204";
/// A payload without its closing bracket.
pub const OPEN_PAYLOAD: &str = "M0205";

/// A channel number beyond those declared.
pub const NO_SUCH_CHANNEL: &str = "M0301";
/// A message that is not declared (warning).
pub const UNKNOWN_MESSAGE: &str = "M0302";
/// A guard or an assignment, which machines without data do not have.
pub const DATA: &str = "M0303";
/// A target state that is not declared (warning).
pub const UNKNOWN_STATE: &str = "M0304";
/// An automaton without `initial`, or with two.
pub const BAD_INITIAL: &str = "M0305";
/// A state that is declared twice (warning).
pub const STATE_TWICE: &str = "M0306";
/// More unused channels than are represented (warning).
pub const MANY_CHANNELS: &str = "M0307";

/// A text that is not JSON, or does not conform to the schema.
pub const BAD_JSON: &str = "M0401";
/// An unsupported schema.
pub const OTHER_SCHEMA: &str = "M0402";
/// An inconsistent system.
pub const DEFECT: &str = "M0403";

/// All codes, ascending.
pub const ALL: &[&str] = &[
    TOO_LARGE,
    TOO_MANY,
    OPEN_COMMENT,
    NO_MACHINE,
    MACHINE_TWICE,
    UNKNOWN_PEER,
    ONE_SIDED,
    UNREACHED,
    BAD_LINE,
    UNKNOWN_DIRECTIVE,
    BAD_MARKING,
    NO_END,
    OUTSIDE,
    MISLEADING_NAME,
    UNKNOWN_START,
    UNKNOWN_GRAPH,
    UNEXPECTED,
    OPEN_CHOICE,
    TOO_DEEP,
    UNBOUND,
    OPEN_PAYLOAD,
    NO_SUCH_CHANNEL,
    UNKNOWN_MESSAGE,
    DATA,
    UNKNOWN_STATE,
    BAD_INITIAL,
    STATE_TWICE,
    MANY_CHANNELS,
    BAD_JSON,
    OTHER_SCHEMA,
    DEFECT,
];
