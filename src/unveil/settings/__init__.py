"""
Settings in TOML files: one way to read them, every mistake explained by its key.

`base` is what all settings are made of, `reader` reads a file and checks it, `mistakes` puts what is wrong into words.
"""
