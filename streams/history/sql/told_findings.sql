-- Findings that stand in a range, with the feed of their record; the canary's where asked for.
SELECT
    f.table_id AS table_id, f.kind AS kind, f.gaming_date AS gaming_date,
    f.occurred_at_us AS occurred_at_us, f.is_simulated AS is_simulated, f.finding_id AS finding_id,
    f.code AS code, f.severity AS severity, f.status AS status, f.source AS source, f.feed AS feed,
    f.file AS file, f.line AS line, f.file_column AS file_column, f.shoe AS shoe, f.coup AS coup,
    f.seat AS seat, f.wager AS wager, f.hand AS hand, f.due_minor AS due_minor,
    f.paid_minor AS paid_minor, f.difference_minor AS difference_minor,
    f.corrected_minor AS corrected_minor, f.residual_minor AS residual_minor,
    f.currency AS currency, f.sentence AS sentence, f.citation AS citation,
    f.rules_version AS rules_version, f.interpretations AS interpretations,
    f.evidence AS evidence, f.act_occurred_at_us AS act_occurred_at_us,
    f.act_gaming_date AS act_gaming_date, f.coup_began_at_us AS coup_began_at_us,
    f.coup_no AS coup_no, f.stake_minor AS stake_minor, f.patron AS patron,
    f.wager_id AS wager_id, f.settlement_id AS settlement_id, f.dealer AS dealer,
    f.title AS title, f.facts AS facts
FROM current_findings AS f
WHERE ({table_id:String} = '' OR f.table_id = {table_id:String})
    AND ({with_canary:Bool} OR NOT (f.is_simulated AND f.table_id = 'ladderman-canary'))
    AND ifNull(f.gaming_date BETWEEN {first_date:Date32} AND {last_date:Date32}, true)
    AND f.occurred_at_us >= {from_us:Int64} AND f.occurred_at_us < {until_us:Int64}
ORDER BY f.table_id, f.occurred_at_us, f.finding_id
