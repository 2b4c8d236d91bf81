//! The codes of all diagnostics. A code never changes its meaning; one that goes out of use is not
//! given to another diagnostic. Not in use: U0405, U0407.

/// A character that no token begins with.
pub const STRAY_CHARACTER: &str = "U0001";
/// A string without its end.
pub const OPEN_STRING: &str = "U0002";
/// A comment without its end.
pub const OPEN_COMMENT: &str = "U0003";

/// A token that does not fit.
pub const UNEXPECTED: &str = "U0101";
/// Nesting beyond the limit.
pub const NESTING_LIMIT: &str = "U0102";
/// A text that is no model.
pub const NO_MODEL: &str = "U0103";
/// A transition with two conditions, or with one that does not fit its source.
pub const MISPLACED_CONDITION: &str = "U0104";

/// An imported file that is not found.
pub const MISSING_IMPORT: &str = "U0201";
/// A class, a type or a protocol that is not declared.
pub const UNKNOWN_CLASS: &str = "U0202";
/// A name that is declared already.
pub const REDECLARED: &str = "U0203";
/// A class that inherits from itself.
pub const INHERITANCE_CYCLE: &str = "U0204";
/// A class that contains itself.
pub const CONTAINMENT_CYCLE: &str = "U0205";
/// A model without a system, or with several of which none is named.
pub const NO_SYSTEM: &str = "U0206";
/// An instance of an abstract class.
pub const ABSTRACT_INSTANCE: &str = "U0207";
/// A number of instances that cannot be.
pub const BAD_NUMBER: &str = "U0208";
/// A node, a thread or an instance in a mapping that does not exist, a subsystem without a node, or
/// a thread without room.
pub const UNKNOWN_THREAD: &str = "U0209";
/// A thread is mapped to the name of the default one, which changes nothing (warning).
pub const DEFAULT_THREAD: &str = "U0210";

/// A port that does not exist.
pub const UNKNOWN_PORT: &str = "U0301";
/// A part that does not exist.
pub const UNKNOWN_PART: &str = "U0302";
/// Two ports that do not fit each other.
pub const UNFIT_BINDING: &str = "U0303";
/// A service access point that nothing serves (warning).
pub const UNSERVED: &str = "U0304";
/// A port that is bound to nothing and sent to (warning).
pub const UNBOUND_PORT: &str = "U0305";
/// More ports than a wire has ends for (warning).
pub const UNCERTAIN_WIRES: &str = "U0306";

/// A state, a point or a transition that does not exist.
pub const UNKNOWN_NODE: &str = "U0401";
/// A machine or a composite state that is entered and has no initial transition.
pub const NO_INITIAL: &str = "U0402";
/// A message that a port does not receive.
pub const UNKNOWN_MESSAGE: &str = "U0403";
/// A choice point that has no way on.
pub const NO_WAY_ON: &str = "U0404";
/// Two transitions of one state for the same message, neither with a guard (warning).
pub const AMBIGUOUS: &str = "U0406";

/// Messages that may overtake each other (warning).
pub const OVERTAKING: &str = "U0407";

/// Something that a model has and that is not read yet.
pub const NOT_READ: &str = "U0601";

/// Action code that is not understood: it may send all that its text names, any number of times
/// (warning).
pub const OPAQUE_CODE: &str = "U0501";
/// Code that runs outside the machine and may send at any time (warning).
pub const BACKGROUND_CODE: &str = "U0502";
/// Code of a port that may drop or add messages (warning).
pub const PORT_CODE: &str = "U0503";
/// Behaviour that is written by hand, outside the model (warning).
pub const MANUAL_BEHAVIOUR: &str = "U0504";
/// Conditions in action code that are not read: each may hold or not (warning).
pub const FREE_CONDITIONS: &str = "U0505";
