-- How long and how often a task's deliveries are tried; NULL: as is usual.
ALTER TABLE tasks ADD COLUMN max_retries INTEGER;
ALTER TABLE tasks ADD COLUMN max_late_ms INTEGER;

-- What is sent to a program, frozen when it was first handed out; NULL before, and once the program has it.
ALTER TABLE deliveries ADD COLUMN frozen_headers TEXT;
ALTER TABLE deliveries ADD COLUMN frozen_body TEXT;
-- Past this it is not sent any more.
ALTER TABLE deliveries ADD COLUMN expires_at INTEGER;
-- Why the latest attempt at the target failed; NULL once one succeeded.
ALTER TABLE targets ADD COLUMN last_error TEXT;

-- For the deliveries to one target, and their counts by target, without a look at those to others.
CREATE INDEX deliveries_open_by_target ON deliveries (channel, address, position, status)
    WHERE status IN ('queued', 'waiting', 'held', 'retrying');
-- What failed for good is to be seen, and is rare.
CREATE INDEX deliveries_failed ON deliveries (position) WHERE status = 'failed';
