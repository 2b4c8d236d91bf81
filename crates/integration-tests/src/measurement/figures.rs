//! What is found out of a model, and how one process tells another: a line per finding, its parts
//! between tabs.

use std::fs;
use std::time::Duration;

/// What it took up to a point.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Cost {
    /// The time of this step alone.
    pub time: Duration,
    /// The peak of the process's memory until then, in kilobytes; `None` where the system does not
    /// say.
    pub kilobytes: Option<u64>,
}

impl Cost {
    /// This time, and the peak of this process's memory as of now.
    #[must_use]
    pub fn until_now(time: Duration) -> Self {
        Self { time, kilobytes: peak() }
    }
}

/// The peak of this process's memory, in kilobytes, where Linux says it.
fn peak() -> Option<u64> {
    let status = fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    line.split_whitespace().next()?.parse().ok()
}

/// How large an abstract system is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Size {
    /// Process classes.
    pub classes: u64,
    /// Instances at the start, of all classes.
    pub instances: u64,
    /// States.
    pub states: u64,
    /// Transitions.
    pub transitions: u64,
    /// Message types.
    pub messages: u64,
    /// Buffers that store messages.
    pub queues: u64,
    /// Buffers that store none.
    pub rendezvous: u64,
}

/// A finding.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Finding {
    /// The front end does not accept the text, and this is its first error.
    Rejected(String),
    /// There is no abstract system, for this reason.
    Failed(String),
    /// There is an abstract system.
    System(Size, Cost),
    /// A limit made it coarser; a sentence.
    Coarse(String),
    /// A buffer that can grow, as far as the abstraction can tell.
    Grows(String),
    /// The test of boundedness has come to its end. `None`: every buffer is proved bounded. Else
    /// why not.
    Verdict(Option<String>, Cost),
}

impl Finding {
    /// The finding as one line, without its end.
    #[must_use]
    pub fn line(&self) -> String {
        let clean = |text: &str| text.replace(['\t', '\n', '\r'], " ");
        let cost = |cost: &Cost| {
            let memory = cost.kilobytes.map(|kilobytes| kilobytes.to_string()).unwrap_or_default();
            format!("{}\t{memory}", cost.time.as_micros())
        };
        match self {
            Self::Rejected(text) => format!("rejected\t{}", clean(text)),
            Self::Failed(text) => format!("failed\t{}", clean(text)),
            Self::System(size, taken) => {
                let Size { classes, instances, states, transitions, messages, queues, rendezvous } = size;
                format!(
                    "system\t{}\t{classes}\t{instances}\t{states}\t{transitions}\t{messages}\t{queues}\t{rendezvous}",
                    cost(taken)
                )
            }
            Self::Coarse(text) => format!("coarse\t{}", clean(text)),
            Self::Grows(name) => format!("grows\t{}", clean(name)),
            Self::Verdict(reason, taken) => {
                let reason = reason.as_deref().map(clean).unwrap_or_default();
                format!("verdict\t{}\t{reason}", cost(taken))
            }
        }
    }

    /// Reads such a line; `None` if it is none.
    #[must_use]
    pub fn read(line: &str) -> Option<Self> {
        let parts: Vec<&str> = line.split('\t').collect();
        let cost = |time: &str, memory: &str| {
            let time = Duration::from_micros(time.parse().ok()?);
            Some(Cost { time, kilobytes: memory.parse().ok() })
        };
        Some(match parts[..] {
            ["rejected", text] => Self::Rejected(text.to_owned()),
            ["failed", text] => Self::Failed(text.to_owned()),
            ["system", time, memory, ref size @ ..] => {
                let size: Vec<u64> = size.iter().map(|part| part.parse().ok()).collect::<Option<_>>()?;
                let [classes, instances, states, transitions, messages, queues, rendezvous] = size[..] else {
                    return None;
                };
                let size = Size { classes, instances, states, transitions, messages, queues, rendezvous };
                Self::System(size, cost(time, memory)?)
            }
            ["coarse", text] => Self::Coarse(text.to_owned()),
            ["grows", name] => Self::Grows(name.to_owned()),
            ["verdict", time, memory, reason] => {
                let reason = (!reason.is_empty()).then(|| reason.to_owned());
                Self::Verdict(reason, cost(time, memory)?)
            }
            _ => return None,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_is_read() {
        let cost = Cost { time: Duration::from_micros(1_234_567), kilobytes: Some(89) };
        let unknown = Cost { kilobytes: None, ..cost };
        let size = Size {
            classes: 1,
            instances: 2,
            states: 3,
            transitions: 4,
            messages: 5,
            queues: 6,
            rendezvous: 7,
        };
        let all = [
            Finding::Rejected("m.pml:1: no".into()),
            Finding::Failed("too large".into()),
            Finding::System(size, cost),
            Finding::System(size, unknown),
            Finding::Coarse("a limit".into()),
            Finding::Grows("c[1]".into()),
            Finding::Verdict(None, cost),
            Finding::Verdict(Some("it can grow".into()), unknown),
        ];
        for finding in all {
            assert_eq!(Finding::read(&finding.line()), Some(finding));
        }
        assert_eq!(Finding::read("thread 'main' panicked\tat"), None);
        assert_eq!(Finding::read("system\t1\t2\t3"), None);
        assert_eq!(
            Finding::read(&Finding::Failed("a\tb\nc".into()).line()),
            Some(Finding::Failed("a b c".into()))
        );
    }

    #[test]
    fn the_peak_is_told_where_there_is_one() {
        let cost = Cost::until_now(Duration::ZERO);
        assert_eq!(cost.kilobytes.is_some(), cfg!(target_os = "linux"));
        assert!(cost.kilobytes.is_none_or(|kilobytes| kilobytes > 100), "{cost:?}");
    }
}
