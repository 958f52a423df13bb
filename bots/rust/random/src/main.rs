//! Any legal choice, each equally likely; equal seeds give equal choices. Write your own closure.
#[path = "../khiva_kit.rs"]
mod khiva_kit;

use khiva_kit::{play, Lottery};

fn main() {
    let mut lots: Option<Lottery> = None;
    play("random-rust", "1", |decide, matched| {
        let lots = lots.get_or_insert_with(|| Lottery::new(matched.seed));
        lots.below(decide.legal().len() as u64) as usize
    });
}
