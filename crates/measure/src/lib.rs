//! Histograms, CPU accounting, fits and the report model.
