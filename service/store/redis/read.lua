-- A table, without its document where version and mark are those that the caller knows.
-- KEYS  hash
-- ARGV  schema, '1' if tried before, version and mark known, then the field of each epoch asked for
local fields = {'schema', 'version', 'mark', 'ended'}
for i = 5, #ARGV do
  fields[#fields + 1] = ARGV[i]
end
local found = redis.call('HMGET', KEYS[1], unpack(fields))
local document = false
if found[2] and not (found[2] == ARGV[3] and found[3] == ARGV[4]) then
  document = redis.call('HGET', KEYS[1], 'document')
end
return {redis.call('PTTL', KEYS[1]), document, found}
