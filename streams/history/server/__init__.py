"""The history on a ClickHouse server, through clickhouse-driver."""
