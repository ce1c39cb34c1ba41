"""
A party's log: `log` is one project's, `entries` what is read back, `contents` what can be erased, `chain` the hashes
over all of it, `outbox` what is to be sent, `residue` what erasing leaves in files, `verification` the check.
"""
