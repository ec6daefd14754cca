"""Files that people bring: events, recorded rounds, column mappings and Rules Submissions."""
