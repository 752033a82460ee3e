-- What failed for good, for when it is asked what did so lately.
CREATE INDEX occurrences_exhausted ON occurrences (ended_at) WHERE outcome = 'retries_exhausted';
