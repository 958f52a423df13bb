"""Bots in each language that have failed."""

import shlex

from khiva_arena.entrants.bots import Bot
from khiva_arena.entrants.hints.failed import Failed

RUNS = {
    "python": "{python} main.py",
    "c": "./bot",
    "cpp": "./bot",
    "rust": "target/release/bot",
    "go": "./bot",
    "java": "java -jar bot.jar",
    "javascript": "node main.js",
    "typescript": "node main.js",
    "csharp": "mono Bot.exe",
    "ruby": "ruby main.rb",
    "php": "php main.php",
    "perl": "/usr/bin/perl main.pl",
    "lua": "lua5.4 main.lua",
    "haskell": "./Bot",
    "ocaml": "./bot",
    "nim": "./bot",
}


BUILDS = {
    "c": "cc -O2 -o bot bot.c",
    "cpp": "c++ -O2 -o bot bot.cpp",
    "rust": "cargo build --release --offline",
    "go": "go build -o bot .",
    "java": "sh -c 'javac -d . Bot.java && jar cfe bot.jar Bot *.class'",
    "typescript": "tsc main.ts",
    "csharp": "mcs -out:Bot.exe Bot.cs",
    "haskell": "ghc -O2 Bot.hs",
    "ocaml": "ocamlfind ocamlopt -package unix bot.ml -o bot",
    "nim": "nim c -d:release bot.nim",
}


def bot(language: str) -> Bot:
    run = tuple(shlex.split(RUNS.get(language, "./bot")))
    return Bot(
        language, "", run, tuple(shlex.split(BUILDS.get(language, ""))), (), "", True, (), language
    )


def failed(got: str = "", *, notes: str = "", received: bytes = b"") -> Failed:
    made = Failed("something else", got)
    made.notes, made.received = notes, received
    return made
