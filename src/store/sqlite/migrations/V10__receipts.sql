-- What a channel needs to find again what its target has.

ALTER TABLE deliveries ADD COLUMN receipt TEXT;

-- JSON: for when the person had said to be away before and after, where an operation changed that.
ALTER TABLE ops ADD COLUMN away TEXT;

-- Whose deliveries there are, for when a task goes for ever: SQLite looks for what refers to it.
CREATE INDEX deliveries_by_owner ON deliveries (owner) WHERE owner IS NOT NULL;
