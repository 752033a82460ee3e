//! Tasks of Taskwarrior become tasks of Keiko, and go back.
