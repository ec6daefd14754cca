SELECT kind, subject, version, code, residual_minor, known_at_us FROM current_findings ORDER BY table_id, kind, subject, finding_id
