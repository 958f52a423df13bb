"""A chain of small events that anybody can check: the extension's row in ``row``, its hook in ``extension``."""
