-- What a channel needs to find again what its target has.

ALTER TABLE deliveries ADD COLUMN receipt TEXT;
