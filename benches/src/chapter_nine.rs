//! Loops for the comparison of termination proofs: the examples of chapter 9 of the thesis, loops
//! that show where the letter of the chapter fails, and random ones in a box, for which enumeration
//! tells whether they end.

use cfsm_core::splitmix::SplitMix;

use crate::affine_loops::{Affine, Loop, Path};

/// A loop over unbounded integers of which it is known whether it ends.
#[derive(Clone, Debug)]
pub struct Sample {
    /// Its name.
    pub name: &'static str,
    /// The loop.
    pub subject: Loop,
    /// It ends from every start.
    pub ends: bool,
}

fn path(conditions: &[Affine], updates: &[Affine]) -> Path {
    Path { conditions: conditions.to_vec(), updates: updates.to_vec() }
}

fn sample(name: &'static str, guards: &[Affine], paths: &[Path], ends: bool) -> Sample {
    Sample { name, subject: Loop { guards: guards.to_vec(), paths: paths.to_vec() }, ends }
}

/// The examples of chapter 9, and behind them loops that go on for ever although the letter of the
/// chapter proves that they end. Of "closer to a limit" that holds with rational variables; here
/// integers stand for them.
#[must_use]
pub fn samples() -> Vec<Sample> {
    [examples(), endless()].concat()
}

fn examples() -> Vec<Sample> {
    let one = |factor, constant| Affine::new(&[factor], constant);
    let two = |x, y, constant| Affine::new(&[x, y], constant);
    let turned = [path(&[one(1, 0)], &[one(-1, -1)]), path(&[one(-1, -1)], &[one(-1, 1)])];
    let both = [two(1, 0, -1), two(0, 1, -1)];
    let difference = [path(&[], &[two(1, -1, 0), two(0, 1, 0)])];
    let slower = [path(&[], &[two(1, 1, 0), two(0, 1, -1)])];
    let first_y = [
        path(&[two(0, 1, 0)], &[two(1, 0, 0), two(0, 1, -1)]),
        path(&[two(0, -1, -1)], &[two(1, 1, 0), two(0, 1, 0)]),
    ];
    vec![
        sample("Example 9.1", &[one(1, 0)], &[path(&[], &[one(-2, 10)])], true),
        sample("Example 9.2", &[one(1, 4)], &turned, true),
        sample("Example 9.3", &both, &difference, true),
        sample("Example 9.4", &[two(1, 0, 0)], &slower, true),
        sample("Example 9.5", &[two(1, 0, 0)], &first_y, true),
    ]
}

fn endless() -> Vec<Sample> {
    let one = |factor, constant| Affine::new(&[factor], constant);
    let two = |x, y, constant| Affine::new(&[x, y], constant);
    // Up to 3 and down to 0: the second variable is the direction.
    let up_and_down = [
        path(&[two(0, 1, -1), two(-1, 0, 2)], &[two(1, 0, 1), two(0, 1, 0)]),
        path(&[two(0, 1, -1), two(1, 0, -3)], &[two(1, 0, -1), two(0, 0, 0)]),
        path(&[two(0, -1, 0), two(1, 0, -1)], &[two(1, 0, -1), two(0, 1, 0)]),
        path(&[two(0, -1, 0), two(-1, 0, 0)], &[two(1, 0, 1), two(0, 0, 1)]),
    ];
    // The rational x = z/s: x' = x/2 + 1 below 2, x' = x - 1 from 2 on.
    let to_a_limit = [
        path(&[two(-1, 2, -1)], &[two(1, 2, 0), two(0, 2, 0)]),
        path(&[two(1, -2, 0)], &[two(1, -1, 0), two(0, 1, 0)]),
    ];
    vec![
        sample("two values in turn", &[one(1, 0)], &[path(&[], &[one(-1, 11)])], false),
        sample("up and down", &[two(1, 0, 0)], &up_and_down, false),
        sample("closer to a limit", &[two(1, 0, 0), two(0, 1, -1)], &to_a_limit, false),
        five_paths(),
    ]
}

/// Two cycles through one region, of which one lowers x and the other one y.
fn five_paths() -> Sample {
    let [x, y, z, t] = [0, 1, 2, 3].map(|at| Affine::variable(at, 4));
    let constant = |value| Affine::new(&[0; 4], value);
    let falls = [x.clone().shifted(-1), y.clone(), z.clone(), t.clone()];
    let paths = [
        path(
            &[z.at_most(0), t.clone().shifted(-1), y.clone().shifted(1000)],
            &[x.clone().shifted(1), y.clone(), t.clone(), t.at_most(3)],
        ),
        path(&[z.at_most(0), t.clone().shifted(-1), y.at_most(-1001)], &falls),
        path(&[z.at_most(0), t.at_most(0)], &falls),
        path(
            &[z.clone().shifted(-1), z.at_most(1)],
            &[x.clone().shifted(-4), y.clone().shifted(4), constant(0), t.clone()],
        ),
        path(
            &[z.clone().shifted(-2)],
            &[x.clone().shifted(2), y.clone().shifted(-4), constant(0), t.clone()],
        ),
    ];
    sample("two quantities", std::slice::from_ref(&x), &paths, false)
}

