-- One move is this script: checks everything, then writes everything (service/store/__init__.py, Store.commit).
-- KEYS  hash, frames
-- ARGV  schema, '1' if tried before, version and mark the commit was made from ('' for any mark), new mark, document,
--       frame, '1' if the table ends, ttl ('' for the table's own), frames kept, answers kept,
--       field of the epoch, epoch ('' for no token), field of the answer ('' for no key), record of the answer,
--       channel, message for watchers up to its ttl (the frame follows), then a field and an epoch for each changed one
-- A record is: digest of the body (32 bytes), epoch of the token (8), version (8), answer.
local hash, frames = KEYS[1], KEYS[2]
local schema, again, expected, from, mark = ARGV[1], ARGV[2], tonumber(ARGV[3]), ARGV[4], ARGV[5]
local ttl, epoch_field, epoch, answer_field, record = ARGV[9], ARGV[12], ARGV[13], ARGV[14], ARGV[15]

local now = redis.call('HMGET', hash, 'schema', 'version', 'mark', 'ended', 'ttl', 'answers', epoch_field, answer_field)
if not now[1] then
  return {'missing'}
end
if tonumber(now[1]) > tonumber(schema) then
  return {'newer', now[1]}
end
local version, remembered = tonumber(now[2]), now[8]
if ttl == '' then
  ttl = now[5]
end

local function keep()
  redis.call('EXPIRE', hash, ttl)
  redis.call('EXPIRE', frames, ttl)
end

if again == '1' and version > expected then
  -- Was it carried out, and only its reply lost? Then the frame of its version bears its mark.
  local id = string.format('%.0f-0', expected + 1)
  local entry = redis.call('XRANGE', frames, id, id)[1]
  if entry and entry[2][4] == mark then
    keep() -- a write, for WAIT to wait for
    return {'committed'}
  end
end
local good = epoch == '' or epoch == now[7]
if remembered and remembered:sub(1, 32) == record:sub(1, 32) and (good or remembered:sub(33, 40) == record:sub(33, 40))
then
  redis.call('HSET', hash, 'schema', now[1]) -- a write, for WAIT to wait for
  return {'repeated', remembered}
end
if not good then
  return {'revoked'}
end
if remembered then
  return {'reused'}
end
if now[4] then
  return {'ended', version}
end
if version ~= expected or (from ~= '' and from ~= now[3]) then
  return {'stale', version}
end

version = version + 1
redis.call('HSET', hash, 'version', version, 'mark', mark, 'document', ARGV[6], 'ttl', ttl)
if ARGV[8] == '1' then
  redis.call('HSET', hash, 'ended', 1)
end
for i = 18, #ARGV, 2 do
  redis.call('HSET', hash, ARGV[i], ARGV[i + 1])
end
if answer_field ~= '' then
  -- The answers lie in a ring: the one that lay in this place is forgotten.
  local answers = tonumber(now[6] or 0) + 1
  local place = 'ring:' .. (answers % tonumber(ARGV[11]))
  local oldest = redis.call('HGET', hash, place)
  if oldest then
    redis.call('HDEL', hash, oldest)
  end
  redis.call('HSET', hash, 'answers', answers, place, answer_field, answer_field, record)
end
redis.call('XADD', frames, 'MAXLEN', ARGV[10], string.format('%.0f-0', version),
  'schema', schema, 'mark', mark, 'frame', ARGV[7])
keep()
-- pcall: what is written stays acknowledged, whether or not this user may publish
redis.pcall('SPUBLISH', ARGV[16], ARGV[17] .. struct.pack('>I4', ttl) .. ARGV[7])
return {'committed'}
