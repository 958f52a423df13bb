(* MessagePack, the part that the protocol uses: nil, booleans, integers, strings, arrays and maps with strings as keys. *)

type value =
  | Nil
  | Bool of bool
  | Int of int
  | Str of string
  | Array of value array
  | Map of (string * value) list

exception Malformed of string

let decode text =
  let at = ref 0 in
  let take size =
    let from = !at in
    if size > String.length text - from then raise (Malformed "a value beyond the end of the frame");
    at := from + size;
    from
  in
  let u8 () = Char.code text.[take 1] in
  let u16 () = String.get_uint16_be text (take 2) in
  let u32 () = Int32.to_int (String.get_int32_be text (take 4)) land 0xffffffff in
  let i64 () = Int64.to_int (String.get_int64_be text (take 8)) (* exact: the protocol has no integer beyond 53 bits *) in
  let str size = String.sub text (take size) size in
  (* Each item takes a byte at least: a length that is not there is refused before anything of its size is made. *)
  let items size = if size > String.length text - !at then raise (Malformed "an array or map beyond the end of the frame") in
  let rec value () =
    match u8 () with
    | tag when tag <= 0x7f -> Int tag
    | tag when tag <= 0x8f -> map (tag - 0x80)
    | tag when tag <= 0x9f -> array (tag - 0x90)
    | tag when tag <= 0xbf -> Str (str (tag - 0xa0))
    | tag when tag >= 0xe0 -> Int (tag - 0x100)
    | 0xc0 -> Nil
    | 0xc2 -> Bool false
    | 0xc3 -> Bool true
    | 0xcc -> Int (u8 ())
    | 0xcd -> Int (u16 ())
    | 0xce -> Int (u32 ())
    | 0xcf | 0xd3 -> Int (i64 ())
    | 0xd0 -> Int (String.get_int8 text (take 1))
    | 0xd1 -> Int (String.get_int16_be text (take 2))
    | 0xd2 -> Int (Int32.to_int (String.get_int32_be text (take 4)))
    | 0xd9 -> Str (str (u8 ()))
    | 0xda -> Str (str (u16 ()))
    | 0xdb -> Str (str (u32 ()))
    | 0xdc -> array (u16 ())
    | 0xdd -> array (u32 ())
    | 0xde -> map (u16 ())
    | 0xdf -> map (u32 ())
    | tag -> raise (Malformed (Printf.sprintf "a value of type 0x%x, which the protocol does not have" tag))
  and array size =
    items size;
    let made = Array.make size Nil in
    for i = 0 to size - 1 do
      made.(i) <- value ()
    done;
    Array made
  and map size =
    items size;
    let pairs = ref [] in
    for _ = 1 to size do
      match value () with
      | Str key -> pairs := (key, value ()) :: !pairs
      | _ -> raise (Malformed "a key that is no string")
    done;
    Map !pairs (* the last of equal keys comes first, and so is the one that List.assoc finds *)
  in
  let whole = value () in
  if !at <> String.length text then raise (Malformed "bytes behind the message");
  whole

let rec encode into value =
  let tagged tag add size =
    Buffer.add_uint8 into tag;
    add into size
  in
  let add_u32 into size = Buffer.add_int32_be into (Int32.of_int size) in
  match value with
  | Nil -> Buffer.add_uint8 into 0xc0
  | Bool flag -> Buffer.add_uint8 into (if flag then 0xc3 else 0xc2)
  | Int n -> tagged 0xd3 Buffer.add_int64_be (Int64.of_int n)
  | Str text ->
      tagged 0xdb add_u32 (String.length text);
      Buffer.add_string into text
  | Array items ->
      tagged 0xdd add_u32 (Array.length items);
      Array.iter (encode into) items
  | Map pairs ->
      tagged 0xdf add_u32 (List.length pairs);
      List.iter (fun (key, item) -> encode into (Str key); encode into item) pairs
