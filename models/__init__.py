"""Networks, policies, checkpoints and search players of hanazono."""

if __name__ == "models":  # two copies of every module would exist
    raise ImportError("import it as hanazono.models (pip install -e . once; see README)")
