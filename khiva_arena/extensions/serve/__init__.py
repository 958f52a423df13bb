"""Pages that are served to browsers: the extension's row in ``row``, its hook in ``extension``."""
