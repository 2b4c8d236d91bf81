//! Exit statuses.

use std::process::ExitCode;

/// The exit status, which scripts rest on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Status {
    /// `check`, `report`: everything asked for is proved. `verify`, `replay`: accepted. `explore`:
    /// all states were seen, and nothing wrong. Others: done.
    Success = 0,
    /// `check`, `report`: something is refuted, with a witness. `verify`, `replay`: rejected.
    /// `explore`, `simulate`: something is wrong.
    Refuted = 1,
    /// `check`, `report`: unknown. `cycles`, `explore`: a limit was hit, there are more.
    Unknown = 2,
    /// The input is wrong; diagnostics say where.
    Input = 3,
    /// The command line is wrong, asks for what is not built yet, or a file cannot be read or
    /// written.
    Usage = 4,
}

impl Status {
    /// The worse of two statuses: 4, 3, 1, 2, 0, from the worst on.
    pub fn worse(self, other: Self) -> Self {
        let badness = |status: Self| match status {
            Self::Success => 0,
            Self::Unknown => 1,
            Self::Refuted => 2,
            Self::Input => 3,
            Self::Usage => 4,
        };
        std::cmp::max_by_key(self, other, |status| badness(*status))
    }
}

/// The same for the user.
pub const HELP: &str = "\
Exit status:
  0  check, report: everything asked for is proved; verify, replay: accepted; explore: nothing is wrong; else: done
  1  check, report: refuted, with a witness; verify, replay: rejected; explore, simulate: something is wrong
  2  check, report: unknown; cycles, explore: a limit was reached
  3  the input is wrong, or cannot be run
  4  usage, input or output";

impl From<Status> for ExitCode {
    fn from(status: Status) -> Self {
        Self::from(status as u8)
    }
}
