//! REST and JSON in front of region programs, from z/OS Connect API projects.
