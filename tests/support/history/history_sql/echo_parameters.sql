-- Parameters as they arrive.
SELECT
    {text:String} AS text,
    {maybe:Nullable(String)} AS maybe,
    {texts:Array(String)} AS texts,
    {number:UInt64} AS number,
    {numbers:Array(Int64)} AS numbers,
    {day:Date32} AS day,
    {truth:Bool} AS truth
