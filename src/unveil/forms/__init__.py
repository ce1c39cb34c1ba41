"""
Values in the one form in which owners compare them, whatever form their files have.

`column_forms` brings a column into the form of its attribute's type: `date_columns` reads dates (`dates` single ones,
`date_shapes` what they look like), `postcodes` postal codes, `sexes` codes of sex. What a column needs to be read is
found from all of its values; what is read with doubt, or cannot be read, is a `Finding`, which counts and names rows
and never shows a value.
"""
