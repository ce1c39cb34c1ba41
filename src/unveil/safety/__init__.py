"""
What every process does to be safe from what is foreign and to keep what is private: the lowest floor of the house.

Foreign text is made visible (`visible`), no process that holds secrets leaves its memory on a disk (`core_dumps`), and
code that is run from a file lies where nobody else can put any (`private_folder`, `compiled_code`).
"""
