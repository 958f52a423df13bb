#!/bin/sh
# Check the bot, then test that it is not worse than the bot on main. CI runs this after each push; you can type: sh test.sh
# The test fails if the bot is worse. If 200 seeds do not tell, it passes.
set -eu
cd "$(dirname "$0")"
khiva-arena check --quick --game @GAME@ --trust-bots .

main=$(git rev-parse --quiet --verify origin/main || git rev-parse --quiet --verify main) || {
    echo "test.sh: this repository has no branch main; commit the bot on main, or write your branch into test.sh" >&2
    exit 2
}
[ "$main" != "$(git rev-parse HEAD)" ] || main=HEAD~1  # on main: the version before
# If there is no version before, the bot is compared with itself. A shallow clone only seems to have none.
git cat-file -e "$main:bot.toml" 2> /dev/null || [ "$(git rev-parse --is-shallow-repository)" = true ] || main=HEAD
khiva-arena sprt --game @GAME@ --seats @SEATS@ --seeds 200 --elo0 -50 --elo1 0 --accept better,open,same --trust-bots --new-event . ".@$main"
