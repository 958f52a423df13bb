"""The functions of WASI preview 1 that the runner offers, with their types: all that
modules of C, Go and Rust import unless they open files or sockets.
"""

MODULE = "wasi_snapshot_preview1"
I32, I64 = 0x7F, 0x7E
PARAMS = {
    "args_get": "ii",
    "args_sizes_get": "ii",
    "environ_get": "ii",
    "environ_sizes_get": "ii",
    "clock_res_get": "ii",
    "clock_time_get": "iIi",
    "fd_read": "iiii",
    "fd_write": "iiii",
    "fd_close": "i",
    "fd_seek": "iIii",
    "fd_fdstat_get": "ii",
    "fd_fdstat_set_flags": "ii",
    "fd_prestat_get": "ii",
    "fd_prestat_dir_name": "iii",
    "poll_oneoff": "iiii",
    "proc_exit": "i",
    "random_get": "ii",
    "sched_yield": "",
}
TYPES = {
    name: (
        bytes({"i": I32, "I": I64}[letter] for letter in params),
        b"" if name == "proc_exit" else bytes([I32]),
    )
    for name, params in PARAMS.items()
}
"""The types of parameters and results of each function, as bytes of the binary format;
the result is an error number.
"""
