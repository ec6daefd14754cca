"""What people see: command line, reports, console and HTTP API."""
