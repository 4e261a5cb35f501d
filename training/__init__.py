"""Self-play training and evaluation for hanazono."""

if __name__ == "training":  # two copies of every module would exist
    raise ImportError("import it as hanazono.training (pip install -e . once; see README)")
