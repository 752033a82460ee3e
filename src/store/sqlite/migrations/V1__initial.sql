-- Times are whole milliseconds since 1970 (UTC) where a column ends in _at, _until or _ms; local times are text.
-- Ids are the 16 bytes of a UUID. Lists, maps, operations and snapshots are JSON; all else has a column of its own.

-- "Keik": what this file is, for programs that look at it.
PRAGMA application_id = 1264937323;

-- What the store knows of itself; always one row.
CREATE TABLE meta (
    one INTEGER PRIMARY KEY CHECK (one = 1),
    device BLOB NOT NULL REFERENCES devices (id),
    -- One more than the highest number ever given, also when its task is gone.
    next_number INTEGER NOT NULL CHECK (next_number >= 1),
    -- The seq of the last event, also when that is gone.
    last_seq INTEGER NOT NULL CHECK (last_seq >= 0),
    -- Where floating times were last resolved.
    zone TEXT
) STRICT;

-- Every installation whose events are here, this one too.
CREATE TABLE devices (
    id BLOB PRIMARY KEY NOT NULL CHECK (length(id) = 16)
) STRICT, WITHOUT ROWID;

CREATE TABLE tasks (
    number INTEGER PRIMARY KEY CHECK (number >= 1),
    id BLOB NOT NULL UNIQUE CHECK (length(id) = 16),
    version INTEGER NOT NULL,
    title TEXT NOT NULL,
    notes TEXT NOT NULL,
    link TEXT,
    priority TEXT NOT NULL,
    tags TEXT NOT NULL,
    metadata TEXT NOT NULL,
    targets TEXT NOT NULL,
    alerts_ms TEXT NOT NULL,
    schedule_text TEXT NOT NULL,
    schedule_kind TEXT NOT NULL,
    -- NULL: floating.
    schedule_zone TEXT,
    schedule_rrule TEXT,
    schedule_cron TEXT,
    schedule_every_ms INTEGER,
    -- As the rule says them: a local time, or an instant that ends in Z.
    schedule_from TEXT,
    schedule_until TEXT,
    schedule_count INTEGER,
    created_at INTEGER NOT NULL,
    updated_at INTEGER NOT NULL,
    cursor_key TEXT,
    cursor_nominal TEXT,
    cursor_due_at INTEGER,
    last_ended_key TEXT,
    last_ended_nominal TEXT,
    last_ended_due_at INTEGER,
    previous_outcome TEXT,
    -- The occurrence that was opened last, and what follows from it.
    present_key TEXT NOT NULL,
    present_generation INTEGER NOT NULL,
    present_state TEXT NOT NULL,
    next_wake_at INTEGER,
    FOREIGN KEY (id, present_key, present_generation) REFERENCES occurrences (task, key, generation)
        DEFERRABLE INITIALLY DEFERRED
) STRICT;

CREATE INDEX tasks_by_next_wake ON tasks (next_wake_at) WHERE next_wake_at IS NOT NULL;
-- Open tasks only, in the order of lists: what has ended piles up and costs nothing here.
CREATE INDEX tasks_open ON tasks (number, present_state) WHERE present_state NOT IN ('COMPLETED', 'CANCELLED');

CREATE TABLE occurrences (
    task BLOB NOT NULL REFERENCES tasks (id) DEFERRABLE INITIALLY DEFERRED,
    key TEXT NOT NULL,
    generation INTEGER NOT NULL,
    -- The seq of the event that opened it.
    opened_seq INTEGER NOT NULL,
    due_nominal TEXT,
    due_at INTEGER,
    successor_at INTEGER,
    spoken_ms TEXT NOT NULL,
    last_spoken_ms INTEGER,
    moved_by BLOB,
    state TEXT NOT NULL,
    -- Each group below belongs to the states that carry it, and is NULL in the others.
    snooze_id BLOB,
    snooze_until INTEGER,
    snooze_slot_ms INTEGER,
    snooze_is_chosen INTEGER,
    fired_at INTEGER,
    late INTEGER,
    acked_at INTEGER,
    suspended_id BLOB,
    suspended_at INTEGER,
    suspended_until INTEGER,
    remaining_ms INTEGER,
    failed_at INTEGER,
    ended_at INTEGER,
    outcome TEXT,
    PRIMARY KEY (task, key, generation)
) STRICT, WITHOUT ROWID;

-- What happened, never changed and never removed.
CREATE TABLE events (
    seq INTEGER PRIMARY KEY,
    event_id BLOB NOT NULL UNIQUE CHECK (length(event_id) = 16),
    op_id BLOB NOT NULL,
    task BLOB NOT NULL,
    occurrence_key TEXT NOT NULL,
    occurrence_generation INTEGER NOT NULL,
    device BLOB NOT NULL REFERENCES devices (id),
    actor TEXT NOT NULL,
    at INTEGER NOT NULL,
    operation TEXT NOT NULL,
    operation_values TEXT NOT NULL,
    from_state TEXT,
    to_state TEXT,
    late INTEGER NOT NULL,
    reason TEXT NOT NULL,
    fire_id BLOB,
    -- The task and the occurrence whole, as they then were.
    snapshot TEXT NOT NULL
) STRICT;

CREATE INDEX events_by_task ON events (task, seq);
-- No firing is committed twice.
CREATE UNIQUE INDEX events_by_fire_id ON events (fire_id) WHERE fire_id IS NOT NULL;

CREATE TRIGGER events_are_not_updated BEFORE UPDATE ON events
BEGIN
    SELECT RAISE(ABORT, 'events are never changed');
END;

CREATE TRIGGER events_are_not_deleted BEFORE DELETE ON events
BEGIN
    SELECT RAISE(ABORT, 'events are never removed');
END;

CREATE TABLE deliveries (
    -- The order in which they were first written.
    position INTEGER PRIMARY KEY,
    fire_id BLOB NOT NULL CHECK (length(fire_id) = 16),
    channel TEXT NOT NULL,
    address TEXT NOT NULL,
    task BLOB NOT NULL REFERENCES tasks (id),
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
    slot_ms INTEGER NOT NULL,
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
    attempts INTEGER NOT NULL,
    created_at INTEGER NOT NULL,
    last_error TEXT,
    UNIQUE (fire_id, channel, address)
) STRICT;

CREATE INDEX deliveries_by_task ON deliveries (task, position);
CREATE INDEX deliveries_open ON deliveries (position) WHERE status IN ('queued', 'waiting', 'held', 'retrying');

CREATE INDEX deliveries_held ON deliveries (channel, address, position) WHERE status = 'held';

-- How the targets have done lately, of which anything is to be noted.
CREATE TABLE targets (
    channel TEXT NOT NULL,
    address TEXT NOT NULL,
    -- Attempts in a row that failed.
    failures INTEGER NOT NULL,
    -- closed: it is sent to; open: it failed too often; paused: a person said so; releasing: what was held goes out.
    breaker TEXT NOT NULL,
    since_at INTEGER,
    -- When the next probe, or the next of what was held, goes out.
    next_at INTEGER,
    probes INTEGER,
    PRIMARY KEY (channel, address)
) STRICT, WITHOUT ROWID;

-- Requests that carried an idempotency key.
CREATE TABLE requests (
    key TEXT PRIMARY KEY NOT NULL,
    method TEXT NOT NULL,
    task BLOB NOT NULL,
    at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
