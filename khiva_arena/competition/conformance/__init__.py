"""Whether a bot keeps the protocol, step by step. Begin with ``whole_check.py``."""
