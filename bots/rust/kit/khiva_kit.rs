//! All that a Rust bot needs to speak wire protocol 1, on rmp-serde. A bot is one call:
//!
//!     khiva_kit::play("my-bot", "1", |decide, matched| 0);
//!
//! The closure returns an index into `decide.legal()`. What is printed goes to stderr, so it can never break the conversation.
#![allow(dead_code)] // a bot need not use all of it

use serde_json::{json, Value};
use std::fs::File;
use std::io::{self, Read, Write};

/// The arbiter's hello: the whole message, and what most bots need of it. `match` itself is a word of Rust.
pub struct Match {
    pub hello: Value,
    pub game: String,
    pub seat: usize,
    pub seats: usize,
    pub seed: u64,
}

/// One request: its kind and the whole message.
pub struct Decide {
    pub kind: String,
    pub message: Value,
}

impl Decide {
    /// All that the seat knows: `ints(&decide.view()["gems"])` and the like read it.
    pub fn view(&self) -> &Value {
        &self.message["view"]
    }

    /// The entries to choose from, at least two.
    pub fn legal(&self) -> &[Value] {
        list(&self.message["legal"])
    }
}

/// Say a line to the people who run the bot, on stderr: `note!("turn {}", turn)`.
#[macro_export]
macro_rules! note {
    ($($words:tt)*) => { eprintln!($($words)*) };
}

/// A whole number of a message. Panics where it is none.
pub fn int(value: &Value) -> i64 {
    value.as_i64().unwrap_or_else(|| panic!("{value} is no whole number"))
}

/// A list of whole numbers.
pub fn ints(value: &Value) -> Vec<i64> {
    list(value).iter().map(int).collect()
}

/// The items of a list. Panics where it is none.
pub fn list(value: &Value) -> &[Value] {
    value.as_array().unwrap_or_else(|| panic!("{value} is no list"))
}

/// Chance that a replay repeats: equal seeds give equal numbers (splitmix64).
pub struct Lottery(u64);

impl Lottery {
    pub fn new(seed: u64) -> Self {
        Lottery(seed)
    }

    /// From 0 to n - 1, each equally likely.
    pub fn below(&mut self, n: u64) -> u64 {
        let rest = (u64::MAX % n + 1) % n;
        loop {
            self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
            let mut z = self.0;
            z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
            z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
            z ^= z >> 31;
            // Numbers beyond the last whole multiple of n would favour the small ones.
            if z <= u64::MAX - rest {
                return z % n;
            }
        }
    }
}

/// The next message, or None at the end of input.
fn read_frame(source: &mut impl Read) -> Option<Value> {
    const MOST: u32 = 1_048_576;
    let mut header = [0; 4];
    source.read_exact(&mut header).ok()?;
    let size = u32::from_be_bytes(header);
    assert!((1..=MOST).contains(&size), "a frame of {size} bytes");
    let mut payload = vec![0; size as usize];
    source.read_exact(&mut payload).ok()?;
    Some(rmp_serde::from_slice(&payload).expect("a message in MessagePack"))
}

/// Send one message, at once.
fn write_frame(sink: &mut File, message: &Value) {
    let payload = rmp_serde::to_vec(message).expect("a message that can be sent");
    let mut frame = (payload.len() as u32).to_be_bytes().to_vec();
    frame.extend(payload);
    sink.write_all(&frame).expect("an arbiter that listens");
}

#[cfg(target_os = "wasi")] // a module has no second descriptor for the conversation: it must print nothing to stdout
fn guarded_output() -> File {
    unsafe { std::os::wasi::io::FromRawFd::from_raw_fd(1) } // safe: nothing else closes descriptor 1
}

/// The conversation on a descriptor of its own. What this process or a child of it prints goes to stderr instead.
#[cfg(unix)]
fn guarded_output() -> File {
    extern "C" {
        fn dup2(from: i32, to: i32) -> i32;
    }
    let sink = std::os::unix::io::AsFd::as_fd(&io::stdout()).try_clone_to_owned().expect("a stdout");
    // Safe: descriptors 1 and 2 are open for as long as the process runs.
    assert!(unsafe { dup2(2, 1) } == 1, "stdout cannot be guarded");
    sink.into()
}

/// Play one match: shake hands, answer every decide with `choose`, return when the input ends.
pub fn play(name: &str, version: &str, mut choose: impl FnMut(&Decide, &Match) -> usize) {
    let (mut source, mut sink) = (io::stdin().lock(), guarded_output());
    let mut known = None;
    while let Some(message) = read_frame(&mut source) {
        match message["type"].as_str() {
            Some("hello") => {
                if !list(&message["protos"]).contains(&json!(1)) {
                    note!("the arbiter speaks protocols {}, this kit speaks 1", message["protos"]);
                    return;
                }
                let mut hello = json!({"type": "hello", "proto": 1, "name": name});
                if !version.is_empty() {
                    hello["version"] = json!(version);
                }
                known = Some(Match {
                    game: message["game"].as_str().unwrap_or_default().to_string(),
                    seat: int(&message["seat"]) as usize,
                    seats: int(&message["seats"]) as usize,
                    seed: int(&message["seed"]) as u64,
                    hello: message,
                });
                write_frame(&mut sink, &hello);
            }
            Some("decide") => {
                let kind = message["kind"].as_str().unwrap_or_default().to_string();
                let decide = Decide { kind, message };
                let choice = choose(&decide, known.as_ref().expect("a hello before the first decide"));
                write_frame(&mut sink, &json!({"type": "act", "req": decide.message["req"], "choice": choice}));
            }
            Some("fault") => {
                let [code, detail] = ["code", "detail"].map(|key| message[key].as_str().unwrap_or_default());
                note!("fault: {code}: {detail} (strikes: {})", message["strikes"]);
            }
            // After "end" comes the end of input. Anything else is from a later arbiter and is not meant for us.
            _ => {}
        }
    }
}
