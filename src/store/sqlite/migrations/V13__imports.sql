-- Which events came in with an import: they happened elsewhere or before, so that nobody is told of them as of news.
CREATE TABLE imports (
    first_seq INTEGER PRIMARY KEY,
    last_seq INTEGER NOT NULL,
    at INTEGER NOT NULL
) STRICT;
