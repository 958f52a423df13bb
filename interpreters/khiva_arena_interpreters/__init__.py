"""Interpreters of Khiva Arena, each a WebAssembly module beside this file:
``javascript.wasm``, ``python.wasm``.

The arena finds them here by the word that a bot.toml has, and knows by their hashes
which release they are of.
"""
