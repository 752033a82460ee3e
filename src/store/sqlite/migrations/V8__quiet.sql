-- What quiet hours hold, and until when the person is away.

ALTER TABLE occurrences ADD COLUMN held_until INTEGER;

-- JSON: {id, from, to, except}; null where none was set.
ALTER TABLE meta ADD COLUMN away TEXT;
