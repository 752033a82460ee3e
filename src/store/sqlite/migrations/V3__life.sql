-- What a task does beyond its schedule: missed times, nags, deadlines, rules that count from completions.

ALTER TABLE tasks ADD COLUMN missed TEXT NOT NULL DEFAULT 'once';
ALTER TABLE tasks ADD COLUMN nag_ms INTEGER;
ALTER TABLE tasks ADD COLUMN nag_max INTEGER;
ALTER TABLE tasks ADD COLUMN auto_done INTEGER NOT NULL DEFAULT 0;
-- JSON.
ALTER TABLE tasks ADD COLUMN deadline TEXT;
-- JSON: the distance from a completion, and the time of day.
ALTER TABLE tasks ADD COLUMN schedule_after_done TEXT;

ALTER TABLE occurrences ADD COLUMN deadline_nominal TEXT;
ALTER TABLE occurrences ADD COLUMN deadline_at INTEGER;
ALTER TABLE occurrences ADD COLUMN is_past_deadline INTEGER NOT NULL DEFAULT 0;
ALTER TABLE occurrences ADD COLUMN nags INTEGER NOT NULL DEFAULT 0;
ALTER TABLE occurrences ADD COLUMN is_missed INTEGER;
ALTER TABLE occurrences ADD COLUMN rang_at INTEGER;
ALTER TABLE occurrences ADD COLUMN nags_since INTEGER;
ALTER TABLE occurrences ADD COLUMN is_hushed INTEGER;
ALTER TABLE occurrences ADD COLUMN snooze_is_duration INTEGER;
UPDATE occurrences SET is_missed = 0 WHERE state = 'PENDING';
UPDATE occurrences SET rang_at = iif(last_spoken_ms IS NULL, NULL, fired_at), nags_since = 0, is_hushed = 0
    WHERE state = 'RUNNING';
UPDATE occurrences SET snooze_is_duration = 0 WHERE snooze_id IS NOT NULL;

-- An alert was named by its distance from due in milliseconds; now it is text, since not every alert has one.
ALTER TABLE occurrences RENAME COLUMN spoken_ms TO spoken;
ALTER TABLE occurrences ADD COLUMN last_spoken TEXT;
UPDATE occurrences SET last_spoken = CAST(last_spoken_ms AS TEXT);
ALTER TABLE occurrences DROP COLUMN last_spoken_ms;
ALTER TABLE occurrences ADD COLUMN snooze_slot TEXT;
UPDATE occurrences SET snooze_slot = CAST(snooze_slot_ms AS TEXT);
ALTER TABLE occurrences DROP COLUMN snooze_slot_ms;
ALTER TABLE deliveries ADD COLUMN slot TEXT NOT NULL DEFAULT '0';
UPDATE deliveries SET slot = CAST(slot_ms AS TEXT);
ALTER TABLE deliveries DROP COLUMN slot_ms;

-- Pauses of many tasks that stand: what is armed meanwhile goes to sleep too.
CREATE TABLE pauses (
    id BLOB PRIMARY KEY NOT NULL CHECK (length(id) = 16),
    -- NULL: of all tasks.
    tag TEXT,
    since_at INTEGER NOT NULL,
    until_at INTEGER
) STRICT, WITHOUT ROWID;
