"""
Linkages where one trusted place holds both files: the same machines as in the field, in one process, without a truth.

* `link`           `link_records` and `link_encodings`: from two files to links, persons and an estimate
* `two_tables`     two tables of records read for it, by a schema or by one that is proposed from both
* `records`        the parties on two files of records, with a reviewer or without one
* `encode`         one owner's records, encoded for a trusted unit
* `encoded_files`  two files of encodings: the record unit alone, from what the files say about themselves
* `by_threshold`   the same by similarity alone; `one_to_one` so that each record stands once
* `parties`        two owners and three units in one process; a simulation runs them, too
* `page_reviewer`  a person who reviews at a page; `session_file` keeps what they decided, `seen_risk` says what
                   opening a pair further would risk
* `same_file`      whether both files hold the same records
* `linked`         what comes out: links with probabilities, persons, the estimated quality; `tables` as Arrow tables
* `figures`        the numbers that need no truth, `measured` and `summary` count them, `report` draws them
"""
