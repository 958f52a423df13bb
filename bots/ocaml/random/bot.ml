(* Any legal choice, each equally likely. To make it yours: change the name, and let choose give the index you want. *)
open Khiva_kit

let below = ref None

let choose decide match_ =
  if !below = None then below := Some (lottery (int (get match_ "seed")));
  Option.get !below (Array.length (array (get decide "legal")))

let () = play "random-ocaml" ~version:"1" choose
