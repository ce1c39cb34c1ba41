"""
The published evaluation, run again: every setting, beside the figures that were printed.

`cells` lists the settings, `tasks` the single pieces of work and which of them share a study. `work` does a piece,
`pool` spreads studies over processes, `journal` keeps what is finished so that an interrupted experiment goes on where
it stopped, under a `fingerprint` of everything that decides a result. `averages` pools runs as the publication does,
`published` holds its figures, `deviations` sets both side by side, `outputs` writes them, and `report` with its
`*_section` files draws the page. `experiment` ties these together.

`register` and `design` make evaluation sets from a voter register, for those who hold one.
"""
