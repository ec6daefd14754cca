-- What was bound, given back.
SELECT
    {text:String} AS text,
    {texts:Array(String)} AS texts,
    {number:Int64} AS number,
    {numbers:Array(UInt64)} AS numbers,
    {flag:Bool} AS flag,
    {day:Date32} AS day,
    {maybe:Nullable(String)} AS maybe
