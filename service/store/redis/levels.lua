-- Takes tokens from buckets that replicas share, and tells the level of each; one that is not there is full.
-- KEYS  a bucket each
-- ARGV  schema, '1' if tried before, then for each bucket: tokens taken, tokens that come back per second, most tokens,
--       and the seconds within which they were taken: what came back meanwhile counts before the bucket is full
local time = redis.call('TIME')
local now = time[1] + time[2] / 1000000
local levels = {}
for i, key in ipairs(KEYS) do
  local taken, rate, most = tonumber(ARGV[4 * i - 1]), tonumber(ARGV[4 * i]), tonumber(ARGV[4 * i + 1])
  local kept = redis.call('HMGET', key, 'level', 'at')
  local level = most
  if kept[1] then
    local passed = math.max(0, now - tonumber(kept[2]))
    local meanwhile = math.min(passed, tonumber(ARGV[4 * i + 2]))
    level = math.min(most, tonumber(kept[1]) + (passed - meanwhile) * rate)
    level = math.min(most, level + meanwhile * rate - taken)
  else
    level = level - taken
  end
  redis.call('HSET', key, 'level', string.format('%.6f', level), 'at', string.format('%.6f', now))
  redis.call('PEXPIRE', key, math.ceil((most - level) / rate * 1000) + 1000) -- until it would be full
  levels[i] = string.format('%.6f', level)
end
return levels
