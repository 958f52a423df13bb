-- The sum of a value: for tests of what the kit makes of bytes.
module Main where

import qualified Data.ByteString as B
import qualified Data.Map.Strict as M
import qualified Data.Text as T
import Data.Text.Encoding (encodeUtf8)
import KhivaKit

main :: IO ()
main = play "süm" "" $ \_ -> return $ \decide -> do
  putStrLn "noise"
  return (total (field (view decide) "value"))

total :: Value -> Int
total Nil = 1
total (Bool truth) = if truth then 3 else 2
total (Int n) = fold 4 [n `mod` m]
total (Str text) = fold 5 (map fromIntegral (B.unpack (encodeUtf8 (T.pack text))))
total (List found) = fold 6 (map total found)
total (Map pairs) = M.foldlWithKey (\sum' key item -> (sum' + total (Str key) * 31 + total item) `mod` m) 6 pairs

fold :: Int -> [Int] -> Int
fold = foldl (\sum' part -> (sum' * 31 + part) `mod` m)

m :: Int
m = 2147483647
