"""The tables and views of the history: numbered files of statements, and files of views."""
