"""Training configurations of hanazono: YAML files, overrides only."""

if __name__ == "configs":  # two copies of every module would exist
    raise ImportError("import it as hanazono.configs (pip install -e . once; see README)")
