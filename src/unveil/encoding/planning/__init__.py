"""
Planning a linkage from an owner's own file: which schema fits it, and what a schema would do with it.

`proposal` makes a schema. It looks at every column (`facts`, `contents`, `common_names`), finds roles by names and
contents (`column_roles`), measures attributes once they are normalised (`attribute_facts`, `fill`, `strangers`) and
chooses blocking keys (`key_choice`), which are tried on copies of the owner's records (`copies`, `trials`) and whose
blocks are counted (`blocks`). `written` makes a TOML file of it.

`column_fit` doubts that a column is what an attribute is to be read from, and `looks` says what its values look like.

`figures` says what a schema does with records, `cautions` what to look at before a project begins.

An owner runs this at home. What comes out are numbers and names of columns, never a value.
"""
