"""The page that checks bundles in a browser, ``khiva-arena.html``: the extension's row
in ``row``; it fills no hook.
"""
