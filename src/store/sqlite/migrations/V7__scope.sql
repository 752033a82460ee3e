-- One time of a series that a person moved or paused alone, and a series that another task goes on with.

ALTER TABLE occurrences ADD COLUMN moved_from_nominal TEXT;
ALTER TABLE occurrences ADD COLUMN moved_from_at INTEGER;
ALTER TABLE occurrences ADD COLUMN suspended_is_this_only INTEGER;
UPDATE occurrences SET suspended_is_this_only = 0 WHERE state = 'SUSPENDED';

-- JSON: the id and the number of the other task.
ALTER TABLE tasks ADD COLUMN follows TEXT;
ALTER TABLE tasks ADD COLUMN followed_by TEXT;
