//! Generators of a polyhedral cone, by double description.

use std::collections::BTreeSet;

use num_bigint::BigInt;
use num_integer::Integer;
use num_traits::{One, Signed, Zero};

/// An extreme ray.
#[derive(Clone, Debug)]
struct Ray {
    /// Its coordinates, without a common factor.
    point: Vec<BigInt>,
    /// The numbers of the inequalities that hold with equality: first those that coordinates are
    /// not negative, then the half-spaces in the order in which they came.
    tight: BTreeSet<usize>,
}

/// The generators of the points in some half-spaces a·x ≤ 0, some coordinates of which are not
/// negative: lines, whose multiples are all in the cone, and the extreme rays beside them.
///
/// Half-spaces come one after the other; each costs a comparison of pairs of rays (Motzkin, Raiffa,
/// Thompson and Thrall, 1953). There may be exponentially many rays.
#[derive(Clone, Debug)]
pub(super) struct Generators {
    rays: Vec<Ray>,
    lines: Vec<Vec<BigInt>>,
    dimension: usize,
    /// Number of half-spaces so far.
    halfspaces: usize,
}

impl Generators {
    /// The generators of the points whose coordinates are not negative, but for those that are
    /// free.
    pub(super) fn new(is_free: &[bool]) -> Self {
        let dimension = is_free.len();
        let unit = |axis: usize| -> Vec<BigInt> {
            (0..dimension).map(|at| if at == axis { BigInt::one() } else { BigInt::zero() }).collect()
        };
        let (free, bounded): (Vec<usize>, Vec<usize>) = (0..dimension).partition(|axis| is_free[*axis]);
        let ray = |axis: &usize| Ray {
            point: unit(*axis),
            tight: bounded.iter().copied().filter(|other| other != axis).collect(),
        };
        Self {
            rays: bounded.iter().map(ray).collect(),
            lines: free.into_iter().map(unit).collect(),
            dimension,
            halfspaces: 0,
        }
    }

    /// The generators: the rays, and each line in both directions.
    pub(super) fn points(&self) -> impl Iterator<Item = Vec<BigInt>> {
        let lines =
            self.lines.iter().flat_map(|line| [line.clone(), line.iter().map(|value| -value).collect()]);
        lines.chain(self.rays.iter().map(|ray| ray.point.clone()))
    }

    /// The number of rays.
    pub(super) const fn len(&self) -> usize {
        self.rays.len()
    }

    /// Cuts the cone with a half-space, given by the coefficients of a sum that is at most 0.
    pub(super) fn cut(&mut self, coefficients: &[BigInt]) {
        let number = self.dimension + self.halfspaces;
        self.halfspaces += 1;
        match self.lines.iter().position(|line| !product(coefficients, line).is_zero()) {
            Some(position) => self.cut_line(position, coefficients, number),
            None => self.cut_rays(coefficients, number),
        }
    }

    /// Cuts a line: half of it is a ray, and all other generators move along it to the border.
    fn cut_line(&mut self, position: usize, coefficients: &[BigInt], number: usize) {
        let line = self.lines.swap_remove(position);
        let value = product(coefficients, &line);
        let inward: Vec<BigInt> =
            if value.is_positive() { line.iter().map(|value| -value).collect() } else { line };
        let depth = value.abs();
        let moved = |point: &[BigInt]| {
            let outside = product(coefficients, point);
            let terms = point.iter().zip(&inward);
            primitive(terms.map(|(point, inward)| &depth * point + &outside * inward).collect())
        };
        self.lines.iter_mut().for_each(|line| *line = moved(line));
        for ray in &mut self.rays {
            ray.point = moved(&ray.point);
            ray.tight.insert(number);
        }
        // A line is on the border of all half-spaces before.
        self.rays.push(Ray { point: inward, tight: (0..number).collect() });
    }

