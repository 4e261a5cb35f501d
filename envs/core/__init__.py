"""The engine: everything that is the same for all games. It knows no game's name."""
