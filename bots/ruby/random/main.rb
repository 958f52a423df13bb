# Any legal choice, each equally likely. To make it yours: change the name, and let the block give the index you want.
require_relative "khiva_kit"

lottery = nil

Khiva.play("random-ruby", version: "1") do |decide, match|
  lottery ||= Khiva::Lottery.new(match["seed"])
  lottery.below(decide["legal"].length)
end
