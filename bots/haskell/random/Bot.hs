-- Any legal choice, each equally likely; plays every game. To make it yours: return another index into legal decide.
module Main where

import KhivaKit

main :: IO ()
main = play "random-haskell" "1" $ \match -> do
  below <- lottery (seed match) -- chance that a replay repeats
  return $ \decide -> below (length (legal decide))
