(* Sums up the value in the view, so that a test can tell what the kit read. *)
open Khiva_kit

let m = 2147483647

let rec sum = function
  | Msgpack.Nil -> 1
  | Bool false -> 2
  | Bool true -> 3
  | Int n -> ((4 * 31) + (((n mod m) + m) mod m)) mod m
  | Str text -> Seq.fold_left (fun h byte -> ((h * 31) + Char.code byte) mod m) 5 (String.to_seq text)
  | Array items -> Array.fold_left (fun h item -> ((h * 31) + sum item) mod m) 6 items
  | Map pairs -> List.fold_left (fun h (key, item) -> (h + (sum (Msgpack.Str key) * 31) + sum item) mod m) 6 pairs

let () =
  Sys.set_signal Sys.sigusr1 (Sys.Signal_handle ignore);
  play "süm" (fun decide _ ->
      print_endline ("noise " ^ show (get decide "req"));
      sum (get (get decide "view") "value"))
