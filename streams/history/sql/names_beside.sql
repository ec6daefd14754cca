-- Names of coups, or of shoes, whose device used an id that was used before: they begin with it.
SELECT DISTINCT if({of_shoes:Bool}, ifNull(shoe_id, ''), coup_id) AS name
FROM coups
WHERE startsWith(name, {beginning:String}) AND NOT (is_simulated AND table_id = 'ladderman-canary')
ORDER BY name
