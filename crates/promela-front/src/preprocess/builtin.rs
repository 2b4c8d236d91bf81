//! Predefined macros: those of `gcc -std=gnu99` on 64-bit Linux, with which Spin preprocesses a
//! model, as far as models can be expected to use them.

/// A predefined macro.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Builtin {
    /// The line number.
    Line,
    /// The name of the current file, as a string.
    File,
    /// The name of the main file, as a string.
    BaseFile,
    /// A counter: 0, 1, 2... from one use to the next.
    Counter,
    /// Nesting depth of the include.
    IncludeLevel,
    /// A fixed text.
    Text(&'static str),
}

/// All predefined macros. Date and time are constants, so that the same text always has the same
/// meaning.
pub(super) const BUILTINS: &[(&str, Builtin)] = &[
    ("__LINE__", Builtin::Line),
    ("__FILE__", Builtin::File),
    ("__BASE_FILE__", Builtin::BaseFile),
    ("__COUNTER__", Builtin::Counter),
    ("__INCLUDE_LEVEL__", Builtin::IncludeLevel),
    ("__DATE__", Builtin::Text("\"Jan  1 1970\"")),
    ("__TIME__", Builtin::Text("\"00:00:00\"")),
    ("__TIMESTAMP__", Builtin::Text("\"Thu Jan  1 00:00:00 1970\"")),
    ("linux", Builtin::Text("1")),
    ("unix", Builtin::Text("1")),
    ("_LP64", Builtin::Text("1")),
    ("_STDC_PREDEF_H", Builtin::Text("1")),
    ("__linux", Builtin::Text("1")),
    ("__linux__", Builtin::Text("1")),
    ("__gnu_linux__", Builtin::Text("1")),
    ("__unix", Builtin::Text("1")),
    ("__unix__", Builtin::Text("1")),
    ("__LP64__", Builtin::Text("1")),
    ("__ELF__", Builtin::Text("1")),
    ("__amd64", Builtin::Text("1")),
    ("__amd64__", Builtin::Text("1")),
    ("__x86_64", Builtin::Text("1")),
    ("__x86_64__", Builtin::Text("1")),
    ("__GNUC__", Builtin::Text("12")),
    ("__GNUC_MINOR__", Builtin::Text("2")),
    ("__GNUC_PATCHLEVEL__", Builtin::Text("0")),
    ("__GNUC_STDC_INLINE__", Builtin::Text("1")),
    ("__VERSION__", Builtin::Text("\"12.2.0\"")),
    ("__STDC__", Builtin::Text("1")),
    ("__STDC_VERSION__", Builtin::Text("199901L")),
    ("__STDC_HOSTED__", Builtin::Text("1")),
    ("__CHAR_BIT__", Builtin::Text("8")),
    ("__SCHAR_MAX__", Builtin::Text("0x7f")),
    ("__SHRT_MAX__", Builtin::Text("0x7fff")),
    ("__INT_MAX__", Builtin::Text("0x7fffffff")),
    ("__LONG_MAX__", Builtin::Text("0x7fffffffffffffffL")),
    ("__LONG_LONG_MAX__", Builtin::Text("0x7fffffffffffffffLL")),
    ("__SIZEOF_SHORT__", Builtin::Text("2")),
    ("__SIZEOF_INT__", Builtin::Text("4")),
    ("__SIZEOF_LONG__", Builtin::Text("8")),
    ("__SIZEOF_LONG_LONG__", Builtin::Text("8")),
    ("__SIZEOF_POINTER__", Builtin::Text("8")),
    ("__ORDER_LITTLE_ENDIAN__", Builtin::Text("1234")),
    ("__ORDER_BIG_ENDIAN__", Builtin::Text("4321")),
    ("__BYTE_ORDER__", Builtin::Text("1234")),
    ("__USER_LABEL_PREFIX__", Builtin::Text("")),
    ("__NO_INLINE__", Builtin::Text("1")),
];
