import {
  ENDED_KEPT_SECONDS,
  REPLACEABLE_MAX,
  REPLACED_MAX,
  REPLACED_WINDOW_SECONDS,
} from '../../domain/limits/streams.js';
import { script } from './script.js';

/** The channel of an instance is this and its id. A message is why a stream lost its slot, and the id of the stream. */
export const LOST_SLOTS_CHANNEL = 'oddswire:lost-slots:';

/** Longer than every lease. Keys that no stream uses are deleted after this time. */
const KEPT_SECONDS = Math.max(ENDED_KEPT_SECONDS, REPLACED_WINDOW_SECONDS);
/** Bounds the work of one script after an instance with many streams has crashed. The count ignores what is left. */
const EXPIRED_PER_SCRIPT = 1_000;

/**
 * Functions of all scripts. Times are microseconds of the clock of Redis.
 *
 * The streams of a subscription are in four keys: `info` is a hash of instance, end of the protection and key, by stream;
 * `leases` has each stream by the end of its lease, `opened` by the time at which it opened, and `ended` has the streams
 * that were replaced or reduced, by the time until which this is remembered.
 */
const FUNCTIONS = `
local call, KEYS, ARGV = redis.call, KEYS, ARGV
local time = call('TIME')
local now = time[1] * 1000000 + time[2]

-- Lua would write large numbers with an exponent.
local function text(number) return string.format('%.0f', number) end

local function streamsAt(i)
  return { info = KEYS[i], leases = KEYS[i + 1], opened = KEYS[i + 2], ended = KEYS[i + 3] }
end

local function countOpen(of) return call('ZCOUNT', of.leases, '(' .. text(now), '+inf') end

local function isOpen(of, stream) return tonumber(call('ZSCORE', of.leases, stream) or 0) > now end

local function keep(key) call('EXPIRE', key, ${KEPT_SECONDS}) end

local function keepAll(of) keep(of.info) keep(of.leases) keep(of.opened) end

local function infoOf(instance, key, protection)
  return instance .. ' ' .. text(now + protection) .. ' ' .. key
end

local function hold(of, stream, key, instance, lease, protection)
  call('HSET', of.info, stream, infoOf(instance, key, protection))
  call('ZADD', of.leases, text(now + lease), stream)
  keepAll(of)
end

local function remove(of, ...)
  call('HDEL', of.info, ...)
  call('ZREM', of.leases, ...)
  call('ZREM', of.opened, ...)
end

local function removeExpired(of)
  local expired = call('ZRANGEBYSCORE', of.leases, '-inf', text(now), 'LIMIT', 0, ${EXPIRED_PER_SCRIPT})
  if #expired > 0 then remove(of, unpack(expired)) end
end

local function finish(of, stream, why)
  local instance = string.match(call('HGET', of.info, stream) or '', '^%S+')
  remove(of, stream)
  call('ZREMRANGEBYSCORE', of.ended, '-inf', text(now))
  call('ZADD', of.ended, text(now + ${ENDED_KEPT_SECONDS * 1_000_000}), stream)
  keep(of.ended)
  if instance then call('PUBLISH', '${LOST_SLOTS_CHANNEL}' .. instance, why .. ' ' .. stream) end
end
`;

/**
 * Mirrors `slotFor` and `isReplacedLately` of `domain/limits/streams.ts` for each open.
 *
 * Keys of each open: the four of its subscription, and the replacements of its key by the clock of the service. Arguments:
 * the instance, the lease, the clock of the service in seconds; then of each open: stream, key, allowed, and 1 if it is
 * resumed. Results of each open: whether it is granted, the number of open streams, the stream that it replaced or ''.
 */