/// The points with integer coordinates in a box.
#[derive(Clone, Copy, Debug)]
pub struct Space {
    /// Number of variables.
    pub variables: usize,
    /// The least value of each.
    pub low: i64,
    /// The greatest value of each.
    pub high: i64,
}

impl Space {
    /// The loop with guards that keep all variables within the box: it ends where it leaves the
    /// box, so that machine integers of a wider type never wrap.
    #[must_use]
    pub fn confine(&self, subject: &Loop) -> Loop {
        let mut guards = subject.guards.clone();
        for at in 0..self.variables {
            let variable = Affine::variable(at, self.variables);
            guards.extend([variable.at_most(self.high), variable.shifted(-self.low)]);
        }
        Loop { guards, paths: subject.paths.clone() }
    }

    /// A random loop that is confined to the box. Coefficients are 0, 1 and -1 mostly; half of the
    /// updates add a constant to the variable itself.
    pub fn draw(&self, paths: usize, random: &mut SplitMix) -> Loop {
        let guards = (0..random.below(2)).map(|_| self.sum(random)).collect();
        let mut before = Vec::new();
        let mut all = Vec::new();
        for number in 0..paths {
            let mut conditions = before.clone();
            if number + 1 < paths {
                let condition = self.sum(random);
                before.push(condition.at_most(-1));
                conditions.push(condition);
            }
            let updates = (0..self.variables).map(|at| self.update(at, random)).collect();
            all.push(Path { conditions, updates });
        }
        self.confine(&Loop { guards, paths: all })
    }

    fn update(&self, at: usize, random: &mut SplitMix) -> Affine {
        if random.below(2) == 0 {
            return self.sum(random);
        }
        Affine::variable(at, self.variables).shifted(between(-2, 2, random))
    }

    fn sum(&self, random: &mut SplitMix) -> Affine {
        const FACTORS: [i64; 12] = [0, 0, 0, 0, 1, 1, 1, 1, -1, -1, 2, -2];
        let factors: Vec<i64> = (0..self.variables).map(|_| FACTORS[random.below(FACTORS.len())]).collect();
        Affine::new(&factors, between(-self.high, self.high, random))
    }

    /// The greatest number of rounds of a loop that is confined to the box, over all starts; `None`
    /// if it goes on for ever from one of them. Takes time linear in the size of the box.
    #[must_use]
    pub fn longest(&self, subject: &Loop) -> Option<usize> {
        let size = (0..self.variables).fold(1, |size, _| size * self.side());
        let size = usize::try_from(size).ok()?;
        let mut rounds: Vec<Option<usize>> = vec![None; size];
        for start in 0..size {
            let mut trail = Vec::new();
            let mut at = start;
            let behind = loop {
                if let Some(known) = rounds[at] {
                    break known;
                }
                let Some(next) = subject.step(&self.point(at)) else {
                    rounds[at] = Some(0);
                    break 0;
                };
                trail.push(at);
                if trail.len() > size {
                    return None;
                }
                match self.index(&next) {
                    Some(next) => at = next,
                    None => break 0,
                }
            };
            for (distance, index) in trail.iter().rev().enumerate() {
                rounds[*index] = Some(behind + 1 + distance);
            }
        }
        rounds.into_iter().flatten().max()
    }

    const fn side(&self) -> i64 {
        self.high - self.low + 1
    }

    fn point(&self, index: usize) -> Vec<i64> {
        let digits = std::iter::successors(i64::try_from(index).ok(), |rest| Some(rest / self.side()));
        digits.take(self.variables).map(|rest| self.low + rest % self.side()).collect()
    }

    fn index(&self, point: &[i64]) -> Option<usize> {
        let inside = point.iter().all(|value| (self.low..=self.high).contains(value));
        let index = point.iter().rev().fold(0, |index, value| index * self.side() + (value - self.low));
        if inside { usize::try_from(index).ok() } else { None }
    }
}

fn between(low: i64, high: i64, random: &mut SplitMix) -> i64 {
    let count = usize::try_from(high - low + 1).unwrap_or(1);
    low + i64::try_from(random.below(count)).unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn enumeration_counts_rounds() {
        let space = Space { variables: 1, low: -4, high: 12 };
        let longest = |name: &str| {
            let all = samples();
            let sample = all.iter().find(|sample| sample.name == name).expect("a sample");
            space.longest(&space.confine(&sample.subject))
        };
        // 3, 4, 2, 6, -2
        assert_eq!(longest("Example 9.1"), Some(4));
        // 0, -1, 2, -3, 4, -5 from the least start; 12 leads to -13 at once.
        assert_eq!(longest("Example 9.2"), Some(5));
        assert_eq!(longest("two values in turn"), None);
    }
}
