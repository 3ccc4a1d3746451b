//! Controlled load: presentation rates, think time, the knee.
