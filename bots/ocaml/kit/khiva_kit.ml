(* Wire protocol 1 for bots in OCaml. A bot is one call:

     let () = Khiva_kit.play "my-bot" (fun decide match_ -> 0) (* an index into the array "legal" of decide *)

   match_ is the arbiter's hello: game, rules, seat, seats, seed, time. decide is one request: kind, view, events, legal,
   turn_ms, bank_ms. print_endline and Printf.printf go to stderr, so they can never break the conversation. *)

open Msgpack

let frame_most_from_arbiter = 1048576

(* Say something to the people who run the bot, on stderr: note "%d cards" n. *)
let note format = Printf.eprintf (format ^^ "\n%!")

(* Any value as text: note "%s" (show view). *)
let rec show = function
  | Nil -> "null"
  | Bool flag -> string_of_bool flag
  | Int n -> string_of_int n
  | Str text -> "\"" ^ text ^ "\""
  | Array items -> "[" ^ String.concat ", " (List.map show (Array.to_list items)) ^ "]"
  | Map pairs -> "{" ^ String.concat ", " (List.rev_map (fun (key, item) -> key ^ ": " ^ show item) pairs) ^ "}"

let not_a what value = failwith (Printf.sprintf "not %s: %s" what (show value))

(* What a value holds. Failure if it is something else. *)
let int = function Int n -> n | value -> not_a "an integer" value
let str = function Str text -> text | value -> not_a "a string" value
let array = function Array items -> items | value -> not_a "an array" value

(* The entry of a map, Nil if it is not there. *)
let get value key =
  match value with Map pairs -> Option.value (List.assoc_opt key pairs) ~default:Nil | value -> not_a "a map" value

(* Chance that a replay repeats: a function that takes n and gives numbers from 0 to n - 1, each equally likely. Equal seeds
   repeat them (splitmix64), the same in every kit but Python's. *)
let lottery seed =
  let state = ref (Int64.of_int seed) in
  let mixed z bits = Int64.logxor z (Int64.shift_right_logical z bits) in
  fun n ->
    if n < 1 then invalid_arg "below: nothing to draw from";
    let many = Int64.of_int n in
    let limit = Int64.neg (Int64.unsigned_rem (Int64.succ (Int64.unsigned_rem (-1L) many)) many) in
    let rec draw () =
      state := Int64.add !state 0x9e3779b97f4a7c15L;
      let z = Int64.mul (mixed !state 30) 0xbf58476d1ce4e5b9L in
      let z = mixed (Int64.mul (mixed z 27) 0x94d049bb133111ebL) 31 in
      (* Numbers beyond the last whole multiple of n would favour the small ones. A limit of 0 stands for 2^64. *)
      if limit = 0L || Int64.unsigned_compare z limit < 0 then Int64.to_int (Int64.unsigned_rem z many) else draw ()
    in
    draw ()

(* The next message, or None at the end of input. *)
let read_frame source =
  try
    let size = Int32.to_int (String.get_int32_be (really_input_string source 4) 0) land 0xffffffff in
    if size < 1 || size > frame_most_from_arbiter then raise (Malformed (Printf.sprintf "a frame of %d bytes" size));
    Some (decode (really_input_string source size))
  with End_of_file -> None

(* Send one message, at once. *)
let write_frame sink message =
  let payload = Buffer.create 128 in
  encode payload message;
  output_binary_int sink (Buffer.length payload);
  Buffer.output_buffer sink payload;
  flush sink

(* The conversation on private descriptors. Whatever this process or a child of it prints goes to stderr instead. *)
let guarded_pipes () =
  let own descriptor = Unix.dup ~cloexec:true descriptor in
  let source = Unix.in_channel_of_descr (own Unix.stdin) and sink = Unix.out_channel_of_descr (own Unix.stdout) in
  Unix.dup2 Unix.stderr Unix.stdout;
  set_binary_mode_in source true;
  set_binary_mode_out sink true;
  (source, sink)

(* Play one match: shake hands, answer every decide with choose decide match, return when the input ends. *)
let play ?(version = "") name choose =
  Printexc.record_backtrace true;
  let source, sink = guarded_pipes () in
  let rec go match_ =
    match read_frame source with
    | None -> ()
    | Some message -> (
        match get message "type" with
        | Str "hello" when not (Array.mem (Int 1) (array (get message "protos"))) ->
            note "the arbiter speaks protocols %s, this kit speaks 1" (show (get message "protos"))
        | Str "hello" ->
            let hello = [ ("type", Str "hello"); ("proto", Int 1); ("name", Str name) ] in
            write_frame sink (Map (if version = "" then hello else ("version", Str version) :: hello));
            go message
        | Str "decide" ->
            let choice = choose message match_ in
            write_frame sink (Map [ ("type", Str "act"); ("req", get message "req"); ("choice", Int choice) ]);
            go match_
        | Str "fault" ->
            let said key = match get message key with Str text -> text | value -> show value in
            note "fault: %s: %s (strikes: %s)" (said "code") (said "detail") (said "strikes");
            go match_
        (* After "end" comes the end of input. Anything else is from a later arbiter and is not meant for us. *)
        | _ -> go match_)
  in
  go (Map [])