    fn cut_rays(&mut self, coefficients: &[BigInt], number: usize) {
        let values: Vec<BigInt> = self.rays.iter().map(|ray| product(coefficients, &ray.point)).collect();
        let mut combined = Vec::new();
        for (outer, above) in values.iter().enumerate().filter(|(_, value)| value.is_positive()) {
            for (inner, below) in values.iter().enumerate().filter(|(_, value)| value.is_negative()) {
                let (outside, inside) = (&self.rays[outer], &self.rays[inner]);
                let mut tight: BTreeSet<usize> = outside.tight.intersection(&inside.tight).copied().collect();
                let others = self.rays.iter().enumerate().filter(|(at, _)| *at != outer && *at != inner);
                if others.map(|(_, ray)| ray).any(|ray| tight.is_subset(&ray.tight)) {
                    continue;
                }
                tight.insert(number);
                let terms = outside.point.iter().zip(&inside.point);
                let point = terms.map(|(outside, inside)| above * inside - below * outside).collect();
                combined.push(Ray { point: primitive(point), tight });
            }
        }
        let kept = std::mem::take(&mut self.rays).into_iter().zip(values);
        self.rays = kept
            .filter(|(_, value)| !value.is_positive())
            .map(|(mut ray, value)| {
                if value.is_zero() {
                    ray.tight.insert(number);
                }
                ray
            })
            .chain(combined)
            .collect();
    }
}

/// The scalar product of two vectors.
fn product(left: &[BigInt], right: &[BigInt]) -> BigInt {
    left.iter().zip(right).map(|(left, right)| left * right).sum()
}

/// A vector divided by the greatest common factor of its coordinates.
pub(super) fn primitive(point: Vec<BigInt>) -> Vec<BigInt> {
    let factor = point.iter().fold(BigInt::zero(), |factor, coordinate| factor.gcd(coordinate));
    if factor.is_zero() {
        return point;
    }
    point.into_iter().map(|coordinate| coordinate / &factor).collect()
}

#[cfg(test)]
mod tests {
    use proptest::collection::vec;
    use proptest::prelude::*;

    use super::*;
    use ilp_encode::linear::{Constraint, Domain, LinearProgramme, Relation};

    fn cone(is_free: &[bool], halfspaces: &[Vec<i32>]) -> Generators {
        let mut cone = Generators::new(is_free);
        for halfspace in halfspaces {
            let coefficients: Vec<BigInt> = halfspace.iter().map(|number| BigInt::from(*number)).collect();
            cone.cut(&coefficients);
        }
        cone
    }

    #[test]
    fn a_wedge() {
        // x ≤ 2 y and y ≤ 3 x
        let cone = cone(&[false; 2], &[vec![1, -2], vec![-3, 1]]);
        let points: BTreeSet<Vec<BigInt>> = cone.points().collect();
        let expected = [[2, 1], [1, 3]].map(|point| point.map(BigInt::from).to_vec());
        assert_eq!(points, expected.into());
    }

    proptest! {
        /// A point is in all half-spaces if and only if it is a non-negative sum of the generators,
        /// and none of these is one of the others.
        #[test]
        fn rays_generate_the_cone(
            is_free in vec(any::<bool>(), 4),
            halfspaces in vec(vec(-3_i32..4, 4), 0..6),
            point in vec(-3_i32..4, 4),
        ) {
            let cone = cone(&is_free, &halfspaces);
            let sum = |halfspace: &Vec<i32>| halfspace.iter().zip(&point).map(|(a, x)| a * x).sum::<i32>();
            let is_allowed = is_free.iter().zip(&point).all(|(is_free, value)| *is_free || *value >= 0);
            let is_inside = is_allowed && halfspaces.iter().all(|halfspace| sum(halfspace) <= 0);
            let points: Vec<Vec<BigInt>> = cone.points().collect();
            let rays: Vec<&[BigInt]> = points.iter().map(Vec::as_slice).collect();
            let point: Vec<BigInt> = point.into_iter().map(BigInt::from).collect();
            prop_assert_eq!(is_sum(&rays, &point), is_inside);
            for (number, ray) in rays.iter().enumerate() {
                let others: Vec<&[BigInt]> =
                    rays.iter().enumerate().filter(|(at, _)| *at != number).map(|(_, ray)| *ray).collect();
                prop_assert!(!is_sum(&others, ray));
            }
        }
    }

    fn is_sum(rays: &[&[BigInt]], point: &[BigInt]) -> bool {
        let row = |at: usize| Constraint {
            terms: rays.iter().enumerate().map(|(ray, ray_point)| (ray, ray_point[at].clone())).collect(),
            relation: Relation::Equal,
            bound: point[at].clone(),
        };
        let rows: Vec<Constraint> = (0..point.len()).map(row).collect();
        LinearProgramme::new(&vec![Domain::NonNegative; rays.len()], &rows).is_feasible()
    }
}
