-- Several firings told at once, what was skipped, and where popups were last shown.

-- A digest belongs to no task, so the reference to one is made of what is not a digest. The table is made anew, since
-- SQLite drops no reference; nothing refers to it.
CREATE TABLE deliveries_anew (
    -- The order in which they were first written.
    position INTEGER PRIMARY KEY,
    fire_id BLOB NOT NULL CHECK (length(fire_id) = 16),
    channel TEXT NOT NULL,
    address TEXT NOT NULL,
    -- Of a digest the name under which it is shown.
    task BLOB NOT NULL,
    owner BLOB GENERATED ALWAYS AS (iif(reason = 'digest', NULL, task)) VIRTUAL REFERENCES tasks (id),
    occurrence_key TEXT NOT NULL,
    occurrence_generation INTEGER NOT NULL,
    -- What is said, frozen.
    number INTEGER NOT NULL,
    title TEXT NOT NULL,
    body TEXT NOT NULL,
    priority TEXT NOT NULL,
    link TEXT,
    -- What programs are told besides, frozen: the firing, and what the task then was.
    device BLOB NOT NULL,
    reason TEXT NOT NULL,
    slot TEXT NOT NULL,
    nominal_at INTEGER NOT NULL,
    late INTEGER NOT NULL,
    due_nominal TEXT,
    due_at INTEGER,
    notes TEXT NOT NULL,
    tags TEXT NOT NULL,
    metadata TEXT NOT NULL,
    status TEXT NOT NULL,
    -- When it is retried, or when it came to its end.
    status_at INTEGER,
    -- What is sent to a program, frozen when it was first handed out; NULL before, and once the program has it.
    frozen_headers TEXT,
    frozen_body TEXT,
    -- Past this it is not sent any more.
    expires_at INTEGER,
    attempts INTEGER NOT NULL,
    created_at INTEGER NOT NULL,
    last_error TEXT,
    -- The firing of the digest, to the same target, that tells of it.
    digest BLOB,
    UNIQUE (fire_id, channel, address)
) STRICT;

INSERT INTO deliveries_anew (
    position, fire_id, channel, address, task, occurrence_key, occurrence_generation, number, title, body, priority,
    link, device, reason, slot, nominal_at, late, due_nominal, due_at, notes, tags, metadata, status, status_at,
    frozen_headers, frozen_body, expires_at, attempts, created_at, last_error
) SELECT
    position, fire_id, channel, address, task, occurrence_key, occurrence_generation, number, title, body, priority,
    link, device, reason, slot, nominal_at, late, due_nominal, due_at, notes, tags, metadata, status, status_at,
    frozen_headers, frozen_body, expires_at, attempts, created_at, last_error
FROM deliveries;

DROP TABLE deliveries;
ALTER TABLE deliveries_anew RENAME TO deliveries;

CREATE INDEX deliveries_by_task ON deliveries (task, position);
CREATE INDEX deliveries_open ON deliveries (position)
    WHERE status IN ('queued', 'waiting', 'held', 'grouped', 'retrying');
CREATE INDEX deliveries_held ON deliveries (channel, address, position) WHERE status = 'held';
-- For the deliveries to one target, and their counts by target, without a look at those to others.
CREATE INDEX deliveries_open_by_target ON deliveries (channel, address, position, status)
    WHERE status IN ('queued', 'waiting', 'held', 'grouped', 'retrying');
-- What failed for good is to be seen, and is rare.
CREATE INDEX deliveries_failed ON deliveries (position) WHERE status = 'failed';
CREATE INDEX deliveries_by_digest ON deliveries (digest, channel, address, position) WHERE digest IS NOT NULL;

-- What was skipped is to be seen, and is rare.
CREATE INDEX events_missed ON events (at, seq) WHERE operation IN ('passed_over', 'missed');

-- The notification server that popups were last shown by.
ALTER TABLE meta ADD COLUMN shown_by TEXT;
