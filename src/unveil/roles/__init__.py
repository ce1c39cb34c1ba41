"""
The four roles, each a machine without input or output: `owner`, `record_unit`, `attribute_unit`, `review_unit`.

They know neither each other nor the truth. What they share lies beside them: `chance`, from which every decision draws;
`columns` of messages as arrays; `handles`, which stand for records.
"""
