//! What is written is read again, and what is hostile does no harm.
