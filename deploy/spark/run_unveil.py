"""
What `spark-submit` starts: the command `unveil`, with whatever stands behind this file's name.

Spark takes a program for Python's by its ending alone, and the installed command has none.
"""

from unveil.cli import main

if __name__ == "__main__":
    main()
