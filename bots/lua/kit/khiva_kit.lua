-- Wire protocol 1 for bots in Lua 5.3 and 5.4. A bot is one call:
--
--   local kit = require "khiva_kit"
--   kit.play("my-bot", function(decide, match) return 0 end) -- 0 is decide.legal[1], 1 is decide.legal[2] and so on
--
-- match is the arbiter's hello: game, rules, seat, seats, seed, time. decide is one request: kind, view, events, legal,
-- turn_ms, bank_ms. print and io.write go to stderr, so they can never break the conversation.

-- Debian keeps the library of Lua 5.3, which serves 5.4 as well, where 5.4 does not look.
package.path = package.path .. ";/usr/share/lua/5.3/?.lua"
local msgpack = require "MessagePack"

local FRAME_MOST_FROM_ARBITER = 1048576

-- Nil inside of a message. A table cannot hold nil: an array with holes would have no length.
local null = setmetatable({}, { __name = "null", __tostring = function() return "null" end })

-- The library reads nil as nil, and keeps its table of readers to itself: an upvalue of the one that reads any value.
for i = 1, math.huge do
    local name, readers = debug.getupvalue(msgpack.unpack_cursor, i)
    assert(name, "this version of MessagePack reads values in another way than 0.5.2")
    if name == "unpackers" then
        readers[0xC0] = function() return null end
        break
    end
end

local kit = { null = null }

-- Say something to the people who run the bot, on stderr.
function kit.note(...)
    local words = table.pack(...)
    for i = 1, words.n do words[i] = tostring(words[i]) end
    io.stderr:write(table.concat(words, "\t"), "\n")
end

-- A value as text, keys in order: kit.note(kit.show(decide.view)).
function kit.show(value)
    if type(value) == "string" then return string.format("%q", value) end
    if type(value) ~= "table" or value == null then return tostring(value) end
    local parts = {}
    for i, item in ipairs(value) do parts[i] = kit.show(item) end
    if #parts > 0 or next(value) == nil then return "[" .. table.concat(parts, ", ") .. "]" end
    for key, item in pairs(value) do parts[#parts + 1] = key .. ": " .. kit.show(item) end
    table.sort(parts)
    return "{" .. table.concat(parts, ", ") .. "}"
end

-- Chance that a replay repeats: a function below(n) that gives numbers from 0 to n - 1, each equally likely. Equal seeds
-- repeat them (splitmix64), the same in every kit but Python's.
function kit.lottery(seed)
    local state = seed
    return function(n)
        assert(math.type(n) == "integer" and n > 0 and n < 1 << 62, "below: n is no integer from 1 to 2^62 - 1")
        local rest = (math.maxinteger % n + 1) * 2 % n -- 2^64 % n
        while true do
            state = state + 0x9e3779b97f4a7c15
            local z = (state ~ state >> 30) * 0xbf58476d1ce4e5b9
            z = (z ~ z >> 27) * 0x94d049bb133111eb
            z = z ~ z >> 31
            -- Numbers beyond the last whole multiple of n would favour the small ones.
            if rest == 0 or math.ult(z, -rest) then
                return ((z >> 1) % n * 2 + (z & 1)) % n -- z % n, were z not signed
            end
        end
    end
end

-- The next message, or nil at the end of input.
local function read_frame(source)
    local header = source:read(4)
    if not header or #header < 4 then return nil end
    local size = string.unpack(">I4", header)
    if size < 1 or size > FRAME_MOST_FROM_ARBITER then error("a frame of " .. size .. " bytes") end
    local payload = source:read(size)
    if not payload or #payload < size then return nil end
    return msgpack.unpack(payload)
end

-- Send one message, at once.
local function write_frame(sink, message)
    assert(sink:write(string.pack(">s4", msgpack.pack(message))))
    assert(sink:flush())
end

-- Whatever is printed goes to stderr. Lua alone cannot move descriptor 1, so a program that the bot starts with os.execute
-- still has the conversation as its output: let it write elsewhere.
local function guarded_pipes()
    local source, sink = io.stdin, io.stdout
    io.stdout = io.stderr
    io.output(io.stderr)
    print = kit.note
    return source, sink
end

-- Play one match: shake hands, answer every decide with choose(decide, match), return when the input ends.
function kit.play(name, choose, version)
    local source, sink = guarded_pipes()
    local match = {}
    for message in read_frame, source do
        if message.type == "hello" then
            match = message
            local spoken = false
            for _, proto in ipairs(match.protos or {}) do spoken = spoken or proto == 1 end
            if not spoken then
                kit.note("the arbiter speaks protocols " .. kit.show(match.protos) .. ", this kit speaks 1")
                return
            end
            write_frame(sink, { type = "hello", proto = 1, name = name, version = version ~= "" and version or nil })
        elseif message.type == "decide" then
            local req = message.req -- before the bot can change it
            local choice = choose(message, match)
            if math.type(choice) ~= "integer" then
                error("choose returned " .. kit.show(choice) .. ", want an index into legal; // divides without a fraction")
            end
            write_frame(sink, { type = "act", req = req, choice = choice })
        elseif message.type == "fault" then
            kit.note(("fault: %s: %s (strikes: %s)"):format(message.code, message.detail, message.strikes))
        end
        -- After "end" comes the end of input. Anything else is from a later arbiter and is not meant for us.
    end
end

return kit
