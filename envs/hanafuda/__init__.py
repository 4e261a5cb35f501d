"""The hanafuda deck, its deal and its matching rule, shared by Sakura and Hanawase."""
