#!/bin/sh
# Makes what compose.yaml wants to find beside it: a folder for each unit, and passwords that nobody has to know.
# What exists is left as it is. Certificates, project file and unit.toml come from unveil, see docs/deployment.md.
set -eu
cd "$(dirname "$0")"
umask 077

password() {
  od -An -N24 -tx1 /dev/urandom | tr -d ' \n'
}

mkdir -p secrets
for name in postgres record_unit attribute_unit review_unit; do
  # Readable in the container by a user without rights; on this machine the folder is closed.
  [ -e "secrets/$name" ] || password > "secrets/$name"
  chmod 644 "secrets/$name"
done

for unit in record-unit attribute-unit review-unit; do
  user=$(printf %s "$unit" | tr - _)
  mkdir -p "$unit"
  [ -e "$unit/pgpass" ] || printf 'database:5432:%s:%s:%s\n' "$user" "$user" "$(cat "secrets/$user")" > "$unit/pgpass"
done
echo "next: put certificates and the project file into each folder, and run unveil unit init there" >&2
echo "then: sudo chown -R 10001:10001 record-unit attribute-unit review-unit" >&2
