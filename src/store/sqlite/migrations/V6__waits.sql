-- What a task waits for: other tasks that are to be done first.

-- JSON: the tasks with where each stands, the delay, and what becomes of it where one of them never will be done.
ALTER TABLE tasks ADD COLUMN waits TEXT;

-- The same from the other side, so that what a completion sets free is found at once.
CREATE TABLE waits (
    parent BLOB NOT NULL CHECK (length(parent) = 16),
    task BLOB NOT NULL CHECK (length(task) = 16),
    PRIMARY KEY (parent, task)
) STRICT, WITHOUT ROWID;
CREATE INDEX waits_by_task ON waits (task);
