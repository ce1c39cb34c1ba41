"""
The reference pages, written from the code: `python -m tools.reference docs`, or `make docs`.

`pages` makes those about commands, schema and protocol, `http_page` the one about the HTTP interface, whose parts that
no table holds are in `http_text`, `python_page` the one about the Python front door; `markdown` has the pieces that
pages are made of.
"""
