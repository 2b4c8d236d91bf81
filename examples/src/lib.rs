//! Models with expected verdicts (in `models/`) and runnable walk-throughs of the library.
