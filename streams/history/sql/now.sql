-- What time the engine has, to compare clocks.
SELECT toUnixTimestamp64Micro(now64(6)) AS now_us
