#!/bin/sh
# Run once by the database, when it is new: one user and one database for each unit, closed to everybody else.
set -eu
secrets=${SECRETS:-/run/secrets}

for unit in record_unit attribute_unit review_unit; do
  psql --no-psqlrc --quiet --set ON_ERROR_STOP=1 --username "${POSTGRES_USER:-postgres}" --dbname postgres \
    --set unit="$unit" --set password="$(cat "$secrets/$unit")" <<'SQL'
CREATE ROLE :"unit" LOGIN PASSWORD :'password';
CREATE DATABASE :"unit" OWNER :"unit";
REVOKE ALL ON DATABASE :"unit" FROM PUBLIC;
SQL
done
