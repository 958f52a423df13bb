"""The programs in C that come with the arena, none of which it needs.

A program is one file of C99 in this room, and is linked statically: it starts in half
of the time, and runs on any Linux of its processor, whatever C library that has. It is
built once, when the package is set up: by pip for ``-e`` and from sources, and by
whoever makes a wheel, which then carries the program and names its processor. Where no
compiler is, pip makes the wheel without programs, and the arena does the same work by
other means, more slowly; ``khiva-arena doctor`` says so.

A program's file is named after its processor and the hash of its source. So a program
that does not belong to the source beside it is never run, and a folder may serve
machines of several kinds.
"""
