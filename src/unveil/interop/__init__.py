"""
Formats of other tools, read and written.

* `clkhash_*`      CLKs of clkhash from people's records, bit for bit: schema, values, tokens, positions, encoder
* `clk_files`      files of CLKs as clkhash, anonlink and its service have them: JSON with and without blocks, binary
* `anonlink`       what anonlink answers: groups and similarity scores
* `base64_tables`  CSV of ids and filters: PRIMAT, and the client of ul-mds
* `json_records`   JSON of records with filters: ul-mds and pprl-services
* `codi`           the zip of CODI's data owners, and tables of LINK_IDs
* `splink`         predictions and labels of Splink
* `formats`        all of them by name, and `conversion` from one to another

Filters are our own words as soon as they are read. In which order a byte's bits stand follows from the format and from
nothing else; who encoded is written into our files, and encodings of different origin are never compared.
"""
