"""
Files of people and parties: reading records and encodings, writing results, keeping keys.

* `open_table`    a table of records wherever it stands; `table` says what all of them can do
* `reading`       how a table is read: what a person says, the rest is found
* `source`        opens what somebody else made with care and tells what it is from its first bytes; `unpacked` unpacks
* `header`        finds the needed columns among the names that a table has
* `csv_rows`      text, line by line; `text_encoding` and `delimiters` find how it is written
* `workbook`      a sheet of an Excel workbook, by way of `workbook_parts` and `workbook_cells`
* `parquet_rows`  Parquet, `arrow_rows` files and streams of Arrow, both through `arrow_text`; `parquet_pages` and
                  `arrow_pages` tell how large they become
* `read`          `read_own`: from any table to an owner's records as arrays
* `columns`       every column of a table, for whoever proposes a schema
* `encoded`       the Parquet file of an owner's encodings
* `write`         CSV for people, safe to open in a spreadsheet
* `arrow_ids`     record ids as they stand in Arrow memory
* `write_table`   tables of Arrow in the format that a name asks for
* `arrays`        arrays in a file from which no code is run
* `atomic`        a file appears whole or not at all
* `private_file`  a file that its owner alone can read; `key_file` and `sealed_key` hold an owner's key in one
* `public_key`    the public key of a certificate, by which a party is known

Rows are counted from 1, the first row after the header; an empty line counts as a row and is skipped. Values stay the
text that they are: leading zeros are kept, "NA" and "null" are values, and only a blank cell is missing. Blanks around
a value are trimmed. An error names file, row and column, never the value.
"""
