"""The command lines of hanazono: each parses its arguments and calls the packages."""

if __name__ == "scripts":  # two copies of every module would exist
    raise ImportError("import it as hanazono.scripts (pip install -e . once; see README)")
