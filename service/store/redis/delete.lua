-- Takes a table away and tells its watchers.
-- KEYS  hash, frames
-- ARGV  schema, '1' if tried before, channel, message
local there = redis.call('DEL', KEYS[1], KEYS[2])
redis.pcall('SPUBLISH', ARGV[3], ARGV[4])
return there
