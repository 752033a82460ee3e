-- What quiet hours hold, and until when the person is away.

ALTER TABLE occurrences ADD COLUMN held_until INTEGER;

-- JSON: {id, from, to, except}; null where none was set.
ALTER TABLE meta ADD COLUMN away TEXT;

-- What is held for quiet hours is open too.
DROP INDEX deliveries_open;
DROP INDEX deliveries_open_by_target;
CREATE INDEX deliveries_open ON deliveries (position)
    WHERE status IN ('queued', 'waiting', 'held', 'grouped', 'quiet', 'retrying');
CREATE INDEX deliveries_open_by_target ON deliveries (channel, address, position, status)
    WHERE status IN ('queued', 'waiting', 'held', 'grouped', 'quiet', 'retrying');
