"""
The review unit (L_C): shows a person a masked pair and passes the decision on.

`machine` collects tasks and the values granted for them; `alignment`, `masking` and `display` turn a pair into what the
person may see. Values are erased as soon as a pair is labelled.
"""
