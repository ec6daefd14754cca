"""What is shown, as data: no typer, no rich, no HTTP, no exit codes."""
