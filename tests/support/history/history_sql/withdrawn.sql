SELECT subject, version, withdrawn_by_version, code, known_at_us, withdrawn_at_us FROM withdrawn_findings ORDER BY table_id, kind, subject, finding_id
