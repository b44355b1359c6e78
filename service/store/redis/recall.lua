-- What commit.lua would say of a key and a token.
-- KEYS  hash
-- ARGV  schema, '1' if tried before, field of the epoch, field of the answer
return redis.call('HMGET', KEYS[1], 'schema', 'version', 'ended', ARGV[3], ARGV[4])
