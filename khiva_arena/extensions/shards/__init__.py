"""An event divided between machines by hand: the extension's row in ``row``, its hook in ``extension``."""
