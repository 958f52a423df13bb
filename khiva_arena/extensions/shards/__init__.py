"""An event divided between machines by hand. Begin with ``plan.py``."""
