"""Lines on stderr and the live screen. Begin with ``console.py``."""
