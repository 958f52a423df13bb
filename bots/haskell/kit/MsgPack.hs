-- | MessagePack, the part that the protocol uses, with the libraries that come with GHC.
module MsgPack (Value (..), decode, encode) where

import Data.Bits (shiftL, (.|.))
import qualified Data.ByteString as B
import qualified Data.ByteString.Builder as Out
import Data.ByteString.Lazy (toStrict)
import Data.Int (Int16, Int32, Int8)
import qualified Data.Map.Strict as M
import qualified Data.Text as T
import Data.Text.Encoding (decodeUtf8, encodeUtf8)

data Value = Nil | Bool Bool | Int Int | Str String | List [Value] | Map (M.Map String Value)
  deriving (Eq, Show)

-- | The one value that the bytes hold. Calls 'error' where they hold anything else.
decode :: B.ByteString -> Value
decode bytes = case value bytes of
  (whole, rest) | B.null rest -> whole
  _ -> error "bytes behind the message"

value :: B.ByteString -> (Value, B.ByteString)
value bytes
  | tag <= 0x7f = (Int tag, rest)
  | tag <= 0x8f = pairs (tag - 0x80) rest
  | tag <= 0x9f = list (tag - 0x90) rest
  | tag <= 0xbf = string (tag - 0xa0) rest
  | tag >= 0xe0 = (Int (tag - 0x100), rest)
  | otherwise = case tag of
    0xc0 -> (Nil, rest)
    0xc2 -> (Bool False, rest)
    0xc3 -> (Bool True, rest)
    0xcc -> int 1 id
    0xcd -> int 2 id
    0xce -> int 4 id
    0xcf -> int 8 id -- the protocol stays within 2^53 - 1
    0xd0 -> int 1 (\n -> fromIntegral (fromIntegral n :: Int8))
    0xd1 -> int 2 (\n -> fromIntegral (fromIntegral n :: Int16))
    0xd2 -> int 4 (\n -> fromIntegral (fromIntegral n :: Int32))
    0xd3 -> int 8 id
    0xd9 -> sized 1 string
    0xda -> sized 2 string
    0xdb -> sized 4 string
    0xdc -> sized 2 list
    0xdd -> sized 4 list
    0xde -> sized 2 pairs
    0xdf -> sized 4 pairs
    _ -> error ("a value of type " ++ show tag ++ ", which the protocol does not have")
  where
    (tag, rest) = number 1 bytes
    int width signed = let (n, behind) = number width rest in (Int (signed n), behind)
    sized width make = let (size, behind) = number width rest in make size behind

-- | The first so many bytes, and the others.
cut :: Int -> B.ByteString -> (B.ByteString, B.ByteString)
cut size bytes
  | size > B.length bytes = error "a message that ends inside a value"
  | otherwise = B.splitAt size bytes

number :: Int -> B.ByteString -> (Int, B.ByteString)
number width bytes = (B.foldl' (\n byte -> n `shiftL` 8 .|. fromIntegral byte) 0 digits, rest)
  where
    (digits, rest) = cut width bytes

string :: Int -> B.ByteString -> (Value, B.ByteString)
string size bytes = let (letters, rest) = cut size bytes in (Str (T.unpack (decodeUtf8 letters)), rest)

list :: Int -> B.ByteString -> (Value, B.ByteString)
list = go []
  where
    go items 0 rest = (List (reverse items), rest)
    go items left bytes = case value bytes of
      (item, rest) -> item `seq` go (item : items) (left - 1) rest

pairs :: Int -> B.ByteString -> (Value, B.ByteString)
pairs = go M.empty
  where
    go known 0 rest = (Map known, rest)
    go known left bytes = case value bytes of
      (Str key, behind) -> let (item, rest) = value behind in go (M.insert key item known) (left - 1) rest
      _ -> error "a key that is no string"

-- | A map of strings and whole numbers, which is all that a bot has to say.
encode :: [(String, Value)] -> B.ByteString
encode message = toStrict (Out.toLazyByteString (byte (0x80 + length message) <> foldMap both message))
  where
    both (key, item) = put (Str key) <> put item
    put (Str text) = let letters = encodeUtf8 (T.pack text) in byte 0xda <> size (B.length letters) <> Out.byteString letters
    put (Int n) = byte 0xd3 <> Out.int64BE (fromIntegral n)
    put other = error ("neither a string nor a whole number: " ++ show other)
    byte = Out.word8 . fromIntegral
    size = Out.word16BE . fromIntegral
