# Sums up the value in the view, so that a test can tell what the kit read.
require_relative "khiva_kit"

M = 2_147_483_647

def sum(value)
  case value
  when nil then 1
  when false then 2
  when true then 3
  when Integer then (4 * 31 + value % M) % M
  when String
    raise "#{value.inspect} is no UTF-8" unless value.encoding == Encoding::UTF_8 && value.valid_encoding?

    value.bytes.reduce(5) { |h, byte| (h * 31 + byte) % M }
  when Array then value.reduce(6) { |h, item| (h * 31 + sum(item)) % M }
  when Hash then value.reduce(6) { |h, (key, item)| (h + sum(key) * 31 + sum(item)) % M }
  else raise "a #{value.class}, which the protocol does not have"
  end
end

trap("USR1") {}
Khiva.play("süm") do |decide, _|
  puts "noise #{decide["req"]}"
  decide["req"] = 5
  sum(decide["view"]["value"])
end
