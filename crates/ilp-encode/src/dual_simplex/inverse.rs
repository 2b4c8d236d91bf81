//! The inverse of a small square matrix, updated while rows and columns are added, removed and
//! replaced.

/// The inverse; its rows correspond to the columns of the matrix, its columns to the rows.
#[derive(Clone, Debug, Default)]
pub(super) struct Inverse {
    rows: Vec<Vec<f64>>,
}

impl Inverse {
    /// The inverse of a matrix, by Gauss-Jordan elimination; `None` if the matrix is singular
    /// within the tolerance.
    pub fn from_matrix(mut matrix: Vec<Vec<f64>>) -> Option<Self> {
        let size = matrix.len();
        for (at, row) in matrix.iter_mut().enumerate() {
            row.resize(2 * size, 0.0);
            row[size + at] = 1.0;
        }
        for at in 0..size {
            let best = (at..size).max_by(|&a, &b| matrix[a][at].abs().total_cmp(&matrix[b][at].abs()))?;
            if matrix[best][at].abs() < 1e-10 {
                return None;
            }
            matrix.swap(at, best);
            let pivot = matrix[at][at];
            matrix[at][at..].iter_mut().for_each(|entry| *entry /= pivot);
            let row = matrix[at].clone();
            for (other, entries) in matrix.iter_mut().enumerate() {
                let factor = entries[at];
                if other != at && factor != 0.0 {
                    entries[at..]
                        .iter_mut()
                        .zip(&row[at..])
                        .for_each(|(entry, with)| *entry -= factor * with);
                }
            }
        }
        matrix.iter_mut().for_each(|row| drop(row.drain(..size)));
        Some(Self { rows: matrix })
    }

    /// The product of a row vector and the inverse.
    pub fn left(&self, vector: &[f64]) -> Vec<f64> {
        let mut product = vec![0.0; self.rows.len()];
        for (row, factor) in self.rows.iter().zip(vector).filter(|(_, factor)| **factor != 0.0) {
            product.iter_mut().zip(row).for_each(|(sum, entry)| *sum += factor * entry);
        }
        product
    }

    /// The squared length of one row.
    pub fn norm(&self, place: usize) -> f64 {
        self.rows[place].iter().map(|entry| entry * entry).sum()
    }

    /// The product of the inverse and a vector, given by its non-zero entries.
    pub fn times_sparse(&self, vector: &[(usize, f64)]) -> Vec<f64> {
        self.rows.iter().map(|row| vector.iter().map(|&(at, with)| row[at] * with).sum()).collect()
    }

    /// One row of the inverse.
    pub fn row(&self, place: usize) -> &[f64] {
        &self.rows[place]
    }

    /// Appends a row and a column to the matrix: `column` is the inverse times the new column,
    /// `row` the new row times the inverse, `pivot` the Schur complement of the corner.
    pub fn grow(&mut self, column: &[f64], row: &[f64], pivot: f64) {
        for (entries, factor) in self.rows.iter_mut().zip(column) {
            let factor = factor / pivot;
            if factor != 0.0 {
                entries.iter_mut().zip(row).for_each(|(entry, with)| *entry += factor * with);
            }
            entries.push(-factor);
        }
        let mut last: Vec<f64> = row.iter().map(|entry| -entry / pivot).collect();
        last.push(1.0 / pivot);
        self.rows.push(last);
    }

    /// Removes a row and a column of the matrix; the last ones take their places.
    pub fn shrink(&mut self, lost_row: usize, lost_column: usize) {
        let mut with = self.rows.swap_remove(lost_column);
        let pivot = with.swap_remove(lost_row);
        for entries in &mut self.rows {
            let factor = entries.swap_remove(lost_row) / pivot;
            if factor != 0.0 {
                entries.iter_mut().zip(&with).for_each(|(entry, with)| *entry -= factor * with);
            }
        }
    }

    /// Replaces a row of the matrix; `row` is the new one times the inverse.
    pub fn replace_row(&mut self, place: usize, row: &[f64]) {
        for entries in &mut self.rows {
            let factor = entries[place] / row[place];
            if factor != 0.0 {
                entries.iter_mut().zip(row).for_each(|(entry, with)| *entry -= factor * with);
                entries[place] = factor;
            }
        }
    }

    /// Replaces a column of the matrix; `column` is the inverse times the new one.
    pub fn replace_column(&mut self, place: usize, column: &[f64]) {
        let pivot = column[place];
        self.rows[place].iter_mut().for_each(|entry| *entry /= pivot);
        let with = self.rows[place].clone();
        for (at, entries) in self.rows.iter_mut().enumerate() {
            let factor = column[at];
            if at != place && factor != 0.0 {
                entries.iter_mut().zip(&with).for_each(|(entry, with)| *entry -= factor * with);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn close(inverse: &Inverse, matrix: Vec<Vec<f64>>) -> bool {
        let direct = Inverse::from_matrix(matrix).unwrap();
        let pairs = inverse.rows.iter().flatten().zip(direct.rows.iter().flatten());
        inverse.rows.len() == direct.rows.len() && pairs.into_iter().all(|(a, b)| (a - b).abs() < 1e-9)
    }

    fn sparse(vector: &[f64]) -> Vec<(usize, f64)> {
        vector.iter().copied().enumerate().collect()
    }

    #[test]
    fn updates_are_inverses() {
        let mut inverse = Inverse::from_matrix(vec![vec![2.0, 1.0], vec![1.0, 3.0]]).unwrap();
        // Adds a row and a column.
        let (column, row) = ([1.0, -1.0], [0.0, 2.0]);
        let (by_column, by_row) = (inverse.times_sparse(&sparse(&column)), inverse.left(&row));
        let pivot = 4.0 - row.iter().zip(&by_column).map(|(a, b)| a * b).sum::<f64>();
        inverse.grow(&by_column, &by_row, pivot);
        assert!(close(&inverse, vec![vec![2.0, 1.0, 1.0], vec![1.0, 3.0, -1.0], vec![0.0, 2.0, 4.0]]));
        let row = inverse.left(&[1.0, 1.0, 1.0]);
        inverse.replace_row(1, &row);
        assert!(close(&inverse, vec![vec![2.0, 1.0, 1.0], vec![1.0, 1.0, 1.0], vec![0.0, 2.0, 4.0]]));
        let column = inverse.times_sparse(&sparse(&[5.0, 0.0, 1.0]));
        inverse.replace_column(2, &column);
        assert!(close(&inverse, vec![vec![2.0, 1.0, 5.0], vec![1.0, 1.0, 0.0], vec![0.0, 2.0, 1.0]]));
        // The last ones take the places of row 0 and column 1.
        inverse.shrink(0, 1);
        assert!(close(&inverse, vec![vec![0.0, 1.0], vec![1.0, 0.0]]));
    }

    #[test]
    fn a_singular_matrix_has_none() {
        assert!(Inverse::from_matrix(vec![vec![1.0, 2.0], vec![2.0, 4.0]]).is_none());
    }
}
