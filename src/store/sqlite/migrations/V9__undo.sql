-- What people take back, and what they removed from sight.

ALTER TABLE tasks ADD COLUMN deleted_at INTEGER;
-- What is to be purged next is found at once.
CREATE INDEX tasks_deleted ON tasks (deleted_at) WHERE deleted_at IS NOT NULL;
-- Deleted ones are seen by nobody.
DROP INDEX tasks_open;
CREATE INDEX tasks_open ON tasks (number, present_state)
    WHERE present_state NOT IN ('COMPLETED', 'CANCELLED') AND deleted_at IS NULL;

-- What one command of a person did, as one thing that can be taken back.
CREATE TABLE ops (
    -- The order in which they were done.
    position INTEGER PRIMARY KEY,
    id BLOB NOT NULL UNIQUE CHECK (length(id) = 16),
    at INTEGER NOT NULL,
    verb TEXT NOT NULL,
    title TEXT NOT NULL,
    -- JSON: the numbers of the first tasks.
    tasks TEXT NOT NULL,
    total INTEGER NOT NULL,
    is_typed INTEGER NOT NULL,
    undoes BLOB,
    is_undo INTEGER NOT NULL,
    undone_by BLOB,
    -- JSON: the pauses of many tasks before and after, where it changed them.
    pauses TEXT
) STRICT;
-- What a bare undo means.
CREATE INDEX ops_to_undo ON ops (position) WHERE is_typed AND NOT is_undo AND undone_by IS NULL;
CREATE INDEX events_by_op ON events (op_id, seq);

-- Tasks that were purged: their ids and numbers mean nothing else for ever.
CREATE TABLE dead_tasks (
    id BLOB PRIMARY KEY NOT NULL CHECK (length(id) = 16),
    number INTEGER NOT NULL UNIQUE,
    purged_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
