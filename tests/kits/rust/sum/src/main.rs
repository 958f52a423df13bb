//! The sum of a value: for tests of what the kit makes of bytes.
#[path = "../khiva_kit.rs"]
mod khiva_kit;

use serde_json::Value;

const M: i64 = 2_147_483_647;

fn fold(start: i64, parts: impl Iterator<Item = i64>) -> i64 {
    parts.fold(start, |sum, part| (sum * 31 + part) % M)
}

fn total(value: &Value) -> i64 {
    match value {
        Value::Null => 1,
        Value::Bool(yes) => 2 + i64::from(*yes),
        Value::Number(_) => fold(4, std::iter::once(khiva_kit::int(value).rem_euclid(M))),
        Value::String(text) => fold(5, text.bytes().map(i64::from)),
        Value::Array(items) => fold(6, items.iter().map(total)),
        Value::Object(pairs) => {
            let one = |(key, item): (&String, &Value)| fold(5, key.bytes().map(i64::from)) * 31 + total(item);
            pairs.iter().fold(6, |sum, pair| (sum + one(pair)) % M)
        }
    }
}

fn main() {
    khiva_kit::play("süm", "", |decide, _| {
        println!("noise {}", decide.message["req"]);
        total(&decide.view()["value"]) as usize
    });
}