export const OPEN = script(`${FUNCTIONS}
local instance, lease, clock = ARGV[1], tonumber(ARGV[2]), tonumber(ARGV[3])

local function replaceable(of, key)
  local streams = call('ZRANGE', of.opened, 0, ${REPLACEABLE_MAX - 1})
  local infos = #streams == 0 and {} or call('HMGET', of.info, unpack(streams))
  for i, stream in ipairs(streams) do
    local protectedUntil, ofKey = string.match(infos[i] or '', '^%S+ (%d+) (.*)$')
    if ofKey == key and tonumber(protectedUntil) <= now and isOpen(of, stream) then return stream end
  end
end

-- The time stands still in a script: order keeps the order of its opens.
local function open(of, replacements, stream, key, allowed, isResumed, order)
  removeExpired(of)
  local count, replaced = countOpen(of), ''
  if isOpen(of, stream) then return 1, count, replaced end
  if count >= allowed then
    if not isResumed then return 0, count, '' end
    call('ZREMRANGEBYSCORE', replacements, '-inf', clock - ${REPLACED_WINDOW_SECONDS})
    if call('ZCARD', replacements) >= ${REPLACED_MAX} then return 0, count, '' end
    replaced = replaceable(of, key)
    if not replaced then return 0, count, '' end
    finish(of, replaced, 'replaced')
    call('ZADD', replacements, clock, replaced)
    keep(replacements)
    count = count - 1
  end
  call('ZADD', of.opened, text(now + order), stream)
  hold(of, stream, key, instance, lease, 0)
  return 1, count + 1, replaced
end

local results = {}
for i = 1, #KEYS / 5 do
  local at = 4 * i
  local granted, count, replaced = open(streamsAt(5 * i - 4), KEYS[5 * i],
    ARGV[at], ARGV[at + 1], tonumber(ARGV[at + 2]), ARGV[at + 3] == '1', i)
  results[3 * i - 2], results[3 * i - 1], results[3 * i] = granted, count, replaced
end
return results`);

/**
 * Mirrors `mayTakeAgain` of `domain/limits/streams.ts` for each renewal.
 *
 * Keys: the four of each subscription. Arguments: the instance, the lease, and JSON: for each subscription the list of its
 * renewals. A renewal is a list of stream, key, allowed, the time since it opened, the time for which it is protected, and
 * whether it is late. All are one text, because thousands of streams are renewed together: an argument for each value would
 * be 4 KB of garbage in the service for each stream. Results: the streams that hold no slot.
 */
export const RENEW = script(`${FUNCTIONS}
local instance, lease = ARGV[1], tonumber(ARGV[2])
local leasedUntil = text(now + lease)

local function mayTakeAgain(of, stream, allowed, isLate)
  if call('ZSCORE', of.ended, stream) then return false end
  return not isLate or countOpen(of) < allowed
end

local lost = {}

local function renew(of, renewals)
  local infos, leases = {}, {}
  for _, renewal in ipairs(renewals) do
    local stream, key, allowed, opened, protection, isLate = unpack(renewal)
    if isOpen(of, stream) then
      infos[#infos + 1], infos[#infos + 2] = stream, infoOf(instance, key, protection)
      leases[#leases + 1], leases[#leases + 2] = leasedUntil, stream
    elseif mayTakeAgain(of, stream, allowed, isLate) then
      call('ZADD', of.opened, text(now - opened), stream)
      hold(of, stream, key, instance, lease, protection)
    else lost[#lost + 1] = stream end
  end
  if #infos == 0 then return end
  call('HSET', of.info, unpack(infos))
  call('ZADD', of.leases, unpack(leases))
  keepAll(of)
end

for i, renewals in ipairs(cjson.decode(ARGV[3])) do renew(streamsAt(4 * i - 3), renewals) end
return lost`);

/** Keys: the four of the subscription of each stream. Arguments: the streams. */
export const CLOSE = script(`${FUNCTIONS}
for i = 1, #KEYS / 4 do remove(streamsAt(4 * i - 3), ARGV[i]) end`);

/** Mirrors `streamsBeyond` of `domain/limits/streams.ts`. Keys: the four of the subscription. Argument: allowed. */
export const REDUCE = script(`${FUNCTIONS}
local of = streamsAt(1)
removeExpired(of)
local beyond = countOpen(of) - ARGV[1]
if beyond <= 0 then return end
for _, stream in ipairs(call('ZREVRANGE', of.opened, 0, -1)) do
  if beyond <= 0 then return end
  if isOpen(of, stream) then
    finish(of, stream, 'reduced')
    beyond = beyond - 1
  end
end`);

/** Keys: the four of the subscription. Results: the key of each open stream. */
export const OPEN_KEYS = script(`${FUNCTIONS}
local of = streamsAt(1)
local keys = {}
for _, stream in ipairs(call('ZRANGEBYSCORE', of.leases, '(' .. text(now), '+inf')) do
  keys[#keys + 1] = string.match(call('HGET', of.info, stream) or '', '%S+$')
end
return keys`);
