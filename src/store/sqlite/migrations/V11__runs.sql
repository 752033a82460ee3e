-- What tasks run, and their attempts at it.

-- JSON: the command of the task.
ALTER TABLE tasks ADD COLUMN command TEXT;

-- Of PENDING: when its command, which failed, is tried again.
ALTER TABLE occurrences ADD COLUMN retry_at INTEGER;

CREATE TABLE runs (
    -- Counts them in the order in which they were decided on.
    position INTEGER PRIMARY KEY,
    id BLOB NOT NULL UNIQUE CHECK (length(id) = 16),
    task BLOB NOT NULL REFERENCES tasks (id) DEFERRABLE INITIALLY DEFERRED,
    occurrence_key TEXT NOT NULL,
    occurrence_generation INTEGER NOT NULL,
    is_over INTEGER NOT NULL,
    -- JSON: all of it.
    run TEXT NOT NULL
) STRICT;

CREATE INDEX runs_by_task ON runs (task, position);

CREATE INDEX open_runs ON runs (position) WHERE is_over = 0;

-- What a run said, kept apart since it is long and seldom asked for.
CREATE TABLE run_outputs (
    run BLOB PRIMARY KEY REFERENCES runs (id) ON DELETE CASCADE,
    tail BLOB NOT NULL,
    dropped INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
