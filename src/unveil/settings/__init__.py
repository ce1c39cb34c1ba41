"""
Settings in TOML files: one way to read them, every mistake explained by its key.

`base` is what all settings are made of, `reader` reads a file and checks it, `mistakes` puts what is wrong into words,
`patterns` says what names and keys look like, `choices` is about settings that take one of several names. They are
written with tomli-w.
"""
