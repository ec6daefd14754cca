"""The history in the embedded ClickHouse engine, chDB, owned by one process."""
