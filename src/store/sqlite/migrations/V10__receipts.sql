-- What a channel needs to find again what its target has.

ALTER TABLE deliveries ADD COLUMN receipt TEXT;

-- JSON: for when the person had said to be away before and after, where an operation changed that.
ALTER TABLE ops ADD COLUMN away TEXT;
