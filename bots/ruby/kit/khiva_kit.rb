# frozen_string_literal: true

# Wire protocol 1 for bots in Ruby. A bot is one call:
#
#   require_relative "khiva_kit"
#   Khiva.play("my-bot") { |decide, match| 0 } # an index into decide["legal"]
#
# match is the arbiter's hello: game, rules, seat, seats, seed, time. decide is one request: kind, view, events, legal,
# turn_ms, bank_ms. Both are hashes with strings as keys. puts and p go to stderr, so they can never break the conversation.

require "msgpack"

module Khiva
  FRAME_MOST_FROM_ARBITER = 1_048_576

  module_function

  # Play one match: shake hands, answer every decide with what the block gives, return when the input ends.
  def play(name, version: "", &choose)
    source, sink = guarded_pipes
    match = {}
    while (message = read_frame(source))
      case message["type"]
      when "hello"
        match = message
        unless match["protos"]&.include?(1)
          note "the arbiter speaks protocols #{match["protos"]}, this kit speaks 1"
          return
        end
        hello = { "type" => "hello", "proto" => 1, "name" => name.encode("UTF-8") }
        hello["version"] = version.encode("UTF-8") unless version.empty?
        write_frame(sink, hello)
      when "decide"
        req = message["req"] # before the bot can change it
        choice = choose.call(message, match)
        raise TypeError, "choose returned #{choice.inspect}, want an index into legal" unless choice.is_a?(Integer)

        write_frame(sink, { "type" => "act", "req" => req, "choice" => choice })
      when "fault"
        note "fault: #{message["code"]}: #{message["detail"]} (strikes: #{message["strikes"]})"
      end
      # After "end" comes the end of input. Anything else is from a later arbiter and is not meant for us.
    end
  end

  # Say something to the people who run the bot, on stderr.
  def note(*words)
    $stderr.puts(words.join(" "))
  end

  # Chance that a replay repeats: equal seeds give equal numbers (splitmix64), the same in every kit but Python's.
  class Lottery
    MASK = 2**64 - 1

    def initialize(seed)
      @state = seed & MASK
    end

    # A number from 0 to n - 1, each equally likely.
    def below(n)
      raise ArgumentError, "below(#{n}): nothing to draw from" if n < 1

      loop do
        @state = (@state + 0x9e3779b97f4a7c15) & MASK
        z = ((@state ^ (@state >> 30)) * 0xbf58476d1ce4e5b9) & MASK
        z = ((z ^ (z >> 27)) * 0x94d049bb133111eb) & MASK
        z ^= z >> 31
        # Numbers beyond the last whole multiple of n would favour the small ones.
        return z % n if z < 2**64 - 2**64 % n
      end
    end
  end

  # The next message, or nil at the end of input.
  def read_frame(source)
    header = source.read(4)
    return nil if header.nil? || header.bytesize < 4

    size = header.unpack1("N")
    raise RangeError, "a frame of #{size} bytes" unless size.between?(1, FRAME_MOST_FROM_ARBITER)

    payload = source.read(size)
    MessagePack.unpack(payload) if payload && payload.bytesize == size
  end

  # Send one message, at once.
  def write_frame(sink, message)
    payload = MessagePack.pack(message)
    sink.write([payload.bytesize].pack("N") + payload)
    sink.flush
  end

  # The conversation on private descriptors. Whatever this process or a child of it prints goes to stderr instead.
  def guarded_pipes
    source = $stdin.dup.binmode
    sink = $stdout.dup.binmode
    $stdout.reopen($stderr)
    $stdout.sync = true
    [source, sink]
  end
end
