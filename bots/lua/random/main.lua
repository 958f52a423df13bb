-- Any legal choice, each equally likely. To make it yours: change the name, and let choose return the index you want.
local kit = require "khiva_kit"

local below

local function choose(decide, match)
    below = below or kit.lottery(match.seed)
    return below(#decide.legal)
end

kit.play("random-lua", choose, "1")
