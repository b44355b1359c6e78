-- Creates a table: its hash, its frames with the first of them and, under an idempotency key, the answer to it.
-- KEYS  hash, frames, and with an idempotency key: creation
-- ARGV  schema, '1' if tried before, mark, ttl, document, frame, record of the answer,
--       then a field and an epoch for each place
local schema, again, mark, ttl = ARGV[1], ARGV[2], ARGV[3], ARGV[4]

local there = redis.call('HMGET', KEYS[1], 'mark', 'version')
if again == '1' and there[1] == mark and there[2] == '1' then
  redis.call('HSET', KEYS[1], 'schema', schema) -- a write, for WAIT to wait for
  return {'created'}
end
if KEYS[3] then
  local record = redis.call('GET', KEYS[3])
  if record then
    redis.call('SET', KEYS[3], record, 'KEEPTTL') -- a write, for WAIT to wait for
    return {'repeated', record}
  end
end
if there[1] then
  return {'taken'}
end

redis.call('HSET', KEYS[1], 'schema', schema, 'version', 1, 'mark', mark, 'ttl', ttl, 'document', ARGV[5])
for i = 8, #ARGV, 2 do
  redis.call('HSET', KEYS[1], ARGV[i], ARGV[i + 1])
end
redis.call('XADD', KEYS[2], '1-0', 'schema', schema, 'mark', mark, 'frame', ARGV[6])
redis.call('EXPIRE', KEYS[1], ttl)
redis.call('EXPIRE', KEYS[2], ttl)
if KEYS[3] then
  redis.call('SET', KEYS[3], ARGV[7], 'EX', ttl)
end
return {'created'}
