-- What is not final, said so that it costs a few comparisons a row: a list of more than two words is made a table of its own
-- for each row that is written.
DROP INDEX deliveries_open;
DROP INDEX deliveries_open_by_target;
CREATE INDEX deliveries_open ON deliveries (position)
    WHERE status <> 'delivered' AND status <> 'failed' AND status <> 'withdrawn';
CREATE INDEX deliveries_open_by_target ON deliveries (channel, address, position, status)
    WHERE status <> 'delivered' AND status <> 'failed' AND status <> 'withdrawn';
