//! What the abstraction makes of many models: the size of the abstract system, the verdict of the
//! plain test of boundedness, time and memory.
//!
//! Each model goes through a process of its own, so that the peak of its memory is known, and that
//! one which does not come to its end, or crashes, is a row like any other. The process prints line
//! by line what it has found, in the form of [`figures`]: what was found before it was stopped is
//! known.
//!
//! - [`figures`]: what is found out of a model, as lines of text;
//! - [`run`]: models, one after the other;
//! - [`reasons`]: the table of models that do not get through in time, with a reason for each;
//! - [`page`]: the results as a page of the documentation.

pub mod figures;
pub mod page;
pub mod reasons;
pub mod run;
