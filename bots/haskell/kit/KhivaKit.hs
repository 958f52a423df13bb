-- | Wire protocol 1 for bots in Haskell, with MsgPack.hs beside it and the libraries that come with GHC. A bot is one call:
--
-- > main = play "my-bot" "1" $ \match -> return $ \decide -> return 0 -- an index into legal decide
--
-- Whatever the process or a child of it prints goes to stderr, so that it cannot break the conversation.
module KhivaKit
  ( Match (..), Decide (..), Value (..), play, note, lottery, field, items, int, str
  ) where

import Control.Monad (when)
import Data.Bits (shiftL, shiftR, xor, (.|.))
import qualified Data.ByteString as B
import qualified Data.ByteString.Builder as Out
import Data.IORef (newIORef, readIORef, writeIORef)
import qualified Data.Map.Strict as M
import Data.Word (Word64)
import GHC.IO.Handle (hDuplicateTo)
import MsgPack (Value (..), decode, encode)
import System.IO
import System.Posix.IO (FdOption (CloseOnExec), dup, fdToHandle, setFdOption, stdOutput)

-- | The arbiter's greeting, the same all match long.
data Match = Match {game :: String, rules :: Value, seat, seats, seed :: Int, time :: Value}

-- | One request. The page of the game says what view, events and legal hold.
data Decide = Decide {kind :: String, view :: Value, events, legal :: [Value], turnMs, bankMs :: Int}

-- | Play one match: shake hands, answer every decide, return when the input ends. A bot is asked once for each match how it
-- chooses, and may make what it wants to remember then.
play :: String -> String -> (Match -> IO (Decide -> IO Int)) -> IO ()
play name version bot = do
  own <- dup stdOutput
  setFdOption own CloseOnExec True
  out <- fdToHandle own
  hDuplicateTo stderr stdout
  hSetBuffering stdout LineBuffering
  mapM_ (`hSetEncoding` utf8) [stdout, stderr]
  mapM_ (`hSetBinaryMode` True) [stdin, out]
  converse (write out) name version bot

converse :: ([(String, Value)] -> IO ()) -> String -> String -> (Match -> IO (Decide -> IO Int)) -> IO ()
converse send name version bot = next (\_ -> fail "asked before the greeting")
  where
    next choose = readFrame >>= maybe (return ()) (heed choose)
    heed choose message = case str (field message "type") of
      "hello" | Int 1 `elem` items (field message "protos") -> do
        send ([("type", Str "hello"), ("proto", Int 1), ("name", Str name)] ++ [("version", Str version) | version /= ""])
        bot (match message) >>= next
      "hello" -> note ("the arbiter speaks protocols " ++ show (items (field message "protos")) ++ ", this kit speaks 1")
      "decide" -> do
        choice <- choose (decision message)
        send [("type", Str "act"), ("req", field message "req"), ("choice", Int choice)]
        next choose
      "fault" -> do
        note ("fault: " ++ text "code" ++ ": " ++ text "detail" ++ " (strikes: " ++ show (int (field message "strikes")) ++ ")")
        next choose
      _ -> next choose -- after "end" comes the end of input; anything else is from a later arbiter and is not meant for us
      where
        text = str . field message

match :: Value -> Match
match m = Match (str (at "game")) (at "rules") (number "seat") (number "seats") (number "seed") (at "time")
  where
    at = field m
    number = int . at

decision :: Value -> Decide
decision m = Decide (str (at "kind")) (at "view") (list "events") (list "legal") (number "turn_ms") (number "bank_ms")
  where
    at = field m
    list = items . at
    number = int . at

-- | Say something to the people who run the bot, on stderr.
note :: String -> IO ()
note = hPutStrLn stderr

-- * What lies in a value. Each calls 'error' where it is something else.

field :: Value -> String -> Value
field (Map pairs) key | Just item <- M.lookup key pairs = item
field other key = error ("no field " ++ key ++ " in " ++ take 200 (show other))

items :: Value -> [Value]
items (List found) = found
items other = error ("no list: " ++ take 200 (show other))

int :: Value -> Int
int (Int n) = n
int other = error ("no whole number: " ++ take 200 (show other))

str :: Value -> String
str (Str text) = text
str other = error ("no string: " ++ take 200 (show other))

-- | Chance that a replay repeats: a function that gives numbers from 0 to n - 1, each equally likely (splitmix64).
lottery :: Int -> IO (Int -> IO Int)
lottery start = do
  state <- newIORef (fromIntegral start :: Word64)
  let next = do
        now <- (+ 0x9e3779b97f4a7c15) <$> readIORef state
        writeIORef state now
        let y = (now `xor` (now `shiftR` 30)) * 0xbf58476d1ce4e5b9
            z = (y `xor` (y `shiftR` 27)) * 0x94d049bb133111eb
        return (z `xor` (z `shiftR` 31))
      below n = do
        z <- next
        let many = fromIntegral n
            tail' = (maxBound `mod` many + 1) `mod` many -- of all 2^64 numbers the last so many would favour the small ones
        if z <= maxBound - tail' then return (fromIntegral (z `mod` many)) else below n
  return below

-- * Frames: a length and one MessagePack map. Nothing at the end of input.

frameMostFromArbiter :: Int
frameMostFromArbiter = 1048576

readFrame :: IO (Maybe Value)
readFrame = do
  header <- B.hGet stdin 4
  let size = B.foldl' (\n byte -> n `shiftL` 8 .|. fromIntegral byte) 0 header
  if B.length header < 4 then return Nothing else do
    when (size < 1 || size > frameMostFromArbiter) (fail ("a frame of " ++ show size ++ " bytes"))
    payload <- B.hGet stdin size
    return (if B.length payload < size then Nothing else Just $! decode payload)

write :: Handle -> [(String, Value)] -> IO ()
write out message = do
  let payload = encode message
  Out.hPutBuilder out (Out.word32BE (fromIntegral (B.length payload)) <> Out.byteString payload)
  hFlush out
