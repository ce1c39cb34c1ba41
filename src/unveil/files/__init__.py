"""
Files of people and parties: reading records and encodings, writing results, keeping keys.

* `source`        opens a path with care and tells what kind of file it is from its first bytes
* `header`        finds the needed columns among the names that a file has
* `csv_rows`      streams the needed columns of a CSV file, `parquet_rows` those of a Parquet file
* `read`          `read_records`: from those streams to arrays
* `columns`       every column of a file, for whoever proposes a schema
* `encoded`       the Parquet file of an owner's encodings
* `write`         CSV for people, safe to open in a spreadsheet
* `arrays`        arrays in a file from which no code is run
* `atomic`        a file appears whole or not at all
* `private_file`  a file that its owner alone can read; `key_file` and `sealed_key` hold an owner's key in one
* `public_key`    the public key of a certificate, by which a party is known

Rows are counted from 1, the first row after the header; an empty line counts as a row and is skipped. Values stay the
text that they are: leading zeros are kept, "NA" and "null" are values, and only a blank cell is missing. Blanks around
a value are trimmed. An error names file, row and column, never the value.
"""
