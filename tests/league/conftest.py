"""A league that is played without a process."""

from leagues import played

__all__ = ["played"]
