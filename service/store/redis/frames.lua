-- The frame of a version, where it is kept, and those behind it.
-- KEYS  hash, frames
-- ARGV  schema, '1' if tried before, version, limit
local found = redis.call('HMGET', KEYS[1], 'schema', 'version', 'ended')
local entries = {}
if found[2] then
  entries = redis.call('XRANGE', KEYS[2], ARGV[3] .. '-0', '+', 'COUNT', ARGV[4] + 1)
end
return {redis.call('PTTL', KEYS[1]), found, entries}
