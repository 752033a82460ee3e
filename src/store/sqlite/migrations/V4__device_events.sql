-- What happened to the device: its clock was set, it slept, it moved to another zone. `seq` is one counter with `events`.
CREATE TABLE device_events (
    seq INTEGER PRIMARY KEY,
    event_id BLOB NOT NULL UNIQUE CHECK (length(event_id) = 16),
    op_id BLOB NOT NULL,
    device BLOB NOT NULL REFERENCES devices (id),
    actor TEXT NOT NULL,
    at INTEGER NOT NULL,
    operation TEXT NOT NULL,
    operation_values TEXT NOT NULL,
    reason TEXT NOT NULL
) STRICT;

CREATE INDEX device_events_by_time ON device_events (at);

CREATE TRIGGER device_events_are_not_updated BEFORE UPDATE ON device_events
BEGIN
    SELECT RAISE(ABORT, 'events are never changed');
END;

CREATE TRIGGER device_events_are_not_deleted BEFORE DELETE ON device_events
BEGIN
    SELECT RAISE(ABORT, 'events are never removed');
END;

-- What is over and may lie ahead all the same, where the clock was set back: few at any time.
CREATE INDEX occurrences_ended_by_due ON occurrences (due_at) WHERE ended_at IS NOT NULL AND key <> 'once';
-- What a person passed over.
CREATE INDEX events_withdrawn_by_skip ON events (seq) WHERE operation = 'withdrawn' AND reason = 'skipped';
